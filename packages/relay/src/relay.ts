import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { LINK_PATH, ConfigError } from "@paceline/protocol";
import type { Link } from "@paceline/transport";
import { AddressBuckets } from "./limits/address-buckets.js";
import { UpgradeHandler, type LinkRequest } from "./upgrade-handler.js";
import { SessionRegistry } from "./session-registry.js";
import { MatchHandler } from "./match-handler.js";
import type { FaultPlace, RelayCounts } from "./ops/relay-counters.js";
import type { RoomReport } from "./ops/report.js";
import { assertKeys, assertObject } from "./limits/option-checks.js";
import { relaySettings, type RelayOptions, type RelaySettings } from "./options/relay-options.js";
import { SocketEndings } from "./admission/socket-endings.js";

/** The answer of `GET /health`. */
export interface RelayHealth {
  /** `draining`: those who are here go on, nobody new is taken. */
  readonly status: "ok" | "draining" | "stopping";
  readonly rooms: number;
  /** Participants, with or without a link at present. */
  readonly sessions: number;
  /** Open sockets, those that are being closed included. */
  readonly connections: number;
  /** WebRTC links to the relay, those that are being opened included. */
  readonly webRtcLinks: number;
  /** The UDP port of these links; absent where the relay speaks WebSockets only. */
  readonly webRtcPort?: number;
  readonly uptimeS: number;
  /** Packets and messages dropped since the start, by reason. */
  readonly drops: Readonly<Record<string, number>>;
  /** Errors that were contained since the start; see {@link RelayCounts.faults}. */
  readonly faults: number;
  /** Lines that the log has lost since the start. */
  readonly logDropped: number;
}

/** Options of {@link Relay.stop}. */
export interface RelayStopOptions {
  /** ms, 0 to 60000. */
  readonly drainMs?: number;
  /** http(s) address of the server where sessions go on. */
  readonly moveTo?: string;
}

const DEFAULT_DRAIN_MS = 1000;
const LONGEST_DRAIN_MS = 24 * 3600 * 1000;
const DRAIN_LOOK_MS = 100;
const MATCH_PREFIX = "/match/";

/** Makes a relay. Throws `ConfigError` naming the option, its value and what is allowed. */
export function createRelay(options: RelayOptions): Relay {
  return new Relay(options);
}

/** A relay: give it the requests and upgrades of an HTTP server of yours. */
export class Relay {
  readonly #settings: RelaySettings;
  readonly #registry: SessionRegistry;
  readonly #upgrades: UpgradeHandler;
  readonly #matches: MatchHandler;
  readonly #endings = new SocketEndings();
  readonly #healthAsked: AddressBuckets;
  readonly #startedAtMs: number;
  #stopped: Promise<void> | undefined;

  /** As {@link createRelay}; for classes that extend this one. */
  constructor(options: RelayOptions) {
    const settings = relaySettings(options);
    this.#settings = settings;
    this.#registry = new SessionRegistry(settings);
    const { limits, scheduler } = settings;
    const perSecond = limits.matchesPerSecondPerAddress;
    const matches = new AddressBuckets(perSecond, limits.matchBurstPerAddress, scheduler);
    this.#upgrades = new UpgradeHandler(settings, this.#registry, matches);
    this.#matches = new MatchHandler(settings, this.#registry, matches);
    const { healthPerSecondPerAddress, healthBurstPerAddress } = limits;
    this.#healthAsked = new AddressBuckets(healthPerSecondPerAddress, healthBurstPerAddress, scheduler);
    this.#startedAtMs = settings.scheduler.nowMs();
  }

  /** False where the request is not the relay's (none of `/match/...`, `/link` and `/health`): answer it yourself. */
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
    this.#matches
      .handle(request, response, path.slice(MATCH_PREFIX.length))
      .catch((error: unknown) => this.#requestFailed(response, error));
    return true;
  }

