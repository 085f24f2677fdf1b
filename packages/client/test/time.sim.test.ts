import {
  ConfigError,
  angle,
  defineEntity,
  vec2,
  type ClientOptions,
  type Room,
  type Scheduler,
} from "@paceline/client";
import { LockstepSession } from "@paceline/client/lockstep";
import { seededRandom } from "@paceline/testkit";
import { VirtualPage, type VirtualPageOptions } from "@paceline/testkit/room";
import { describe, expect, test, vi } from "vitest";
import { someOf } from "../../testkit/test/some-of.js";
import { RelayStage } from "./relay-stage.js";

const fields = {
  position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
  heading: angle({ precision: 0.005, unit: "rad" }),
};
const Car = defineEntity("car", fields, {
  motion: "velocity",
  threshold: { position: 0.1, heading: 0.03 },
});

/** Position and heading of a car at 30 units a second. */
type Path = (seconds: number) => readonly [x: number, y: number, heading: number];
const paths = {
  circle: (s) => [40 * Math.cos(s * 0.75), 40 * Math.sin(s * 0.75), s * 0.75 + Math.PI / 2],
  weave: (s) => [28 * s, 8 * Math.sin(s * 1.3), Math.atan2(10.4 * Math.cos(1.3 * s), 28)],
} satisfies Record<string, Path>;
/**
 * Bytes per second of the same stage and path when frames of 60 Hz were stamped with ticks instead of times.
 */
const bytesBefore = {
  2: { circle: 1191, weave: 614 },
  3: { circle: 1513, weave: 771 },
} as const;

interface Play {
  readonly path?: keyof typeof paths;
  readonly players?: 2 | 3;
  readonly page: Partial<VirtualPageOptions> & { readonly framesPerSecond: number };
  readonly client?: Partial<ClientOptions>;
  /** Runs the owner's game. `drive` moves the car to its position at a moment, by default now. */
  readonly game: (scene: Scene) => void;
}

interface Scene {
  readonly room: Room;
  readonly page: VirtualPage;
  drive(atMs: number): void;
}

function eachFrame({ page }: Scene, frame: (startedAtMs: number) => void): void {
  page.frames.request((startedAtMs) => {
    frame(startedAtMs);
    eachFrame({ page } as Scene, frame);
  });
}

/**
 * Plays 20 s with 50 ms to the relay and 50 ms from there. Returns the 95th percentile of the shown error,
 * and the bytes per second.
 */
async function play({ path = "circle", players = 2, page: screen, client, game }: Play) {
  const stage = new RelayStage();
  const { scheduler } = stage;
  const random = seededRandom(7);
  const page = new VirtualPage({
    scheduler,
    phaseMs: 3.7,
    // Other work of the frame comes first: the call is late, but the frame's start counts.
    workMs: () => random.next() * Math.min(6, 400 / screen.framesPerSecond),
    ...screen,
  });
  const room = await stage.join(stage.player({}, { page, ...client }));
  const others = [];
  while (others.length < players - 1) others.push(await stage.join());
  const mine = room.spawn(Car);
  for (const other of others) expect([...other.entities(Car)]).toBeDefined();
  const began = scheduler.nowMs();
  const drive = (atMs: number): void => {
    const [x, y, heading] = paths[path]((atMs - began) / 1000);
    mine.position.set(x, y);
    mine.heading = heading;
  };
  const told: string[] = [];
  room.onError(({ message }) => told.push(message));
  game({ room, page, drive });
  await stage.advance(3000);
  const before = stage.bytesReceived(0);
  const errors: number[] = [];
  for (let sample = 0; sample < 1000; sample++) {
    await stage.advance(20);
    const [x, y] = paths[path]((scheduler.nowMs() - began) / 1000);
    const car = [...others[0]!.entities(Car)].find(({ isMine }) => !isMine)!;
    errors.push(Math.hypot(car.shown.position.x - x, car.shown.position.y - y));
  }
  errors.sort((a, b) => a - b);
  expect(told).toEqual([]);
  return { p95: errors[950]!, bytes: (stage.bytesReceived(0) - before) / 20 };
}

const byAdvance = (scene: Scene): void =>
  eachFrame(scene, (atMs) => {
    scene.drive(atMs);
    scene.room.advance();
  });
const byLoop = ({ room, drive }: Scene): void => void room.loop((_seconds, atMs) => drive(atMs));

