import { PROTOCOL_VERSION, PayloadKind, writeControl, type ServerMessage } from "@paceline/protocol";
import { VirtualScheduler, seededRandom, virtualSocketPair, type VirtualSocket } from "@paceline/testkit";
import { Session, WebSocketLink, type WebSocketConstructor } from "@paceline/transport";
import { setImmediate as nextTurn } from "node:timers/promises";
import { vi } from "vitest";

const DELAY_MS = 5;
const STEP_MS = 5;

type Welcome = Extract<ServerMessage, { type: "welcome" }>;

/** Returns the welcome of a newcomer without peers. */
export function welcomeOf(number: number, more: Partial<Welcome> = {}): Welcome {
  return {
    type: "welcome",
    ...{ sessionId: `s${number}`, token: `token${number}`, resumeToken: `resume${number}`, number },
    ...{ roomId: "r1", roomName: "race", options: {}, peers: [], iceServers: [] },
    ...more,
  };
}

/** The server's end of one connection. It answers pings, and sends what the test says. */
export class ScriptedLink {
  /** Codes with which the client has ended the session. */
  readonly ends: number[] = [];
  readonly #session: Session;
  readonly #socket: VirtualSocket;

  constructor(scheduler: VirtualScheduler, socket: VirtualSocket) {
    this.#socket = socket;
    this.#session = new Session({
      scheduler,
      handlers: { onReliable: () => undefined, onClosed: ({ code }) => this.ends.push(code) },
    });
    this.#session.attach(new WebSocketLink(socket, { scheduler }), {
      ...{ preference: 1, needsProof: false, connectTimeoutMs: 5000, timeoutMs: 600_000, heartbeatMs: 1000 },
    });
  }

  tell(message: ServerMessage): void {
    this.reliable(writeControl(message));
  }

  reliable(payload: Uint8Array): void {
    this.#session.sendReliable(payload);
    this.#session.flush();
  }

  message(content: number): void {
    this.reliable(Uint8Array.of(PayloadKind.command, content));
  }

  event(content: number): void {
    this.#session.sendEvent(Uint8Array.of(content));
    this.#session.flush();
  }

  state(content: number): void {
    this.#session.sendState(Uint8Array.of(content));
    this.#session.flush();
  }

  end(code: number): void {
    this.#session.close(code, "scripted");
  }

  /** Breaks the connection: neither side gets a close. */
  cut(): void {
    this.#socket.close(1006, "");
  }
}

/** A server that does what a test says, over virtual sockets. Gives a ticket to each request over HTTP. */
export class ScriptedServer {
  readonly scheduler = new VirtualScheduler({ startMs: 1000 });
  /** Connections, oldest first. */
  readonly links: ScriptedLink[] = [];
  readonly webSocket: WebSocketConstructor;

  constructor() {
    const connect = (): VirtualSocket => this.#connect();
    this.webSocket = function socket(): VirtualSocket {
      return connect();
    } as unknown as WebSocketConstructor;
    const seat = { version: PROTOCOL_VERSION, ticket: "t", roomName: "race", linkPath: "/link" };
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json(seat)));
  }

  get link(): ScriptedLink {
    return this.links.at(-1)!;
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.scheduler.advance(Math.min(STEP_MS, left));
      await nextTurn();
    }
  }

  /** Waits for the n-th connection. */
  async connection(count: number): Promise<ScriptedLink> {
    for (let step = 0; step < 1000 && this.links.length < count; step++) await this.advance(STEP_MS);
    await this.advance(2 * STEP_MS);
    return this.links[count - 1]!;
  }

  #connect(): VirtualSocket {
    const { scheduler, links } = this;
    const random = seededRandom(links.length + 1);
    const { player, server } = virtualSocketPair({ scheduler, random, settings: { delayMs: DELAY_MS } });
    links.push(new ScriptedLink(scheduler, server));
    return player;
  }
}
