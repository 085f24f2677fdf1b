import type { Plan, PlannedClass } from "@paceline/transport";
import { vi } from "vitest";
import { PlanInForce } from "../../client/src/policy/plan-in-force.js";
import { probe, type ProbeCell } from "./plan-probe.js";

/** An output of the plan, with a change of it and a room that shows the change. */
export interface PlanOutput {
  readonly cell: ProbeCell;
  /** True if the test is a part of `npm test`, where nothing else notices the change. Default: false. */
  readonly isFast?: boolean;
  /** Returns the plan with the output's default or its neighbour. */
  change(plan: Plan): Plan;
}

const network = { delayMs: 20 };
const mesh = (profile: ProbeCell["profile"]): ProbeCell => ({
  profile,
  topology: "mesh",
  network,
  warmUpMs: 2000,
});
const racing = mesh("racing");
const shooter = mesh("shooter");
const rpg = mesh("rpg");
/** A relay that supports WebRTC. */
const relayed: ProbeCell = { ...racing, topology: "relay", serverHasWebRtc: true };
const decided: ProbeCell = {
  ...shooter,
  topology: "authority",
  serverHasWebRtc: true,
  hasInputs: true,
  isShort: true,
};
const short = { isShort: true, warmUpMs: 1000 } as const;
/** A cell whose states arrive at uneven times. */
const rough: ProbeCell = { ...shooter, network: { delayMs: 60, jitterMs: 20 }, warmUpMs: 9000 };
/** A cell whose events wait. */
const narrow: ProbeCell = {
  ...racing,
  network: { delayMs: 20, rateBps: 64_000, queueBytes: 16_000 },
  fillBytesPerSecond: { command: 12_000 },
  warmUpMs: 4000,
};

function channel<Name extends PlannedClass>(name: Name, change: Partial<Plan["channels"][Name]>) {
  return (plan: Plan): Plan => ({
    ...plan,
    channels: { ...plan.channels, [name]: { ...plan.channels[name], ...change } },
  });
}

function number(name: keyof Plan["numbers"], value: number) {
  return (plan: Plan): Plan => ({ ...plan, numbers: { ...plan.numbers, [name]: value } });
}

/** Every output that differs between plans. */
export const planOutputs: Readonly<Record<string, PlanOutput>> = {
  schemes: { cell: racing, change: (plan) => ({ ...plan, schemes: [] }) },
  "channels.state.delivery": { cell: racing, change: channel("state", { delivery: "ordered-reliable" }) },
  "channels.state.links": { cell: relayed, change: channel("state", { links: ["websocket"] }) },
  "channels.state.periodMs": { cell: racing, change: channel("state", { periodMs: 100 }) },
  "channels.event.delivery": { cell: narrow, change: channel("event", { delivery: "ordered-reliable" }) },
  "channels.event.links": {
    cell: { ...relayed, ...short },
    isFast: true,
    change: channel("event", { links: ["websocket"] }),
  },
  "channels.event.periodMs": { cell: rpg, change: channel("event", { periodMs: 0 }) },
  "channels.command.periodMs": { cell: rpg, change: channel("command", { periodMs: 0 }) },
  "channels.input.delivery": {
    cell: decided,
    isFast: true,
    change: channel("input", { delivery: "ordered-reliable" }),
  },
  "channels.input.links": { cell: decided, isFast: true, change: channel("input", { links: ["websocket"] }) },
  stripes: {
    cell: { ...racing, ...short, topology: "relay" },
    isFast: true,
    change: (plan) => ({ ...plan, stripes: 3 }),
  },
  repeats: {
    cell: { ...racing, ...short },
    isFast: true,
    change: (plan) => ({ ...plan, repeats: true }),
  },
  "numbers.stateHz": { cell: racing, change: number("stateHz", 10) },
  "numbers.heartbeatMs": { cell: racing, change: number("heartbeatMs", 300) },
  "numbers.thresholdM": { cell: racing, change: number("thresholdM", 1) },
  "numbers.headingRad": { cell: rpg, change: number("headingRad", 2) },
  "numbers.interpolationDelayMs": {
    cell: { ...rpg, ...short },
    isFast: true,
    change: number("interpolationDelayMs", 400),
  },
  "numbers.extrapolationLimitMs": { cell: racing, change: number("extrapolationLimitMs", 250) },
  "numbers.stateBytesPerSecond": { cell: rough, change: number("stateBytesPerSecond", 500) },
  style: { cell: racing, change: (plan) => ({ ...plan, style: "interpolation" }) },
};

/**
 * Outputs that no probe shows. The tests "events that wait for 1 s arrive", of players and of a server, cover
 * them.
 */
export const outputsSeenElsewhere: readonly string[] = ["channels.event.lifetimeMs"];

const real = Object.getOwnPropertyDescriptor(PlanInForce.prototype, "plan")!;

/** Plays a cell with changed plans, and returns its recording as text. A refusal is a recording, too. */
export async function recordingOf(
  cell: ProbeCell,
  change: PlanOutput["change"] = (plan) => plan,
): Promise<string> {
  const spy = vi.spyOn(PlanInForce.prototype, "plan", "get").mockImplementation(function (this: PlanInForce) {
    return change(real.get!.call(this) as Plan);
  });
  try {
    return JSON.stringify((await probe(cell)).recording);
  } catch (error) {
    return String(error);
  } finally {
    spy.mockRestore();
  }
}

const unchanged = new Map<ProbeCell, string>();

/** Returns the recording of a cell with its own plans. It is played once, after a play that fetches late code. */
export async function unchangedRecordingOf(cell: ProbeCell): Promise<string> {
  const known = unchanged.get(cell);
  if (known !== undefined) return known;
  await recordingOf(cell);
  const recording = await recordingOf(cell);
  unchanged.set(cell, recording);
  return recording;
}
