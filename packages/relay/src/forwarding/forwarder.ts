import {
  ByteWriter,
  downwardOf,
  readUpwardEnvelope,
  readView,
  writeEnvelope,
  type CellEnvelope,
  type ClientMessage,
  type Envelope,
} from "@paceline/protocol";
import type { DropCounters } from "@paceline/transport";
import type { RelaySettings } from "../options/relay-options.js";
import type { Participant } from "../sessions/participant.js";
import type { Room } from "../sessions/room.js";
import { RoomCells } from "./room-cells.js";
import { RoomWindow } from "./room-window.js";

type Upward = Envelope & Partial<CellEnvelope>;

/** Version and flags, class, the sender's number, and in a broadcast a message number. */
const DOWNWARD_ENVELOPE_BYTES = 6;
/** A broadcast whose copies have more bytes than this together does not wait in a window. */
const MAX_COPIED_BYTES = 16_384;
/** A key has 16 bits per sender. A receiver's key is the sender's number and the key together. */
const KEYS_PER_SENDER = 0x10000;

/** Forwards packets from one participant of a room to others. It reads only the envelope. */
export class Forwarder {
  readonly #drops: DropCounters;
  readonly #writer = new ByteWriter(1280);
  readonly #settings: RelaySettings;
  readonly #windows = new WeakMap<Room, RoomWindow>();
  /** Rooms whose members name cells. */
  readonly #cells = new WeakMap<Room, RoomCells>();
  #round = 0;

  constructor(drops: DropCounters, settings: RelaySettings) {
    this.#drops = drops;
    this.#settings = settings;
  }

