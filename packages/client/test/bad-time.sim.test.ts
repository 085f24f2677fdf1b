import { defineEntity, vec2, type Entity, type EntityDefinition, type Room } from "@paceline/client";
import type { Scheduler } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { VirtualHub } from "./virtual-hub.js";

const fields = {
  position: vec2({ range: [-10_000, 10_000], precision: 0.01, unit: "m" }),
  velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
};
const Sledge = defineEntity("sledge", fields, { motion: "velocity" });
/** Motion of the balloon's model. Tests replace it. */
let model: (seconds: number) => number = () => 0;
const Balloon = defineEntity("balloon", fields, {
  step: (balloon, seconds) => {
    balloon.position.x += model(seconds);
  },
});
const FRAME_MS = 1000 / 60;
const SPEED = 6;

/** The hub's time with jumps, as after a sleep of this machine. */
class JumpyScheduler implements Scheduler {
  readonly #base: Scheduler;
  jumpMs = 0;

  constructor(base: Scheduler) {
    this.#base = base;
  }

  nowMs(): number {
    return this.#base.nowMs() + this.jumpMs;
  }

  after(delayMs: number, fn: () => void): () => void {
    return this.#base.after(delayMs, fn);
  }

  every(periodMs: number, fn: () => void): () => void {
    return this.#base.every(periodMs, fn);
  }
}

async function scene(firstTick = 0) {
  const hub = new VirtualHub({ delayMs: 40 }, { startMs: 1000 });
  const clock = new JumpyScheduler(hub.scheduler);
  const ownersClock = new JumpyScheduler(hub.scheduler);
  const owner = await hub.join({}, ownersClock);
  const viewer = await hub.join({}, clock);
  await hub.advance(1000);
  ownersClock.jumpMs += (firstTick * 1000) / 60;
  const [sledge, balloon] = [owner.spawn(Sledge), owner.spawn(Balloon, { position: { x: 5, y: 5 } })];
  await hub.advance(200);
  const seen = (definition: typeof Sledge): Entity<EntityDefinition<typeof fields>> =>
    [...viewer.entities(definition)].find((each) => !each.isMine) as Entity<EntityDefinition<typeof fields>>;
  expect([seen(Sledge), seen(Balloon)]).not.toContain(undefined);
  const faults: string[] = [];
  owner.onError(({ code, message }) => code === "time/misfit" && faults.push(`${code}: ${message}`));
  viewer.onError(({ code, message }) => faults.push(`${code}: ${message}`));
  let x = 0;
  const drive = async (frames: number, eachFrame?: () => void): Promise<void> => {
    for (let frame = 0; frame < frames; frame++) {
      x += SPEED / 60;
      sledge.position.set(x, 0);
      sledge.velocity.set(SPEED, 0);
      owner.advance();
      await hub.advance(FRAME_MS, FRAME_MS);
      eachFrame?.();
    }
  };
  const errorM = (): number => Math.abs(seen(Sledge).shown.position.x - x);
  return { hub, clock, owner, viewer, sledge, balloon, seen, faults, drive, errorM };
}

function expectHealthy(...rooms: Room[]): void {
  for (const room of rooms) expect(room.state).toBe("joined");
}

