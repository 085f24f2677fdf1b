import { readFileSync } from "node:fs";
import { defineInput, scalar } from "@paceline/client";
import { Room, angle, defineEntity, vec2, type Player, type ServerEntity } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { afterEach, expect, it, onTestFinished } from "vitest";

const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    heading: angle({ precision: 0.005, unit: "rad" }),
  },
  { motion: "velocity" },
);
const Drive = defineInput({ throttle: scalar({ range: [0, 1], precision: 1 / 127 }) });

class RaceRoom extends Room {
  override readonly entities = [Car];
  override readonly inputs = Drive;
  readonly cars = new Map<Player, ServerEntity<typeof Car>>();
  readonly calls: string[] = [];

  override onJoin(player: Player<typeof Drive>): void {
    this.cars.set(player, this.spawn(Car, {}, player));
  }

  override onTick(seconds: number): void {
    for (const player of this.players.values()) {
      const car = this.cars.get(player);
      if (!car) continue;
      car.velocity.set(player.input.throttle * 30, 0);
      car.position.set(car.position.x + car.velocity.x * seconds, 0);
    }
  }

  override onDrop(): void {
    this.calls.push("drop");
  }

  override onReconnect(): void {
    this.calls.push("reconnect");
  }
}

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

it("plays a room in five lines, as docs/guides/testing.md shows them", async () => {
  // from here
  const stage = roomStage(RaceRoom);
  const player = await stage.join({ network: { delayMs: 50, jitterMs: 10 } });
  player.room.input(Drive).throttle = 1;
  await stage.advance(2000);
  const [car] = stage.room.cars.values();
  // to here
  onTestFinished(() => stage.stop());
  expect(car!.position.x).toBeGreaterThan(30);
  expect(car!.position.x).toBeLessThan(60);
  const source = readFileSync(import.meta.filename, "utf8");
  const example = source.slice(source.indexOf("// from here\n") + 13, source.indexOf("  // to here\n"));
  const document = readFileSync(new URL("../../../docs/guides/testing.md", import.meta.url), "utf8");
  for (const line of example.trim().split("\n")) expect(document).toContain(line.trim());
});

it("gives the same run for the same seed", async () => {
  const run = async (seed: number): Promise<number> => {
    const stage = roomStage(RaceRoom, { seed });
    const loss = { kind: "uniform", ratio: 0.05 } as const;
    const { room } = await stage.join({ network: { delayMs: 40, jitterMs: 30, loss } });
    room.input(Drive).throttle = 1;
    await stage.advance(1500);
    const [car] = stage.room.cars.values();
    await stage.stop();
    return car!.position.x;
  };
  // Loads code on demand, which takes real time once.
  await run(1);
  expect(await run(2)).toBe(await run(2));
});

it("takes a player's network away, and gives it back", async () => {
  const stage = roomStage(RaceRoom);
  stop = () => stage.stop();
  const player = await stage.join();
  player.offline();
  await stage.advance(3000);
  expect(player.room.state).toBe("dropped");
  expect(stage.room.calls).toEqual(["drop"]);
  player.online();
  await stage.advance(10_000);
  expect(player.room.state).toBe("joined");
  expect(stage.room.calls).toEqual(["drop", "reconnect"]);
});
