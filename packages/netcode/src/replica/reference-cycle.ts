import { NO_TICK, type ReferenceSender } from "@paceline/protocol";

/** A reliable message in flight. */
export interface Receipt {
  /** Returns true if the message has arrived, or its receiver has left. */
  isOver(): boolean;
}

/** Consecutive ticks in a reference. */
const GATHERED_TICKS = 3;
/** Longest wait for receipts of a reference. A receiver that gets it later drops states until then. */
const MAX_RECEIPT_WAIT_MS = 1500;
/** Shortest time between two references. */
const MIN_INTERVAL_MS = 500;
/** Bytes of a reliable message's head, and of the heads of the packets for it and for its receipt. */
const MESSAGE_COST_BYTES = 5;
const PACKET_COST_BYTES = 180;

/**
 * Decides when to make the next reference, and when to use it: when the differences from the current one have
 * cost as many bytes as a new one. Entities that hardly move keep a reference for long; unpredictable motion
 * needs a new one soon.
 */
export class ReferenceCycle {
  readonly sender: ReferenceSender;
  #gathered = 0;
  #underway: Receipt[] | undefined;
  #activateAtMs = 0;
  #notBeforeMs = -Infinity;
  #costBytes = 0;
  #sentBytes = 0;

  constructor(sender: ReferenceSender) {
    this.sender = sender;
  }

  /** True if the states of all entities must be written at this tick. */
  get isGathering(): boolean {
    return this.#gathered > 0;
  }

  /** Records bytes of sent differences. */
  spent(bytes: number): void {
    this.#sentBytes += bytes;
  }

  /** Adds receipts of a pending reference that was sent to one more receiver. */
  await(receipts: readonly Receipt[]): void {
    this.#underway?.push(...receipts);
  }

  /**
   * Advances the cycle. Call it once per tick, after its states were written. `post` sends a reference to all
   * receivers. If not `mayBegin`, none is begun.
   */
  step(
    tick: number,
    nowMs: number,
    post: (messages: readonly Uint8Array[]) => Receipt[],
    mayBegin = true,
  ): void {
    if (this.#underway) return this.#activate(nowMs);
    if (this.#gathered > 0) {
      if (this.#gathered++ >= GATHERED_TICKS) this.#refresh(tick, nowMs, post);
      return;
    }
    const isWorthIt = this.sender.active === NO_TICK || this.#sentBytes >= this.#costBytes;
    if (mayBegin && isWorthIt && nowMs >= this.#notBeforeMs) this.#gathered = 1;
  }

  #refresh(tick: number, nowMs: number, post: (messages: readonly Uint8Array[]) => Receipt[]): void {
    this.#gathered = 0;
    this.#sentBytes = 0;
    const messages = this.sender.refresh(tick);
    this.#costBytes = messages.reduce(
      (sum, { length }) => sum + length + MESSAGE_COST_BYTES,
      PACKET_COST_BYTES,
    );
    this.#underway = post(messages);
    this.#activateAtMs = nowMs + MAX_RECEIPT_WAIT_MS;
    this.#notBeforeMs = nowMs + MIN_INTERVAL_MS;
  }

  #activate(nowMs: number): void {
    this.#underway = this.#underway?.filter((receipt) => !receipt.isOver());
    if (this.#underway && this.#underway.length > 0 && nowMs < this.#activateAtMs) return;
    this.#underway = undefined;
    this.sender.activate();
  }
}