describe("time that goes wrong", () => {
  test.each([3000, 60_000, 6 * 3600 * 1000])(
    "after a sleep of %i ms, others are soon shown at their positions",
    async (sleptMs) => {
      const { clock, owner, viewer, seen, drive, errorM } = await scene();
      await drive(120);
      expect(errorM()).toBeLessThan(0.3);
      clock.jumpMs += sleptMs;
      await drive(180, () => expect(Number.isFinite(seen(Sledge).shown.position.x)).toBe(true));
      expect(errorM()).toBeLessThan(0.5);
      expectHealthy(owner, viewer);
    },
  );

  test("after a clock is set back, others are soon shown at their positions", async () => {
    const { clock, owner, viewer, drive, errorM } = await scene();
    await drive(120);
    clock.jumpMs -= 5000;
    await drive(240);
    expect(errorM()).toBeLessThan(0.5);
    expectHealthy(owner, viewer);
  });

  test("entities of a suspended page are held in place, and continue without an error", async () => {
    const { hub, seen, drive, errorM } = await scene();
    await drive(120);
    await hub.advance(5000);
    const heldAt = seen(Sledge).shown.position.x;
    await hub.advance(1000);
    expect(seen(Sledge).shown.position.x).toBe(heldAt);
    await drive(120);
    expect(errorM()).toBeLessThan(0.5);
  });

  test("a tick counter that wraps is not a step back", async () => {
    const { drive, errorM, seen } = await scene(2 ** 32 - 220);
    let worstM = 0;
    await drive(60);
    expect(seen(Sledge).lastTick).toBeGreaterThan(2 ** 31);
    await drive(180, () => (worstM = Math.max(worstM, errorM())));
    expect(seen(Sledge).lastTick).toBeLessThan(1000);
    expect(worstM).toBeLessThan(0.5);
  });

  test.each([
    ["a count of steps", (frame: number) => frame, "looks like a count of steps"],
    ["seconds", (_frame: number, nowMs: number) => nowMs / 1000 + 0.001, "is long over"],
    ["a date", () => 1.8e12, "is far ahead"],
    ["a time that goes back", (frame: number, nowMs: number) => nowMs - (frame % 2) * 100, "goes back"],
  ])("%s instead of a moment is reported once, and shows the same motion", async (_what, given, message) => {
    const { hub, owner, viewer, drive, errorM, faults } = await scene();
    const advance = owner.advance.bind(owner);
    let frame = 0;
    owner.advance = () => advance(given(++frame, hub.scheduler.nowMs()));
    await drive(240);
    expect(errorM()).toBeLessThan(0.7);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain("time/misfit: advance(");
    expect(faults[0]).toContain(message);
    expect(faults[0]).toContain("write room.advance() for this frame");
    expectHealthy(owner, viewer);
  });

  test("steps of a first frame that lie before the room's own last publication cause no error", async () => {
    const { hub, owner, drive, faults } = await scene();
    await hub.advance(500);
    const nowMs = hub.scheduler.nowMs();
    for (const agoMs of [58, 42, 25, 8]) owner.advance(nowMs - agoMs);
    await drive(60);
    expect(faults).toEqual([]);
  });

  test("a frame that took half a second is no mistake of the game", async () => {
    const { hub, owner, drive, faults, errorM } = await scene();
    const advance = owner.advance.bind(owner);
    owner.advance = (atMs = hub.scheduler.nowMs()) => advance(atMs);
    await drive(60);
    for (let slow = 0; slow < 20; slow++) {
      const startedAtMs = hub.scheduler.nowMs();
      await hub.advance(500);
      owner.advance(startedAtMs);
      await drive(10);
    }
    expect(faults).toEqual([]);
    await drive(60);
    expect(errorM()).toBeLessThan(0.3);
  });

  // Each entry of `framesMs` is the time that a frame takes; they repeat.
  const slowPages: [string, readonly number[]][] = [
    ["frames of 400 ms", [400]],
    ["frames of a second", [1000]],
    ["a frame of two seconds between ordinary ones", [2000, FRAME_MS, FRAME_MS, FRAME_MS]],
  ];

  test.each(slowPages)("%s are no mistake of a game that gives their starts", async (_how, framesMs) => {
    const { hub, owner, drive, faults, errorM } = await scene();
    await drive(60);
    for (let frame = 0; frame < 40; frame++) {
      const startedAtMs = hub.scheduler.nowMs();
      await hub.advance(framesMs[frame % framesMs.length]!);
      owner.advance(startedAtMs);
    }
    expect(faults).toEqual([]);
    await drive(120);
    expect(errorM()).toBeLessThan(0.3);
  });

  test.each(slowPages)("%s are no mistake of a game in steps that catches up", async (_how, framesMs) => {
    const { hub, owner, drive, faults } = await scene();
    await drive(60);
    let stepAtMs = hub.scheduler.nowMs();
    for (let frame = 0; frame < 40; frame++) {
      await hub.advance(framesMs[frame % framesMs.length]!);
      // Five steps a frame at most, so the game may fall behind.
      for (let step = 0; step < 5 && stepAtMs + FRAME_MS <= hub.scheduler.nowMs(); step++)
        owner.advance((stepAtMs += FRAME_MS));
    }
    for (let frame = 0; frame < 600; frame++) {
      await hub.advance(FRAME_MS);
      for (let step = 0; step < 5 && stepAtMs + FRAME_MS <= hub.scheduler.nowMs(); step++)
        owner.advance((stepAtMs += FRAME_MS));
    }
    expect(faults).toEqual([]);
    await drive(10);
  });

  test.each(slowPages)("%s hide no wrong time", async (_how, framesMs) => {
    const wrong: [string, (frame: number, nowMs: number) => number][] = [
      ["looks like a count of steps", (frame) => frame],
      ["is long over", (_frame, nowMs) => nowMs / 1000 + 0.001],
    ];
    for (const [message, given] of wrong) {
      const { hub, owner, faults, drive } = await scene();
      await drive(60);
      await hub.advance(60_000);
      for (let frame = 1; frame < 30; frame++) {
        owner.advance(given(frame, hub.scheduler.nowMs()));
        await hub.advance(framesMs[frame % framesMs.length]!);
      }
      expect(faults).toHaveLength(1);
      expect(faults[0]).toContain(message);
    }
  });

  test("a game's clock that counts slow frames as short ones is named once the page is fast again", async () => {
    const { hub, owner, faults } = await scene();
    let gameMs = hub.scheduler.nowMs();
    const frames = async (count: number, tookMs: number): Promise<void> => {
      for (let frame = 0; frame < count; frame++) {
        await hub.advance(tookMs);
        gameMs += Math.min(tookMs, 100);
        owner.advance(gameMs);
      }
    };
    await frames(100, FRAME_MS);
    await frames(5, 1000);
    expect(faults).toEqual([]);
    await frames(600, FRAME_MS);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain("is long over");
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, "12", null])(
    "advance(%s) throws and changes nothing",
    async (atMs) => {
      const { owner, drive, errorM } = await scene();
      await drive(60);
      const expected =
        /^advance: expected a time in ms, as requestAnimationFrame and performance.now give it/;
      expect(() => owner.advance(atMs as number)).toThrow(expected);
      await drive(60);
      expect(errorM()).toBeLessThan(0.3);
    },
  );
});

describe("a model of the game that goes wrong", () => {
  test.each([
    ["returns NaN", () => Number.NaN],
    [
      "throws",
      () => {
        throw new Error("no road");
      },
    ],
  ])(
    "and %s holds its entity at its last good pose, is reported once, and the others go on",
    async (_how, broken) => {
      model = (seconds) => seconds;
      const { seen, faults, drive, errorM, hub } = await scene();
      await drive(60);
      const before = seen(Balloon).shown.position.x;
      expect(before).toBeGreaterThanOrEqual(5);
      model = broken;
      await drive(30, () => expect(seen(Balloon).shown.position.x).toBeCloseTo(before, 0));
      expect(faults).toHaveLength(1);
      expect(faults[0]).toContain('motion/fault: the motion model of "balloon"');
      expect(errorM()).toBeLessThan(0.3);
      model = () => 0;
      await drive(30);
      await hub.advance(100);
      expect(Number.isFinite(seen(Balloon).shown.position.x)).toBe(true);
    },
  );
});
