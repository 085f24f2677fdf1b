import { Room, defineEntity, vec2, type ServerEntity } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { expect, test } from "vitest";

const Thing = defineEntity("thing", {
  position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
});
const COUNT = 400;

/** Returns another position at every tick, which no motion model predicts. */
function placeOf(index: number, tick: number): { readonly x: number; readonly y: number } {
  const hash = Math.imul(index * 7919 + tick, 0x9e3779b1) >>> 0;
  return { x: (hash % 8000) - 4000, y: ((hash >>> 13) % 8000) - 4000 };
}

class PeerCountHysteresis extends Room {
  override readonly entities = [Thing];
  override readonly tickHz = 20;
  readonly things: ServerEntity<typeof Thing>[] = [];

  override onCreate(): void {
    for (let index = 0; index < COUNT; index++) this.things.push(this.spawn(Thing));
  }

  override onTick(_seconds: number, tick: number): void {
    for (const [index, { position }] of this.things.entries()) {
      const { x, y } = placeOf(index, tick);
      position.set(x, y);
    }
  }
}

test("states that fill many packets all arrive, and the game hears of each", async () => {
  const stage = roomStage(PeerCountHysteresis);
  const player = await stage.join({ network: { delayMs: 30, jitterMs: 5 } });
  const { room } = player;
  const ticks: number[] = [];
  const unsubscribe = room.onStateChange((tick) => ticks.push(tick));
  const things = () => [...room.entities(Thing)];
  expect(things()).toEqual([]);
  await stage.advance(3000);
  expect(things()).toHaveLength(COUNT);
  for (const { id, lastTick, position } of things()) {
    const index = stage.room.things.findIndex((thing) => thing.id === id);
    const { x, y } = placeOf(index, lastTick);
    expect([position.x, position.y]).toEqual([x, y]);
    expect(stage.room.tick - lastTick).toBeLessThan(20);
  }
  // The states are in order, and those of a tick take more than one packet.
  expect(ticks).toEqual([...ticks].sort((one, two) => one - two));
  expect(ticks.length).toBeGreaterThan(new Set(ticks).size);
  expect(ticks.at(-1)).toBe(Math.max(...things().map(({ lastTick }) => lastTick)));
  unsubscribe();
  const heard = ticks.length;
  await stage.advance(200);
  expect(ticks).toHaveLength(heard);
});
