import { NetworkSimulator, seededRandom, VirtualScheduler, type NetworkSettings } from "@paceline/testkit";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  DEFAULT_CONVERGENCE,
  INPUT_CAPACITY_TICKS,
  InputBuffer,
  InputPace,
  PredictedBody,
  ServerInputBuffer,
  type BodyLayout,
  type Components,
} from "../src/index.js";
import type { TickInput } from "../src/prediction/input-buffer.js";

interface Drive {
  readonly throttle: number;
  readonly steer: number;
}

const LAYOUT: BodyLayout = { position: 0, dimensions: 2, velocity: 2, heading: 4 };
const TICK_SECONDS = 1 / 60;

/** Steps a car: speed follows the throttle, heading follows the steering. */
function step(state: Components, { throttle, steer }: Drive, seconds: number): void {
  const speed =
    Math.hypot(state[2]!, state[3]!) + (throttle * 8 - Math.hypot(state[2]!, state[3]!) * 0.3) * seconds;
  state[4]! += steer * 1.5 * seconds;
  state[2] = Math.cos(state[4]!) * speed;
  state[3] = Math.sin(state[4]!) * speed;
  state[0]! += state[2] * seconds;
  state[1]! += state[3] * seconds;
}

interface Played {
  /** Distances, m. */
  readonly corrections: readonly number[];
  /** Ticks of the server without an input. */
  readonly missing: number;
  readonly worstShownStepM: number;
}

interface PlayOptions {
  readonly settings: Partial<NetworkSettings>;
  readonly seconds: number;
  /** Share by which the client's clock runs faster. */
  readonly drift?: number;
  /** Tick at which only the server moves the car: a collision that the client cannot predict. */
  readonly pushAtTick?: number;
  /** Precision of the server's states, in all components. */
  readonly precision?: number;
}

/** Plays a client under a server's authority, each with its own clock. */
function play({ settings, seconds, drift = 0, pushAtTick, precision = 0 }: PlayOptions): Played {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(11);
  const start = Float64Array.of(0, 0, 5, 0, 0);
  const server = Float64Array.from(start);
  const buffer = new ServerInputBuffer<Drive>({ throttle: 0, steer: 0 });
  const body = new PredictedBody<Drive>(
    {
      layout: LAYOUT,
      step,
      tickSeconds: TICK_SECONDS,
      convergence: DEFAULT_CONVERGENCE,
      ...(precision > 0 && { roundings: new Float64Array(5).fill(precision / 2) }),
    },
    start,
    0,
  );
  const pace = new InputPace(TICK_SECONDS);
  const corrections: number[] = [];
  const wait = new Map<number, () => void>();
  let nextId = 0;
  const path = (): ((arrive: () => void) => void) => {
    const simulator = new NetworkSimulator({
      scheduler,
      random: random.fork(),
      settings,
      deliver: (packet) => wait.get(new DataView(packet.buffer).getUint32(0))?.(),
    });
    return (arrive) => {
      const packet = new Uint8Array(4);
      new DataView(packet.buffer).setUint32(0, nextId);
      wait.set(nextId++, arrive);
      simulator.send(packet);
    };
  };
  const up = path();
  const down = path();
  let worstShownStepM = 0;
  let isFirst = true;
  let missing = 0;
  const shown = new Float64Array(5);
  const last = new Float64Array(5);
  const clientTick = (): void => {
    const turn = Math.sin(scheduler.nowMs() / 700);
    const throttle = Math.sin(scheduler.nowMs() / 1900) > -0.3 ? 1 : 0;
    body.advance({ throttle, steer: turn });
    const inputs: readonly TickInput<Drive>[] = body.inputs.toSend();
    const newest = inputs.at(-1)!.tick;
    up(() =>
      buffer.receive(
        newest,
        inputs.map(({ input }) => input),
      ),
    );
    body.show(scheduler.nowMs() / 1000, shown);
    if (!isFirst)
      worstShownStepM = Math.max(worstShownStepM, Math.hypot(shown[0]! - last[0]!, shown[1]! - last[1]!));
    last.set(shown);
    isFirst = false;
    scheduler.after((pace.nextTickSeconds() * 1000) / (1 + drift), clientTick);
  };
  let serverTick = 0;
  const serverStep = (): void => {
    serverTick += 1;
    const { input, isRepeated } = buffer.take(serverTick);
    if (isRepeated) missing += 1;
    step(server, input, TICK_SECONDS);
    if (serverTick === pushAtTick) server[1]! += 0.8;
    if (serverTick % 3 === 0) {
      const rounded = server.map((value) =>
        precision > 0 ? Math.round(value / precision) * precision : value,
      );
      const [tick, state, hint] = [serverTick, rounded, buffer.leadErrorTicks];
      down(() => {
        pace.hint(hint);
        const correction = body.reconcile(tick, state, scheduler.nowMs() / 1000);
        if (correction !== undefined) corrections.push(correction);
      });
    }
  };
  clientTick();
  // The client starts early enough that its first inputs arrive in time.
  scheduler.after((settings.delayMs ?? 0) + 60, () => scheduler.every(TICK_SECONDS * 1000, serverStep));
  scheduler.advance(seconds * 1000);
  return { corrections, missing, worstShownStepM };
}

function p95(corrections: readonly number[]): number {
  const sorted = corrections.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)]!;
}

