import {
  isShortSequence,
  limits,
  tickNear,
  type DropReason,
  type Packet,
  type PacketHeader,
} from "@paceline/protocol";
import type { Scheduler } from "../scheduler.js";
import { DelayedAck, PendingAck, PROMPT_BYTES } from "./delayed-ack.js";
import type { Fragment, ReliableClass } from "./outbox/reliable-queue.js";
import { ReceivedPackets } from "./received-packets.js";
import { LossCount, PathLoss } from "./path-loss.js";
import { ReliableInbox } from "./reliable-inbox.js";
import { SequenceWindow } from "./sequence-window.js";

/** Limits the bulk that waits for an earlier fragment: twice what an honest sender has on its way. */
const MAX_EARLY_BULK_BYTES = 131_072;

/**
 * The receiving half of a session: it knows which packets and which reliable messages of the other side have come, what is
 * lost of them, and what is still to be said of it.
 */
export class Receiver {
  readonly #received = new SequenceWindow();
  readonly #packets = new ReceivedPackets();
  /** Only one that sends the same packet to several receivers publishes packets. */
  #publications: ReceivedPackets | undefined;
  /** Incoming loss on the link that carries what may be lost. */
  readonly loss = new LossCount();
  readonly #packetLoss = new PathLoss(this.loss);
  #publicationLoss: PathLoss | undefined;
  readonly #inboxes: Readonly<Record<ReliableClass, ReliableInbox>> = {
    command: new ReliableInbox(limits.sessionQueueBytes),
    bulk: new ReliableInbox(MAX_EARLY_BULK_BYTES),
  };
  readonly #acksDue = new PendingAck();
  readonly #receiptsDue: Readonly<Record<ReliableClass, PendingAck>> = {
    command: new PendingAck(),
    bulk: new PendingAck(),
  };
  readonly #delayedAck: DelayedAck;
  /** The newest tick of the other side that is known. Ticks begin at 0. */
  #newestTick: number | undefined;

  /** @param answer sends a packet that says what has come; false where its link has no room */
  constructor(scheduler: Scheduler, answer: (trafficClass: "state" | "command") => boolean) {
    this.#delayedAck = new DelayedAck(scheduler, answer);
  }

  /** Estimated memory of messages that are not complete or wait for an earlier one, bytes. */
  get heldBytes(): number {
    return this.#inboxes.command.heldBytes + this.#inboxes.bulk.heldBytes;
  }

  /** Says nothing by itself any more. */
  stop(): void {
    this.#delayedAck.sent();
  }

  /**
   * Enters a packet. `duplicate` and `outdated` are to be dropped; a `late` one came in time to be read, but too late to tell
   * whether it came before. A published packet that is too old may have come before, and what is in it is not repeated.
   * @param needsAck whether it is to be acknowledged
   * @param mayBeLost whether nobody repeats it; undefined while no link in use loses packets
   */
  accept(
    packet: Packet,
    needsAck: boolean,
    mayBeLost: boolean | undefined,
  ): "new" | "late" | "duplicate" | "outdated" {
    const { isPublished } = packet;
    const packets = isPublished ? (this.#publications ??= new ReceivedPackets()) : this.#packets;
    const sequence = isShortSequence(packet) ? packets.nearest(packet.sequence) : packet.sequence;
    const novelty = packets.add(sequence);
    if (!isPublished) this.#received.add(sequence);
    if (novelty === "duplicate" || (novelty === "outdated" && isPublished)) return novelty;
    const loss = isPublished ? (this.#publicationLoss ??= new PathLoss(this.loss)) : this.#packetLoss;
    loss.receive(sequence, mayBeLost);
    if (!isPublished && needsAck) this.#acksDue.set();
    return novelty === "new" ? "new" : "late";
  }

  /** The tick of states is the one that is nearest to the newest of the other side; a reason where they are dropped. */
  tickOf({ tick: stamp, isPublished }: Packet, nowMs: number): number | DropReason {
    // The sender builds on what it knows to have arrived: an answer may not wait until there is something to say.
    if (!isPublished) this.#delayedAck.schedule("state", 0, false, nowMs);
    if (stamp === undefined) return "bad-message";
    const tick = tickNear(stamp, this.#newestTick ?? 0);
    if (tick === undefined) return "outdated";
    this.observeTick(tick);
    return tick;
  }

  /** The other side has said its whole tick. */
  observeTick(tick: number): void {
    if (this.#newestTick === undefined || ((tick - this.#newestTick) | 0) > 0) this.#newestTick = tick;
  }

  /** Takes a fragment, as {@link ReliableInbox.receive} does. `isRelayed`: its answer goes through the server. */
  receiveFragment(
    name: ReliableClass,
    fragment: Fragment,
    isRelayed: boolean,
    deliver: (message: Uint8Array) => void,
    maxBytes?: number,
  ): DropReason | undefined {
    const inbox = this.#inboxes[name];
    const isBulk = name === "bulk";
    this.#receiptsDue[name].set();
    // A receipt that says nothing new tells of a message that is missing: it leaves at once, as that of two fragments.
    const isRepeated = fragment.id !== inbox.expected;
    const bytes = isBulk ? PROMPT_BYTES / 2 : fragment.payload.length;
    this.#delayedAck.schedule("command", isRepeated ? PROMPT_BYTES : bytes, isRelayed && !isBulk);
    return inbox.receive(fragment, deliver, maxBytes);
  }

  /** Returns the acks and receipts that are due, for a packet that leaves now. `mayBeLost`: whether the next packets say them too. */
  takeAcks(mayBeLost: boolean, nowMs: number): Pick<PacketHeader, "acks" | "receipt"> {
    this.#delayedAck.sent(nowMs);
    const { command, bulk } = this.#receiptsDue;
    const bulkReceipt = bulk.take(mayBeLost) ? this.#inboxes.bulk.expected : undefined;
    const acks = this.#acksDue.take(mayBeLost) || bulkReceipt !== undefined ? this.#received.acks : undefined;
    return {
      acks: acks && bulkReceipt !== undefined ? { ...acks, bulkReceipt } : acks,
      receipt: command.take(mayBeLost) ? this.#inboxes.command.expected : undefined,
    };
  }
}
