import { Client, type ClientOptions, type Room } from "@paceline/client";
import {
  CloseCode,
  PROTOCOL_VERSION,
  PayloadKind,
  readClientMessage,
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

export interface HubNetwork {
  /** One way between two participants, ms; half of it to the hub. */
  readonly delayMs: number;
  readonly jitterMs?: number;
  /** Loss of states on the way to their receiver. Reliable messages arrive. */
  readonly loss?: LossModel;
  /** True if the relay drops a state to that participant now. */
  drops?: (to: number) => boolean;
}

interface Seat {
  readonly number: number;
  readonly session: Session;
  readonly lossy: NetworkSimulator;
}

/**
 * A relay and its network on a virtual clock, for whole clients in one room. Rooms behave as with a real
 * relay, but seconds take no time, and randomness is seeded.
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

  /** Joins a participant. Its `scheduler` may show a different time. */
  async join(options: Partial<ClientOptions> = {}, scheduler: Scheduler = this.scheduler): Promise<Room> {
    // A fetch in real time would start the room at a different virtual time in each run.
    await Client.preload("racing");
    const connect = (): VirtualSocket => this.#connect();
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
    for (let turn = 0; turn < 60; turn++) await Promise.resolve();
    for (let step = 0; step < 100 && !room; step++) await this.advance(10);
    this.#rooms.push(await joining);
    return room!;
  }

  /** Joins `count` participants, and waits until all have met. */
  async meet(count: number, options: Partial<ClientOptions> = {}): Promise<Room[]> {
    const rooms: Room[] = [];
    while (rooms.length < count) rooms.push(await this.join(options));
    await this.advance(1000);
    return rooms;
  }

  /** Advances the time in small steps, and runs promises between them. */
  async advance(ms: number, stepMs = 10): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.scheduler.advance(Math.min(stepMs, left));
      for (let turn = 0; turn < 4; turn++) await Promise.resolve();
      // An answer over HTTP needs a turn of the event loop, not only promises.
      if (this.#seats.size === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Waits in real time until the fetched code has arrived, however slow the machine is. */
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
        onReliable: (payload) => {
          if (payload[0] !== PayloadKind.control) return;
          if (readClientMessage(payload.subarray(1))?.type !== "leave") return;
          this.#leave(number);
          session.close(CloseCode.left, "left");
        },
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
