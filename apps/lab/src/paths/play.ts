import { setTimeout as pause } from "node:timers/promises";
import { angle, Client, defineEntity, type Genre, type Room, vec2 } from "@paceline/client";
import { nodeWebRtc } from "@paceline/client/node";
import type { ProfileOverrides } from "@paceline/transport";
import { SentMeter } from "./sent-meter.js";

/** Path between players. */
export type Way = "direct" | "relay";

/** A game that is played over direct links and through the relay, with equal settings otherwise. */
export interface Situation {
  readonly name: string;
  readonly genre: Genre;
  readonly others: number;
  /** Settings for which the decision tree does not choose direct links. */
  readonly numbers?: ProfileOverrides["numbers"];
}

/** Bytes and CPU time of each player. */
export interface PathsRow {
  readonly situation: string;
  readonly way: Way;
  readonly players: number;
  /**
   * Share of the pairs on this path, sampled once a second: a machine that is too slow leaves direct links.
   */
  readonly pairsThatWay: number;
  readonly bytesOutPerPlayerPerSecond: number;
  readonly packetsOutPerPlayerPerSecond: number;
  readonly cpuMsPerPlayerPerSecond: number;
  /** Received states of others, per player and second; must be about equal for both paths. */
  readonly statesInPerPlayerPerSecond: number;
  /** All sent bytes, divided by the received states. */
  readonly bytesOutPerState: number;
}

const fields = {
  position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
  heading: angle({ precision: 0.005, unit: "rad" }),
};
const Car = defineEntity("car", fields, { motion: "velocity" });
/** A piece of a puzzle, which stays in its place. */
const Piece = defineEntity("piece", fields, { motion: "hold" });

const STEP_MS = 1000 / 60;
const PIECE_STEP_MS = 300;
const CONNECT_LIMIT_MS = 60_000;
const SETTLE_MS = 4000;

/** Plays a situation over loopback with real sockets and data channels. All players run in this process. */
export async function play(situation: Situation, way: Way, url: string, seconds: number): Promise<PathsRow> {
  const meter = new SentMeter();
  const rooms = await joined(situation, way, url, meter);
  const isBound = situation.genre === "puzzle";
  const bodies = rooms.map((room) => room.spawn(isBound ? Piece : Car));
  const began = performance.now();
  const arrivals = new ArrivalMeter();
  const step = (): void =>
    bodies.forEach((body, index) => move(body, index, (performance.now() - began) / 1000));
  const moving = setInterval(step, isBound ? PIECE_STEP_MS : STEP_MS);
  const looking = setInterval(() => arrivals.look(rooms), STEP_MS);
  try {
    await pause(SETTLE_MS);
    const before = {
      ...meter.totals,
      ...process.cpuUsage(),
      arrivals: arrivals.count,
      atMs: performance.now(),
    };
    const shares: number[] = [];
    for (let second = 0; second < seconds; second++) {
      await pause(1000);
      shares.push(shareOf(rooms, way));
    }
    const { bytes, packets } = meter.totals;
    const states = arrivals.count - before.arrivals;
    const { user, system } = process.cpuUsage({ user: before.user, system: before.system });
    const perPlayer = (total: number): number =>
      (total / rooms.length) * (1000 / (performance.now() - before.atMs));
    return {
      situation: situation.name,
      way,
      players: rooms.length,
      pairsThatWay: mean(shares),
      bytesOutPerPlayerPerSecond: perPlayer(bytes - before.bytes),
      packetsOutPerPlayerPerSecond: perPlayer(packets - before.packets),
      cpuMsPerPlayerPerSecond: perPlayer((user + system) / 1000),
      statesInPerPlayerPerSecond: perPlayer(states),
      bytesOutPerState: (bytes - before.bytes) / states,
    };
  } finally {
    clearInterval(moving);
    clearInterval(looking);
    for (const room of rooms) room.leave();
    await pause(500);
  }
}

async function joined(situation: Situation, way: Way, url: string, meter: SentMeter): Promise<Room[]> {
  const webRtc = await nodeWebRtc();
  if (!webRtc) throw new Error("node-datachannel is not there");
  const { genre, others, numbers } = situation;
  const profile: ProfileOverrides = {
    base: genre,
    // The aims other than `latency` may forbid direct links.
    favour: "latency",
    topology: way === "direct" ? "mesh" : "relay",
    numbers: { maxDirectPeers: 64, uploadBytesPerSecond: 1_000_000_000, ...numbers },
  };
  const socketClass = meter.socketClass();
  const rooms: Room[] = [];
  while (rooms.length <= others) {
    const client = new Client(url, { profile, webSocket: socketClass, webRtc: meter.counted(webRtc) });
    const room = await client.joinOrCreate("players");
    room.entities(Car);
    room.entities(Piece);
    rooms.push(room);
  }
  const deadlineMs = performance.now() + CONNECT_LIMIT_MS;
  while (rooms.some(({ peers }) => peers.length < others) || shareOf(rooms, way) < 1) {
    if (performance.now() > deadlineMs) throw new Error(`not all players are reached ${way}`);
    await pause(100);
  }
  return rooms;
}

function shareOf(rooms: readonly Room[], way: Way): number {
  const pairs = rooms.flatMap(({ peers }) => peers);
  return pairs.filter(({ path }) => path === way).length / pairs.length;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

/** Counts arriving states of others: entities whose position has changed since the last look. */
class ArrivalMeter {
  readonly #seen = new Map<object, number>();
  count = 0;

  look(rooms: readonly Room[]): void {
    for (const room of rooms) {
      for (const body of [...room.entities(Car), ...room.entities(Piece)]) {
        if (body.isMine) continue;
        const { x } = body.position;
        if (this.#seen.get(body) !== x) this.count += 1;
        this.#seen.set(body, x);
      }
    }
  }
}

function move(
  body: { position: { set(x: number, y: number): void }; heading: number },
  index: number,
  seconds: number,
): void {
  const angleRad = seconds / 2 + index;
  body.position.set(50 * Math.cos(angleRad), 50 * Math.sin(angleRad));
  body.heading = angleRad + Math.PI / 2;
}
