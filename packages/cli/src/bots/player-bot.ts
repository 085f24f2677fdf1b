import { Client, type Genre, type Room } from "@paceline/client";
import { ByteMeter, type WebRtc } from "./byte-meter.js";
import type { SwarmBot } from "./swarm.js";

const MESSAGE_PERIOD_MS = 2000;

/** Options of a bot, with the room that it joins. */
export interface PlayerBotOptions {
  /** Kind of room. */
  readonly room: string;
  readonly profile: Genre;
  readonly options?: Readonly<Record<string, string | number | boolean>>;
}

/**
 * A player of a swarm. It joins with its own client, counts its bytes, and detects lost messages of the other
 * bots by their numbers. A subclass decides what it plays.
 */
export abstract class PlayerBot implements SwarmBot {
  readonly bytes = new ByteMeter();
  readonly index: number;
  joinMs = 0;
  lost = 0;
  heard = 0;
  drops = 0;
  readonly #options: PlayerBotOptions;
  /** Number of the newest message from each other bot. */
  readonly #newest = new Map<string | number, number>();
  #room: Room | undefined;
  #sentMessages = 0;
  #nextMessageMs = 0;

  constructor(options: PlayerBotOptions, index: number) {
    this.#options = options;
    this.index = index;
  }

  get rttMs(): number | undefined {
    return this.#room?.authority?.rttMs;
  }

  get paths(): readonly string[] {
    const room = this.#room;
    if (!room) return [];
    if (room.authority) return [room.transport.server.stateLink ?? "none"];
    return room.peers.map(({ path }) => path);
  }

  async join(server: string, webRtc: WebRtc | undefined): Promise<void> {
    const { room: name, profile, options } = this.#options;
    const client = new Client(server, {
      profile,
      transports: webRtc ? ["webrtc", "websocket"] : ["websocket"],
      webSocket: this.bytes.socketClass(),
      webRtc: webRtc && this.bytes.linkMaker(webRtc),
    });
    const startedMs = performance.now();
    const room = await client.joinOrCreate(name, options);
    this.joinMs = performance.now() - startedMs;
    this.#room = room;
    // The bots of a swarm must not send all at once.
    this.#nextMessageMs = performance.now() + (this.index % 20) * 100;
    room.onDrop(() => (this.drops += 1));
    this.enter(room);
  }

  advance(nowMs: number): void {
    const room = this.#room;
    if (!room) return;
    this.play(room, nowMs);
    if (nowMs < this.#nextMessageMs || room.state !== "joined") return;
    this.#nextMessageMs = nowMs + MESSAGE_PERIOD_MS;
    this.speak(room, (this.#sentMessages += 1));
  }

  leave(): void {
    void this.#room?.leave();
    this.#room = undefined;
  }

  /** Called after the bot has joined. */
  protected abstract enter(room: Room): void;
  /** Called at each step of the swarm's clock. */
  protected abstract play(room: Room, nowMs: number): void;
  /** Sends the other bots a message with this number. */
  protected abstract speak(room: Room, number: number): void;

  /** Counts a message of another bot, and the lost messages before it. */
  protected hear(from: string | number, number: number): void {
    const newest = this.#newest.get(from);
    this.#newest.set(from, number);
    this.heard += 1;
    if (newest !== undefined && number > newest + 1) this.lost += number - newest - 1;
  }
}