describe("a car of 30 units a second is shown within half a unit, for no more bytes than with tick stamps", () => {
  const rates = [30, 60, 120, 144, 240, 59.94, 29.97];
  const ways = rates.map((hz) =>
    (["circle", "weave"] as const).flatMap((path) => [
      { hz, path, how: "advance()", game: byAdvance },
      { hz, path, how: "room.loop", game: byLoop },
    ]),
  );
  // Each rate once, with the two paths and the two calls by turns; then the other ones.
  const first = ways.map((each, at) => each[at % each.length]!);
  const others = ways.flat().filter((way) => !first.includes(way));
  test.each(someOf([...first, ...others], first.length))(
    "$how at $hz frames a second, $path",
    async ({ hz, path, game }) => {
      const { p95, bytes } = await play({ path, page: { framesPerSecond: hz }, game });
      expect(p95).toBeLessThan(0.5);
      expect(bytes).toBeLessThan(1.1 * bytesBefore[2][path]);
    },
  );

  test.each(someOf([144, 30, 60, 240], 1))("three players, %i frames a second", async (hz) => {
    const { p95, bytes } = await play({ players: 3, page: { framesPerSecond: hz }, game: byLoop });
    expect(p95).toBeLessThan(0.5);
    expect(bytes).toBeLessThan(1.1 * bytesBefore[3].circle);
  });

  test.each(someOf([144, 60], 1))(
    "every fourth to sixth frame of %i a second dropped, in rows of three",
    async (hz) => {
      const { p95, bytes } = await play({
        page: { framesPerSecond: hz, isDropped: (frame) => frame % 10 > 6 },
        game: byAdvance,
      });
      expect(p95).toBeLessThan(0.5);
      expect(bytes).toBeLessThan(1.1 * bytesBefore[2].circle);
    },
  );

  const steps = [
    // Frames have one step or three. This adds to the error of 100 ms on the way.
    [30, 60, 0.55],
    [60, 50, 0.5],
    [144, 20, 0.5],
    [60, 60, 0.5],
    [144, 60, 0.5],
  ] as const;
  test.each(someOf(steps, 3))(
    "a game with an accumulator, %i frames and %i steps a second",
    async (framesPerSecond, stepHz, limit) => {
      const stepMs = 1000 / stepHz;
      const { p95, bytes } = await play({
        page: { framesPerSecond },
        game: (scene) => {
          let simulatedMs: number | undefined;
          eachFrame(scene, (atMs) => {
            simulatedMs ??= atMs;
            while (atMs - simulatedMs >= stepMs) {
              simulatedMs += stepMs;
              scene.drive(simulatedMs);
            }
            // The values belong to the simulation, which is behind the frame.
            scene.room.advance(simulatedMs);
          });
        },
      });
      expect(p95).toBeLessThan(limit);
      expect(bytes).toBeLessThan(1.1 * bytesBefore[2].circle);
    },
  );

  test.each(someOf([144, 30, 60], 1))("steps of `tickHz` 60 in room.loop, %i frames a second", async (hz) => {
    const { p95, bytes } = await play({
      page: { framesPerSecond: hz },
      client: { tickHz: 60 },
      game: byLoop,
    });
    expect(p95).toBeLessThan(0.5);
    expect(bytes).toBeLessThan(1.1 * bytesBefore[2].circle);
  });

  test("a call of advance during a frame means the start of the frame", async () => {
    const prompt = await play({ page: { framesPerSecond: 60, workMs: () => 0 }, game: byAdvance });
    let turn = 0;
    const shaken = await play({
      page: { framesPerSecond: 60, workMs: () => (turn++ % 2) * 12 },
      game: byAdvance,
    });
    // Only the arrival of packets jitters with the calls. The values are stamped with the frame's start.
    expect(shaken.p95 - prompt.p95).toBeLessThan(0.25);
    expect(shaken.bytes).toBeLessThan(prompt.bytes * 1.06);
  });
});

/** Makes two players in one page, each in a room of its own client. */
async function scene(client: Partial<ClientOptions> = {}, framesPerSecond = 60) {
  const stage = new RelayStage();
  let sleptMs = 0;
  const base = stage.scheduler;
  const scheduler: Scheduler = {
    nowMs: () => base.nowMs() + sleptMs,
    after: (delayMs, fn) => base.after(delayMs, fn),
    every: (periodMs, fn) => base.every(periodMs, fn),
  };
  const page = new VirtualPage({ scheduler, framesPerSecond });
  const room = await stage.join(stage.player({}, { page, scheduler, ...client }));
  const other = await stage.join(stage.player({}, { page }));
  const mine = room.spawn(Car);
  const seen = () => [...other.entities(Car)].find(({ isMine }) => !isMine);
  seen();
  const sleep = (ms: number): void => void (sleptMs += ms);
  return { stage, page, room, other, mine, seen, sleep };
}

