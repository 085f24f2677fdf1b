import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { ConfigError, type RoomKind, assertRange, checkKeys } from "@paceline/protocol";
import {
  consoleLog,
  fileStore,
  harmlessLog,
  relayOptionNames,
  Relay,
  type RelayOptions,
  type RelayStopOptions,
  type RoomAuthority,
  type RoomKindOptions,
  type RoomStore,
} from "@paceline/relay";
import { systemScheduler } from "@paceline/transport";
import { authorizerOf } from "./auth/authorize.js";
import { HookLog } from "./hooks/hook-log.js";
import { hookTrace } from "./hooks/hook-trace.js";
import type { ClassReport, RoomReport } from "./ops/class-report.js";
import { guardProcess, isProcessGuarded, type ProcessGuardOptions } from "./hooks/process-guard.js";
import { queueSettings, type QueueOptions } from "./queue/queue-options.js";
import { queueFor, queueNameOf } from "./queue/queue-room.js";
import { assertRoomClass } from "./room/room-settings.js";
import type { Room, RoomClass } from "./room/room.js";
import { RunningRooms } from "./room/running-rooms.js";

/** A kind of room: a class for an authoritative room, options for a mesh. */
export type RoomEntry = RoomClass | RoomKindOptions;

/** Options of {@link defineServer}: those of a relay, with room classes among its rooms. */
export interface ServerOptions<Rooms extends Readonly<Record<string, RoomEntry>>> extends Omit<
  RelayOptions,
  "rooms"
> {
  readonly rooms: Rooms;
  /**
   * Queues by the name of a kind of room, which must be a class. Players wait in them with
   * `client.queue(name, ...)`.
   */
  readonly queues?: { readonly [Name in keyof Rooms]?: QueueOptions };
  /**
   * Timeout of every hook that the server awaits, such as `onAuth`, `onCreate`, `onJoin` and `onLeave`.
   * Default 10000 ms.
   */
  readonly hookTimeoutMs?: number;
  /**
   * A hook that takes longer has blocked the server. The server ends a room that does so three times within
   * ten seconds, or within ten times this value if that is longer. Default 1000 ms.
   */
  readonly blockedMs?: number;
  /**
   * True if `listen` handles the uncaught errors of the process, as `Server.guardProcess` does.
   * Default: true, unless the process already has a listener for `uncaughtException` or `unhandledRejection`.
   */
  readonly guardsProcess?: boolean;
}

const MS = [1, 600_000, "ms"] as const;
/** Folder of saved rooms unless `store` says otherwise, as of `paceline start`. Made only for persistent rooms. */
const ROOMS_FOLDER = path.join("paceline-data", "rooms");
const optionNames = [...relayOptionNames, "queues", "hookTimeoutMs", "blockedMs", "guardsProcess"];

/** The types of a class's rooms that a client needs. */
type KindOf<Entry> = Entry extends new () => infer R
  ? R extends Room
    ? R["types"] & { readonly entity: R["entities"][number]; readonly inputs: R["inputs"] }
    : never
  : RoomKind;

/**
 * Returns a server for these kinds of rooms, by name. Call its `listen`, or give it the requests of your own
 * HTTP server. Throws `ConfigError` naming the option, its value and what is allowed.
 */
export function defineServer<const Rooms extends Readonly<Record<string, RoomEntry>>>(
  options: ServerOptions<Rooms>,
): Server<Rooms> {
  checkKeys("", options, optionNames);
  const { rooms, queues = {}, hookTimeoutMs = 10_000, blockedMs = 1000, guardsProcess, ...rest } = options;
  assertRange("hookTimeoutMs", hookTimeoutMs, MS);
  assertRange("blockedMs", blockedMs, MS);
  const { scheduler = systemScheduler } = rest;
  const log = harmlessLog(rest.log ?? consoleLog);
  const running: RunningRooms[] = [];
  const kinds: Record<string, RoomKindOptions> = {};
  for (const [name, entry] of Object.entries({ ...rooms, ...queueRooms(rooms, queues) })) {
    if (typeof entry !== "function") {
      kinds[name] = entry;
      continue;
    }
    assertRoomClass(name, entry);
    const hookLog = new HookLog(log, scheduler, name);
    const setup = { scheduler, log, hookLog, hookTrace, hookTimeoutMs, blockedMs };
    const rooms = new RunningRooms({ ...setup, name, roomClass: entry });
    running.push(rooms);
    const authority: RoomAuthority = {
      filterBy: entry.filterBy,
      authorize: authorizerOf(entry, rooms.hooks),
      open: (room, options, restored) => rooms.open(room, options, restored),
    };
    kinds[name] = { authority, mixesBuilds: entry.mixesBuilds, persistent: entry.persistent };
  }
  const onListening = (address: string): void =>
    log.info(`listening on ${address}`, { rooms: Object.keys(rooms).join(",") });
  const isPersistent = Object.values(kinds).some(({ persistent }) => persistent);
  const ownStore = rest.store || !isPersistent ? undefined : fileStore(ROOMS_FOLDER, { log });
  const store = rest.store ?? ownStore;
  return new DefinedServer(
    { ...rest, store, rooms: kinds },
    { running, guardsProcess, onListening, ownStore },
  );
}

