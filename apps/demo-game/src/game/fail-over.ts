import { StepMeter } from "./step-meter.js";

/** The path to a rival, as the game's rings and toasts name it. */
export type RivalPath = "direct" | "turn" | "relay";

/** A rival in one frame, and the path to it. */
export interface SeenRival {
  readonly id: string;
  readonly name: string;
  readonly isComputer: boolean;
  readonly path: RivalPath;
  readonly x: number;
  readonly y: number;
  /** Age of the newest state, ms. */
  readonly ageMs: number;
}

/** A path that died during the race, and what the player saw of it. */
export interface FailOver {
  readonly rival: Pick<SeenRival, "id" | "name" | "isComputer">;
  readonly diedAtMs: number;
  readonly lost: RivalPath;
  readonly took: RivalPath;
  /** Time from the death until the player saw a newer state of the rival, ms; undefined until then. */
  readonly tookMs: number | undefined;
  /**
   * Largest step of the rival's car as shown, from the death until it has settled, m; undefined until then.
   */
  readonly largestStepM: number | undefined;
  /** Largest step before the death, m, for comparison: braking and steering cause steps as well. */
  readonly usualStepM: number;
}

/** Longest time in which the car settles on the new path. */
export const SETTLE_MS = 1500;
/** Time before a death that serves as the comparison. */
export const USUAL_MS = 2000;
const RANK: Readonly<Record<RivalPath, number>> = { direct: 2, turn: 1, relay: 0 };

interface Rival {
  readonly meter: StepMeter;
  path: RivalPath;
}

/**
 * Watches the path to every rival, frame by frame. Calls `onChange` when a path has died, and again when a
 * figure of it is known; all figures are measured from what was drawn.
 */
export class FailOvers {
  readonly #onChange: (failOver: FailOver) => void;
  readonly #onReturn: (rival: SeenRival, afterMs: number) => void;
  readonly #rivals = new Map<string, Rival>();
  /** The newest fail-over of each rival. */
  readonly #newest = new Map<string, FailOver>();
  readonly #killedAtMs = new Map<string, number>();

  constructor(
    onChange: (failOver: FailOver) => void,
    onReturn: (rival: SeenRival, afterMs: number) => void = () => undefined,
  ) {
    this.#onChange = onChange;
    this.#onReturn = onReturn;
  }

  /** Notes that the path to the rival is killed at `atMs`, before any frame shows it. */
  killed(id: string, atMs: number): void {
    this.#killedAtMs.set(id, atMs);
  }

  /** Largest step of any car as shown between two moments, m. */
  largestM(fromMs: number, toMs: number): number {
    return Math.max(0, ...[...this.#rivals.values()].map(({ meter }) => meter.largestM(fromMs, toMs)));
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
    rival.meter.show(atMs, seen.x, seen.y);
    if (RANK[path] < RANK[rival.path]) this.#died(seen, rival, atMs);
    else if (RANK[path] > RANK[rival.path]) this.#returned(seen, atMs);
    const failOver = this.#newest.get(id);
    if (failOver) this.#measure(failOver, rival, atMs - ageMs, atMs);
    rival.path = path;
  }

  #died({ id, name, isComputer, path }: SeenRival, { path: lost, meter }: Rival, atMs: number): void {
    const killedAtMs = this.#killedAtMs.get(id);
    this.#killedAtMs.delete(id);
    // An older kill is not the cause of this death.
    const diedAtMs = killedAtMs !== undefined && atMs - killedAtMs < SETTLE_MS ? killedAtMs : atMs;
    this.#tell({
      rival: { id, name, isComputer },
      diedAtMs,
      lost,
      took: path,
      tookMs: undefined,
      largestStepM: undefined,
      usualStepM: meter.largestM(diedAtMs - USUAL_MS, diedAtMs),
    });
  }

  #returned(seen: SeenRival, atMs: number): void {
    const failOver = this.#newest.get(seen.id);
    if (failOver) this.#onReturn(seen, atMs - failOver.diedAtMs);
  }

  /**
   * Counts only states that the rival made after the death: an older one may still have come over the lost
   * path.
   */
  #measure(failOver: FailOver, { meter }: Rival, madeAtMs: number, atMs: number): void {
    const { diedAtMs, tookMs, largestStepM } = failOver;
    if (tookMs === undefined) {
      if (madeAtMs > diedAtMs) this.#tell({ ...failOver, tookMs: atMs - diedAtMs });
    } else if (largestStepM === undefined && atMs - diedAtMs - tookMs >= SETTLE_MS) {
      this.#tell({ ...failOver, largestStepM: meter.largestM(diedAtMs, atMs) });
    }
  }

  #tell(failOver: FailOver): void {
    this.#newest.set(failOver.rival.id, failOver);
    this.#onChange(failOver);
  }
}
