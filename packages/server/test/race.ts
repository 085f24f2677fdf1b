import {
  Room,
  angle,
  defineEntity,
  defineInput,
  flag,
  scalar,
  vec2,
  type Directed,
  type Player,
} from "@paceline/server";
import type { ServerEntity } from "../src/room/room-entities.js";

export const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    heading: angle({ precision: 0.005, unit: "rad" }),
    boost: flag(),
  },
  { motion: "velocity" },
);

export const Gate = defineEntity("gate", { height: scalar({ range: [0, 10], precision: 0.1, unit: "m" }) });

export const Drive = defineInput({
  steer: scalar({ range: [-1, 1], precision: 1 / 127 }),
  throttle: scalar({ range: [0, 1], precision: 1 / 127 }),
  boost: flag(),
});

export interface RaceTypes {
  options: { track?: string; name?: string };
  messages: {
    horn: Directed<{ loud: boolean }, { from: number; loud: boolean }>;
    flag: { color: string };
    gap: Directed<never, number>;
    boost: Directed<number>;
  };
  requests: { lap: { ask: { car: number }; answer: { laps: number } } };
}

/** A race for tests. Cars drive as their players' inputs say. */
export class RaceRoom extends Room<RaceTypes> {
  static override readonly filterBy = ["track"];
  override maxPlayers = 8;
  override readonly tickHz = 30;
  override readonly entities = [Car, Gate];
  override readonly inputs = Drive;
  readonly cars = new Map<Player, ServerEntity<typeof Car>>();
  readonly calls: string[] = [];

  override onCreate(): void {
    this.calls.push("create");
    this.onMessage("horn", (player, { loud }) => this.broadcast("horn", { from: player.number, loud }));
    this.onRequest("lap", (_player, { car }) => ({ laps: car * 2 }));
  }

  override onJoin(player: Player<typeof Drive>): void {
    this.calls.push(`join ${player.number}`);
    this.cars.set(player, this.spawn(Car, { position: { x: player.number, y: 0 } }, player));
  }

  override onTick(seconds: number): void {
    for (const player of this.players.values()) {
      const car = this.cars.get(player);
      if (!car) continue;
      const { throttle, steer, boost } = player.input;
      car.velocity.set(throttle * 20, steer * 5);
      car.position.set(car.position.x + car.velocity.x * seconds, car.position.y + car.velocity.y * seconds);
      car.boost = boost;
    }
  }

  override onDrop(player: Player): void {
    this.calls.push(`drop ${player.number}`);
  }

  override onReconnect(player: Player): void {
    this.calls.push(`reconnect ${player.number}`);
  }

  override onLeave(player: Player, code: number): void {
    this.calls.push(`leave ${player.number} ${code}`);
    this.cars.delete(player);
  }

  override onDispose(): void {
    this.calls.push("dispose");
  }
}
