import type { EntityRows } from "../columns/entity-rows.js";
import { NO_TICK } from "../codec/packet-entries.js";

/** Ticks of the newest three states of one entity that one receiver has acknowledged. */
export class AcknowledgedTicks {
  readonly entity: EntityRows;
  tick0 = NO_TICK;
  tick1 = NO_TICK;
  tick2 = NO_TICK;

  constructor(entity: EntityRows) {
    this.entity = entity;
  }

  copy(): AcknowledgedTicks {
    const copy = new AcknowledgedTicks(this.entity);
    copy.tick0 = this.tick0;
    copy.tick1 = this.tick1;
    copy.tick2 = this.tick2;
    return copy;
  }

  /** Adds an acknowledged tick. Acknowledgements arrive in any order, and repeatedly. */
  add(tick: number): void {
    if (tick === this.tick0 || tick === this.tick1 || tick === this.tick2) return;
    if (isNewer(tick, this.tick0)) {
      this.tick2 = this.tick1;
      this.tick1 = this.tick0;
      this.tick0 = tick;
    } else if (isNewer(tick, this.tick1)) {
      this.tick2 = this.tick1;
      this.tick1 = tick;
    } else if (isNewer(tick, this.tick2)) this.tick2 = tick;
  }
}

function isNewer(tick: number, than: number): boolean {
  return than === NO_TICK || ((tick - than) | 0) > 0;
}

/**
 * Stores an entity unless it is already there. Lists change little between ticks, and comparing is cheaper
 * than writing.
 */
export function put(list: (EntityRows | undefined)[], index: number, entity: EntityRows): void {
  if (list[index] !== entity) list[index] = entity;
}
