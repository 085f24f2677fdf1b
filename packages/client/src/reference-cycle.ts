import { NO_TICK, type ReferenceSender } from "@paceline/protocol";
import type { Session } from "@paceline/transport";

/** A reliable message on its way. */
export interface Receipt {
  readonly session: Session;
  readonly id: number;
}

/** Ticks in a row of which a reference is made. */
const GATHERED_TICKS = 3;
/** Who has not got a reference by then gets it late, and drops what builds on it until then. */
const PATIENCE_MS = 1500;
/** Never more references than this. */
const MIN_INTERVAL_MS = 500;
/** Heads and receipt of a reliable message. */
const MESSAGE_COST_BYTES = 40;

/**
 * When the next reference is made and from when on it is used: as soon as the differences from the present one have
 * taken as many bytes as a new one does. What hardly moves keeps its reference for long, what moves in ways that
 * nobody foresees gets a new one soon.
 */
export class ReferenceCycle {
  readonly #sender: ReferenceSender;
  #gathered = 0;
  #underway: Receipt[] | undefined;
  #activateAtMs = 0;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #costBytes = 0;
  #sentBytes = 0;

  constructor(sender: ReferenceSender) {
    this.#sender = sender;
  }

  /** Whether the states of all entities are to be written at this tick. */
  get isGathering(): boolean {
    return this.#gathered > 0;
  }

  /** Bytes of differences that were sent. */
  spent(bytes: number): void {
    this.#sentBytes += bytes;
  }

  /** A message of a reference that is underway goes to one more. */
  await(receipts: readonly Receipt[]): void {
    this.#underway?.push(...receipts);
  }

  /** Once per tick, after its states were written. `post` sends a reference to all receivers. */
  step(tick: number, nowMs: number, post: (states: Uint8Array) => Receipt[]): void {
    if (this.#underway) return this.#activate(nowMs);
    if (this.#gathered > 0) {
      if (this.#gathered++ >= GATHERED_TICKS) this.#refresh(tick, nowMs, post);
      return;
    }
    const isWorthIt = this.#sender.active === NO_TICK || this.#sentBytes >= this.#costBytes;
    if (isWorthIt && nowMs >= this.#notBeforeMs) this.#gathered = 1;
  }

  #refresh(tick: number, nowMs: number, post: (states: Uint8Array) => Receipt[]): void {
    this.#gathered = 0;
    this.#sentBytes = 0;
    this.#costBytes = 0;
    this.#underway = [];
    for (const states of this.#sender.refresh(tick)) {
      this.#costBytes += states.length + MESSAGE_COST_BYTES;
      this.#underway.push(...post(states));
    }
    this.#activateAtMs = nowMs + PATIENCE_MS;
    this.#notBeforeMs = nowMs + MIN_INTERVAL_MS;
  }

  #activate(nowMs: number): void {
    this.#underway = this.#underway?.filter(
      ({ session, id }) => !session.isClosed && !session.isAcknowledged(id),
    );
    if (this.#underway && this.#underway.length > 0 && nowMs < this.#activateAtMs) return;
    this.#underway = undefined;
    this.#sender.activate();
  }
}
