import {
  ConfigError,
  MAX_KINDS,
  assertFunction,
  limits,
  plainDataProblem,
  type EntityDefinition,
} from "@paceline/protocol";
import type {
  Grant,
  HostedRoom,
  JoinRequest,
  MatchRefusal,
  RoomAuthority,
  RoomHost,
  RoomOptions,
} from "@paceline/relay";
import { HookLog } from "./hook-log.js";
import { failureText, Hooks } from "./hooks.js";
import { issuesText } from "./message-handlers.js";
import { ClassTally, type ClassReport, type RoomReport } from "../ops/class-report.js";
import type { RefusalKind } from "./refusal.js";
import { RoomCore, type RoomCoreOptions } from "./room-core.js";
import { Room, type RoomClass } from "./room.js";

export interface ClassAuthorityOptions extends Pick<
  RoomCoreOptions,
  "scheduler" | "log" | "hookTimeoutMs" | "blockedMs"
> {
  readonly name: string;
  readonly roomClass: RoomClass;
}

/** The authority of a kind of room. It creates an instance of the room class for each room. */
export class ClassAuthority implements RoomAuthority {
  readonly filterBy: readonly string[];
  readonly #options: ClassAuthorityOptions;
  readonly #hooks: Hooks;
  readonly #hookLog: HookLog;
  readonly #cores = new Set<RoomCore>();
  /** {@link RoomCore.over} of every room that is not over. */
  readonly #running = new Set<Promise<void>>();
  readonly #tally = new ClassTally();
  /** Hooks that failed before their room was open, or after it ended, counted by name. */
  readonly #errors: Record<string, number> = {};

  constructor(options: ClassAuthorityOptions) {
    const { scheduler, log, hookTimeoutMs, name, roomClass } = options;
    this.#options = options;
    assertRoomClass(name, roomClass);
    assertFunction("onAuth", (roomClass as { readonly onAuth: unknown }).onAuth);
    assertSizeName(roomClass);
    assertSizeName(roomClass.prototype as object);
    assertSpelling(roomClass, ["onAuth", "optionsSchema", "filterBy", "mixesBuilds"]);
    assertSpelling(roomClass.prototype as object, hookNames);
    this.filterBy = roomClass.filterBy;
    this.#hookLog = new HookLog(log, scheduler, name);
    this.#hooks = new Hooks({
      scheduler,
      log: this.#hookLog,
      timeoutMs: hookTimeoutMs,
      onError: (hook) => this.#failed(hook),
    });
  }

  async authorize({ roomName, options, authToken, caller }: JoinRequest): Promise<Grant | MatchRefusal> {
    const { roomClass } = this.#options;
    const checked = await this.#hooks.wait("optionsSchema", async () => {
      if (!roomClass.optionsSchema) return { value: options };
      const result = await roomClass.optionsSchema["~standard"].validate(options);
      // The welcome carries the options, so they must be plain data.
      const problem = result.issues ? undefined : plainDataProblem(result.value, "options");
      if (problem) throw problem;
      return result;
    });
    if (!checked.ok) return failed("optionsSchema", checked.refusal);
    if (checked.value.issues) {
      const message = `options: ${issuesText(checked.value.issues)}`;
      return { status: 400, code: "match/bad-request", message };
    }
    const granted = checked.value.value as RoomOptions;
    let identity: string | undefined;
    const keepIdentity = (token: string): void => {
      identity = token;
    };
    const request = { roomName, options: granted, token: authToken, ...caller, keepIdentity };
    const outcome = await this.#hooks.wait("onAuth", () => roomClass.onAuth(request));
    if (!outcome.ok) {
      return outcome.refusal === undefined ? failed("onAuth") : refused(outcome.refusal, outcome.kind);
    }
    if (!outcome.value) return refused("not let in");
    return { auth: outcome.value, options: granted, identity };
  }

  async open(hosted: HostedRoom, options: RoomOptions): Promise<RoomHost | MatchRefusal> {
    const { roomClass } = this.#options;
    // Create the room before the first `await`: the relay needs its number of places when others join
    // meanwhile.
    const core = this.#hooks.attempt("constructor", () => {
      const room = new roomClass();
      assertRoom(room);
      return new RoomCore({
        ...this.#options,
        room,
        hosted,
        hookLog: this.#hookLog,
        onClosed: (closed) => this.#closed(closed),
        onLateError: (hook) => this.#failed(hook),
      });
    });
    if (!core) return failed("constructor");
    this.#cores.add(core);
    const { over } = core;
    this.#running.add(over);
    void over.then(() => this.#running.delete(over));
    return (await core.open(options)) ? core : failed("onCreate");
  }

  reports(): RoomReport[] {
    return Array.from(this.#cores, reportOf);
  }

  /** Resolves when every room is over. */
  async allOver(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Returns totals of all rooms of the class, closed ones included. */
  classReport(): ClassReport {
    return this.#tally.report(this.#options.name, this.reports(), this.#errors);
  }

  #failed(hook: string): void {
    this.#errors[hook] = (this.#errors[hook] ?? 0) + 1;
  }

  #closed(core: RoomCore): void {
    if (this.#cores.delete(core)) this.#tally.add(reportOf(core));
  }
}

