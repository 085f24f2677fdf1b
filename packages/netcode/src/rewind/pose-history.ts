import { isFiniteRow, type BodyLayout, type Components } from "../body/body-layout.js";
import { interpolatePose } from "../interpolation/hermite.js";
import type { Snapshot } from "../interpolation/snapshot-buffer.js";

/** The poses of one entity over the last ticks, as rows of its components. Ticks do not wrap. */
export class PoseHistory {
  readonly #layout: BodyLayout;
  readonly #rows: { tick: number; row: Float64Array; isJump: boolean }[] = [];
  readonly #ticks: number;

  /** @param ticks number of ticks kept */
  constructor(layout: BodyLayout, ticks: number) {
    this.#layout = layout;
    this.#ticks = ticks;
  }

  /**
   * Stores a copy. A tick not after the newest one is a correction: it replaces all poses from that tick on.
   */
  record(tick: number, row: Components, isJump = false): void {
    if (!isFiniteRow(row) || !Number.isFinite(tick)) return;
    while (this.#rows.length > 0 && this.#rows.at(-1)!.tick >= tick) this.#rows.pop();
    const oldest = this.#rows.length >= this.#ticks ? this.#rows.shift() : undefined;
    const kept = oldest?.row ?? new Float64Array(row.length);
    kept.set(row);
    this.#rows.push({ tick, row: kept, isJump });
  }

  /**
   * Writes the pose at a tick, which may lie between two. Returns false before the first; after the last, the
   * newest pose holds.
   */
  at(tick: number, tickSeconds: number, into: Components): boolean {
    let index = this.#rows.length - 1;
    while (index >= 0 && this.#rows[index]!.tick > tick) index -= 1;
    const from = this.#rows[index];
    if (!from) return false;
    const to = this.#rows[index + 1];
    if (!to || to.isJump || from.tick === tick) into.set(from.row);
    else interpolatePose(this.#layout, snapshot(from), snapshot(to), tick * tickSeconds, into);
    return true;

    function snapshot({ tick, row, isJump }: { tick: number; row: Float64Array; isJump: boolean }): Snapshot {
      return { seconds: tick * tickSeconds, row, isJump };
    }
  }
}
