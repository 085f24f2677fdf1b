import { DEFAULT_CONVERGENCE, RemoteBody, newReckoner } from "@paceline/netcode";
import { definitionOf } from "./systems/car-states.js";

const ENTITIES = 1000;
const WIDTH = 11;
const ROUNDS = 400;

/** A receiver's cost of sampling a thousand entities once, and of copying their arrays for comparison. */
export interface SamplingCost {
  readonly sampleMsPer1000: number;
  readonly copyMsPer1000: number;
  readonly ratioToCopy: number;
}

/** Alternates sampling and copying, so that the machine's load affects both; returns the median round. */
export function samplingCost(nowMs: () => number): SamplingCost {
  const bodies = Array.from({ length: ENTITIES }, (_, index) => movingBody(index));
  const shown = Array.from({ length: ENTITIES }, () => new Float64Array(WIDTH));
  const copied = Array.from({ length: ENTITIES }, () => new Float64Array(WIDTH));
  const sampleMs: number[] = [];
  const copyMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Half of the rounds happen during a correction.
    const seconds = 1.1 + (round % 12) / 100;
    const start = nowMs();
    for (let index = 0; index < ENTITIES; index++) bodies[index]!.show(seconds, shown[index]!);
    const between = nowMs();
    for (let index = 0; index < ENTITIES; index++) copied[index]!.set(shown[index]!);
    const end = nowMs();
    sampleMs.push(between - start);
    copyMs.push(end - between);
  }
  const [sampled, copy] = [median(sampleMs), median(copyMs)];
  return { sampleMsPer1000: sampled, copyMsPer1000: copy, ratioToCopy: sampled / copy };
}

function movingBody(index: number): RemoteBody {
  const layout = definitionOf("turn").motionLayout!;
  const options = {
    layout,
    reckoner: newReckoner(layout, "turn"),
    convergence: DEFAULT_CONVERGENCE,
    extrapolationLimitMs: 500,
  };
  const body = new RemoteBody(options, WIDTH);
  const state = Float64Array.of(index, 0, 0, 15, 3, 0, 0.3, 1, 5, 0, 0.4);
  body.receive(state, 1, 1.05);
  state[0]! += 1.2;
  body.receive(state, 1.05, 1.1);
  return body;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