function reportOf({ hosted, players, world, loop, counters }: RoomCore): RoomReport {
  return {
    roomId: hosted.id,
    roomName: hosted.name,
    players: players.players.size,
    entities: world.records.size,
    tick: loop.tick,
    skippedTicks: loop.skipped,
    lateness: loop.lateness,
    duration: loop.duration,
    counters,
  };
}

const refusals = {
  refused: { status: 403, code: "match/refused" },
  unauthorized: { status: 401, code: "match/unauthorized" },
  unavailable: { status: 503, code: "match/auth-unavailable" },
} as const;

function refused(message: string, kind: RefusalKind = "refused"): MatchRefusal {
  return { ...refusals[kind], message };
}

function failed(hook: string, refusal = failureText(hook)): MatchRefusal {
  return { status: 500, code: "match/room-failed", message: refusal };
}

/**
 * Numbers that a room class may set: least value, largest value, unit, and whether it must be a whole number.
 */
export const settingRanges = {
  tickHz: [1, 255, "Hz", false],
  maxPlayers: [1, 1000, "players", true],
  maxSpectators: [0, 1000, "spectators", true],
  spectatorDelayMs: [0, 60_000, "ms", false],
  maxRewindMs: [0, 1000, "ms", false],
  reconnectSeconds: [0, 3600, "s", false],
  stateBytesPerSecond: [1000, 100_000_000, "bytes per second", false],
} as const;

const hookNames = [
  "onCreate",
  "onJoin",
  "onAnyMessage",
  "onTick",
  "onBreach",
  "onDrop",
  "onReconnect",
  "onLeave",
  "onDrain",
  "onDispose",
  "onUncaughtException",
] as const satisfies readonly (keyof Room)[];

class PlainRoom extends Room {}
const settingNames: readonly string[] = Object.keys(new PlainRoom());

/** Refuses a class that extends nothing, or the `Room` of another copy of this package, as in a bundle. */
function assertRoomClass(name: string, roomClass: RoomClass): void {
  if ((roomClass.prototype as object) instanceof Room) return;
  const expected =
    'a class that extends Room of the server\'s own "@paceline/server": a bundle leaves that package out';
  throw new ConfigError(`rooms.${name}`, roomClass, expected);
}

/** Names of `maxPlayers` in other libraries. Without this check such a room would have the default size. */
const otherSizes = ["maxClients", "maxPeers"] as const;

/** @param of a room class, its prototype, or a room */
function assertSizeName(of: object): void {
  for (const field of otherSizes) {
    if (!(field in of)) continue;
    const value = (of as Readonly<Record<string, unknown>>)[field];
    throw new ConfigError(field, value, "nothing: say maxPlayers");
  }
}

/**
 * Refuses a name that differs from a known one by upper and lower case alone: nobody would call such a hook,
 * and such a setting would keep its default.
 * @param of a room class, its prototype, or a room
 */
function assertSpelling(of: object, known: readonly string[]): void {
  const names = new Map(known.map((name) => [name.toLowerCase(), name]));
  for (let owner = of; owner !== Room && owner !== Room.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const field of Object.getOwnPropertyNames(owner)) {
      const name = names.get(field.toLowerCase());
      if (name === undefined || name === field) continue;
      const value = (owner as Readonly<Record<string, unknown>>)[field];
      throw new ConfigError(field, value, `nothing: it is spelt ${name}`);
    }
  }
}

/** Throws {@link ConfigError} for a wrong field of a room. */
export function assertRoom(room: Room): void {
  const { entities } = room;
  assertKinds(entities);
  assertSizeName(room);
  assertSpelling(room, [...hookNames, ...settingNames]);
  for (const name of hookNames) if (room[name] !== undefined) assertFunction(name, room[name]);
  for (const [field, [least, most, unit, isCount]] of Object.entries(settingRanges)) {
    const value = room[field as keyof typeof settingRanges];
    if (value >= least && value <= most && (!isCount || Number.isInteger(value))) continue;
    throw new ConfigError(field, value, `${least} to ${most} ${unit}`);
  }
  for (const { definition, most = 1 } of room.playerEntities) {
    if (!entities.includes(definition)) {
      throw new ConfigError("playerEntities", definition.name, "one of the room's entities");
    }
    if (Number.isInteger(most) && most >= 1 && most <= limits.ownedEntities) continue;
    const expected = `1 to ${limits.ownedEntities} entities of a player`;
    throw new ConfigError(`playerEntities.${definition.name}.most`, most, expected);
  }
}

function assertKinds(entities: unknown): void {
  if (!Array.isArray(entities))
    throw new ConfigError("entities", entities, "a list of definitions by defineEntity");
  if (entities.length > MAX_KINDS)
    throw new ConfigError("entities", entities.length, `at most ${MAX_KINDS} kinds`);
  const names = new Set<string>();
  for (const [index, kind] of entities.entries()) {
    const field = `entities[${index}]`;
    const name: unknown = (kind as Partial<EntityDefinition> | undefined)?.name;
    const isKind = typeof name === "string" && typeof kind === "object" && "schemaHash" in kind;
    if (!isKind) throw new ConfigError(field, kind, "a definition by defineEntity");
    // Clients find a kind by its name.
    if (names.has(name)) throw new ConfigError(field, name, "a kind with a name of its own");
    names.add(name);
  }
}
