import type { EntityRows } from "../columns/entity-rows.js";
import type { TickContent } from "./cohort.js";

/**
 * The entities of one body. All packets that carry the body share the list. It is reused after the last of them has an
 * answer.
 */
export class SentRows {
  readonly rows: EntityRows[] = [];
  readonly #pool: SentRowsPool;
  #users = 0;
  /** The next list that waits for reuse. */
  spare: SentRows | undefined;

  constructor(pool: SentRowsPool) {
    this.#pool = pool;
  }

  hold(): this {
    this.#users += 1;
    return this;
  }

  release(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#pool.put(this);
  }
}

/** Lists of entities that wait for reuse. */
export class SentRowsPool {
  #spare: SentRows | undefined;

  /** Returns a list of the first `count` entities. */
  take(entities: readonly EntityRows[], count: number): SentRows {
    const taken = this.#spare ?? new SentRows(this);
    this.#spare = taken.spare;
    taken.spare = undefined;
    const { rows } = taken;
    // An array that is emptied first would lose its memory.
    for (let index = 0; index < count; index++) rows[index] = entities[index]!;
    rows.length = count;
    return taken.hold();
  }

  put(rows: SentRows): void {
    rows.spare = this.#spare;
    this.#spare = rows;
  }
}

/** The packets of one tick. They count together, because each has another part of the entities. */
export class SentTick {
  tick = 0;
  content: TickContent = "due";
  isEnded = false;
  /** Packets without an answer. */
  open = 0;
  isBroken = false;
  /** All bodies, and those of the packets that are lost. The numbers say how many places are in use. */
  readonly bodies: SentRows[] = [];
  readonly lost: SentRows[] = [];
  bodyCount = 0;
  lostCount = 0;
  /** The next record that waits for reuse. */
  spare: SentTick | undefined;

  begin(tick: number, content: TickContent): void {
    this.tick = tick;
    this.content = content;
    this.isEnded = this.isBroken = false;
    this.open = this.bodyCount = this.lostCount = 0;
    this.spare = undefined;
  }

  add(body: SentRows): void {
    this.bodies[this.bodyCount++] = body.hold();
  }

  lose(body: SentRows): void {
    this.isBroken = true;
    this.lost[this.lostCount++] = body;
  }

  /** Gives the bodies back. */
  release(): void {
    for (let index = 0; index < this.bodyCount; index++) this.bodies[index]!.release();
  }
}

/** A packet without an answer. */
export interface SentPacket {
  sequence: number;
  sentAtMs: number;
  body: SentRows;
  of: SentTick;
  /** The packet that was sent next; the next record that waits for reuse. */
  next: SentPacket | undefined;
}
