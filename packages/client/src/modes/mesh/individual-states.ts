import type { EntityRows } from "@paceline/protocol";
import { StateBudget } from "@paceline/netcode";
import { ANSWER_PACKET_BYTES, type AnswerBudget } from "@paceline/transport";
import type { PeerConnection } from "../../peers/peer-connection.js";
import type { StateStream } from "../state-stream.js";

/** Header bytes of a packet with states for one receiver. */
export const PACKET_HEAD_BYTES = 19;
/** Time for which a receiver that lost ordered states gets its own packets, ms. Doubles each time. */
const FIRST_INDIVIDUAL_MS = 10_000;
/** Share of the budget of states that pays for whole states for the sake of one receiver. */
const RESTART_SHARE = 0.1;

interface Receiver {
  /** It may follow the ordered states from this time on, ms. */
  readonly untilMs: number;
  /** Ids of the entities whose states it has yet to get, the longest waiting first. */
  readonly waiting: Set<number>;
  /** Sends them. Identifies the receiver in the pairs' budget of answers. */
  readonly send: () => void;
}

export interface IndividualStatesOptions {
  readonly answers: AnswerBudget;
  readonly streams: ReadonlyMap<unknown, StateStream>;
  nowMs(): number;
  /** Returns the tick of the entities' present states. */
  tick(): number;
  /** Returns the budget of states of one receiver. */
  bytesPerSecond(): number;
}

/**
 * Sends own packets to receivers that do not follow the ordered states, as differences from their own acks:
 * they lost some, or the followers have not yet paid for the last newcomer. Each has a budget of its own.
 */
export class IndividualStates {
  readonly #options: IndividualStatesOptions;
  readonly #receivers = new Map<PeerConnection, Receiver>();
  readonly #nextMs = new WeakMap<PeerConnection, number>();
  readonly #budgets = new WeakMap<PeerConnection, StateBudget>();
  /** The followers have paid for the last restart until this time, ms. */
  #paidUntilMs = -Infinity;

  constructor(options: IndividualStatesOptions) {
    this.#options = options;
  }

  has(peer: PeerConnection): boolean {
    return this.#receivers.has(peer);
  }

  /** Serves a receiver that has lost ordered states, for longer at each time. */
  addAfterLoss(peer: PeerConnection): void {
    if (this.has(peer)) return;
    const ms = this.#nextMs.get(peer) ?? FIRST_INDIVIDUAL_MS;
    this.#nextMs.set(peer, 2 * ms);
    this.#add(peer, this.#options.nowMs() + ms);
  }

  /** Serves a receiver that may follow the ordered states as soon as the followers have paid for the last one. */
  addNewcomer(peer: PeerConnection): void {
    if (!this.has(peer)) this.#add(peer, -Infinity);
  }

  #add(peer: PeerConnection, untilMs: number): void {
    const receiver = { untilMs, waiting: new Set<number>(), send: () => this.#send(peer, receiver) };
    this.#receivers.set(peer, receiver);
  }

  delete(peer: PeerConnection): void {
    this.#receivers.delete(peer);
  }

  clear(): void {
    this.#receivers.clear();
  }

  /**
   * True if the ordered states may be whole for the sake of a newcomer. A receiver that comes back again and
   * again must not use up the followers' budget.
   */
  get isPaid(): boolean {
    return this.#options.nowMs() >= this.#paidUntilMs;
  }

  /** Lets the followers pay for a packet with states that are whole for the sake of others. */
  pay(bytes: number): void {
    const ms = (1000 * bytes) / (this.#options.bytesPerSecond() * RESTART_SHARE);
    this.#paidUntilMs = Math.max(this.#paidUntilMs, this.#options.nowMs()) + ms;
  }

  /** Ends the service of all that may follow the ordered states now. Returns true if there are such. */
  release(): boolean {
    if (!this.isPaid) return false;
    const nowMs = this.#options.nowMs();
    const served = this.#receivers.size;
    for (const [peer, { untilMs }] of this.#receivers) if (untilMs <= nowMs) this.#receivers.delete(peer);
    return this.#receivers.size < served;
  }

  /** Forgets an entity that has ended. */
  remove(id: number): void {
    for (const { waiting } of this.#receivers.values()) waiting.delete(id);
  }

  /** Marks entities whose states are due. They wait until the receiver's budget can pay for them. */
  due(entities: readonly EntityRows[]): void {
    for (const { waiting } of this.#receivers.values()) for (const { id } of entities) waiting.add(id);
  }

  send(): void {
    for (const { send } of [...this.#receivers.values()]) send();
  }

  #send(peer: PeerConnection, receiver: Receiver): void {
    if (this.#receivers.get(peer) !== receiver) return;
    const { waiting, send } = receiver;
    const tick = this.#options.tick();
    const { bytes: answers } = this.#options.answers;
    const budget = this.budgetOf(peer);
    for (const stream of this.#options.streams.values()) {
      const records = Array.from(waiting, (id) => stream.records.get(id)).filter((one) => one !== undefined);
      const rows = records.slice(0, budget.affordable).map((record) => stream.rowsAt(record, tick));
      // Any peer could ask for its own packets, so the pairs' budget of answers limits them, too.
      if (rows.length === 0 || !answers.admits(send)) continue;
      stream.sendTo(peer.number, peer.session, tick, rows, (bytes, entities, sequence) => {
        if (sequence < 0) return;
        for (const { id } of entities) waiting.delete(id);
        answers.countSent(Math.max(bytes, ANSWER_PACKET_BYTES), send);
        budget.spent(bytes + PACKET_HEAD_BYTES, entities.length);
        peer.meter.countUpdatesOut(entities.length);
      });
    }
  }

  /** Returns the budget of what a receiver gets alone: its own packets, and the whole states that it asks for. */
  budgetOf(peer: PeerConnection): StateBudget {
    let budget = this.#budgets.get(peer);
    if (!budget) this.#budgets.set(peer, (budget = new StateBudget()));
    budget.refill(this.#options.nowMs(), this.#options.bytesPerSecond());
    return budget;
  }
}
