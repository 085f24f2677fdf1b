import { Client, type ClientOptions, type Room } from "@paceline/client";
import {
  PROTOCOL_VERSION,
  readEnvelope,
  writeControl,
  writeEnvelope,
  ByteWriter,
  type ServerMessage,
} from "@paceline/protocol";
import {
  NetworkSimulator,
  VirtualScheduler,
  seededRandom,
  virtualSocketPair,
  type LossModel,
  type VirtualSocket,
} from "@paceline/testkit";
import { Session, WebSocketLink, type Scheduler } from "@paceline/transport";
import { onTestFinished, vi } from "vitest";

/** What the path between two participants does. */
export interface HubNetwork {
  /** One way between two participants; half of it to the hub. */
  readonly delayMs: number;
  readonly jitterMs?: number;
  /** Of states on their way to their receiver; what is reliable arrives. */
  readonly loss?: LossModel;
  /** Whether the relay drops a state for that participant now. */
  drops?: (to: number) => boolean;
}

interface Seat {
  readonly number: number;
  readonly session: Session;
  readonly lossy: NetworkSimulator;
}

/**
 * A relay and its network on a virtual clock, for whole clients: rooms that are joined through it live as they do with
 * a real one, but seconds take no time and chance is seeded. Everybody is in one room.
 */
export class VirtualHub {
  readonly scheduler: VirtualScheduler;
  readonly #network: HubNetwork;
  readonly #random;
  readonly #seats = new Map<number, Seat>();
  readonly #rooms: Room[] = [];
  #nextNumber = 1;

  constructor(network: HubNetwork, { seed = 1, startMs = 0 } = {}) {
    this.#network = network;
    this.scheduler = new VirtualScheduler({ startMs });
    this.#random = seededRandom(seed);
    vi.stubGlobal("fetch", () =>
      Promise.resolve(
        Response.json({ version: PROTOCOL_VERSION, ticket: "t", roomName: "race", linkPath: "/link" }),
      ),
    );
    onTestFinished(() => {
      for (const room of this.#rooms.splice(0)) room.leave();
      vi.unstubAllGlobals();
    });
  }

  /** A participant; `scheduler` may show it another time than the others have. */
  async join(options: Partial<ClientOptions> = {}, scheduler: Scheduler = this.scheduler): Promise<Room> {
    // Code that comes in real time would begin the room at another virtual time in each run.
    await Client.preload();
    const connect = (): VirtualSocket => this.#connect();
    // Called with `new`, as a page calls its WebSocket.
    const webSocket = function socket(): VirtualSocket {
      return connect();
    };
    const client = new Client("http://hub.example", {
      profile: "racing",
      transports: ["websocket"],
      webSocket,
      scheduler,
      ...options,
    });
    let room: Room | undefined;
    const joining = client.joinOrCreate("race").then((joined) => (room = joined));
    // It begins before time passes.
    for (let turn = 0; turn < 60; turn++) await Promise.resolve();
    for (let step = 0; step < 100 && !room; step++) await this.advance(10);
    this.#rooms.push(await joining);
    return room!;
  }

  /** So many participants, each of whom has met all others. */
  async meet(count: number, options: Partial<ClientOptions> = {}): Promise<Room[]> {
    const rooms: Room[] = [];
    while (rooms.length < count) rooms.push(await this.join(options));
    await this.advance(1000);
    return rooms;
  }

  /** Time passes in small steps, between which promises have their turn. */
  async advance(ms: number, stepMs = 10): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.scheduler.advance(Math.min(stepMs, left));
      for (let turn = 0; turn < 4; turn++) await Promise.resolve();
      // An answer over HTTP takes more than promises.
      if (this.#seats.size === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Real time passes until code that is fetched on demand has arrived, however long a busy machine takes. */
  fetches(): Promise<void> {
    return vi.dynamicImportSettled();
  }

  #connect(): VirtualSocket {
    const { scheduler } = this;
    const random = this.#random.fork();
    const settings = { delayMs: this.#network.delayMs / 2, jitterMs: this.#network.jitterMs ?? 0 };
    const { player, server } = virtualSocketPair({ scheduler, random, settings });
    this.#seat(server);
    return player;
  }

  #seat(socket: VirtualSocket): void {
    const { scheduler } = this;
    const number = this.#nextNumber++;
    const session: Session = new Session({
      scheduler,
      handlers: {
        onReliable: () => undefined,
        onRouted: (packet) => this.#forward(number, packet),
        onClosed: () => this.#leave(number),
        onLinkDown: () => this.#leave(number),
      },
    });
    const lossy = new NetworkSimulator({
      scheduler,
      random: this.#random.fork(),
      settings: { loss: this.#network.loss ?? { kind: "none" } },
      deliver: (packet) => session.activeLink?.send("state", packet),
    });
    const others = [...this.#seats.values()];
    this.#seats.set(number, { number, session, lossy });
    session.attach(new WebSocketLink(socket, { scheduler }), {
      preference: 1,
      needsProof: false,
      connectTimeoutMs: 5000,
      timeoutMs: 60_000,
      heartbeatMs: 1000,
    });
    const info = (of: number) => ({ number: of, id: `p${of}`, webrtc: false });
    this.#say(session, {
      type: "welcome",
      sessionId: `s${number}`,
      token: `token${number}`,
      resumeToken: `resume${number}`,
      number,
      roomId: "r1",
      roomName: "race",
      options: {},
      peers: others.map((other) => info(other.number)),
      iceServers: [],
    });
    for (const other of others) this.#say(other.session, { type: "joined", peer: info(number) });
  }

  #say(session: Session, message: ServerMessage): void {
    session.sendReliable(writeControl(message));
  }

  #leave(number: number): void {
    if (!this.#seats.delete(number)) return;
    for (const { session } of this.#seats.values()) this.#say(session, { type: "left", number });
  }

  #forward(from: number, routed: Uint8Array): void {
    const envelope = readEnvelope(routed);
    if (typeof envelope === "string") throw new Error(`a client sent a bad envelope: ${envelope}`);
    const writer = new ByteWriter();
    for (const [index, to] of envelope.peers.entries()) {
      const seat = this.#seats.get(to);
      const firstId = envelope.firstIds?.[index];
      const firstIds = firstId === undefined ? undefined : [firstId];
      writeEnvelope(writer.reset(), { ...envelope, peers: [from], firstIds });
      if (envelope.trafficClass === "state" && this.#network.drops?.(to)) continue;
      if (envelope.trafficClass === "state") seat?.lossy.send(writer.take());
      else seat?.session.activeLink?.send(envelope.trafficClass, writer.take());
    }
  }
}
