import { ByteReader, ByteWriter, MessageKind, limits, type DropReason } from "@paceline/protocol";
import type { Link } from "../link.js";
import type { Clock } from "../scheduler.js";
import { BulkInbox } from "./bulk-inbox.js";
import { BulkOutbox, type BulkRate } from "./bulk-outbox.js";
import { assertBytes } from "./payload-limits.js";

interface BulkTrafficOptions {
  readonly clock: Clock;
  /** The longest message that is taken; 0: none is. */
  readonly maxBytes: () => number;
  readonly rate: BulkRate | undefined;
  /** The link that carries bulk now. */
  link(): Link | undefined;
  readonly send: (trafficClass: "bulk" | "event", kind: MessageKind, body: Uint8Array) => void;
  readonly onMessage: (payload: Uint8Array) => void;
  /** A chunk or a receipt, or what came of it, makes no sense. */
  readonly onViolation: (reason: DropReason) => void;
  readonly onDropped: (reason: DropReason) => void;
}

/** Bulk does not wait in a link's queue behind more than this. */
const ROOM_BYTES = 8192;
const violations: ReadonlySet<DropReason> = new Set(["bad-message", "too-long"]);

/** The bulk of a session, both ways: it goes where the link has nothing else to send. */
export class BulkTraffic {
  readonly #options: BulkTrafficOptions;
  readonly #outbox: BulkOutbox;
  readonly #inbox = new BulkInbox();

  constructor(options: BulkTrafficOptions) {
    this.#options = options;
    this.#outbox = new BulkOutbox((body) => options.send("bulk", MessageKind.bulk, body));
  }

  /** Bytes that the other side has not said to have. */
  get waitingBytes(): number {
    return this.#outbox.waitingBytes;
  }

  /** What is kept, both ways, takes in memory, about. */
  get heldBytes(): number {
    return this.#outbox.heldBytes + this.#inbox.heldBytes;
  }

  /** Messages that the other side has not said to have. */
  get unacknowledged(): number {
    return this.#outbox.unacknowledged;
  }

  /** Throws for what is too long, or too much for now. */
  check(payload: Uint8Array, maxBytes: number = limits.bulkBytes): void {
    assertBytes("message", payload.length, maxBytes);
    this.#outbox.check(payload);
  }

  send(payload: Uint8Array): void {
    this.check(payload);
    this.#outbox.add(payload);
    this.#pump();
  }

  /** To be called now and then; what has had no receipt for so long goes again. */
  update(patienceMs: number): void {
    this.#outbox.repeatAfter(patienceMs, this.#options.clock.nowMs());
    this.#pump();
  }

  /** Another link carries the traffic. */
  moved(): void {
    this.#outbox.repeat();
  }

  receive(body: Uint8Array): void {
    const { maxBytes, onViolation, onDropped, onMessage, send } = this.#options;
    const most = maxBytes();
    if (most === 0) return onViolation("not-allowed");
    const dropped = this.#inbox.receive(body, most, onMessage);
    if (dropped) (violations.has(dropped) ? onViolation : onDropped)(dropped);
    if (!this.#inbox.takeAnswerDue(dropped !== undefined)) return;
    send("event", MessageKind.bulkReceipt, new ByteWriter(2).u16(this.#inbox.expected).view());
  }

  receiveReceipt(body: Uint8Array): void {
    const receipt = new ByteReader(body).u16();
    if (body.length !== 2 || !this.#outbox.acknowledge(receipt, this.#options.clock.nowMs())) {
      return this.#options.onViolation("bad-message");
    }
    this.#pump();
  }

  #pump(): void {
    const { clock, rate } = this.#options;
    const link = this.#options.link();
    if (link?.state !== "open") return;
    const nowMs = clock.nowMs();
    const limit = link.kind === "webrtc" ? undefined : rate;
    this.#outbox.pump(nowMs, (bytes) => link.queuedBytes < ROOM_BYTES && (limit?.take(bytes, nowMs) ?? true));
  }
}
