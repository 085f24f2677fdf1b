import { Room, defineEntity, vec2 } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { expect, onTestFinished, test } from "vitest";

const PIECES = 1000;
const SECONDS = 60;
const position = vec2({ range: [-1000, 1000], precision: 0.1, unit: "m" });
const Food = defineEntity("food", { position }, { heartbeatMs: 60_000 });
const Coin = defineEntity("coin", { position });

class Meadow extends Room {
  override readonly entities = [Food, Coin];
  override readonly tickHz = 10;
}

async function bytesPerSecondOf(kind: typeof Food): Promise<number> {
  const stage = roomStage(Meadow);
  onTestFinished(() => stage.stop());
  const { room } = await stage.join({ network: { delayMs: 40 } });
  room.onSpawn(kind, () => undefined);
  for (let x = 0; x < PIECES; x++) stage.room.spawn(kind, { position: { x: x - 500, y: 0 } });
  await stage.advance(5000);
  expect(room.entities(kind)).toHaveLength(PIECES);
  const { counters } = stage.server.reports()[0]!;
  const before = counters.stateBytes;
  await stage.advance(SECONDS * 1000);
  return (stage.server.reports()[0]!.counters.stateBytes - before) / SECONDS;
}

test("a thousand things that lie there cost a player 50 bytes a second with the longest heartbeat", async () => {
  const [food, coins] = [await bytesPerSecondOf(Food), await bytesPerSecondOf(Coin)];
  expect(food).toBeLessThan(50);
  // What the default heartbeat of 2 s costs.
  expect(coins).toBeGreaterThan(500);
});
