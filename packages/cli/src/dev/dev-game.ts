import { rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import process from "node:process";
import {
  OriginPolicy,
  consoleLog,
  memoryStore,
  stackOf,
  type FaultPlace,
  type Log,
  type LogFields,
  type RelayOptions,
} from "@paceline/relay";
import { defineServer, type RoomEntry, type Server } from "@paceline/server";
import { context, type BuildContext, type BuildResult } from "esbuild";
import { bundledFile, bundleFolderFor, bundleOptions, textOfErrors } from "./game-bundle.js";
import { NO_GAME, gameOf, type Game } from "../server/game-rooms.js";

type AnyServer = Server<Readonly<Record<string, RoomEntry>>>;

/** Options of {@link DevGame}. */
export interface DevGameOptions {
  /** Module (TypeScript or JavaScript) that exports `rooms`. Default: none; only the relay's rooms. */
  readonly file?: string | undefined;
  /** Options of the relay. Its `rooms` are added to those of the file. */
  readonly relay: Omit<RelayOptions, "log">;
  /** Sink of the server's log, without errors: these go to {@link onStatus}. */
  readonly log?: Log;
  /** True if an uncaught error ends only its room, or is printed before it ends the process. Default: false. */
  readonly guardsProcess?: boolean;
  /** Called after each start and reload, and for each error of the running rooms. */
  readonly onStatus: (status: DevGameStatus) => void;
}

/**
 * The kinds of rooms at present, and the newest error since the last good save: of the file, or of a running
 * room.
 */
export interface DevGameStatus {
  readonly rooms: readonly string[];
  readonly error: string | undefined;
}

/**
 * A game's rooms for development. They start again after a save of the game's file, or of one that it
 * imports: players lose their connection and come back by themselves. Persistent rooms go on where they were, as after
 * a deploy. While the file has an error, the last rooms without one go on.
 */
export class DevGame {
  readonly #options: DevGameOptions;
  /** Decides which pages learn the error of the game's file, while there is no server that decides. */
  readonly #origins: OriginPolicy;
  #endGuard: (() => void) | undefined;
  #server: AnyServer | undefined;
  /** The newest game without an error. */
  #game: Game | undefined;
  #context: BuildContext | undefined;
  #folder: string | undefined;
  #status: DevGameStatus = { rooms: [], error: undefined };
  #builds = 0;
  /** Persistent rooms between two servers. */
  readonly #store = memoryStore();
  /** Resolves after all saves so far: they are handled one after the other. */
  #reloading: Promise<void> = Promise.resolve();

  /** Throws `ConfigError` for wrong hosts or origins. */
  constructor(options: DevGameOptions) {
    this.#options = options;
    const { relay, log = consoleLog } = options;
    const { allowedOrigins = [], publicHosts = [] } = relay;
    const clock = { nowMs: () => performance.now() };
    this.#origins = new OriginPolicy({ allowedOrigins, publicHosts, log, clock });
  }

  get status(): DevGameStatus {
    return this.#status;
  }

  /**
   * Resolves after the first start, even if the file has an error. Without a file, rejects for a wrong option,
   * which no save can mend.
   */
  async start(): Promise<void> {
    const { file } = this.#options;
    if (file === undefined) return this.#replace(NO_GAME);
    this.#folder = bundleFolderFor(file);
    // Stack traces then show the lines of the game's own source, also below many of this SDK.
    process.setSourceMapsEnabled(true);
    Error.stackTraceLimit = Math.max(Error.stackTraceLimit, STACK_LINES);
    let onFirst: () => void;
    const first = new Promise<void>((resolve) => (onFirst = resolve));
    const bundle = bundleOptions(file, this.#folder);
    this.#context = await context({
      ...bundle,
      plugins: [
        ...(bundle.plugins ?? []),
        {
          name: "paceline-reload",
          setup: (build) =>
            build.onEnd((result) => {
              this.#reloading = this.#reloading.then(() => this.#reload(result)).then(onFirst);
            }),
        },
      ],
    });
    await this.#context.watch();
    await first;
  }

  /** Returns true if the request is the game's. */
  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#server) return this.#server.handleRequest(request, response);
    if (!request.url?.startsWith("/match")) return false;
    const refusal = this.#origins.refusalOf(request);
    if (refusal) refuse(response, refusal.status, refusal);
    else {
      const message = `the game's file has an error:\n${this.#status.error ?? ""}`;
      refuse(response, 503, { code: "match/room-failed", message });
    }
    return true;
  }

  /** Returns true if the upgrade is the game's. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    return this.#server?.handleUpgrade(request, socket, head) ?? false;
  }

  /** Prints and shows an error that was caught outside of the rooms. */
  reportFault(place: FaultPlace, error: unknown): void {
    if (this.#server) this.#server.reportFault(place, error);
    else this.#fail(errorText("contained an error", { place, error: stackOf(error) }));
  }

  /** Ends the rooms and stops watching the file. */
  async stop(): Promise<void> {
    await this.#context?.dispose();
    await this.#reloading;
    await this.#server?.stop();
    this.#endGuard?.();
    this.#server = undefined;
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  async #reload({ errors }: BuildResult): Promise<void> {
    if (errors.length > 0) return this.#fail(textOfErrors(errors));
    // Node caches each module by its address. A new query makes a new address.
    const built = bundledFile(this.#folder!);
    await this.#load(() => gameOf(built, `?build=${(this.#builds += 1)}`, this.#options.file));
  }

  async #load(read: () => Promise<Game>): Promise<void> {
    try {
      await this.#replace(await read());
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  async #replace(game: Game): Promise<void> {
    // Stops the old server first, since two servers cannot share a UDP port. It saves the persistent rooms.
    await this.#server?.stop();
    try {
      this.#server = await this.#serverOf(game);
    } catch (error) {
      // Wrong options of a room show only here. The last game without an error starts again.
      if (this.#game) this.#server = await this.#serverOf(this.#game);
      throw error;
    }
    this.#game = game;
    this.#setStatus({ rooms: Object.keys(this.#kindsOf(game)), error: undefined });
  }

  #kindsOf({ rooms }: Game): Readonly<Record<string, RoomEntry>> {
    return { ...this.#options.relay.rooms, ...rooms };
  }

  /** Makes the next server, which goes on with the rooms that the last one has saved. */
  async #serverOf(game: Game): Promise<AnyServer> {
    const { relay, log = consoleLog } = this.#options;
    const store = this.#store;
    const rooms = this.#kindsOf(game);
    const error: Log["error"] = (message, fields) => this.#fail(errorText(message, fields));
    const server = defineServer({ store, ...relay, rooms, queues: game.queues, log: { ...log, error } });
    this.#endGuard?.();
    if (this.#options.guardsProcess === true) this.#endGuard = server.guardProcess();
    await server.restore();
    return server;
  }

  #fail(error: string): void {
    this.#setStatus({ rooms: this.#status.rooms, error });
  }

  #setStatus(status: DevGameStatus): void {
    this.#status = status;
    this.#options.onStatus(status);
  }
}

