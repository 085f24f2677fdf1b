import { quantile } from "../codec/spread.js";

export interface Judgement {
  /** Distances between where a page draws a cell and where the server has it at that moment, m. */
  readonly errorMP50: number;
  readonly errorMP95: number;
  /** Share of the frames of moving cells in which these stand still. */
  readonly frozen: number;
  readonly samples: number;
}

interface Place {
  readonly x: number;
  readonly y: number;
}
interface Step {
  readonly ms: number;
  readonly places: ReadonlyMap<number, Place>;
}
interface Frame extends Step {
  readonly player: number;
}

/** A cell that moves less between two frames, m, stands still. */
const MOVES_M = 0.03;
/** A page shows at least this share of a moving cell's motion, or the frame is frozen. */
const SHOWN_SHARE = 0.02;

/** Compares what pages drew with what was true. */
export function judge(steps: readonly number[], frames: readonly number[]): Judgement {
  const truth = readSteps(steps);
  const last = new Map<number, Frame>();
  const errors: number[] = [];
  let [moving, frozen] = [0, 0];
  for (const frame of readFrames(frames)) {
    const before = last.get(frame.player);
    last.set(frame.player, frame);
    for (const [id, shown] of frame.places) {
      const place = placeAt(truth, frame.ms, id);
      if (!place) continue;
      errors.push(distance(shown, place));
      const shownBefore = before?.places.get(id);
      const placeBefore = before && placeAt(truth, before.ms, id);
      if (!shownBefore || !placeBefore) continue;
      const movedM = distance(place, placeBefore);
      if (movedM < MOVES_M) continue;
      moving += 1;
      if (distance(shown, shownBefore) < SHOWN_SHARE * movedM) frozen += 1;
    }
  }
  return {
    errorMP50: quantile(errors, 0.5),
    errorMP95: quantile(errors, 0.95),
    frozen: frozen / moving,
    samples: errors.length,
  };
}

function readSteps(numbers: readonly number[]): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < numbers.length;) {
    const [ms, count] = [numbers[at]!, numbers[at + 1]!];
    steps.push({ ms, places: readPlaces(numbers, at + 2, count) });
    at += 2 + 3 * count;
  }
  return steps;
}

function readFrames(numbers: readonly number[]): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < numbers.length;) {
    const [player, ms, count] = [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!];
    frames.push({ player, ms, places: readPlaces(numbers, at + 3, count) });
    at += 3 + 3 * count;
  }
  return frames;
}

function readPlaces(numbers: readonly number[], from: number, count: number): Map<number, Place> {
  const places = new Map<number, Place>();
  for (let at = from; at < from + 3 * count; at += 3)
    places.set(numbers[at]!, { x: numbers[at + 1]!, y: numbers[at + 2]! });
  return places;
}

/** Returns where a cell was between the two steps around a moment; undefined if it was not there at both. */
function placeAt(steps: readonly Step[], ms: number, id: number): Place | undefined {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle]!.ms <= ms) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [steps[low - 1], steps[low]];
  const [from, to] = [before?.places.get(id), after?.places.get(id)];
  if (!before || !after || !from || !to) return undefined;
  const part = (ms - before.ms) / (after.ms - before.ms);
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

const distance = (one: Place, other: Place): number => Math.hypot(one.x - other.x, one.y - other.y);
