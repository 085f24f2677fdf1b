/**
 * Mistakes that interest survives. Each is counted; the first of each kind is told.
 *
 * - `position`: a place that is no finite number; the entity or viewer stays where it was, or nowhere
 * - `outside`: a place outside the world; it counts as on the border
 * - `viewpoint`: the followed entity was removed; the viewer looks from its last place
 * - `rule`: `relevant` threw; the entity is hidden
 * - `slow-rule`: `relevant` took all the time of an update; the other viewers wait for the next one
 * - `visibility`: `cellVisible` threw; the cell is hidden
 * - `crowd`: more entities near a viewer than `maxEntities`; it sees the most important ones
 * - `budget`: a viewer's states need more than `bytesPerSecond` even at the slowest rate
 */
export type InterestFaultKind =
  "position" | "outside" | "viewpoint" | "rule" | "slow-rule" | "visibility" | "crowd" | "budget";

/** The first fault of a kind. */
export interface InterestFault {
  readonly kind: InterestFaultKind;
  readonly entity?: number;
  readonly viewer?: number;
  /** The value that the game's function threw. */
  readonly error?: unknown;
}

/** Counts the faults of a room's interest by kind, and tells the first of each. */
export class InterestFaults {
  readonly counts: Record<InterestFaultKind, number> = {
    position: 0,
    outside: 0,
    viewpoint: 0,
    rule: 0,
    "slow-rule": 0,
    visibility: 0,
    crowd: 0,
    budget: 0,
  };
  readonly #onFirst: (fault: InterestFault) => void;

  constructor(onFirst: (fault: InterestFault) => void) {
    this.#onFirst = onFirst;
  }

  /** @param entity id, if the fault is one of an entity; `viewer`: likewise */
  count(kind: InterestFaultKind, entity?: number, viewer?: number, error?: unknown): void {
    if (this.counts[kind]++ > 0) return;
    this.#onFirst({
      kind,
      ...(entity !== undefined && { entity }),
      ...(viewer !== undefined && { viewer }),
      ...(error !== undefined && { error }),
    });
  }
}
