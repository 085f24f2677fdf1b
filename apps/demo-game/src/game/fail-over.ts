import { StepMeter } from "./step-meter.js";

/** Kinds of paths to a rival that the game shows differently. */
export type RivalPath = "direct" | "turn" | "relay";

/** A rival in one frame, and the path to it. */
export interface SeenRival {
  readonly id: string;
  readonly name: string;
  readonly isComputer: boolean;
  readonly path: RivalPath;
  readonly x: number;
  readonly y: number;
  /** True if the page's picture shows the place of the car. */
  readonly isInPicture: boolean;
  /** Age of the newest state, ms. */
  readonly ageMs: number;
}

/** Steps of shown cars around an event, which the eye sees as jumps. */
export interface ShownSteps {
  /** Largest one since the event, m; undefined if none could be measured. */
  readonly largestM: number | undefined;
  /** Largest one in the 2 s before, for comparison, m; undefined if none could be measured. */
  readonly usualM: number | undefined;
  /** True if the steps were in the picture. */
  readonly wasSeen: boolean;
}

/** A path that died during a race, and its visible effect. */
export interface FailOver {
  readonly rival: Pick<SeenRival, "id" | "name" | "isComputer">;
  readonly diedAtMs: number;
  readonly lost: RivalPath;
  readonly took: RivalPath;
  /** Time from the death until a newer state of the rival was shown, ms; undefined before. */
  readonly tookMs: number | undefined;
  /** Steps of the shown car from the death until the new path has settled; undefined before. */
  readonly steps: ShownSteps | undefined;
  /** The better path that came back, and the time from the death until then; undefined before. */
  readonly back: { readonly path: RivalPath; readonly afterMs: number } | undefined;
}

/** Time after which the first states over the new path are smoothed, ms. */
export const SETTLE_MS = 1500;
/** Time before a death for the comparison, ms. */
export const USUAL_MS = 2000;
const RANK: Readonly<Record<RivalPath, number>> = { direct: 2, turn: 1, relay: 0 };

interface Rival {
  meter: StepMeter;
  path: RivalPath;
}

/**
 * Watches the path to every rival in every frame. `onChange` gets a fail-over when a path has died, and again
 * when a figure of it is known or a better path is back. All figures are measured from drawn positions.
 */
export class FailOvers {
  readonly #onChange: (failOver: FailOver) => void;
  readonly #rivals = new Map<string, Rival>();
  /** The newest fail-over of each rival. */
  readonly #newest = new Map<string, FailOver>();
  readonly #killedAtMs = new Map<string, number>();

  constructor(onChange: (failOver: FailOver) => void) {
    this.#onChange = onChange;
  }

  /** Called when the player kills a path, which frames show only later. */
  killed(id: string, atMs: number): void {
    this.#killedAtMs.set(id, atMs);
  }

  /** Called when all cars have been put on their places: a car that was moved has not jumped. */
  forgetSteps(): void {
    for (const rival of this.#rivals.values()) rival.meter = new StepMeter();
  }

  /** Returns the largest step of any car in the picture between two moments, m; undefined if none was measured. */
  largestSeenM(fromMs: number, toMs: number): number | undefined {
    const found = [...this.#rivals.values()].flatMap(({ meter }) => meter.largestM(fromMs, toMs, true) ?? []);
    return found.length === 0 ? undefined : Math.max(...found);
  }

  frame(atMs: number, seen: readonly SeenRival[]): void {
    const ids = new Set(seen.map(({ id }) => id));
    for (const id of this.#rivals.keys()) {
      if (!ids.has(id)) for (const known of [this.#rivals, this.#newest, this.#killedAtMs]) known.delete(id);
    }
    for (const rival of seen) this.#see(rival, atMs);
  }

  #see(seen: SeenRival, atMs: number): void {
    const { id, path, ageMs } = seen;
    const known = this.#rivals.get(id);
    const rival = known ?? { meter: new StepMeter(), path };
    this.#rivals.set(id, rival);
    rival.meter.show(atMs, seen.x, seen.y, seen.isInPicture);
    if (RANK[path] < RANK[rival.path]) this.#died(seen, rival, atMs);
    else if (RANK[path] > RANK[rival.path]) this.#returned(seen, atMs);
    const failOver = this.#newest.get(id);
    if (failOver) this.#measure(failOver, rival, atMs - ageMs, atMs);
    rival.path = path;
  }

  #died({ id, name, isComputer, path }: SeenRival, { path: lost }: Rival, atMs: number): void {
    const killedAtMs = this.#killedAtMs.get(id);
    this.#killedAtMs.delete(id);
    // An old kill belongs to an earlier death.
    const diedAtMs = killedAtMs !== undefined && atMs - killedAtMs < SETTLE_MS ? killedAtMs : atMs;
    this.#tell({
      rival: { id, name, isComputer },
      diedAtMs,
      lost,
      took: path,
      tookMs: undefined,
      steps: undefined,
      back: undefined,
    });
  }

  #returned({ id, path }: SeenRival, atMs: number): void {
    const failOver = this.#newest.get(id);
    if (failOver && !failOver.back) {
      this.#tell({ ...failOver, back: { path, afterMs: atMs - failOver.diedAtMs } });
    }
  }

  /** Completes a fail-over's figures. A state that was made after the death came over the new path. */
  #measure(failOver: FailOver, { meter }: Rival, madeAtMs: number, atMs: number): void {
    const { diedAtMs, tookMs, steps } = failOver;
    if (tookMs === undefined) {
      if (madeAtMs > diedAtMs) this.#tell({ ...failOver, tookMs: atMs - diedAtMs });
    } else if (steps === undefined && atMs - diedAtMs - tookMs >= SETTLE_MS) {
      this.#tell({ ...failOver, steps: stepsOf(meter, diedAtMs, atMs) });
    }
  }

  #tell(failOver: FailOver): void {
    this.#newest.set(failOver.rival.id, failOver);
    this.#onChange(failOver);
  }
}

/** Returns the steps that were seen; those outside the picture if none was seen. */
function stepsOf(meter: StepMeter, diedAtMs: number, atMs: number): ShownSteps {
  const wasSeen = meter.largestM(diedAtMs, atMs, true) !== undefined;
  return {
    largestM: meter.largestM(diedAtMs, atMs, wasSeen),
    usualM: meter.largestM(diedAtMs - USUAL_MS, diedAtMs, wasSeen),
    wasSeen,
  };
}
