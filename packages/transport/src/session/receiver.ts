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
import { BULK_FRAGMENT_BYTES } from "./outbox/payload-limits.js";
import type { Fragment, ReliableClass } from "./outbox/reliable-queue.js";
import { ReceivedPackets } from "./received-packets.js";
import { LossCount } from "./loss-count.js";
import { PathLoss } from "./path-loss.js";
import { ReliableInbox, type SavedInbox } from "./reliable-inbox.js";

/** Limit of bytes of bulk that wait for an earlier fragment: twice what an honest sender has on its way. */
const MAX_EARLY_BULK_BYTES = 131_072;

/** The receiving half of a session that goes on in another process. */
export interface SavedReceiver {
  readonly command: SavedInbox;
  readonly bulk: SavedInbox;
}

/**
 * The receiving half of a session. It knows which packets and reliable messages have arrived, measures their
 * loss, and decides which acks and receipts the next packets contain.
 */
export class Receiver {
  readonly #packets = new ReceivedPackets();
  /** Packets that the other side sent to several receivers. They have their own numbers. */
  #publications: ReceivedPackets | undefined;
  /** Incoming loss on the unreliable link. */
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
  readonly #hasGaps: boolean;
  /** Newest known tick of the other side. Ticks begin at 0. */
  #newestTick: number | undefined;

  /**
   * @param answer sends a packet with acks and receipts; returns false if its link has no room
   * @param bundleMs returns the plan's period of messages, ms
   * @param hasGaps true if the other side sends only some of its published packets to this one
   */
  constructor(
    scheduler: Scheduler,
    answer: (trafficClass: "state" | "command") => boolean,
    bundleMs: () => number,
    hasGaps = false,
  ) {
    this.#hasGaps = hasGaps;
    this.#delayedAck = new DelayedAck(scheduler, answer, bundleMs);
  }

  /** Estimated memory of messages that are not complete or wait for an earlier one, bytes. */
  get heldBytes(): number {
    return this.#inboxes.command.heldBytes + this.#inboxes.bulk.heldBytes;
  }

  save(): SavedReceiver {
    const { command, bulk } = this.#inboxes;
    return { command: command.save(), bulk: bulk.save() };
  }

  restore({ command, bulk }: SavedReceiver): void {
    this.#inboxes.command.restore(command);
    this.#inboxes.bulk.restore(bulk);
  }

  /** Stops the timer of answers. */
  stop(): void {
    this.#delayedAck.sent();
  }

  /**
   * Enters a packet. The caller drops a `duplicate` or `outdated` one. A `late` one is too old to know if it
   * arrived before; a published packet of that age is outdated, because nothing in it is repeated.
   * @param needsAck true if it must be acknowledged
   * @param mayBeLost true if nobody repeats it; undefined while no link in use loses packets
   */
  accept(
    packet: Packet,
    needsAck: boolean,
    mayBeLost: boolean | undefined,
  ): "new" | "late" | "duplicate" | "outdated" {
    const { isPublished } = packet;
    const packets = isPublished ? (this.#publications ??= new ReceivedPackets()) : this.#packets;
    const sequence = isShortSequence(packet) ? packets.nearest(packet.sequence) : packet.sequence;
    const isSparse = isPublished && this.#hasGaps;
    const novelty = isSparse ? this.#addSparse(packets, sequence) : packets.add(sequence);
    if (novelty === "duplicate" || (novelty === "outdated" && isPublished)) return novelty;
    const loss = isPublished ? (this.#publicationLoss ??= new PathLoss(this.loss)) : this.#packetLoss;
    loss.receive(sequence, isSparse ? undefined : mayBeLost);
    if (!isPublished && needsAck) this.#acksDue.set();
    return novelty === "new" ? "new" : "late";
  }

  /** Adds a published packet of many that are for others. If nothing came for long, the numbers have wrapped. */
  #addSparse(packets: ReceivedPackets, sequence: number): ReturnType<ReceivedPackets["add"]> {
    const novelty = packets.add(sequence);
    return novelty === "outdated" ? (this.#publications = new ReceivedPackets()).add(sequence) : novelty;
  }

  /**
   * Returns the tick of a packet of states: of all ticks with its low bits, the nearest to the newest known
   * one. Returns a reason if the states must be dropped.
   */
  tickOf({ tick: stamp, isPublished }: Packet, nowMs: number): number | DropReason {
    // The sender encodes differences from states that it knows to have arrived, so it needs an answer soon.
    if (!isPublished) this.#delayedAck.schedule("state", 0, false, nowMs);
    if (stamp === undefined) return "bad-message";
    const tick = tickNear(stamp, this.#newestTick ?? 0);
    if (tick === undefined) return "outdated";
    this.observeTick(tick);
    return tick;
  }

  /** Takes a whole tick of the other side. */
  observeTick(tick: number): void {
    if (this.#newestTick === undefined || ((tick - this.#newestTick) | 0) > 0) this.#newestTick = tick;
  }

  /** Takes a fragment as {@link ReliableInbox.receive} does. `isRelayed`: its receipt goes through the server. */
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
    // A receipt with nothing new shows the sender that a message is missing. It leaves at once, as does the
    // receipt of two fragments of bulk.
    const isRepeated = fragment.id !== inbox.expected;
    const { length } = fragment.payload;
    const bytes = isBulk ? (length / BULK_FRAGMENT_BYTES) * (PROMPT_BYTES / 2) : length;
    this.#delayedAck.schedule(name, isRepeated ? PROMPT_BYTES : bytes, isRelayed);
    return inbox.receive(fragment, deliver, maxBytes);
  }

  /** Returns the acks and receipts for a packet that leaves now. If it may be lost, later ones repeat them. */
  takeAcks(mayBeLost: boolean, nowMs: number): Pick<PacketHeader, "acks" | "receipt"> {
    this.#delayedAck.sent(nowMs);
    const { command, bulk } = this.#receiptsDue;
    const bulkReceipt = bulk.take(mayBeLost) ? this.#inboxes.bulk.expected : undefined;
    const acks = this.#acksDue.take(mayBeLost) || bulkReceipt !== undefined ? this.#packets.acks : undefined;
    return {
      acks: acks && bulkReceipt !== undefined ? { ...acks, bulkReceipt } : acks,
      receipt: command.take(mayBeLost) ? this.#inboxes.command.expected : undefined,
    };
  }
}
