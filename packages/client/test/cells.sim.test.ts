import { defineEntity, vec2, type Room } from "@paceline/client";
import { expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const Walker = defineEntity(
  "cell-walker",
  { position: vec2({ range: [-2000, 2000], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);

async function stageOf(): Promise<RelayStage> {
  return new RelayStage({ delayMs: 20, rooms: { race: { maxPlayers: 100 } } });
}
const join = (stage: RelayStage): Promise<Room> =>
  stage.join(stage.player({}, { profile: "mmo", transports: ["websocket"], interest: { radiusM: 80 } }));

test("a member gets the entities near its viewpoint, and is told when they go", async () => {
  const stage = await stageOf();
  const [a, b] = [await join(stage), await join(stage)];
  const seen: string[] = [];
  b.onSpawn(Walker, (walker) =>
    seen.push(`+${walker.owner?.number ?? "me"} ${Math.round(walker.position.x)}`),
  );
  b.onDespawn(Walker, (walker, why) => seen.push(`-${walker.owner?.number ?? "me"} ${why}`));
  const mine = a.spawn(Walker, { position: { x: 0, y: 0 } });
  b.spawn(Walker, { position: { x: 1000, y: 0 } });
  a.advance();
  b.advance();
  await stage.advance(1000);
  expect(seen).toEqual(["+me 1000"]);
  b.viewpoint = { x: 10, y: 0 };
  await stage.advance(300);
  expect(seen).toEqual(["+me 1000", "+1 0"]);
  for (let x = 0; x < 200; x += 1) {
    mine.position.set(x, 0);
    a.advance();
    await stage.advance(50);
  }
  expect(seen).toEqual(["+me 1000", "+1 0", "-1 out-of-view"]);
  b.viewpoint = { x: 150, y: 0 };
  await stage.advance(300);
  expect(seen.slice(3)).toEqual([expect.stringMatching(/^\+1 19\d$/)]);
  a.despawn(mine);
  await stage.advance(300);
  expect(seen.slice(4)).toEqual(["-1 removed"]);
  expect(a.drops.toRecord?.() ?? {}).toEqual({});
});
