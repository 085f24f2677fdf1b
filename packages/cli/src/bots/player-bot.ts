import { Client, type Genre, type Room } from "@paceline/client";
import { ByteMeter, type WebRtc } from "./byte-meter.js";
import type { SwarmBot } from "./swarm.js";

const MESSAGE_PERIOD_MS = 2000;

/** The room that a bot joins. */
export interface PlayerBotOptions {
  /** The kind of rooms. */
  readonly room: string;
  readonly profile: Genre;
  /** Options of the join. */
  readonly options?: Readonly<Record<string, string | number | boolean>>;
}

/**
 * A player of a swarm: joins with a client of its own, counts its bytes, and finds out by numbered messages which of the
 * others' never came. The subclass says what it plays.
 */
export abstract class PlayerBot implements SwarmBot {
  readonly bytes = new ByteMeter();
  /** Its number in the swarm, from 0 on. */
  readonly index: number;
  joinMs = 0;
  lost = 0;
  heard = 0;
  drops = 0;
  readonly #options: PlayerBotOptions;
  /** Number of the newest message of each other. */
  readonly #newest = new Map<string | number, number>();
  #room: Room | undefined;
  #said = 0;
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
    // Bots of one swarm do not speak all at once.
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
    this.speak(room, (this.#said += 1));
  }

  leave(): void {
    void this.#room?.leave();
    this.#room = undefined;
  }

  /** It has joined. */
  protected abstract enter(room: Room): void;
  /** A step of the swarm's clock. */
  protected abstract play(room: Room, nowMs: number): void;
  /** Sends the others the message of that number. */
  protected abstract speak(room: Room, number: number): void;

  /** A message of another bot came. */
  protected hear(from: string | number, number: number): void {
    const newest = this.#newest.get(from);
    this.#newest.set(from, number);
    this.heard += 1;
    if (newest !== undefined && number > newest + 1) this.lost += number - newest - 1;
  }
}