  #requestFailed(response: ServerResponse, error: unknown): void {
    this.reportFault("request", error);
    answerFailure(response);
  }

  /** False where the upgrade is not the relay's (not `/link`). */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (pathOf(request) !== LINK_PATH) return false;
    this.#upgrades.open(request, socket, head);
    return true;
  }

  /**
   * For the event `clientError` of your HTTP server: ends the connection, and counts those that never came to ask
   * (`requestTimeout`) and those that asked for what is no HTTP (`badRequest`).
   */
  handleClientError(error: Error, socket: Duplex): void {
    const isLate = "code" in error && error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    this.#settings.counters.linkRefused(isLate ? "requestTimeout" : "badRequest");
    this.#endings.end(socket, isLate ? "408 Request Timeout" : "400 Bad Request");
  }

  health(): RelayHealth {
    const { linkCount, port } = this.#registry.webRtc;
    return {
      status: this.#registry.isStopping ? "stopping" : this.#registry.isDraining ? "draining" : "ok",
      rooms: this.#registry.roomCount,
      sessions: this.#registry.sessionCount,
      connections: this.#upgrades.connectionCount,
      webRtcLinks: linkCount,
      ...(port !== undefined && { webRtcPort: port }),
      uptimeS: Math.round((this.#settings.scheduler.nowMs() - this.#startedAtMs) / 1000),
      drops: this.#registry.drops(),
      faults: Object.values(this.counts.faults).reduce((sum, count) => sum + count, 0),
      logDropped: this.#settings.log.dropped ?? 0,
    };
  }

  /** Counts an error that was caught outside of the relay, and logs it with its stack, at most once a second. */
  reportFault(place: FaultPlace, error: unknown): void {
    this.#settings.faults.report(place, error);
  }

  /** Takes a link that came another way than over an HTTP server, as those of tests do. */
  takeLink(link: Link, request: LinkRequest): void {
    this.#upgrades.take(link, request);
  }

  /** Counters since the start. The object is live. */
  get counts(): RelayCounts {
    return this.#settings.counters;
  }

  /** Rooms, and who is in them. */
  rooms(): readonly RoomReport[] {
    return this.#registry.reports();
  }

  /** Removes a participant with the close code `kicked`; false where there is none with this session id. */
  kick(sessionId: string, reason = "removed by an operator"): boolean {
    return this.#registry.kick(sessionId, reason);
  }

  /**
   * Takes nobody new any more and tells all participants (`room.onDrain` of the client); sessions go on, and those who lose their link may come back. Resolves when the last
   * one has left, or with the number of those that are still here after `timeoutMs` (0 to 24 hours).
   */
  drain(options: { readonly timeoutMs: number }): Promise<number> {
    assertObject("options", options);
    assertKeys("", options, ["timeoutMs"]);
    const { timeoutMs } = options;
    if (!(timeoutMs >= 0 && timeoutMs <= LONGEST_DRAIN_MS)) {
      throw new ConfigError({
        field: "timeoutMs",
        value: timeoutMs,
        expected: `0 to ${LONGEST_DRAIN_MS} (ms)`,
      });
    }
    const { log, scheduler } = this.#settings;
    log.info("relay drains", { sessions: this.#registry.sessionCount, timeoutMs });
    this.#registry.drain(timeoutMs);
    const deadlineMs = scheduler.nowMs() + timeoutMs;
    return new Promise((resolve) => {
      const stopLooking = scheduler.every(DRAIN_LOOK_MS, () => {
        const left = this.#registry.sessionCount;
        if (left > 0 && scheduler.nowMs() < deadlineMs && !this.#registry.isStopping) return;
        stopLooking();
        resolve(left);
      });
    });
  }

  /**
   * Refuses newcomers, ends every session with `serverShutdown` and resolves when all links are closed. Those whose
   * other side does not answer are cut after `drainMs` (default 1000). Clients come back by themselves after a moment:
   * to `moveTo`, the http(s) address of another server, or to where they were.
   */
  stop(options: RelayStopOptions = {}): Promise<void> {
    assertKeys("", options, ["drainMs", "moveTo"]);
    const { drainMs = DEFAULT_DRAIN_MS, moveTo } = options;
    if (!(drainMs >= 0 && drainMs <= 60_000)) {
      throw new ConfigError({ field: "drainMs", value: drainMs, expected: "0 to 60000 (ms)" });
    }
    if (moveTo !== undefined && !/^https?:\/\/[^\s/]+/.test(moveTo)) {
      throw new ConfigError({ field: "moveTo", value: moveTo, expected: "an http(s) address" });
    }
    this.#stopped ??= this.#stop(drainMs, moveTo);
    return this.#stopped;
  }

  #stop(drainMs: number, moveTo: string | undefined): Promise<void> {
    this.#settings.log.info("relay stops", { sessions: this.#registry.sessionCount });
    this.#registry.stop(moveTo);
    return this.#upgrades.close(drainMs);
  }

  /** A request for the link path without an upgrade: a proxy has removed the upgrade header. */
  #answerWithoutUpgrade(response: ServerResponse): void {
    this.#settings.counters.linkRefused("upgradeMissing");
    const headers = {
      "Content-Type": "text/plain; charset=utf-8",
      Connection: "Upgrade",
      Upgrade: "websocket",
    };
    response.writeHead(426, headers);
    response.end("Links are WebSockets. A proxy has to pass on the headers Upgrade and Connection.\n");
  }

  #answerHealth(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#healthAsked.take(this.#settings.addressOf(request))) {
      this.#settings.counters.limitReached("healthPerAddress");
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

/** Answers a request at which the server has failed: 500, if it is not too late to say so. */
export function answerFailure(response: ServerResponse): void {
  try {
    if (response.headersSent) return void response.destroy();
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.writeHead(500, { "Content-Type": "text/plain; charset=utf-8", Connection: "close" });
    response.end("The server failed at this request.\n");
  } catch {
    response.destroy();
  }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").split("?", 1)[0] ?? "";
}
