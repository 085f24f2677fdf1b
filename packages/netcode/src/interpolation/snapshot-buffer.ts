import { isFiniteRow, type Components } from "../body/body-layout.js";

/** A state of an entity at a time of its owner's simulation. */
export interface Snapshot {
  readonly seconds: number;
  readonly row: Float64Array;
  /** The entity jumped here (spawn, teleport): nothing is shown between this one and the one before. */
  readonly isJump: boolean;
}

const CAPACITY = 64;

/** The last snapshots of one entity, by time; they may come in any order. */
export class SnapshotBuffer {
  readonly #snapshots: Snapshot[] = [];

  get newest(): Snapshot | undefined {
    return this.#snapshots.at(-1);
  }

  get oldest(): Snapshot | undefined {
    return this.#snapshots[0];
  }

  /** Takes a copy. False for one that is there already, that is older than all, or that holds no numbers. */
  add(row: Components, seconds: number, isJump = false): boolean {
    if (!isFiniteRow(row) || !Number.isFinite(seconds)) return false;
    let at = this.#snapshots.length;
    while (at > 0 && this.#snapshots[at - 1]!.seconds >= seconds) at -= 1;
    if (this.#snapshots[at]?.seconds === seconds) return false;
    if (at === 0 && this.#snapshots.length >= CAPACITY) return false;
    this.#snapshots.splice(at, 0, { seconds, row: Float64Array.from(row), isJump });
    if (this.#snapshots.length > CAPACITY) this.#snapshots.shift();
    return true;
  }

  /** Index of the last snapshot at or before a time; -1 where there is none. */
  indexAt(seconds: number): number {
    let at = this.#snapshots.length - 1;
    while (at >= 0 && this.#snapshots[at]!.seconds > seconds) at -= 1;
    return at;
  }

  at(index: number): Snapshot | undefined {
    return this.#snapshots[index];
  }
}
