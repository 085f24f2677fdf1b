import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { CloseCode, LINK_PATH, ConfigError, assertRange, checkKeys } from "@paceline/protocol";
import { useMsgpackr } from "@paceline/protocol/msgpackr";
import type { Link } from "@paceline/transport";
import { addressBuckets, type AddressBuckets } from "./limits/address-buckets.js";
import { UpgradeHandler, type LinkRequest } from "./upgrade-handler.js";
import { SessionRegistry } from "./session-registry.js";
import { answerMatch, type MatchParts } from "./match-handler.js";
import type { FaultPlace, RelayCounts } from "./ops/relay-counters.js";
import type { RoomReport } from "./ops/report.js";
import { relaySettings, type RelayOptions, type RelaySettings } from "./options/relay-options.js";
import { answerFailure, guardHttp, refuse, type HttpEntrance } from "./admission/http-entrance.js";
import type { OriginPolicy } from "./admission/origin-policy.js";
import { SocketEndings } from "./admission/socket-endings.js";

/** The answer of `GET /health`. */
export interface RelayHealth {
  /** `draining`: sessions go on, but the relay takes nobody new. */
  readonly status: "ok" | "draining" | "stopping";
  readonly rooms: number;
  /** Participants with or without a link. */
  readonly sessions: number;
  /** Open sockets, including those that are closing. */
  readonly connections: number;
  /** WebRTC links to the relay, including those that are opening. */
  readonly webRtcLinks: number;
  /** UDP port of these links; absent if the relay uses WebSockets only. */
  readonly webRtcPort?: number;
  readonly uptimeS: number;
  /** Packets and messages dropped since the start, by reason. */
  readonly drops: Readonly<Record<string, number>>;
  /** Contained errors since the start. */
  readonly faults: number;
  /** Log lines lost since the start. */
  readonly logDropped: number;
}

/** Options of {@link Relay.stop}. */
export interface RelayStopOptions {
  /** Longest wait for clients to close their links, ms, 0 to 60000. Default 1000. */
  readonly drainMs?: number;
  /** http(s) address of the server where clients continue. */
  readonly moveTo?: string;
}

/** Handlers of the paths that are not the relay's, for {@link Relay.serve}. */
export type HttpHandlers = Partial<Pick<HttpEntrance, "open" | "answer">>;

const DEFAULT_DRAIN_MS = 1000;
const LONGEST_DRAIN_MS = 24 * 3600 * 1000;
const DRAIN_POLL_MS = 100;
const MATCH_PREFIX = "/match/";
const NOT_FOUND: HttpEntrance["answer"] = (_request, response) =>
  void response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end("Not found\n");

/** Returns a new relay. Throws `ConfigError` naming the option, its value and what is allowed. */
export function createRelay(options: RelayOptions): Relay {
  return new Relay(options);
}

/** A relay. Pass it your HTTP server, or the requests and upgrades of one. */
export class Relay {
  readonly #settings: RelaySettings;
  readonly #registry: SessionRegistry;
  readonly #upgrades: UpgradeHandler;
  readonly #parts: MatchParts;
  readonly #endings = new SocketEndings();
  readonly #healthAsked: AddressBuckets;
  readonly #startedAtMs: number;
  #stopped: Promise<void> | undefined;
  #restored: Promise<number> | undefined;

  /** Makes the same relay as {@link createRelay}, for classes that extend this one. */
  constructor(options: RelayOptions) {
    const settings = relaySettings(options);
    useMsgpackr();
    this.#settings = settings;
    this.#registry = new SessionRegistry(settings);
    const matches = addressBuckets(settings, "matchesPerSecondPerAddress", "matchBurstPerAddress");
    this.#parts = { settings, registry: this.#registry, matches };
    this.#upgrades = new UpgradeHandler(this.#parts);
    this.#healthAsked = addressBuckets(settings, "healthPerSecondPerAddress", "healthBurstPerAddress");
    this.#startedAtMs = settings.scheduler.nowMs();
  }

