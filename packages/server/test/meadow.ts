import { defineEntity, scalar, vec2 } from "@paceline/protocol";
import { seededRandom, type Random } from "@paceline/transport/simulated";
import { World, type EntityRecord } from "../src/entities/world.js";
import { Ground } from "../src/interest/ground.js";
import { Viewpoints } from "../src/interest/viewpoints.js";
import { InterestReplicator } from "../src/interest/interest-replicator.js";
import type { RoomInterest } from "../src/interest/room-interest.js";
import { newRoomCounters } from "../src/ops/room-counters.js";
import { Receiver, type ReceiverNetwork } from "./receiver.js";

const TICK_HZ = 20;
/** Half the edge of the meadow, m. */
const EDGE_M = 200;
const position = vec2({ range: [-EDGE_M, EDGE_M], precision: 0.01, unit: "m" });
export const Walker = defineEntity("walker", { position });
/** As a walker, but continued by its velocity. */
export const Runner = defineEntity("runner", { position }, { motion: "velocity" });
export const Food = defineEntity(
  "food",
  { position, size: scalar({ range: [0, 10], precision: 0.1 }) },
  { motion: "hold" },
);
export const Score = defineEntity(
  "score",
  { points: scalar({ range: [0, 1000], precision: 1 }) },
  { motion: "hold" },
);

interface Place {
  readonly x: number;
  readonly y: number;
}
type Placed = { readonly position: Place & { set(x: number, y: number): void } };
type Kind = typeof Walker | typeof Runner | typeof Food | typeof Score;
export type MeadowInterest = RoomInterest<{ readonly number: number }, { readonly id: number }>;

export const positionOf = (record: EntityRecord) => (record.entity as unknown as Placed).position;

export function distanceM(a: EntityRecord, b: EntityRecord): number {
  return Math.hypot(positionOf(a).x - positionOf(b).x, positionOf(a).y - positionOf(b).y);
}

/** A room with interest: walkers that walk to random places, food that lies around, and players who look at them. */
export class Meadow {
  readonly world = new World({
    definitions: [Walker, Food, Score, Runner],
    tickHz: TICK_HZ,
    historyTicks: 64,
  });
  readonly counters = newRoomCounters();
  readonly replicator: InterestReplicator;
  readonly viewpoints: Viewpoints;
  readonly players: Receiver[] = [];
  readonly walkers: EntityRecord[] = [];
  readonly faults: string[] = [];
  tick = 0;
  readonly #random: Random;
  readonly #goals = new Map<EntityRecord, Place>();

  constructor(seed: number, interest: MeadowInterest, bytesPerSecond = 131_072) {
    this.#random = seededRandom(seed);
    const ground = new Ground([Walker, Food, Score, Runner], interest.ground);
    this.viewpoints = new Viewpoints(this.world, ground);
    this.replicator = new InterestReplicator({
      ...{ world: this.world, tickHz: TICK_HZ, bytesPerSecond, counters: this.counters },
      interest,
      ground,
      viewpoints: this.viewpoints,
      nowMs: () => 0,
      onFault: ({ kind }) => this.faults.push(kind),
    });
  }

  /** Returns a random place at most so far from the middle, m. */
  somewhere(mostM = EDGE_M): Place {
    return { x: (this.#random.next() * 2 - 1) * mostM, y: (this.#random.next() * 2 - 1) * mostM };
  }

  spawn(kind: Kind, owner?: Receiver, place: Place = this.somewhere()): EntityRecord {
    const initial = kind.name === "score" ? {} : { position: place };
    const record = this.world.spawn(kind, initial, owner?.player.owner);
    if (kind.name === "walker") this.walkers.push(record);
    return record;
  }

  join(network: ReceiverNetwork): Receiver {
    const player = new Receiver(this.world, seededRandom(this.players.length + 7), network);
    this.players.push(player);
    return player;
  }

  despawn(record: EntityRecord): void {
    record.despawned = { atMs: 0, why: "" };
    this.viewpoints.ending(record);
    this.replicator.removed(record);
    this.world.remove(record);
    const at = this.walkers.indexOf(record);
    if (at >= 0) this.walkers.splice(at, 1);
  }

  /**
   * Runs ticks in which the walkers walk. `goal`: where to; default: to random places. `onStep`: called before the states
   * of a tick are sent.
   */
  run(ticks: number, metersPerSecond = 8, goal?: Place, onStep?: () => void): void {
    for (let step = 0; step < ticks; step++) {
      this.tick += 1;
      for (const player of this.players) player.begin(this.tick);
      if (metersPerSecond > 0)
        for (const walker of this.walkers) this.#walk(walker, metersPerSecond / TICK_HZ, goal);
      onStep?.();
      this.replicator.write(
        { tick: this.tick, nowMs: (this.tick * 1000) / TICK_HZ },
        this.players.filter(({ offline }) => !offline).map(({ states }) => states),
      );
    }
  }

  #walk(walker: EntityRecord, stepM: number, given: Place | undefined): void {
    const at = positionOf(walker);
    let goal = given ?? this.#goals.get(walker);
    if (!goal || (!given && Math.hypot(goal.x - at.x, goal.y - at.y) < stepM))
      this.#goals.set(walker, (goal = this.somewhere()));
    const meters = Math.max(stepM, Math.hypot(goal.x - at.x, goal.y - at.y));
    at.set(at.x + ((goal.x - at.x) / meters) * stepM, at.y + ((goal.y - at.y) / meters) * stepM);
  }
}
