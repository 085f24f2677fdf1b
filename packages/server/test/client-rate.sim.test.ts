import { Room, defineEntity, vec2, type Player } from "@paceline/server";
import { roomStage, type StagePlayer } from "@paceline/testkit/room";
import { afterEach, expect, test } from "vitest";

const Ball = defineEntity(
  "ball",
  { position: vec2({ range: [-4096, 4096], precision: 0.01 }) },
  { motion: "hold" },
);

/** A room with a ball for each player. The ball moves 60 ticks a second while the room is not asleep. */
class BallRoom extends Room {
  override readonly entities = [Ball];
  override readonly tickHz = 60;
  isAsleep = false;
  readonly #balls: { position: { x: number; y: number; set(x: number, y: number): void } }[] = [];

  override onJoin(player: Player): void {
    this.#balls.push(this.spawn(Ball, {}, player));
  }

  override onTick(): void {
    if (this.isAsleep) return;
    for (const { position } of this.#balls) position.set((position.x + 1) % 4000, 0);
  }
}

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

/** Counts the different positions of a ball that a player receives in a second. */
async function positionsPerSecond(
  stage: { advance(ms: number): Promise<void> },
  player: StagePlayer,
): Promise<number> {
  const seen = new Set<number>();
  for (let left = 4000; left > 0; left -= 5) {
    await stage.advance(5);
    const [ball] = player.room.entities(Ball);
    if (ball) seen.add(ball.position.x);
  }
  return seen.size / 4;
}

test("an authority sends each player states at its profile's rate, at most one per tick", async () => {
  const stage = roomStage(BallRoom);
  stop = () => stage.stop();
  const [quick, slow] = [await stage.join(), await stage.join()];
  // The game uses a kind from the first call of `entities` on.
  for (const { room } of [quick, slow]) expect([...room.entities(Ball)]).toBeDefined();
  slow.room.transport.configure({ profile: "mmo" });
  quick.room.transport.configure({ profile: { base: "racing", numbers: { stateHz: 60 } } });
  await stage.advance(500);
  const seldom = await positionsPerSecond(stage, slow);
  expect(seldom).toBeGreaterThanOrEqual(4);
  expect(seldom).toBeLessThanOrEqual(7);
  expect(await positionsPerSecond(stage, quick)).toBeGreaterThan(50);
  const rates = async ({ room }: StagePlayer) =>
    (await room.transport.explain()).find(({ about }) => about === "rates")!.choice;
  expect(await rates(slow)).toMatch(/^the server sends up to 5 times\/s \(now [\d.]+\): /);
  expect(await rates(quick)).toMatch(/^the server sends up to 60 times\/s \(now [\d.]+\): /);
  slow.room.transport.configure({ profile: { base: "racing", numbers: { stateHz: 20 } } });
  await stage.advance(500);
  const often = await positionsPerSecond(stage, slow);
  expect(often).toBeGreaterThan(16);
  expect(often).toBeLessThan(24);
});

test("changes in ticks that a player skips are sent in its next one, on any network", async () => {
  for (const network of [{}, { delayMs: 30, loss: { kind: "uniform", ratio: 0.05 } as const }]) {
    const stage = roomStage(BallRoom, { seed: 3 });
    stop = () => stage.stop();
    const [driver, watcher] = [await stage.join(), await stage.join({ network })];
    for (const { room } of [driver, watcher]) expect([...room.entities(Ball)]).toBeDefined();
    watcher.room.transport.configure({ profile: "mmo" });
    for (let round = 0; round < 6; round++) {
      stage.room.isAsleep = false;
      await stage.advance(170 + round * 35);
      stage.room.isAsleep = true;
      await stage.advance(4000);
      const at = (player: StagePlayer) =>
        [...player.room.entities(Ball)].map(({ position }) => position.x).sort((a, b) => a - b);
      expect(at(watcher)).toEqual(at(driver));
      expect(at(watcher)).toHaveLength(2);
    }
    await stage.stop();
    stop = undefined;
  }
});