  /**
   * Answers `/match/...`, `/link` and `/health`. Returns false for any other path: then answer it yourself.
   */
  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    try {
      return this.#handleRequest(request, response);
    } catch (error) {
      this.#requestFailed(response, error);
      return true;
    }
  }

  #handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    const path = pathOf(request);
    if (path === "/health") {
      this.#answerHealth(request, response);
      return true;
    }
    if (path === LINK_PATH) {
      this.#answerWithoutUpgrade(response);
      return true;
    }
    if (!path.startsWith(MATCH_PREFIX)) return false;
    answerMatch(this.#parts, request, response, path.slice(MATCH_PREFIX.length)).catch((error: unknown) =>
      this.#requestFailed(response, error),
    );
    return true;
  }

  #requestFailed(response: ServerResponse, error: unknown): void {
    this.reportFault("request", error);
    answerFailure(response);
  }

  /**
   * Takes all requests, upgrades and malformed bytes of an HTTP server, with every check: a request has to be
   * well formed, and to come from a page that may use this relay. Errors of handlers are counted and logged,
   * and end only their request. `answer` gets the paths that are not the relay's; default: 404.
   */
  serve(server: HttpServer, { open, answer = NOT_FOUND }: HttpHandlers = {}): void {
    const { origins, counters } = this.#settings;
    guardHttp(server, {
      origins,
      open: (request, response) =>
        open?.(request, response) === true || this.handleRequest(request, response),
      answer,
      upgrade: (request, socket, head) => this.handleUpgrade(request, socket, head),
      onRefused: ({ status }) => counters.count("linkCloses", status === 400 ? "badRequest" : "pageRefused"),
      onFault: (place, error) => this.reportFault(place, error),
    });
    server.on("clientError", (error, socket) => this.handleClientError(error, socket));
  }

  /** Decides which pages may use this relay, and by which names. */
  get origins(): OriginPolicy {
    return this.#settings.origins;
  }

  /** Takes upgrades of `/link`. Returns false for any other path. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (pathOf(request) !== LINK_PATH) return false;
    this.#upgrades.open(request, socket, head);
    return true;
  }

  /**
   * Handles the event `clientError` of your HTTP server: ends the connection and counts it. `requestTimeout`
   * counts connections without a request in time, `badRequest` those whose bytes are no HTTP.
   */
  handleClientError(error: Error, socket: Duplex): void {
    const isLate = "code" in error && error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    this.#settings.counters.count("linkCloses", isLate ? "requestTimeout" : "badRequest");
    this.#endings.end(socket, isLate ? "408 Request Timeout" : "400 Bad Request");
  }

  health(): RelayHealth {
    const { linkCount, port } = this.#registry.webRtc;
    return {
      status: this.#registry.isStopping ? "stopping" : this.#registry.isDraining ? "draining" : "ok",
      rooms: this.#registry.rooms.size,
      sessions: this.#registry.participants.size,
      connections: this.#upgrades.connectionCount,
      webRtcLinks: linkCount,
      ...(port !== undefined && { webRtcPort: port }),
      uptimeS: Math.round((this.#settings.scheduler.nowMs() - this.#startedAtMs) / 1000),
      drops: this.#registry.drops.toRecord(),
      faults: Object.values(this.counts.faults).reduce((sum, count) => sum + count, 0),
      logDropped: this.#settings.log.dropped ?? 0,
    };
  }

  /** Counts an error that was caught outside of the relay. Logs it with its stack, at most once a second. */
  reportFault(place: FaultPlace, error: unknown): void {
    this.#settings.faults.report(place, error);
  }

  /** Takes a link that did not come over an HTTP server, such as a test's. */
  takeLink(link: Link, request: LinkRequest): void {
    this.#upgrades.take(link, request);
  }

  /** Counters since the start. The object is live. */
  get counts(): RelayCounts {
    return this.#settings.counters;
  }

  /** Returns reports of all rooms and their participants. */
  rooms(): readonly RoomReport[] {
    return this.#registry.reports();
  }

  /**
   * Removes a participant with the close code `kicked`. Returns false if no participant has this session id.
   */
  kick(sessionId: string, reason = "removed by an operator"): boolean {
    const participant = this.#registry.participants.get(sessionId);
    participant?.end(CloseCode.kicked, reason);
    return participant !== undefined;
  }

  /**
   * Refuses newcomers and notifies all participants (`room.onDrain` of the client). Sessions go on, and
   * participants that lose their link may come back. Resolves when the last participant has left, or after
   * `timeoutMs` (0 to 24 hours), with the number of participants left. Does not wait for those in persistent rooms,
   * which go on in the next process.
   */
  drain(options: { readonly timeoutMs: number }): Promise<number> {
    checkKeys("", options, ["timeoutMs"]);
    const { timeoutMs } = options;
    assertRange("timeoutMs", timeoutMs, [0, LONGEST_DRAIN_MS, "ms"]);
    const { log, scheduler } = this.#settings;
    log.info("relay drains", { sessions: this.#registry.participants.size, timeoutMs });
    this.#registry.drain(timeoutMs);
    const deadlineMs = scheduler.nowMs() + timeoutMs;
    return new Promise((resolve) => {
      const stopLooking = scheduler.every(DRAIN_POLL_MS, () => {
        const left = this.#registry.losingRoom;
        if (left > 0 && scheduler.nowMs() < deadlineMs && !this.#registry.isStopping) return;
        stopLooking();
        resolve(left);
      });
    });
  }

  /**
   * Refuses newcomers, ends every session with `serverShutdown` and resolves when all links are closed. Cuts
   * links that are still open after `drainMs` (default 1000). Clients reconnect after a moment, to `moveTo`
   * (http(s) address of another server) or to the same server.
   */
  stop(options: RelayStopOptions = {}): Promise<void> {
    checkKeys("", options, ["drainMs", "moveTo"]);
    const { drainMs = DEFAULT_DRAIN_MS, moveTo } = options;
    assertRange("drainMs", drainMs, [0, 60_000, "ms"]);
    if (moveTo !== undefined && !(/^https?:\/\/[^\s/]+/.test(moveTo) && URL.canParse(moveTo))) {
      throw new ConfigError("moveTo", moveTo, "an http(s) address");
    }
    if (this.#stopped) return this.#stopped;
    this.#settings.log.info("relay stops", { sessions: this.#registry.participants.size });
    this.#registry.stop(moveTo);
    return (this.#stopped = Promise.all([this.#upgrades.close(drainMs), this.#registry.saved()]).then(
      () => undefined,
    ));
  }

  /**
   * Goes on with the persistent rooms that an earlier process has left in `store`. Resolves with their number. What
   * cannot be read is logged, and stays in the store. Rejects with `store/locked` if another process has the store
   * open; call it again to try again. Call it before the first request: `Server.listen` does.
   */
  restore(): Promise<number> {
    return (this.#restored ??= this.#registry.restore().catch((error: unknown) => {
      this.#restored = undefined;
      throw error;
    }));
  }

  /** Answers a request for the link path without an upgrade: a proxy has removed the upgrade header. */
  #answerWithoutUpgrade(response: ServerResponse): void {
    this.#settings.counters.count("linkCloses", "upgradeMissing");
    const type = { "Content-Type": "text/plain; charset=utf-8" };
    response.writeHead(426, { ...type, Connection: "Upgrade", Upgrade: "websocket" });
    response.end("Links are WebSockets. A proxy has to pass on the headers Upgrade and Connection.\n");
  }

  /** Answers under any name, since load balancers have names of their own for a server. */
  #answerHealth(request: IncomingMessage, response: ServerResponse): void {
    const malformed = this.#settings.origins.malformed(request);
    if (malformed) {
      this.#settings.counters.count("linkCloses", "badRequest");
      return refuse(response, malformed);
    }
    if (!this.#healthAsked.take(this.#settings.addressOf(request))) {
      this.#settings.counters.count("limited", "healthPerAddress");
      response.writeHead(429, { "Retry-After": "1", Connection: "close" }).end();
      return;
    }
    const isRead = request.method === "GET" || request.method === "HEAD";
    const body = isRead ? JSON.stringify(this.health()) : undefined;
    if (!isRead) response.setHeader("Allow", "GET, HEAD");
    response.setHeader("Cache-Control", "no-store");
    response.writeHead(isRead ? 200 : 405, { "Content-Type": "application/json; charset=utf-8" });
    response.end(body);
  }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").split("?", 1)[0] ?? "";
}
