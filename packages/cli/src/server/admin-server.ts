import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { AddressBuckets, guardHttp, type OriginPolicy, type Relay } from "@paceline/relay";
import { ADMIN_PAGE, ADMIN_PAGE_POLICY } from "./admin-page.js";
import { summaryOf, type RoomClassSource } from "./room-class-report.js";
import type { ServerMetrics } from "./server-metrics.js";

const MAX_BODY_BYTES = 4096;
const REQUEST_TIMEOUT_MS = 5000;
/**
 * Rate of wrong tokens of one address. Beyond it each answer is delayed. The right token is never delayed.
 */
const WRONG_TOKENS_PER_SECOND = 1;
const WRONG_TOKEN_BURST = 5;
const WRONG_TOKEN_DELAY_MS = 1000;
/** Limit of delayed answers, since each holds a socket. Further answers are sent at once. */
const MAX_DELAYED_ANSWERS = 32;

/** The parts of the admin server. */
export interface AdminServerOptions {
  readonly relay: Relay;
  readonly metrics: ServerMetrics;
  /** The counters of rooms with an authority, if there are such rooms. */
  readonly roomClasses?: RoomClassSource | undefined;
  /** Secret for the commands: list rooms, remove participants, drain the server. */
  readonly token: string;
  /** Pages that may send requests: the admin page, under an address or a configured name. */
  readonly origins: OriginPolicy;
  /** Begins to drain, then stops the process. */
  readonly onDrain: () => void;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/**
 * The operator's HTTP server: the admin page, its commands, and `/metrics` for Prometheus. Metrics need no
 * token, so the public must not reach this port.
 */
export class AdminServer {
  readonly #options: AdminServerOptions;
  readonly #tokenHash: Buffer;
  readonly server: Server;
  readonly #wrongTokens = new AddressBuckets(WRONG_TOKENS_PER_SECOND, WRONG_TOKEN_BURST, {
    nowMs: () => performance.now(),
  });
  #delayedAnswers = 0;

  constructor(options: AdminServerOptions) {
    this.#options = options;
    this.#tokenHash = hashOf(options.token);
    const timeouts = { headersTimeout: REQUEST_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
    this.server = createServer({ ...timeouts, maxHeaderSize: 8192 });
    guardHttp(this.server, {
      origins: options.origins,
      answer: async (request, response) => send(response, await this.#answer(request)),
      onFault: (place, error) => options.relay.reportFault(place, error),
    });
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const [path = ""] = (request.url ?? "").split("?", 1);
    const { metrics } = this.#options;
    switch (`${request.method ?? ""} ${path}`) {
      case "GET /":
        return { status: 200, type: "text/html; charset=utf-8", body: ADMIN_PAGE };
      case "GET /metrics":
        return { status: 200, type: metrics.contentType, body: await metrics.text() };
    }
    if (!path.startsWith("/api/")) return json(404, { error: "there is no such page" });
    return (await this.#refusal(request)) ?? (await this.#command(request, path));
  }

  async #command(request: IncomingMessage, path: string): Promise<Answer> {
    const { relay, roomClasses, onDrain } = this.#options;
    switch (`${request.method ?? ""} ${path}`) {
      case "GET /api/state":
        return json(200, {
          health: relay.health(),
          limited: relay.counts.limited,
          classes: (roomClasses?.() ?? []).map(summaryOf),
          rooms: relay.rooms(),
        });
      case "POST /api/kick": {
        const sessionId = await sessionIdIn(request);
        if (sessionId === undefined) return json(400, { error: 'expected {"sessionId": "..."}' });
        return relay.kick(sessionId) ? json(200, {}) : json(404, { error: "there is no such session" });
      }
      case "POST /api/drain":
        onDrain();
        return json(202, {});
    }
    return json(404, { error: "there is no such command" });
  }

  /** Compares the token first, in constant time. Wrong guesses never delay the right token. */
  async #refusal({ headers, socket }: IncomingMessage): Promise<Answer | undefined> {
    const given = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
    if (timingSafeEqual(hashOf(given), this.#tokenHash)) return undefined;
    this.#options.metrics.wrongAdminTokens += 1;
    if (this.#wrongTokens.take(socket.remoteAddress ?? "")) return json(401, { error: "wrong token" });
    if (this.#delayedAnswers < MAX_DELAYED_ANSWERS) {
      this.#delayedAnswers += 1;
      await setTimeout(WRONG_TOKEN_DELAY_MS, undefined, { ref: false });
      this.#delayedAnswers -= 1;
    }
    return json(429, { error: "too many wrong tokens" });
  }
}

function json(status: number, content: object): Answer {
  return { status, type: "application/json; charset=utf-8", body: JSON.stringify(content) };
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, {
    "Content-Type": type,
    "Cache-Control": "no-store",
    "Content-Security-Policy": ADMIN_PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  });
  response.end(body);
}

async function sessionIdIn(request: IncomingMessage): Promise<string | undefined> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_BODY_BYTES) return undefined;
  }
  try {
    const body: unknown = JSON.parse(text);
    const isNamed = typeof body === "object" && body !== null && "sessionId" in body;
    return isNamed && typeof body.sessionId === "string" ? body.sessionId : undefined;
  } catch {
    return undefined;
  }
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
