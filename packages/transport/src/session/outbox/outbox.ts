import {
  ByteWriter,
  MessageKind,
  PayloadKind,
  SEQUENCE_MODULUS,
  limits,
  messageBytes,
  nextSequence,
  writeMessage,
  writePacketHeader,
  type Acks,
  type PacketHeader,
  type TrafficClassName,
} from "@paceline/protocol";
import type { Link } from "../../link.js";
import type { ChannelPolicy, PlannedClass } from "../../profiles/plan.js";
import type { Scheduler } from "../../scheduler.js";
import {
  BULK_HEAD_BYTES,
  LAST_CHUNK,
  MAX_EVENT_BYTES,
  MAX_PAYLOAD_BYTES,
  PACKET_OVERHEAD_BYTES,
  assertBytes,
} from "../payload-limits.js";
import { AcknowledgedSequences } from "../acknowledged-sequences.js";
import { StateGate } from "../state-gate.js";
import { BulkQueue } from "./bulk-queue.js";
import { Bundle } from "./bundle.js";
import { ReliableQueue } from "./reliable-queue.js";

/** What all sessions of a room may send together as bulk where a relay counts their bytes. */
export interface BulkRate {
  /** Whether so many bytes may go now; they are counted then. */
  take(bytes: number, nowMs: number): boolean;
}

export interface OutboxOptions {
  readonly scheduler: Scheduler;
  /** The link that carries traffic of this class now. */
  linkFor(trafficClass: TrafficClassName): Link | undefined;
  /** The header of a packet that leaves now: the tick, and what has arrived here. */
  header(sequence: number): PacketHeader;
  /** A packet leaves that says what has arrived. */
  onAnswered(): void;
  /** The plan's policy of a class of traffic, asked at every message. Default: all leaves at once. */
  readonly channel: ((name: PlannedClass) => ChannelPolicy) | undefined;
  readonly bulkRate: BulkRate | undefined;
}

/**
 * Spacing of packets with a game's commands. A lone command leaves at once; a game that sends 1,200 a second makes 200
 * packets of them, which is within what a relay lets a session send.
 */
const MIN_COMMAND_PERIOD_MS = 5;
/** While so much waits in the link, reliable messages wait here: a link whose queue is full is closed. */
const BUSY_LINK_BYTES = 262_144;
/** Bulk does not wait in a link's queue behind more than this. */
const BULK_ROOM_BYTES = 8192;
/** Beyond the keys of entities: one packet of inputs waits at most. */
const INPUT_KEY = 2 ** 40;

interface WaitingEvent {
  readonly body: Uint8Array;
  readonly lifetimeMs: number | undefined;
}

