import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { OriginPolicy, fileStore, type CountedStore, type Log } from "@paceline/relay";
import {
  defineServer,
  type ProcessGuardOptions,
  type RoomEntry,
  type Server as GameServer,
} from "@paceline/server";
import { AdminServer } from "./admin-server.js";
import { roomsFolderOf } from "./data-folder.js";
import { NO_GAME, type Game } from "./game-rooms.js";
import { listenOn } from "./port.js";
import { ServerMetrics } from "./server-metrics.js";
import type { ServerOptions } from "./server-options.js";
import { isRead, type StaticFiles } from "./public-files.js";
import { staticFiles } from "./static-files.js";

/** Time for a request to arrive completely. A relay's requests are small. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 8192;

export interface HostAddresses {
  readonly game: string;
  readonly admin: string | undefined;
  /** Names of the kinds of rooms. */
  readonly rooms: readonly string[];
}

/** An HTTP server with a relay, and the admin server on a port of its own. */
export class RelayHost {
  readonly #options: ServerOptions;
  readonly #server: Server;
  readonly #relay: GameServer<Readonly<Record<string, RoomEntry>>>;
  readonly #roomNames: readonly string[];
  readonly #admin: AdminServer | undefined;
  readonly #files: StaticFiles | undefined;
  /** None if no kind of room is persistent: the disk is not touched then. */
  readonly #store: CountedStore | undefined;
  #stopped: Promise<void> | undefined;

  /** Throws `ConfigError` for options that the relay refuses. */
  constructor(options: ServerOptions, log: Log, { rooms, queues }: Game = NO_GAME) {
    this.#options = options;
    const kinds = { ...options.relay.rooms, ...rooms };
    this.#roomNames = Object.keys(kinds);
    const isPersistent = Object.values(kinds).some(({ persistent }) => persistent);
    this.#store = isPersistent ? fileStore(roomsFolderOf(options.dataFolder), { log }) : undefined;
    this.#relay = defineServer<Readonly<Record<string, RoomEntry>>>({
      ...options.relay,
      rooms: kinds,
      queues,
      log,
      store: this.#store,
    });
    const { staticFolder: folder, connectTo } = options;
    const isOwnHost = (host: string): boolean => this.#relay.origins.isOwnHost(host);
    this.#files = folder === undefined ? undefined : staticFiles(folder, { connectTo, isOwnHost });
    const timeouts = {
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Checked often, so that few connections time out in one check.
      connectionsCheckingInterval: REQUEST_TIMEOUT_MS / 20,
    };
    this.#server = createServer({ ...timeouts, maxHeaderSize: MAX_HEADER_BYTES });
    this.#relay.serve(this.#server, {
      open: (request, response) => this.#answerReady(request, response),
      answer: (request, response) => this.#answerFile(request, response),
    });
    if (!options.admin) return;
    this.#admin = new AdminServer({
      relay: this.#relay,
      metrics: new ServerMetrics(this.#relay, () => this.#relay.classReports()),
      roomClasses: () => this.#relay.classReports(),
      token: options.admin.token,
      origins: new OriginPolicy({
        allowedOrigins: [],
        publicHosts: options.relay.publicHosts ?? [],
        log,
        clock: { nowMs: () => performance.now() },
      }),
      onDrain: () => void this.drain(),
    });
  }

  /**
   * Resolves with the addresses once it accepts connections. Rejects if a port is not available, or if another
   * process has the directory of rooms open.
   */
  async listen(): Promise<HostAddresses> {
    const { port, host, admin } = this.#options;
    // Players of an earlier process must find their rooms.
    await this.#relay.restore();
    const game = await listenOn(this.#server, port, host);
    const rooms = this.#roomNames;
    if (!this.#admin || !admin) return { game, admin: undefined, rooms };
    return { game, admin: await listenOn(this.#admin.server, admin.port, admin.host), rooms };
  }

  /** Handles errors that nothing else catches, see {@link GameServer.guardProcess}. */
  guardProcess(options: ProcessGuardOptions): void {
    this.#relay.guardProcess({ moveTo: this.#options.moveTo, ...options });
  }

  /** Refuses newcomers, waits until the last participant has left or the deadline has passed, then stops. */
  async drain(): Promise<void> {
    await this.#relay.drain({ timeoutMs: this.#options.drainMs });
    await this.stop();
  }

  /** Ends the sessions, then the connections. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#server.close();
    await this.#relay.stop();
    await this.#store?.close?.();
    this.#server.closeAllConnections();
    this.#admin?.stop();
  }

  #answerFile(request: IncomingMessage, response: ServerResponse): void {
    const missing = (): void => {
      response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end("Not found\n");
    };
    if (this.#files && isRead(request)) return this.#files(request, response, missing);
    missing();
  }

  /** Answers load balancers: a server that drains is healthy but takes no new players. */
  #answerReady(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.url !== "/ready" || !isRead(request)) return false;
    const { status } = this.#relay.health();
    response.writeHead(status === "ok" ? 200 : 503, {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
    });
    response.end(`${status}\n`);
    return true;
  }
}