function queueRooms(
  rooms: Readonly<Record<string, RoomEntry>>,
  queues: Readonly<Record<string, QueueOptions | undefined>>,
): Record<string, RoomClass> {
  const classes: Record<string, RoomClass> = {};
  for (const [name, queue] of Object.entries(queues)) {
    const target = rooms[name];
    if (!queue) continue;
    if (typeof target !== "function") {
      throw new ConfigError("queues", name, "the name of a kind of rooms that is a class");
    }
    classes[queueNameOf(name)] = queueFor(name, target, queueSettings(name, queue));
  }
  return classes;
}

interface ServerParts {
  readonly running: readonly RunningRooms[];
  readonly guardsProcess: boolean | undefined;
  readonly onListening: (address: string) => void;
  /** The store that the server itself has made, and closes. */
  readonly ownStore: RoomStore | undefined;
}

class DefinedServer<Rooms extends Readonly<Record<string, RoomEntry>>> extends Relay {
  /** Used by the type checker only. Undefined at run time. */
  declare readonly kinds: { readonly [Name in keyof Rooms]: KindOf<Rooms[Name]> };
  readonly #parts: ServerParts;
  readonly #http = createServer({
    headersTimeout: 10_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 2000,
  });

  #endGuard: (() => void) | undefined;

  /** @internal Use {@link defineServer}. */
  constructor(options: RelayOptions, parts: ServerParts) {
    super(options);
    this.#parts = parts;
    this.serve(this.#http);
  }

  /**
   * Handles uncaught errors, in a process that runs only this server. An error in a timer or promise that a
   * room's hook started is that room's error: see {@link Room.onUncaughtException}. Any other rejection is
   * counted and logged. Any other exception is counted and logged; then the server stops with a short drain,
   * and the process exits with code 1. {@link listen} does this by default. Returns a function that ends it.
   */
  guardProcess(options?: ProcessGuardOptions): () => void {
    return guardProcess(this, options);
  }

  /** Returns counters and measurements of every open room with an authority. */
  reports(): RoomReport[] {
    return this.#parts.running.flatMap((rooms) => rooms.reports());
  }

  /** Returns the totals of each class of rooms since the start, closed rooms included, for metrics. */
  classReports(): ClassReport[] {
    return this.#parts.running.map((rooms) => rooms.classReport());
  }

  /**
   * Opens an HTTP server. Resolves with its address, and logs the address with the kinds of rooms. Port 0:
   * any free port. First goes on with the persistent rooms of an earlier process.
   */
  async listen(port: number, host = "127.0.0.1"): Promise<string> {
    if (this.#parts.guardsProcess ?? !isProcessGuarded()) this.#endGuard ??= this.guardProcess();
    await this.restore();
    return new Promise((resolve, reject) => {
      this.#http.once("error", reject);
      this.#http.listen({ port, host }, () => {
        const bound = this.#http.address() as AddressInfo;
        const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
        const address = `http://${name}:${bound.port}`;
        this.#parts.onListening(address);
        resolve(address);
      });
    });
  }

  /**
   * Stops as {@link Relay.stop} does, and then waits for the hooks of all rooms: `onLeave` for every player,
   * and `onDispose`. Each of them has `hookTimeoutMs`.
   */
  override async stop(options?: RelayStopOptions): Promise<void> {
    const stopped = super.stop(options);
    this.#http.close();
    await stopped;
    this.#http.closeAllConnections();
    await Promise.all(this.#parts.running.map((rooms) => rooms.allOver()));
    await this.#parts.ownStore?.close?.();
    this.#endGuard?.();
    this.#endGuard = undefined;
  }
}

/** A server with rooms. `typeof server` gives `Client` the types of the rooms. */
export type Server<Rooms extends Readonly<Record<string, RoomEntry>>> = DefinedServer<Rooms>;
