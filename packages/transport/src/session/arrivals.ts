import {
  isShortSequence,
  limits,
  tickNear,
  type DropReason,
  type Packet,
  type PacketHeader,
} from "@paceline/protocol";
import type { Scheduler } from "../scheduler.js";
import { Answer, News, PROMPT_BYTES } from "./answer.js";
import type { Fragment, ReliableClass } from "./outbox/reliable-queue.js";
import { PacketMemory } from "./packet-memory.js";
import { LossCount, PathLoss } from "./path-loss.js";
import { ReliableInbox } from "./reliable-inbox.js";
import { SequenceWindow } from "./sequence-window.js";

/** Most bytes of bulk that wait for an earlier fragment: twice what an honest sender has on its way. */
const MAX_EARLY_BULK_BYTES = 131_072;

/**
 * The receiving half of a session. It knows which packets and reliable messages have arrived, which were
 * lost, and which acks and receipts are still to be sent.
 */
export class Arrivals {
  readonly #received = new SequenceWindow();
  readonly #packets = new PacketMemory();
  readonly #publications = new PacketMemory();
  /** Incoming loss on the link that carries what may be lost. */
  readonly loss = new LossCount();
  readonly #packetLoss = new PathLoss(this.loss);
  readonly #publicationLoss = new PathLoss(this.loss);
  readonly #inboxes: Readonly<Record<ReliableClass, ReliableInbox>> = {
    command: new ReliableInbox(limits.sessionQueueBytes),
    bulk: new ReliableInbox(MAX_EARLY_BULK_BYTES),
  };
  readonly #acksDue = new News();
  readonly #receiptsDue: Readonly<Record<ReliableClass, News>> = { command: new News(), bulk: new News() };
  readonly #answer: Answer;
  /** The newest known tick of the other side. Ticks begin at 0. */
  #newestTick: number | undefined;

  /** @param answer sends a packet with the acks and receipts; returns false if its link has no room */
  constructor(scheduler: Scheduler, answer: (trafficClass: "state" | "command") => boolean) {
    this.#answer = new Answer(scheduler, answer);
  }

  /** Estimated memory of messages that are incomplete or wait for an earlier one, bytes. */
  get heldBytes(): number {
    return this.#inboxes.command.heldBytes + this.#inboxes.bulk.heldBytes;
  }

  /** Cancels the scheduled answer. */
  stop(): void {
    this.#answer.given();
  }

  /**
   * Enters a packet. The caller drops a `duplicate` or `outdated` one. A `late` packet came in time to be
   * read, but too late to know if it came before. A published packet of that age is `outdated`, because it
   * may have come before and has no reliable messages.
   * @param isNews true if the packet must be acknowledged
   * @param mayBeLost true if nobody repeats the packet; undefined if no link in use loses packets
   */
  enter(
    packet: Packet,
    isNews: boolean,
    mayBeLost: boolean | undefined,
  ): "new" | "late" | "duplicate" | "outdated" {
    const { isPublished } = packet;
    const packets = isPublished ? this.#publications : this.#packets;
    const sequence = isShortSequence(packet) ? packets.nearest(packet.sequence) : packet.sequence;
    const novelty = packets.add(sequence);
    if (!isPublished) this.#received.add(sequence);
    if (novelty === "duplicate" || (novelty === "outdated" && isPublished)) return novelty;
    (isPublished ? this.#publicationLoss : this.#packetLoss).receive(sequence, mayBeLost);
    if (!isPublished && isNews) this.#acksDue.add();
    return novelty === "new" ? "new" : "late";
  }

  /**
   * Returns the tick of states: the one nearest to the other side's newest. Returns a reason if they must be
   * dropped.
   */
  tickOf({ tick: stamp, isPublished }: Packet): number | DropReason {
    // Answers states even if no other packet leaves: the sender codes later states as differences from those.
    if (!isPublished) this.#answer.soon("state", 0);
    if (stamp === undefined) return "bad-message";
    const tick = tickNear(stamp, this.#newestTick ?? 0);
    if (tick === undefined) return "outdated";
    this.heardTick(tick);
    return tick;
  }

  /** Takes the other side's tick with all its bits. Packets have only the lowest 16. */
  heardTick(tick: number): void {
    if (this.#newestTick === undefined || ((tick - this.#newestTick) | 0) > 0) this.#newestTick = tick;
  }

  /**
   * Takes a fragment as {@link ReliableInbox.receive} does. `isRelayed`: the answer goes through the relay.
   */
  receive(
    name: ReliableClass,
    fragment: Fragment,
    isRelayed: boolean,
    deliver: (message: Uint8Array) => void,
    maxBytes?: number,
  ): DropReason | undefined {
    const inbox = this.#inboxes[name];
    const isBulk = name === "bulk";
    this.#receiptsDue[name].add();
    // A fragment out of order means that another is missing, or that a receipt was lost: the receipt leaves
    // at once. Two fragments of bulk are also answered at once.
    const isRepeated = fragment.id !== inbox.expected;
    const bytes = isBulk ? PROMPT_BYTES / 2 : fragment.payload.length;
    this.#answer.soon("command", isRepeated ? PROMPT_BYTES : bytes, isRelayed && !isBulk);
    return inbox.receive(fragment, deliver, maxBytes);
  }

  /** Returns the acks and receipts for a packet that leaves now. `mayBeLost`: that packet may be lost. */
  said(mayBeLost: boolean): Pick<PacketHeader, "acks" | "receipt"> {
    this.#answer.given();
    const { command, bulk } = this.#receiptsDue;
    const bulkReceipt = bulk.take(mayBeLost) ? this.#inboxes.bulk.expected : undefined;
    const acks = this.#acksDue.take(mayBeLost) || bulkReceipt !== undefined ? this.#received.acks : undefined;
    return {
      acks: acks && bulkReceipt !== undefined ? { ...acks, bulkReceipt } : acks,
      receipt: command.take(mayBeLost) ? this.#inboxes.command.expected : undefined,
    };
  }
}
