import { Client, type Peer, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { Car } from "../src/net/car-entity.js";
import { ROOM_NAME } from "../src/net/join-race.js";
import type { PeerMessages, Phase, RaceAnnouncement, RaceEntry } from "../src/race/race-messages.js";
import { circuitOf } from "../src/track/circuits.js";
import { poseOnTrack } from "../src/track/track.js";
import "../src/track/salt-flats.js";

const DRIVERS = [
  { name: "Ada", color: "#e5484d" },
  { name: "Bruno", color: "#f2b632" },
  { name: "Maximiliana Wolf", color: "#2f80ed" },
  { name: "Dmitri", color: "#27ae60" },
];
const LAPS = 3;
/** Distance of the drivers' cars from the start line, m: nobody who starts meets them. */
const CARS_FROM_M = 400;
const CAR_SPACING_M = 15;
/** More clients than any room of a test takes. */
const MAX_CLIENTS = 20;

type RaceRoom = Room<PeerMessages>;

/**
 * The oldest drivers of a race among players. Their cars stand, and the first of them announces the phases
 * that a test asks for, so that no test waits for a race to be driven.
 */
export class RaceDirector {
  readonly #url: string;
  readonly #rooms: RaceRoom[] = [];
  #announcement: RaceAnnouncement | undefined;

  private constructor(url: string) {
    this.#url = url;
  }

  /** Joins a server's room; no other player may be in it. */
  static async start(url: string): Promise<RaceDirector> {
    const director = new RaceDirector(url);
    for (let index = 0; index < DRIVERS.length; index++) await director.#addDriver(index);
    return director;
  }

  get roomId(): string {
    return this.#rooms[0]!.roomId;
  }

  /** Announces a phase that began `elapsedMs` ago. Each race has a number; a new one begins on the grid. */
  announce(race: number, phase: Phase, elapsedMs = 0): void {
    const [first] = this.#rooms;
    const isNew = this.#announcement?.race !== race;
    const grid = isNew ? this.#everybody() : this.#announcement!.grid;
    const entries = phase === "results" ? this.#rooms.slice(0, DRIVERS.length).map(resultOf) : [];
    this.#announcement = { race, phase, elapsedMs, laps: LAPS, grid, entries };
    first!.send("race", this.#announcement);
  }

  /** Takes all free places of the room. */
  async fill(): Promise<void> {
    for (let tries = 0; tries < MAX_CLIENTS; tries++) {
      const room = await clientOf(this.#url).joinOrCreate(ROOM_NAME);
      this.#rooms.push(room);
      // The server has opened another room, since this one is full.
      if (room.roomId !== this.roomId) return;
    }
    throw new Error(`the room takes more than ${MAX_CLIENTS} players`);
  }

  async leave(): Promise<void> {
    for (const room of this.#rooms.splice(0)) await room.leave();
  }

  async #addDriver(index: number): Promise<void> {
    const room: RaceRoom = await clientOf(this.#url).joinOrCreate(ROOM_NAME);
    const introduce = (to: Peer): void => {
      room.send("driver", { ...DRIVERS[index]!, isComputer: false }, to);
      if (index === 0 && this.#announcement) room.send("race", this.#announcement, to);
    };
    room.onPeerJoin(introduce);
    room.onMessage("ask", (_message, from) => introduce(from));
    const { x, y, headingRad } = poseOnTrack(circuitOf(2).track, CARS_FROM_M + index * CAR_SPACING_M);
    room.spawn(Car, { position: { x, y }, heading: headingRad });
    this.#rooms.push(room);
  }

  /** Numbers of all participants, the oldest first. */
  #everybody(): number[] {
    const [first] = this.#rooms;
    return [first!.myNumber, ...first!.peers.map(({ number }) => number)].sort((a, b) => a - b);
  }
}

function clientOf(url: string): Client {
  return new Client(url, { profile: "racing", transports: ["websocket"], webSocket: NodeWebSocket });
}

function resultOf({ myNumber }: RaceRoom, index: number): RaceEntry {
  const bestMs = 48_120 + 333 * index;
  return { number: myNumber, laps: LAPS, totalMs: 3 * bestMs + 1500, bestMs, finished: true };
}
