import { StepMeter } from "./step-meter.js";

/** Where a rival's traffic goes, as the game's rings and messages tell it apart. */
export type RivalPath = "direct" | "turn" | "relay";

/** A rival in a frame, and how it is reached. */
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

/** A path that died in mid-race, and what was seen of it. */
export interface FailOver {
  readonly rival: Pick<SeenRival, "id" | "name" | "isComputer">;
  readonly diedAtMs: number;
  readonly lost: RivalPath;
  readonly took: RivalPath;
  /** From the death until a state that the rival made since was shown; undefined until one was. */
  readonly tookMs: number | undefined;
  /** Largest step of the rival's car as shown, from the death until it had settled; undefined until it has. */
  readonly largestStepM: number | undefined;
  /** Largest step in the time before the death: cars brake and steer. */
  readonly usualStepM: number;
}

/** The new path smooths its first states over less than this. */
export const SETTLE_MS = 1500;
/** How long before a death is "as usual". */
export const USUAL_MS = 2000;
const RANK: Readonly<Record<RivalPath, number>> = { direct: 2, turn: 1, relay: 0 };

interface Rival {
  readonly meter: StepMeter;
  path: RivalPath;
}

/**
 * Watches the path to every rival from frame to frame. `onChange` gets a fail-over when a path has died, and again as its
 * figures come in; all of them are measured in what was drawn.
 */
export class FailOvers {
  readonly #onChange: (failOver: FailOver) => void;
  readonly #onReturn: (rival: SeenRival, afterMs: number) => void;
  readonly #rivals = new Map<string, Rival>();
  /** The newest of each rival. */
  readonly #newest = new Map<string, FailOver>();
  readonly #killedAtMs = new Map<string, number>();

  constructor(
    onChange: (failOver: FailOver) => void,
    onReturn: (rival: SeenRival, afterMs: number) => void = () => undefined,
  ) {
    this.#onChange = onChange;
    this.#onReturn = onReturn;
  }

  /** The path to that rival is killed at that moment: sooner than any frame shows it. */
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
    // A kill of long ago has another death behind it.
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

  /** A state that was on its way, or here and not drawn, is no news: the new path's were made since the death. */
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
