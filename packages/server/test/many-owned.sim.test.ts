import { Room, type PlayerEntities } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { expect, test } from "vitest";
import { Car } from "./race.js";

const CARS = 300;

class HerdRoom extends Room {
  override readonly tickHz = 30;
  override readonly entities = [Car];
  override readonly playerEntities: readonly PlayerEntities[] = [{ definition: Car, most: CARS }];
}

test("300 moving own entities do not count as a flood, and none of them is left behind", async () => {
  const stage = roomStage(HerdRoom);
  const network = { delayMs: 20 };
  const [owner, watcher] = [await stage.join({ network }), await stage.join({ network })];
  const seen = [...watcher.room.entities(Car)];
  expect(seen).toEqual([]);
  const cars = Array.from({ length: CARS }, (_, index) =>
    owner.room.spawn(Car, { position: { x: 0, y: index } }),
  );
  await stage.advance(1000);
  for (let tenths = 1; tenths <= 100; tenths++) {
    for (const car of cars) car.position.x = tenths / 10;
    await stage.advance(100);
    if (tenths < 10) continue;
    const xs = [...watcher.room.entities(Car)].map(({ position }) => position.x);
    expect(xs).toHaveLength(CARS);
    expect(Math.min(...xs)).toBeGreaterThan(tenths / 10 - 0.5);
  }
  expect(stage.server.health().drops["rate-limit"] ?? 0).toBe(0);
  expect(stage.server.counts.sessionEnds).toEqual({});
  expect([owner.room.state, watcher.room.state]).toEqual(["joined", "joined"]);
  await stage.stop();
});