/** Limit of lines in a stack trace: a hook of the game stands below about ten lines of this SDK. */
const STACK_LINES = 50;
/** A line of a stack trace in a package, such as this SDK, or in Node itself. */
const FOREIGN_LINE = /^\s+at .*(?:[\\/]node_modules[\\/]|\bnode:)/;

/**
 * Returns an error line of the log with its stack, for example of a hook that threw. Keeps the lines of the
 * game, if there are any.
 */
export function errorText(message: string, { error = "", ...fields }: LogFields = {}): string {
  const facts = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  const lines = String(error).split("\n");
  const own = lines.filter((line) => !FOREIGN_LINE.test(line));
  const shown = own.some((line) => /^\s+at /.test(line)) ? own : lines;
  return `${[message, ...facts].join(" ")}\n${shown.join("\n")}`.trimEnd();
}

/** Refuses a match request, so that the game gets the reason in a `NetError`. */
function refuse(
  response: ServerResponse,
  status: number,
  { code, message }: { readonly code: string; readonly message: string },
): void {
  const { method, headers } = response.req;
  const { origin } = headers;
  if (origin !== undefined) response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Vary", "Origin");
  if (origin !== undefined && method === "OPTIONS")
    return void response.writeHead(204, { "Access-Control-Allow-Headers": "Content-Type" }).end();
  response.writeHead(status, { "Content-Type": "application/json; charset=utf-8", Connection: "close" });
  response.end(JSON.stringify({ error: { code, message } }));
}
