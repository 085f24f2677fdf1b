import { Client, defineEntity, vec2, type Genre, type OwnedEntity, type Room } from "@paceline/client";
import { ByteMeter, type WebRtc } from "./byte-meter.js";
import type { SwarmBot } from "./swarm.js";

const MESSAGE_PERIOD_MS = 2000;
const RADIUS = 100;
const TURN_SECONDS = 5;

/** Pages that do not know this kind of entity draw nothing. */
const Walker = defineEntity(
  "paceline-bot",
  { position: vec2({ range: [-RADIUS, RADIUS], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);
const MESSAGE = "paceline-bot";

/**
 * A player of any room. Among players it walks in a circle and sends a numbered message every two seconds; in a room with an
 * authority, whose inputs it does not know, it watches.
 */
export class RoomBot implements SwarmBot {
  readonly bytes = new ByteMeter();
  joinMs = 0;
  lost = 0;
  heard = 0;
  drops = 0;
  readonly #roomName: string;
  readonly #profile: Genre;
  readonly #index: number;
  /** Number of the newest message of each other, by player. */
  readonly #newest = new Map<number, number>();
  #room: Room | undefined;
  #walker: OwnedEntity<typeof Walker> | undefined;
  #said = 0;
  #nextMessageMs = 0;

  constructor({ room, profile }: { readonly room: string; readonly profile: Genre }, index: number) {
    this.#roomName = room;
    this.#profile = profile;
    this.#index = index;
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
    const client = new Client(server, {
      profile: this.#profile,
      transports: webRtc ? ["webrtc", "websocket"] : ["websocket"],
      webSocket: this.bytes.socketClass(),
      webRtc: webRtc && this.bytes.linkMaker(webRtc),
    });
    const startedMs = performance.now();
    const room = await client.joinOrCreate(this.#roomName);
    this.joinMs = performance.now() - startedMs;
    this.#room = room;
    room.onDrop(() => (this.drops += 1));
    if (room.authority) return;
    // Bots of one swarm do not speak all at once.
    this.#nextMessageMs = performance.now() + (this.#index % 20) * 100;
    this.#walker = room.spawn(Walker);
    room.onMessage(MESSAGE, (number, { number: player }) => this.#hear(player, Number(number)));
  }

  advance(nowMs: number): void {
    const room = this.#room;
    if (!room || !this.#walker) return;
    const angle = (nowMs / 1000 / TURN_SECONDS + this.#index / 10) * 2 * Math.PI;
    this.#walker.position.set(RADIUS * Math.cos(angle), RADIUS * Math.sin(angle));
    room.advance(nowMs);
    if (nowMs < this.#nextMessageMs || room.state !== "joined") return;
    this.#nextMessageMs = nowMs + MESSAGE_PERIOD_MS;
    room.send(MESSAGE, (this.#said += 1));
  }

  leave(): void {
    void this.#room?.leave();
    this.#room = undefined;
  }

  #hear(player: number, number: number): void {
    const newest = this.#newest.get(player);
    this.#newest.set(player, number);
    this.heard += 1;
    if (newest !== undefined && number > newest + 1) this.lost += number - newest - 1;
  }
}
