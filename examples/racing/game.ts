// A race between players, without a server that knows it. Cars are extrapolated: everybody sees a car where it is now.
import {
  angle,
  defineEntity,
  enumOf,
  flag,
  scalar,
  uint,
  vec2,
  type Entity,
  type OwnedEntity,
  type Room,
} from "@paceline/client";

const TOP_SPEED = 30;
const ACCELERATION = 12;
const TURN_RATE = 1.5;
/** Cars drive around the origin; a lap is one turn about it. */
export const TRACK_RADIUS_M = 30;
export const LAPS = 2;

export const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-512, 512], precision: 0.01, unit: "m" }),
    heading: angle({ precision: 0.002, unit: "rad" }),
    laps: scalar({ range: [-10, LAPS + 1], precision: 0.01 }),
    isReady: flag(),
  },
  { motion: "turn", threshold: { position: 0.1, heading: 0.03 } },
);
/** The room has one: the player who has been there for longest writes it. */
const Race = defineEntity("race", {
  phase: enumOf(["waiting", "running", "over"]),
  winner: uint({ range: [0, 65_535] }),
});

export class RacingGame {
  readonly mine: OwnedEntity<typeof Car>;
  readonly race;
  readonly wheel = { steer: 0, throttle: 0 };
  readonly room: Room;
  #speed = 0;

  constructor(room: Room) {
    this.room = room;
    this.race = room.only(Race);
    const start = { x: TRACK_RADIUS_M + 4 * (room.myNumber % 4), y: 0 };
    this.mine = room.spawn(Car, { position: start, heading: Math.PI / 2 });
    room.loop((seconds) => {
      if (this.race.isMine) this.#judge();
      if (this.race.phase === "running") this.#drive(seconds);
    });
  }

  /** Starts when all are ready, and ends when a car has its laps. */
  #judge(): void {
    const cars: Entity<typeof Car>[] = [...this.room.entities(Car)];
    const isFull = cars.length > this.room.peers.length && cars.every(({ isReady }) => isReady);
    if (this.race.phase === "waiting" && isFull) this.race.phase = "running";
    const first = cars.find(({ laps }) => laps >= LAPS);
    if (this.race.phase !== "running" || !first) return;
    this.race.winner = first.owner?.number ?? this.room.myNumber;
    this.race.phase = "over";
  }

  #drive(seconds: number): void {
    const { position, heading, laps } = this.mine;
    const wanted = this.wheel.throttle * TOP_SPEED - this.#speed;
    this.#speed += Math.max(-1, Math.min(1, wanted)) * ACCELERATION * seconds;
    const turned = heading + this.wheel.steer * TURN_RATE * seconds;
    const [x, y] = [Math.cos(turned), Math.sin(turned)].map((part) => part * this.#speed * seconds);
    const before = Math.atan2(position.y, position.x);
    this.mine.heading = turned;
    this.mine.position.set(position.x + x!, position.y + y!);
    const moved = Math.atan2(this.mine.position.y, this.mine.position.x) - before;
    this.mine.laps = laps + Math.atan2(Math.sin(moved), Math.cos(moved)) / (2 * Math.PI);
  }
}
