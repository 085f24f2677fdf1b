import { isFiniteRow, type Components } from "../body/body-layout.js";

/** A state of an entity at a time of its owner's simulation. */
export interface Snapshot {
  readonly seconds: number;
  readonly row: Float64Array;
  /**
   * True if the entity jumped here (spawn, teleport): no interpolation between the snapshot before and this
   * one.
   */
  readonly isJump: boolean;
}

const CAPACITY = 64;

/** The latest snapshots of one entity, sorted by time. They may arrive in any order. */
export class SnapshotBuffer {
  readonly #snapshots: Snapshot[] = [];

  get newest(): Snapshot | undefined {
    return this.#snapshots.at(-1);
  }

  get oldest(): Snapshot | undefined {
    return this.#snapshots[0];
  }

  /**
   * Adds a copy of a snapshot. Returns false if it is a duplicate, not finite, or older than all in a full
   * buffer.
   */
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

  /** Returns the index of the last snapshot at or before a time, or -1 if there is none. */
  indexAt(seconds: number): number {
    let at = this.#snapshots.length - 1;
    while (at >= 0 && this.#snapshots[at]!.seconds > seconds) at -= 1;
    return at;
  }

  at(index: number): Snapshot | undefined {
    return this.#snapshots[index];
  }
}
