import { limits, type CellEnvelope } from "@paceline/protocol";
import { TokenBucket } from "@paceline/transport";
import type { Participant } from "../sessions/participant.js";
import type { Room } from "../sessions/room.js";
import { KeptStates, type KeptPacket } from "./kept-states.js";

/** Bytes that a cell of a view takes: an entry of a set and of a list of viewers. */
const CELL_BYTES = 64;

/** The cells that a participant sees. */
interface View {
  cells: ReadonlySet<number>;
  /** Changes that are still taken. */
  readonly changes: TokenBucket;
}

/**
 * The cells of the ground of one room: who sees which, and the newest states in each. Cells are numbers here; the
 * members agree on where they are. A member that has not named a view gets the states of all cells.
 */
export class RoomCells {
  readonly #room: Room;
  readonly #views = new Map<Participant, View>();
  readonly #viewers = new Map<number, Set<Participant>>();
  readonly #kept = new Map<Participant, KeptStates>();

  constructor(room: Room) {
    this.#room = room;
  }

  /** Number of members that get the states of these cells, of which the sender may be one. */
  count({ cell, left }: CellEnvelope): number {
    const seen = this.#viewers.get(cell)?.size ?? 0;
    const seenBefore = left === undefined ? 0 : (this.#viewers.get(left)?.size ?? 0);
    return seen + seenBefore + this.#room.size - this.#views.size;
  }

  /** Yields the members that see the cell, or the one that its entities have left; each once. */
  *viewers({ cell, left }: CellEnvelope): Iterable<Participant> {
    const seeing = this.#viewers.get(cell);
    if (seeing) yield* seeing;
    const before = left === undefined ? undefined : this.#viewers.get(left);
    for (const viewer of before ?? []) if (!seeing?.has(viewer)) yield viewer;
    if (this.#views.size === this.#room.size) return;
    for (const member of this.#room.participants) if (!this.#views.has(member)) yield member;
  }

  /** Keeps a packet for those who come to see its cell. */
  keep(owner: Participant, envelope: CellEnvelope, nowMs: number): void {
    let kept = this.#kept.get(owner);
    if (!kept) this.#kept.set(owner, (kept = new KeptStates(owner)));
    kept.keep(envelope, nowMs);
  }

  /**
   * Sets the cells that a member sees. Returns those that are new, or all if `again`; undefined if the member changes
   * them too often.
   */
  see(viewer: Participant, named: readonly number[], again: boolean, nowMs: number): Set<number> | undefined {
    let view = this.#views.get(viewer);
    if (!view) {
      const changes = new TokenBucket(limits.viewsPerSecond, 2 * limits.viewsPerSecond, nowMs);
      this.#views.set(viewer, (view = { cells: new Set(), changes }));
    }
    if (!view.changes.take(1, nowMs)) return undefined;
    const before = view.cells;
    const cells = new Set(named);
    view.cells = cells;
    for (const cell of before) if (!cells.has(cell)) this.#unsee(viewer, cell);
    const added = new Set<number>();
    for (const cell of cells) {
      if (again || !before.has(cell)) added.add(cell);
      if (!before.has(cell)) this.#see(viewer, cell);
    }
    viewer.cellBytes += CELL_BYTES * (cells.size - before.size);
    return added;
  }

  /** Yields the packets in these cells with their owners, for a member that comes to see them. */
  *keptFor(
    viewer: Participant,
    cells: ReadonlySet<number>,
    nowMs: number,
  ): Iterable<[Participant, KeptPacket]> {
    if (cells.size === 0) return;
    for (const [owner, kept] of this.#kept)
      if (owner !== viewer && !owner.isAway)
        for (const packet of kept.in(cells, nowMs)) yield [owner, packet];
  }

  /** Forgets a member that has ended. */
  forget(member: Participant): void {
    this.#kept.get(member)?.clear();
    this.#kept.delete(member);
    const seen = this.#views.get(member)?.cells ?? new Set<number>();
    for (const cell of seen) this.#unsee(member, cell);
    member.cellBytes -= CELL_BYTES * seen.size;
    this.#views.delete(member);
  }

  #see(viewer: Participant, cell: number): void {
    const viewers = this.#viewers.get(cell);
    if (viewers) viewers.add(viewer);
    else this.#viewers.set(cell, new Set([viewer]));
  }

  #unsee(viewer: Participant, cell: number): void {
    const viewers = this.#viewers.get(cell);
    if (viewers?.delete(viewer) && viewers.size === 0) this.#viewers.delete(cell);
  }
}
