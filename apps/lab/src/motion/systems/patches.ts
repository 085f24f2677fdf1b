import type { LabReceiver, LabSystem, LocalTime, Update } from "../system.js";
import { HEADING } from "../trace.js";
import { FixedRateSender } from "./snapshots.js";

/** Share of the way to the newest state that the entity moves each frame, as in most examples. */
const LERP_PER_FRAME = 0.2;

/**
 * Returns state patches at a fixed rate over one ordered stream. Every frame moves the entity towards the
 * newest state.
 */
export function orderedPatchesSystem(name: string, rateHz: number): LabSystem {
  return {
    name,
    links: ["ordered"],
    sender: () => new FixedRateSender(rateHz),
    receiver: () => new PatchReceiver(),
  };
}

class PatchReceiver implements LabReceiver {
  #newest: Update | undefined;
  #shown: Float64Array | undefined;

  receive(update: Update): void {
    this.#newest = update;
    if (update.isJump) this.#shown = Float64Array.from(update.row);
  }

  show(_now: LocalTime, into: Float64Array): boolean {
    if (!this.#newest) return false;
    this.#shown ??= Float64Array.from(this.#newest.row);
    const { row } = this.#newest;
    for (let index = 0; index <= HEADING; index++) {
      const change = row[index]! - this.#shown[index]!;
      const turn = index === HEADING ? Math.atan2(Math.sin(change), Math.cos(change)) : change;
      this.#shown[index]! += turn * LERP_PER_FRAME;
    }
    into.set(this.#shown);
    return true;
  }
}
