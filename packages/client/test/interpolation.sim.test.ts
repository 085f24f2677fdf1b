import { defineEntity, vec2, type Entity, type EntityDefinition, type Room } from "@paceline/client";
import { expect, test } from "vitest";
import { VirtualHub, type HubNetwork } from "./virtual-hub.js";

const fields = {
  position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
};
const Walker = defineEntity("walker", fields, { motion: "velocity" });
const FRAME_MS = 1000 / 60;
/** 2 % loss in bursts, as in the laboratory. */
const bursty = {
  kind: "gilbert-elliott",
  pGoodToBad: 0.01,
  pBadToGood: 0.49,
  lossInGood: 0,
  lossInBad: 1,
} as const;

/** Returns the position on a circle, at 5 m/s. */
function whereAt(seconds: number): { x: number; y: number } {
  return { x: 20 * Math.cos(seconds / 4), y: 20 * Math.sin(seconds / 4) };
}

async function pair(network: HubNetwork, definition = Walker, profile: "shooter" | "racing" = "shooter") {
  const hub = new VirtualHub(network, { startMs: 5000 });
  const [owner, viewer] = (await hub.meet(2, { profile })) as [Room, Room];
  const mine = owner.spawn(definition, { position: whereAt(0) });
  await hub.advance(300);
  const seen = () =>
    [...viewer.entities(definition)].find((each) => !each.isMine) as Entity<EntityDefinition<typeof fields>>;
  // The first read makes the viewer's game use this kind, and fetch the interpolation code.
  expect(seen()).toBeDefined();
  await hub.fetches();
  const began = hub.scheduler.nowMs();
  const seconds = (): number => (hub.scheduler.nowMs() - began) / 1000;
  const run = async (frames: number, move: (seconds: number) => void, draw: () => void): Promise<void> => {
    for (let frame = 0; frame < frames; frame++) {
      move(seconds());
      owner.advance();
      await hub.advance(FRAME_MS, FRAME_MS);
      draw();
    }
  };
  return { hub, owner, viewer, mine, seen, seconds, run };
}

test("an interpolated entity is shown at its position of the render time, whatever is lost", async () => {
  const { hub, viewer, mine, seen, seconds, run } = await pair({ delayMs: 50, jitterMs: 5, loss: bursty });
  const circle = (at: number): void => {
    const { x, y } = whereAt(at);
    mine.position.set(x, y);
    mine.velocity.set(-5 * Math.sin(at / 4), 5 * Math.cos(at / 4));
  };
  await run(240, circle, () => seen().shown.position.x);
  const [errors, steps, lags]: [number[], number[], number[]] = [[], [], []];
  let last: { x: number; y: number } | undefined;
  let lastRenderMs = -Infinity;
  await run(1200, circle, () => {
    const { x, y } = seen().shown.position;
    const lagMs = viewer.clock.serverNow() - viewer.clock.renderNow();
    const truth = whereAt(seconds() - lagMs / 1000);
    errors.push(Math.hypot(x - truth.x, y - truth.y));
    if (last) steps.push(Math.hypot(x - last.x, y - last.y));
    last = { x, y };
    lags.push(lagMs);
    expect(viewer.clock.renderNow()).toBeGreaterThanOrEqual(lastRenderMs);
    lastRenderMs = viewer.clock.renderNow();
  });
  errors.sort((a, b) => a - b);
  // At 5 m/s, 0.1 m are an error of 20 ms between two clocks.
  expect(errors[Math.floor(errors.length * 0.95)]).toBeLessThan(0.1);
  expect(Math.max(...steps)).toBeLessThan(0.2);
  expect(Math.max(...lags)).toBeLessThan(300);
  expect(Math.min(...lags)).toBeGreaterThan(60);
  expect(hub.scheduler.nowMs()).toBeGreaterThan(5000);
});

test("a resting entity costs heartbeats only, and starts at once and without a jump", async () => {
  const { owner, mine, seen, run } = await pair({ delayMs: 50, loss: bursty });
  const sentOf = (): number => owner.peers[0]!.stats.updatesOutPerSecond;
  await run(
    360,
    () => mine.velocity.set(0, 0),
    () => seen().shown.position.x,
  );
  expect(sentOf()).toBeLessThanOrEqual(2);
  const start = { x: mine.position.x, y: mine.position.y };
  const xs: number[] = [];
  let steps = 0;
  await run(
    60,
    () => {
      steps += 1;
      mine.position.set(start.x, start.y + (steps * 6) / 60);
      mine.velocity.set(0, 6);
    },
    () => xs.push(seen().shown.position.y - start.y),
  );
  const moves = xs.map((x, index) => x - (xs[index - 1] ?? 0));
  // It moves 0.1 m per frame. Its pause must not be interpolated as slow motion.
  expect(Math.max(...moves)).toBeLessThan(0.2);
  const slow = moves.filter((move) => move > 0.002 && move < 0.04).length;
  expect(slow).toBeLessThan(8);
  expect(xs.at(-1)).toBeGreaterThan(4);
  expect(sentOf()).toBeLessThanOrEqual(31);
});

test("an entity may override the profile", async () => {
  const Late = defineEntity("late", fields, { show: "interpolate" });
  expect(Late.motion).toBe("velocity");
  const { viewer, mine, seen, seconds, run } = await pair({ delayMs: 50 }, Late, "racing");
  const straight = (at: number): void => {
    mine.position.set(10 * at, 0);
    mine.velocity.set(10, 0);
  };
  const behindM: number[] = [];
  const draw = (): void => {
    behindM.push(10 * seconds() - seen().shown.position.x);
  };
  await run(300, straight, draw);
  expect(behindM.at(-1)).toBeGreaterThan(0.6);
  expect(viewer.clock.serverNow() - viewer.clock.renderNow()).toBeGreaterThan(60);
});

test("a change of the profile from racing to shooter and back starts and ends interpolation", async () => {
  const { hub, viewer, owner, mine, seen, seconds, run } = await pair({ delayMs: 50 }, Walker, "racing");
  const straight = (at: number): void => {
    mine.position.set(5 * at, 0);
    mine.velocity.set(5, 0);
  };
  const behindMs = (): number => ((5 * seconds() - seen().shown.position.x) / 5) * 1000;
  const none = (): void => undefined;
  await run(180, straight, none);
  expect(Math.abs(behindMs())).toBeLessThan(25);
  for (const room of [owner, viewer]) room.transport.configure({ profile: "shooter" });
  await hub.fetches();
  await run(240, straight, none);
  expect(behindMs()).toBeGreaterThan(60);
  for (const room of [owner, viewer]) room.transport.configure({ profile: "racing" });
  await run(240, straight, () => viewer.clock.renderNow());
  expect(Math.abs(behindMs())).toBeLessThan(25);
  expect(viewer.clock.serverNow()).toBeCloseTo(viewer.clock.renderNow(), 6);
});

test("a definition that cannot be interpolated throws at once", () => {
  expect(() => defineEntity("x", fields, { motion: "hold", show: "interpolate" })).toThrow(
    'motion is "hold"',
  );
  expect(() => defineEntity("x", fields, { motion: "turn", show: "smoothly" as "interpolate" })).toThrow(
    "extrapolate, interpolate",
  );
});
