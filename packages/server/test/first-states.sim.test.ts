import { Room, defineEntity, scalar, vec2, type Player } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { describe, expect, onTestFinished, test } from "vitest";

const range = [-100, 100] as const;
const Car = defineEntity("car", { position: vec2({ range, precision: 0.01 }) }, { motion: "velocity" });
const Lamp = defineEntity("lamp", { brightness: scalar({ range: [0, 1], precision: 0.01 }) });
const ONE_WAY_MS = 50;
const TICK_MS = 50;

class Yard extends Room {
  override readonly entities = [Car, Lamp];
  override readonly tickHz = 1000 / TICK_MS;

  override onJoin(player: Player): void {
    this.spawn(Car, { position: { x: player.number * 10, y: 7 } }, player);
    this.spawn(Lamp, { brightness: 0.5 });
  }
}

const scene = async () => {
  const stage = roomStage(Yard);
  onTestFinished(() => stage.stop());
  const join = async () => (await stage.join({ network: { delayMs: ONE_WAY_MS } })).room;
  await join();
  await stage.advance(500);
  return { stage, join };
};

describe("the first states of a room with an authority", () => {
  test("[WF33] come after the welcome, without another round trip, if the game names all kinds at once", async () => {
    const { stage, join } = await scene();
    const room = await join();
    expect([[...room.entities(Car)].length, [...room.entities(Lamp)].length]).toEqual([0, 0]);
    // One step of the room, without time for a round trip.
    await stage.advance(TICK_MS + 10);
    const cars = [...room.entities(Car)];
    expect(cars.map(({ position }) => position.x)).toEqual([10, 20]);
    expect([...room.entities(Lamp)].map(({ brightness }) => brightness)).toEqual([0.5, 0.5]);
    await stage.advance(1000);
    expect(room.drops.toRecord()).toEqual({});
  });

  test("[WF33] are only of kinds that the game names, and never mistaken for others", async () => {
    const { stage, join } = await scene();
    const room = await join();
    const seen: unknown[] = [];
    room.onSpawn(Lamp, ({ kind }) => seen.push(kind.name));
    expect(seen).toEqual([]);
    await stage.advance(2 * ONE_WAY_MS + 2 * TICK_MS + 20);
    expect(seen).toEqual(["lamp", "lamp"]);
    expect([...room.entities(Lamp)].map(({ brightness }) => brightness)).toEqual([0.5, 0.5]);
    expect([...room.entities(Car)]).toEqual([]);
    await stage.advance(2 * ONE_WAY_MS + 2 * TICK_MS + 20);
    expect([...room.entities(Car)].map(({ position }) => position.x)).toEqual([10, 20]);
    expect(room.drops.toRecord()).toEqual({});
  });

  test("[WF33] end if the game names no kind", async () => {
    const { stage, join } = await scene();
    const room = await join();
    await stage.advance(500);
    expect(room.drops.toRecord()).toEqual({});
    expect([...room.entities(Car)]).toEqual([]);
    await stage.advance(500);
    expect([...room.entities(Car)]).toHaveLength(2);
  });
});
