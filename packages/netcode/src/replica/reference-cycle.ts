import { NO_TICK, type ReferenceSender } from "@paceline/protocol";

/** A reliable message on its way. */
export interface Receipt {
  /** Whether it has arrived, or whoever it was for is gone. */
  isOver(): boolean;
}

/** Ticks in a row of which a reference is made. */
const GATHERED_TICKS = 3;
/** A receiver without the reference by then gets it late, and drops states that build on it until then. */
const PATIENCE_MS = 1500;
/** Never more references than this. */
const MIN_INTERVAL_MS = 500;
/** Head of a reliable message; heads of the packet in which they go together, on the way and as a receipt. */
const MESSAGE_COST_BYTES = 5;
const PACKET_COST_BYTES = 180;

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
  step(tick: number, nowMs: number, post: (messages: readonly Uint8Array[]) => Receipt[]): void {
    if (this.#underway) return this.#activate(nowMs);
    if (this.#gathered > 0) {
      if (this.#gathered++ >= GATHERED_TICKS) this.#refresh(tick, nowMs, post);
      return;
    }
    const isWorthIt = this.#sender.active === NO_TICK || this.#sentBytes >= this.#costBytes;
    if (isWorthIt && nowMs >= this.#notBeforeMs) this.#gathered = 1;
  }

  #refresh(tick: number, nowMs: number, post: (messages: readonly Uint8Array[]) => Receipt[]): void {
    this.#gathered = 0;
    this.#sentBytes = 0;
    const messages = this.#sender.refresh(tick);
    this.#costBytes = messages.reduce(
      (sum, { length }) => sum + length + MESSAGE_COST_BYTES,
      PACKET_COST_BYTES,
    );
    this.#underway = post(messages);
    this.#activateAtMs = nowMs + PATIENCE_MS;
    this.#notBeforeMs = nowMs + MIN_INTERVAL_MS;
  }

  #activate(nowMs: number): void {
    this.#underway = this.#underway?.filter((receipt) => !receipt.isOver());
    if (this.#underway && this.#underway.length > 0 && nowMs < this.#activateAtMs) return;
    this.#underway = undefined;
    this.#sender.activate();
  }
}