/**
 * All that a session sends: it decides what leaves when, and in which packet. Commands and bulk are kept until the other
 * side has said that it has them; small messages share packets; states are held back while the path is slow.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  /** Commands without a receipt. */
  readonly commands = new ReliableQueue();
  /** Bulk without a receipt. */
  readonly bulk = new BulkQueue();
  readonly #acknowledged = new AcknowledgedSequences();
  readonly #gate: StateGate;
  readonly #commandBundle: Bundle;
  readonly #eventBundle: Bundle;
  readonly #events: WaitingEvent[] = [];
  readonly #writer = new ByteWriter(1280);
  #sequence = 0;
  /** Packets sent so far; counts no further than a circle's half, beyond which nothing can be acknowledged. */
  #packetsSent = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#gate = new StateGate((packet, key) => options.linkFor("state")?.send("state", packet, key));
    this.#commandBundle = new Bundle(options.scheduler, () => this.pump());
    this.#eventBundle = new Bundle(options.scheduler, () => this.#sendEvents());
  }

  /** What waits takes in memory, about. */
  get heldBytes(): number {
    return this.commands.heldBytes + this.bulk.heldBytes + this.#gate.heldBytes;
  }

  /** Whether states take much longer than the path needs: they stand in a queue somewhere. */
  get isStateSlow(): boolean {
    return this.#gate.isSlow(this.#nowMs());
  }

  /** Whether a state would leave at once, and not wait for the path. */
  get takesStates(): boolean {
    return this.#gate.hasRoom(this.#nowMs());
  }

  /** Throws where too much waits. Returns the number of the last message. */
  addCommands(payloads: readonly Uint8Array[], periodMs: number | undefined): number {
    const id = this.commands.add(payloads, this.#nowMs());
    let bytes = 0;
    for (const { length } of payloads) bytes += messageBytes(length + 2);
    this.#commandBundle.add(bytes, periodMs ?? this.#commandPeriodMs(payloads));
    return id;
  }

  /** Throws where too much waits. */
  addBulk(payload: Uint8Array): void {
    this.bulk.add(payload);
    this.#pumpBulk();
  }

  addEvent(body: Uint8Array, lifetimeMs: number | undefined): void {
    assertBytes("event", body.length, MAX_EVENT_BYTES);
    const policy = this.#options.channel?.("event");
    this.#events.push({ body, lifetimeMs: lifetimeMs ?? policy?.lifetimeMs });
    this.#eventBundle.add(messageBytes(body.length), policy?.periodMs ?? 0);
  }

  /** Returns the packet's sequence; undefined where no link is usable, and nothing is sent. */
  addState(body: Uint8Array, key: number, head: Uint8Array): number | undefined {
    const link = this.#options.linkFor("state");
    const most = link?.isUnreliable === false ? MAX_PAYLOAD_BYTES : MAX_EVENT_BYTES;
    assertBytes("state", head.length + body.length, most);
    if (!link) return undefined;
    const sequence = this.#sequence;
    const writer = this.#startPacket();
    writer
      .u8(MessageKind.state)
      .varint(head.length + body.length)
      .bytes(head)
      .bytes(body);
    this.#gate.take({ sequence, packet: writer.take(), key }, this.#nowMs());
    return sequence;
  }

  addInput(body: Uint8Array): void {
    assertBytes("input", body.length, MAX_EVENT_BYTES);
    const link = this.#options.linkFor("input");
    if (!link) return;
    const writer = this.#startPacket();
    writeMessage(writer, MessageKind.input, body);
    // Where each must arrive none is replaced.
    if (this.#options.channel?.("input").delivery === "ordered-reliable") link.send("command", writer.take());
    else link.send("input", writer.take(), INPUT_KEY);
  }

  /** Sends one message over a link at once: of the session itself. */
  sendNow(link: Link | undefined, trafficClass: TrafficClassName, kind: MessageKind, body: Uint8Array): void {
    if (!link) return;
    const writer = this.#startPacket();
    writeMessage(writer, kind, body);
    link.send(trafficClass, writer.take());
  }

  /** A packet that says what has arrived, and nothing else. */
  sendAnswer(trafficClass: "state" | "command"): void {
    this.#options.linkFor(trafficClass)?.send(trafficClass, this.#startPacket().take());
  }

  /** Sends at once what waits for others to share its packet. */
  flush(): void {
    if (this.#commandBundle.isWaiting) this.#commandBundle.flush();
    if (this.#eventBundle.isWaiting) this.#eventBundle.flush();
  }

  /** The other side has everything before `receipt`. False for a receipt of what was never sent. */
  acknowledgeCommands(receipt: number): boolean {
    return this.commands.acknowledge(receipt, this.#nowMs()) !== undefined;
  }

  /** The same of the chunks of bulk. */
  acknowledgeBulk(receipt: number): boolean {
    const isKnown = this.bulk.acknowledge(receipt, this.#nowMs());
    if (isKnown) this.#pumpBulk();
    return isKnown;
  }

  /** What the other side says to have arrived: each packet is reported once. False for acks of what was never sent. */
  acknowledgePackets(acks: Acks, report: (sequence: number) => void): boolean {
    const nowMs = this.#nowMs();
    return this.#acknowledged.take(acks, this.#sequence, this.#packetsSent, (sequence) => {
      this.#gate.acknowledged(sequence, nowMs);
      this.commands.rewindIfLost(sequence);
      report(sequence);
    });
  }

  /** To be called now and then: what has had no receipt for so long goes again. */
  update(patienceMs: number): void {
    const nowMs = this.#nowMs();
    this.bulk.rewindIfOverdue(patienceMs, nowMs);
    this.#pumpBulk();
    this.commands.rewindIfOverdue(patienceMs, nowMs);
    this.pump();
    this.#gate.update(nowMs);
  }

  /** All that has no receipt goes again. */
  repeat(): void {
    this.commands.rewind();
    this.#commandBundle.flush();
    this.bulk.rewind();
  }

  /** Another link carries the states from now on. */
  stateLinkMoved(): void {
    this.#gate.moved(this.#nowMs());
  }

  /** Sends nothing by itself any more. */
  stop(): void {
    this.#commandBundle.stop();
    this.#eventBundle.stop();
  }

  /** Sends commands that have not been sent over the present link yet, while it has room and nothing waits for others. */
  pump(): void {
    if (this.#commandBundle.isWaiting) return;
    const link = this.#options.linkFor("command");
    while (link && link.queuedBytes < BUSY_LINK_BYTES) {
      const batch = this.commands.takeBatch();
      if (!batch) return;
      this.commands.carried(batch, this.#sequence, this.#nowMs());
      const writer = this.#startPacket();
      for (const { id, payload } of batch) {
        writer.u8(MessageKind.reliable).varint(payload.length + 2);
        writer.u16(id).bytes(payload);
      }
      link.send("command", writer.take());
    }
  }

  #pumpBulk(): void {
    const link = this.#options.linkFor("bulk");
    if (link?.state !== "open") return;
    const nowMs = this.#nowMs();
    const rate = link.kind === "webrtc" ? undefined : this.#options.bulkRate;
    for (;;) {
      const bytes = this.bulk.nextBytes(nowMs);
      if (bytes === undefined || link.queuedBytes >= BULK_ROOM_BYTES) return;
      if (rate?.take(bytes, nowMs) === false) return;
      const chunk = this.bulk.take(this.#sequence, nowMs);
      if (!chunk) return;
      const writer = this.#startPacket(false);
      writer.u8(MessageKind.bulk).varint(chunk.payload.length + BULK_HEAD_BYTES);
      writer
        .u16(chunk.id)
        .u8(chunk.isLast ? LAST_CHUNK : 0)
        .bytes(chunk.payload);
      link.send("bulk", writer.take());
    }
  }

  #sendEvents(): void {
    const link = this.#options.linkFor("event");
    const events = this.#events.splice(0);
    for (let next = 0; link && next < events.length;) {
      const { lifetimeMs } = events[next]!;
      const writer = this.#startPacket();
      let bytes = PACKET_OVERHEAD_BYTES;
      do {
        const { body } = events[next++]!;
        bytes += messageBytes(body.length);
        writeMessage(writer, MessageKind.event, body);
      } while (
        next < events.length &&
        bytes + messageBytes(events[next]!.body.length) <= limits.unreliablePacketBytes
      );
      link.send("event", writer.take(), 0, lifetimeMs);
    }
  }

  /** Only a game's own commands wait for others: what a session says of itself takes them with it. */
  #commandPeriodMs(payloads: readonly Uint8Array[]): number {
    if (payloads[0]?.[0] !== PayloadKind.command) return 0;
    return Math.max(MIN_COMMAND_PERIOD_MS, this.#options.channel?.("command").periodMs ?? 0);
  }

  /** Every packet of a session says what has arrived, so that a receipt rarely needs a packet of its own. */
  #startPacket(isPrompt = true): ByteWriter {
    const sequence = this.#sequence;
    this.#sequence = nextSequence(sequence);
    this.#packetsSent = Math.min(this.#packetsSent + 1, SEQUENCE_MODULUS / 2 - 1);
    if (isPrompt) this.#options.onAnswered();
    writePacketHeader(this.#writer.reset(), this.#options.header(sequence));
    return this.#writer;
  }

  #nowMs(): number {
    return this.#options.scheduler.nowMs();
  }
}
