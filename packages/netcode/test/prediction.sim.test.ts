import { ConfigError } from "@paceline/protocol";
import { NetworkSimulator, seededRandom, VirtualScheduler, type NetworkSettings } from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import {
  DEFAULT_CONVERGENCE,
  InputBuffer,
  InputPace,
  PredictedBody,
  ServerInputBuffer,
  type BodyLayout,
  type Components,
  type Correction,
  type TickInput,
} from "../src/index.js";

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
  readonly corrections: readonly Correction[];
  readonly counts: ServerInputBuffer<Drive>["counts"];
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
  const corrections: Correction[] = [];
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
  const shown = new Float64Array(5);
  const last = new Float64Array(5);
  const clientTick = (): void => {
    const turn = Math.sin(scheduler.nowMs() / 700);
    const throttle = Math.sin(scheduler.nowMs() / 1900) > -0.3 ? 1 : 0;
    body.advance({ throttle, steer: turn });
    const inputs: readonly TickInput<Drive>[] = body.inputs.toSend();
    up(() => buffer.receive(inputs));
    body.show(scheduler.nowMs() / 1000, shown);
    if (body.tick > 1)
      worstShownStepM = Math.max(worstShownStepM, Math.hypot(shown[0]! - last[0]!, shown[1]! - last[1]!));
    last.set(shown);
    scheduler.after((pace.nextTickSeconds() * 1000) / (1 + drift), clientTick);
  };
  let serverTick = 0;
  const serverStep = (): void => {
    serverTick += 1;
    step(server, buffer.take(serverTick).input, TICK_SECONDS);
    if (serverTick === pushAtTick) server[1]! += 0.8;
    if (serverTick % 3 === 0) {
      const rounded = server.map((value) =>
        precision > 0 ? Math.round(value / precision) * precision : value,
      );
      const [tick, state, hint] = [serverTick, rounded, buffer.leadErrorTicks];
      down(() => {
        pace.hint(hint);
        const correction = body.reconcile(tick, state, scheduler.nowMs() / 1000);
        if (correction) corrections.push(correction);
      });
    }
  };
  clientTick();
  // The client starts early enough that its first inputs arrive in time.
  scheduler.after((settings.delayMs ?? 0) + 60, () => scheduler.every(TICK_SECONDS * 1000, serverStep));
  scheduler.advance(seconds * 1000);
  return { corrections, counts: buffer.counts, worstShownStepM };
}

function p95(corrections: readonly Correction[]): number {
  const sorted = corrections.map(({ distanceM }) => distanceM).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)]!;
}

describe("prediction and reconciliation", () => {
  test("predictions over a good path of 150 ms round trip need no correction", () => {
    const { corrections, counts } = play({ settings: { delayMs: 75 }, seconds: 60 });
    expect(corrections.length).toBeGreaterThan(1000);
    expect(Math.max(...corrections.map(({ distanceM }) => distanceM))).toBe(0);
    expect(counts.missing).toBe(0);
    expect(corrections.at(-1)!.replayed).toBeLessThan(20);
  });

  test("rounding of states causes no correction; a push is corrected once, to within half a step", () => {
    const { corrections } = play({ settings: { delayMs: 75 }, seconds: 60, precision: 0.05 });
    expect(corrections.length).toBeGreaterThan(1000);
    expect(Math.max(...corrections.map(({ distanceM }) => distanceM))).toBe(0);
    const pushed = play({ settings: { delayMs: 75 }, seconds: 10, precision: 0.05, pushAtTick: 300 });
    const sizesM = pushed.corrections.map(({ distanceM }) => distanceM).filter((distanceM) => distanceM > 0);
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
    expect(Math.max(...corrections.map(({ distanceM }) => distanceM))).toBeCloseTo(0.8, 1);
    // At most 27 m/s, plus the correction.
    expect(worstShownStepM).toBeLessThan(27 / 60 + 0.3);
  });

  test("a client whose clock is 1 % wrong follows the server's pace, and loses few inputs", () => {
    for (const drift of [0.01, -0.01]) {
      const { counts } = play({ settings: { delayMs: 75, jitterMs: 3 }, seconds: 60, drift });
      expect(counts.missing).toBeLessThan(20);
      expect(counts.refused).toBe(0);
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
    expect([...body.state]).toEqual([1, 2, 0, 0, 0]);
    expect(faults).toEqual(["threw"]);
    expect(body.reconcile(1, Float64Array.of(1, 2, 0, 0, NaN), 0)).toBeUndefined();
    isBroken = false;
    expect(body.reconcile(1, Float64Array.of(1, 2, 0, 0, 0), 0)?.replayed).toBe(1);
    expect(body.reconcile(1, Float64Array.of(9, 9, 0, 0, 0), 0)).toBeUndefined();
    expect(body.reconcile(99, Float64Array.of(9, 9, 0, 0, 0), 0)).toBeUndefined();
  });
});

describe("input buffers", () => {
  test("the client repeats its newest inputs until confirmed, and drops those beyond its capacity", () => {
    const buffer = new InputBuffer<string>({ redundancy: 2, capacity: 3 });
    for (const [tick, input] of ["a", "b", "c", "d"].entries()) buffer.add(tick, input);
    expect(buffer.toSend().map(({ input }) => input)).toEqual(["c", "d"]);
    expect(buffer.forgotten).toBe(1);
    buffer.confirm(2);
    expect(buffer.pending.map(({ tick }) => tick)).toEqual([3]);
    expect(() => buffer.add(3, "again")).toThrow(ConfigError);
    expect(() => new InputBuffer({ redundancy: 0 })).toThrow(ConfigError);
    expect(() => new InputBuffer({ redundancy: 4, capacity: 3 })).toThrow(ConfigError);
  });

  test("the server counts late inputs, replaces missing ones, and refuses those far ahead", () => {
    const buffer = new ServerInputBuffer<string>("idle", { capacity: 8 });
    expect(buffer.take(1)).toEqual({ input: "idle", isRepeated: true });
    buffer.receive([{ tick: 2, input: "x" }]);
    buffer.receive([
      { tick: 2, input: "other" },
      { tick: 3, input: "y" },
    ]);
    expect(buffer.take(2)).toEqual({ input: "x", isRepeated: false });
    expect(buffer.take(3)).toEqual({ input: "y", isRepeated: false });
    expect(buffer.take(4)).toEqual({ input: "y", isRepeated: true });
    buffer.receive([{ tick: 4, input: "late" }]);
    buffer.receive([{ tick: 400, input: "far" }]);
    buffer.receive([{ tick: NaN, input: "none" }]);
    buffer.receive([]);
    expect(buffer.counts).toEqual({ late: 1, missing: 2, refused: 2 });
    expect(() => new ServerInputBuffer("", { capacity: 1 })).toThrow(ConfigError);
    expect(() => new ServerInputBuffer("", { lateShare: 0 })).toThrow(ConfigError);
  });
});