describe("prediction and reconciliation", () => {
  test("predictions over a good path of 150 ms round trip need no correction", () => {
    const { corrections, missing } = play({ settings: { delayMs: 75 }, seconds: 60 });
    expect(corrections.length).toBeGreaterThan(1000);
    expect(Math.max(...corrections)).toBe(0);
    expect(missing).toBe(0);
  });

  test("rounding of states causes no correction; a push is corrected once, to within half a step", () => {
    const { corrections } = play({ settings: { delayMs: 75 }, seconds: 60, precision: 0.05 });
    expect(corrections.length).toBeGreaterThan(1000);
    expect(Math.max(...corrections)).toBe(0);
    const pushed = play({ settings: { delayMs: 75 }, seconds: 10, precision: 0.05, pushAtTick: 300 });
    const sizesM = pushed.corrections.filter((distanceM) => distanceM > 0);
    expect(Math.max(...sizesM)).toBeGreaterThan(0.8 - 0.05);
    expect(sizesM.sort((a, b) => b - a)[1] ?? 0).toBeLessThan(0.05);
  });

  test("corrections stay under 2 cm (p95) at 150 ms round trip with jitter and 2 % loss", () => {
    const settings = { delayMs: 75, jitterMs: 5, loss: { kind: "uniform", ratio: 0.02 } } as const;
    const { corrections } = play({ settings, seconds: 60 });
    expect(p95(corrections)).toBeLessThan(0.02);
  });

  test("a push by the server is shown without a jump", () => {
    const { corrections, worstShownStepM } = play({
      settings: { delayMs: 75 },
      seconds: 10,
      pushAtTick: 300,
    });
    expect(Math.max(...corrections)).toBeCloseTo(0.8, 1);
    // At most 27 m/s, plus the correction.
    expect(worstShownStepM).toBeLessThan(27 / 60 + 0.3);
  });

  test("a client whose clock is 1 % wrong follows the server's pace, and loses few inputs", () => {
    for (const drift of [0.01, -0.01]) {
      const { missing } = play({ settings: { delayMs: 75, jitterMs: 3 }, seconds: 60, drift });
      expect(missing).toBeLessThan(20);
    }
  });

  test("if the physics throws or returns NaN, the state holds and a fault is reported", () => {
    const faults: string[] = [];
    let isBroken = true;
    const body = new PredictedBody<Drive>(
      {
        layout: LAYOUT,
        step: (state, input, seconds) => {
          if (isBroken) throw new Error("the game's own");
          step(state, input, seconds);
        },
        tickSeconds: TICK_SECONDS,
        convergence: DEFAULT_CONVERGENCE,
        onFault: ({ kind }) => faults.push(kind),
      },
      Float64Array.of(1, 2, 0, 0, 0),
      0,
    );
    body.advance({ throttle: 1, steer: 0 });
    body.advance({ throttle: 1, steer: 0 });
    const shown = new Float64Array(5);
    body.show(0, shown);
    expect([...shown]).toEqual([1, 2, 0, 0, 0]);
    expect(faults).toEqual(["threw"]);
    expect(body.reconcile(1, Float64Array.of(1, 2, 0, 0, NaN), 0)).toBeUndefined();
    isBroken = false;
    // The input of the second tick is simulated again.
    expect(body.reconcile(1, Float64Array.of(1, 2, 0, 0, 0), 0)).toBeGreaterThan(0);
    expect(body.reconcile(1, Float64Array.of(9, 9, 0, 0, 0), 0)).toBeUndefined();
    expect(body.reconcile(99, Float64Array.of(9, 9, 0, 0, 0), 0)).toBeUndefined();
  });
});

describe("input buffers", () => {
  test("the client repeats its newest inputs until confirmed, and drops those beyond its capacity", () => {
    const buffer = new InputBuffer<number>();
    for (let tick = 0; tick < 300; tick++) buffer.add(tick, tick);
    expect(buffer.toSend().map(({ input }) => input)).toEqual([297, 298, 299]);
    expect([buffer.pending.length, buffer.pending[0]!.tick]).toEqual([256, 44]);
    buffer.confirm(298);
    expect(buffer.pending.map(({ tick }) => tick)).toEqual([299]);
  });

  test("the server counts late inputs, replaces missing ones, and drops those far ahead", () => {
    const buffer = new ServerInputBuffer<string>("idle");
    expect(buffer.take(1)).toEqual({ input: "idle", isRepeated: true });
    buffer.receive(2, ["x"]);
    buffer.receive(3, ["other", "y"]);
    expect(buffer.take(2)).toEqual({ input: "x", isRepeated: false });
    expect(buffer.take(3)).toEqual({ input: "y", isRepeated: false });
    expect(buffer.take(4)).toEqual({ input: "y", isRepeated: true });
    buffer.receive(4, ["late"]);
    const limit = 4 + INPUT_CAPACITY_TICKS;
    buffer.receive(limit, ["far"]);
    buffer.receive(limit + 1, ["too far"]);
    buffer.receive(limit + 1, []);
    expect(buffer.late).toBe(1);
    expect(buffer.take(limit)).toEqual({ input: "far", isRepeated: false });
    expect(buffer.take(limit + 1)).toEqual({ input: "far", isRepeated: true });
  });

  test("the server keeps no input but the last one after its tick", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const buffer = new ServerInputBuffer<object>({});
    const inputs = [1, 2, 3].map((tick) => {
      const input = { tick };
      buffer.receive(tick, [input]);
      return new WeakRef(input);
    });
    for (let tick = 1; tick <= 3; tick++) buffer.take(tick);
    // A reference keeps its object until the end of the turn in which it was made.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(inputs.map((input) => input.deref())).toEqual([undefined, undefined, { tick: 3 }]);
  });
});