  /** Forwards the packet in an envelope, at once or when the room's rate allows it. */
  forward(sender: Participant, received: Uint8Array): void {
    const envelope = readUpwardEnvelope(received);
    if (typeof envelope === "string") return sender.session.reportViolation(envelope);
    // A packet that waits goes first.
    if (sender.waiting.length > 0) return this.#hold(sender, envelope, received);
    const refusal = sender.forwards.take(this.#targetsOf(sender, envelope), this.#settings.scheduler.nowMs());
    if (!refusal) return this.#forward(sender, envelope);
    this.#settings.counters.count("limited", refusal);
    this.#hold(sender, envelope, received);
  }

  /** Keeps a packet until the room's rate allows it. While a reliable one waits, no more are read. */
  #hold(sender: Participant, envelope: Upward, received: Uint8Array): void {
    const { waiting } = sender;
    const { replaced, dropped } = waiting.add(envelope, received, this.#settings.scheduler.nowMs());
    this.#settings.counters.backPressure.statesReplaced += replaced;
    this.#drops.count("queue-full", dropped);
    if (waiting.hasReliable) sender.reading.begin();
    this.#scheduleWaiting(sender);
  }

  #scheduleWaiting(sender: Participant): void {
    const { waiting, forwards } = sender;
    const envelope = waiting.first && readUpwardEnvelope(waiting.first.bytes);
    if (!envelope || typeof envelope === "string" || waiting.cancel) return;
    const { scheduler } = this.#settings;
    const waitMs = forwards.waitMs(this.#targetsOf(sender, envelope), scheduler.nowMs());
    waiting.cancel = scheduler.after(Math.max(1, Math.ceil(waitMs)), () => {
      waiting.cancel = undefined;
      try {
        this.#forwardWaiting(sender);
      } catch (error) {
        sender.fail("packet", error);
      }
    });
  }

  #forwardWaiting(sender: Participant): void {
    const { waiting } = sender;
    const nowMs = this.#settings.scheduler.nowMs();
    for (let first = waiting.first; first; first = waiting.first) {
      const envelope = readUpwardEnvelope(first.bytes);
      const isLate = first.expiresAtMs < nowMs || typeof envelope === "string";
      if (!isLate && sender.forwards.take(this.#targetsOf(sender, envelope), nowMs)) break;
      waiting.shift();
      if (isLate) this.#drops.count("outdated");
      else this.#forward(sender, envelope);
    }
    if (!waiting.hasReliable) sender.reading.end();
    this.#scheduleWaiting(sender);
  }

  /**
   * Sets the cells that a participant sees, and gives it the states that are kept of the new ones. A view that is malformed
   * is a violation; one that comes too soon is counted, and the one before it stays.
   */
  view(viewer: Participant, { cells: bytes, again }: ClientMessage & { readonly type: "view" }): void {
    const named = readView(bytes);
    if (!named) return viewer.session.reportViolation("bad-message");
    const nowMs = this.#settings.scheduler.nowMs();
    const cells = this.#cellsOf(viewer.room);
    const added = cells.see(viewer, named, again === true, nowMs);
    if (!added) return this.#drops.count("rate-limit");
    for (const [{ number }, { key, packet }] of cells.keptFor(viewer, added, nowMs)) {
      const bytesOut = packet.length + DOWNWARD_ENVELOPE_BYTES;
      const isWithin = !viewer.forwards.take(1, nowMs) && viewer.meter.admitForwarded("state", bytesOut);
      // Its owner sends the entity again within its heartbeat.
      if (!isWithin || !viewer.canTake("state")) return this.#drops.count("rate-limit");
      const encoded = this.#encode({ trafficClass: "state", key: 0, peers: [], packet }, number);
      viewer.session.outbox.forward("state", encoded, key === 0 ? 0 : number * KEYS_PER_SENDER + key);
    }
  }

  /** Forgets what a participant sees, and its states. */
  forget(participant: Participant): void {
    this.#cells.get(participant.room)?.forget(participant);
  }

  /**
   * Returns the number of targets. Every named one counts, because each costs time, even if it gets nothing; a packet for
   * nobody counts as one.
   */
  #targetsOf({ room }: Participant, envelope: Upward): number {
    return isOfCell(envelope) ? Math.max(1, this.#cellsOf(room).count(envelope)) : envelope.peers.length;
  }

  /**
   * Forwards a packet to every target with an open link. Encodes it once for all targets, a broadcast once for
   * each.
   */
  #forward(sender: Participant, envelope: Upward): void {
    const { trafficClass, key, packet } = envelope;
    const targets = this.#targetsOf(sender, envelope);
    const isBroadcast = envelope.firstIds !== undefined;
    const bytes = (packet.length + DOWNWARD_ENVELOPE_BYTES) * targets;
    if (!sender.meter.admitForwarded(trafficClass, bytes)) return;
    const receiverKey = key === 0 ? 0 : sender.number * KEYS_PER_SENDER + key;
    const { room } = sender;
    const window = this.#windowOf(room);
    let place: number | undefined;
    let encoded: Uint8Array | undefined;
    const mayWait = !isBroadcast || packet.length * targets <= MAX_COPIED_BYTES;
    let first: number | undefined;
    for (const receiver of this.#receivers(sender, envelope)) {
      const held = mayWait ? receiver.links.heldFrames(trafficClass) : undefined;
      // A broadcast has a message number for each receiver. Other packets are the same for all.
      const own = isBroadcast ? numberedFor(receiver, envelope) : envelope;
      if (held) {
        if (isBroadcast || place === undefined) place = window.add(own, sender.number, receiverKey);
        first ??= place;
        window.addReceiver(place, receiver, held);
      } else {
        if (isBroadcast || !encoded) encoded = this.#encode(own, sender.number);
        receiver.session.outbox.forward(trafficClass, encoded, receiverKey);
      }
    }
    if (isOfCell(envelope)) this.#cellsOf(room).keep(sender, envelope, this.#settings.scheduler.nowMs());
    if (first !== undefined) window.schedule(first, room.size, envelope.isPrompt === true);
  }

  /** Returns the targets that get the packet, and counts the others as drops. */
  #receivers(sender: Participant, envelope: Upward): Participant[] {
    if (isOfCell(envelope)) return this.#viewersOf(sender, envelope);
    const { room, number: from } = sender;
    const { trafficClass, subject, peers } = envelope;
    const receivers: Participant[] = [];
    const nowMs = subject ? this.#settings.scheduler.nowMs() : 0;
    const round = (this.#round += 1);
    for (const number of peers) {
      const receiver = number === from ? undefined : room.participant(number);
      // Otherwise a small packet that names one target many times would become a large burst.
      if (!receiver?.canTake(trafficClass) || receiver.lastRound === round) {
        this.#drops.count("not-routable");
        continue;
      }
      receiver.lastRound = round;
      const refusal = subject && receiver.filter.refuses(subject, from, nowMs);
      if (refusal) this.#drops.count(refusal);
      else receivers.push(receiver);
    }
    return receivers;
  }

  /**
   * Returns those who see the packet's cell and are not left out. A receiver that cannot take it is no mistake of the
   * sender, which does not know who sees a cell.
   */
  #viewersOf(sender: Participant, envelope: CellEnvelope): Participant[] {
    const { subject, peers } = envelope;
    const { number: from } = sender;
    const nowMs = this.#settings.scheduler.nowMs();
    const receivers: Participant[] = [];
    for (const viewer of this.#cellsOf(sender.room).viewers(envelope)) {
      if (viewer === sender || peers.includes(viewer.number) || !viewer.canTake("state")) continue;
      const refusal = subject && viewer.filter.refuses(subject, from, nowMs);
      if (refusal) this.#drops.count(refusal);
      else receivers.push(viewer);
    }
    return receivers;
  }

  #cellsOf(room: Room): RoomCells {
    let cells = this.#cells.get(room);
    if (!cells) this.#cells.set(room, (cells = new RoomCells(room)));
    return cells;
  }

  #windowOf(room: Room): RoomWindow {
    let window = this.#windows.get(room);
    if (!window) this.#windows.set(room, (window = new RoomWindow(this.#settings)));
    return window;
  }

  #encode(envelope: Envelope, senderNumber: number): Uint8Array {
    writeEnvelope(this.#writer.reset(), downwardOf(envelope, senderNumber));
    return this.#writer.take();
  }
}

function isOfCell(envelope: Upward): envelope is CellEnvelope {
  return envelope.cell !== undefined;
}

/**
 * Returns a broadcast's envelope with this receiver's message number only, or any other envelope unchanged.
 */
function numberedFor({ number }: Participant, envelope: Envelope): Envelope {
  const { peers, firstIds } = envelope;
  return firstIds ? { ...envelope, firstIds: [firstIds[peers.indexOf(number)]!] } : envelope;
}