test.each([7, 16])("a loop of timers, every %i ms, in a page that draws no frames", async (periodMs) => {
  const { stage, page, room, mine, seen } = await scene();
  await stage.advance(100);
  // Like Firefox when nothing is drawn: the newest frame stays the same.
  page.isDrawing = false;
  const began = stage.scheduler.nowMs();
  stage.scheduler.every(periodMs, () => {
    mine.position.set(((stage.scheduler.nowMs() - began) * 30) / 1000, 0);
    room.advance();
  });
  await stage.advance(4000);
  const errors: number[] = [];
  for (let sample = 0; sample < 200; sample++) {
    await stage.advance(10);
    errors.push(Math.abs(seen()!.shown.position.x - ((stage.scheduler.nowMs() - began) * 30) / 1000));
  }
  expect(errors.toSorted((a, b) => a - b)[190]).toBeLessThan(0.5);
});

describe("room.loop", () => {
  test("calls a game of frames once a frame, with the seconds since the last one", async () => {
    const { stage, room } = await scene({}, 144);
    const turns: [number, number][] = [];
    room.loop((seconds, atMs) => turns.push([seconds, atMs]));
    await stage.advance(1000);
    expect(turns.length).toBeGreaterThanOrEqual(143);
    expect(turns.length).toBeLessThanOrEqual(144);
    for (const [index, [seconds, atMs]] of turns.slice(1).entries()) {
      expect(seconds).toBeCloseTo((atMs - turns[index]![1]) / 1000, 9);
    }
  });

  test.each([30, 144])("calls a game of 50 steps 50 times a second from %i frames", async (hz) => {
    const { stage, room } = await scene({ tickHz: 50 }, hz);
    const turns: [number, number][] = [];
    room.loop((seconds, atMs) => turns.push([seconds, atMs]));
    await stage.advance(2000);
    expect(Math.abs(turns.length - 100)).toBeLessThanOrEqual(2);
    expect(new Set(turns.map(([seconds]) => seconds))).toEqual(new Set([1 / 50]));
    for (const [index, [, atMs]] of turns.slice(1).entries()) {
      expect(atMs - turns[index]![1]).toBeCloseTo(20, 6);
    }
  });

  test.each([undefined, 50])(
    "after a pause of 3 s makes up for 250 ms at most (tickHz %s)",
    async (tickHz) => {
      const { stage, room, sleep } = await scene(tickHz === undefined ? {} : { tickHz });
      let simulatedMs = 0;
      room.loop((seconds) => (simulatedMs += seconds * 1000));
      await stage.advance(500);
      const before = simulatedMs;
      sleep(3000);
      await stage.advance(20);
      expect(simulatedMs - before).toBeGreaterThan(200);
      expect(simulatedMs - before).toBeLessThanOrEqual(250 + 40);
    },
  );

  test("continues in a hidden page, and others see the game continue", async () => {
    const { stage, page, room, mine, seen } = await scene();
    let x = 0;
    room.loop((seconds) => mine.position.set((x += 30 * seconds), 0));
    await stage.advance(1000);
    page.hide(true);
    await stage.advance(5000);
    expect(x).toBeGreaterThan(30 * 5.8);
    expect(Math.abs(seen()!.shown.position.x - x)).toBeLessThan(1);
    page.hide(false);
    await stage.advance(1000);
    expect(x).toBeCloseTo(30 * 7, -0.5);
    expect(Math.abs(seen()!.shown.position.x - x)).toBeLessThan(1);
  });

  test("reports a step that throws, and runs the next one", async () => {
    const { stage, room } = await scene();
    const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
    let turns = 0;
    room.loop(() => {
      turns += 1;
      if (turns % 2 === 0) throw new Error("no such bullet");
    });
    await stage.advance(1000);
    expect(turns).toBeGreaterThan(55);
    expect(reported).toHaveBeenCalledWith(expect.objectContaining({ message: "no such bullet" }));
    reported.mockRestore();
  });

  test.each([{}, { tickHz: 60 }])("stops when told, from within, and with the room (%o)", async (client) => {
    const { stage, room } = await scene(client);
    let turns = 0;
    const stop = room.loop(() => {
      turns += 1;
      if (turns === 10) stop();
    });
    await stage.advance(1000);
    expect(turns).toBe(10);
    room.loop(() => (turns += 1));
    // The end of the first loop has no effect on the second.
    stop();
    await stage.advance(500);
    expect(turns).toBeGreaterThan(35);
    room.leave();
    const last = turns;
    await stage.advance(500);
    expect(turns).toBe(last);
    expect(() => room.loop(() => undefined)).toThrow("the room was left");
    expect(room.advance()).toBeUndefined();
  });

  test("of a game that leaves in a step runs no further step", async () => {
    const { stage, room } = await scene({ tickHz: 120 }, 10);
    let turns = 0;
    room.loop(() => {
      turns += 1;
      if (turns === 30) room.leave();
    });
    await stage.advance(1000);
    expect(turns).toBe(30);
  });

  test("runs in each of two rooms of a page, with separate state", async () => {
    const { stage, room, other, mine, seen } = await scene({ tickHz: 50 });
    const theirs = other.spawn(Car);
    [...room.entities(Car)].map(({ id }) => id);
    const steps = [0, 0];
    room.loop(() => mine.position.set((steps[0]! += 1), 0));
    other.loop(() => theirs.position.set(0, (steps[1]! += 1)));
    await stage.advance(3000);
    expect(steps[0]).toBeCloseTo(150, -1);
    expect(steps[1]).toBeCloseTo(180, -1);
    const [hers] = [...room.entities(Car)].filter(({ isMine }) => !isMine);
    expect(Math.abs(seen()!.shown.position.x - steps[0]!)).toBeLessThan(3);
    expect(Math.abs(hers!.shown.position.y - steps[1]!)).toBeLessThan(3);
  });

  test("refuses a value that is no function, and a second loop", async () => {
    const { room } = await scene();
    expect(() => room.loop(undefined as never)).toThrow(ConfigError);
    expect(() => room.loop("frame" as never)).toThrow('step: expected a function, got "frame"');
    const stop = room.loop(() => undefined);
    expect(() => room.loop(() => undefined)).toThrow(/loop: expected one loop at a time/);
    stop();
    expect(() => room.loop(() => undefined)).not.toThrow();
  });
});

test.each([{ tickHz: 50 }, { profile: { base: "racing" as const, numbers: { tickHz: 50, stateHz: 25 } } }])(
  "in a game with fixed steps, advance throws and names the alternative (%o)",
  async (client) => {
    const { stage, room, mine, seen } = await scene(client);
    const expected =
      "advance: expected room.loop(step) instead, which advances itself: this room runs in steps, `tickHz` says 50 per second";
    expect(() => room.advance()).toThrow(expected);
    expect(() => room.advance(stage.scheduler.nowMs())).toThrow(expected);
    // Without a loop, the room publishes by itself.
    mine.position.set(5, 6);
    await stage.advance(500);
    expect(seen()!.position.x).toBe(5);
  },
);

test("in lockstep, advance and loop throw while the session runs", async () => {
  const { stage, room, mine, seen } = await scene();
  const session = new LockstepSession<number>(room, {
    players: 2,
    readCommand: (value) => (typeof value === "number" ? value : undefined),
    step: () => undefined,
  });
  expect(() => room.advance()).toThrow(
    "advance: expected nothing: the game runs in the `step` of its LockstepSession",
  );
  expect(() => room.loop(() => undefined)).toThrow("the LockstepSession calls its own step");
  // The room publishes its entities by itself.
  mine.position.set(7, 8);
  await stage.advance(500);
  expect(seen()!.position.x).toBe(7);
  session.stop();
  expect(() => room.advance()).not.toThrow();
});

test("a jump without a teleport is shown nowhere beyond, or before, the positions of the car", async () => {
  const { stage, room, mine, seen } = await scene({}, 144);
  let x = 0;
  let last = 0;
  room.loop((seconds) => {
    last = x;
    x += 5 * seconds;
    if (last < 10 && x >= 10) x += 500;
    mine.position.set(x, 0);
  });
  const received: number[] = [];
  for (let sample = 0; sample < 400; sample++) {
    await stage.advance(10);
    received.push(seen()?.position.x ?? 0);
  }
  expect(x).toBeGreaterThan(510);
  // Received states: none lies beyond the car's position at that time.
  expect(Math.max(...received)).toBeLessThanOrEqual(x + 0.1);
});
