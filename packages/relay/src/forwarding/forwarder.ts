import { ByteWriter, downwardOf, readEnvelope, writeEnvelope, type Envelope } from "@paceline/protocol";
import type { DropCounters } from "@paceline/transport";
import type { RelaySettings } from "../options/relay-options.js";
import type { Participant } from "../sessions/participant.js";
import type { Room } from "../sessions/room.js";
import { RoomWindow } from "./room-window.js";

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
  #round = 0;

  constructor(drops: DropCounters, settings: RelaySettings) {
    this.#drops = drops;
    this.#settings = settings;
  }

  /** Forwards the packet in an envelope, at once or when the room's rate allows it. */
  forward(sender: Participant, received: Uint8Array): void {
    const envelope = readEnvelope(received);
    if (typeof envelope === "string") return sender.session.reportViolation(envelope);
    // A packet that waits goes first.
    if (sender.waiting.length > 0) return this.#hold(sender, envelope, received);
    // Every named target counts, because each costs time, even if it gets nothing.
    const refusal = sender.forwards.take(envelope.peers.length, this.#settings.scheduler.nowMs());
    if (!refusal) return this.#forward(sender, envelope);
    this.#settings.counters.count("limited", refusal);
    this.#hold(sender, envelope, received);
  }

  /** Keeps a packet until the room's rate allows it. While a reliable one waits, no more are read. */
  #hold(sender: Participant, envelope: Envelope, received: Uint8Array): void {
    const { waiting } = sender;
    const { replaced, dropped } = waiting.add(envelope, received, this.#settings.scheduler.nowMs());
    this.#settings.counters.backPressure.statesReplaced += replaced;
    this.#drops.count("queue-full", dropped);
    if (waiting.hasReliable) sender.reading.begin();
    this.#scheduleWaiting(sender);
  }

  #scheduleWaiting(sender: Participant): void {
    const { waiting, forwards } = sender;
    const envelope = waiting.first && readEnvelope(waiting.first.bytes);
    if (!envelope || typeof envelope === "string" || waiting.cancel) return;
    const { scheduler } = this.#settings;
    const waitMs = forwards.waitMs(envelope.peers.length, scheduler.nowMs());
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
      const envelope = readEnvelope(first.bytes);
      const isLate = first.expiresAtMs < nowMs || typeof envelope === "string";
      if (!isLate && sender.forwards.take(envelope.peers.length, nowMs)) break;
      waiting.shift();
      if (isLate) this.#drops.count("outdated");
      else this.#forward(sender, envelope);
    }
    if (!waiting.hasReliable) sender.reading.end();
    this.#scheduleWaiting(sender);
  }

  /**
   * Forwards a packet to every target with an open link. Encodes it once for all targets, a broadcast once for
   * each.
   */
  #forward(sender: Participant, envelope: Envelope): void {
    const { trafficClass, key, peers, packet } = envelope;
    const isBroadcast = envelope.firstIds !== undefined;
    const bytes = (packet.length + DOWNWARD_ENVELOPE_BYTES) * peers.length;
    if (!sender.meter.admitForwarded(trafficClass, bytes)) return;
    const receiverKey = key === 0 ? 0 : sender.number * KEYS_PER_SENDER + key;
    const { room } = sender;
    const window = this.#windowOf(room);
    let place: number | undefined;
    let encoded: Uint8Array | undefined;
    const mayWait = !isBroadcast || packet.length * peers.length <= MAX_COPIED_BYTES;
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
    if (first !== undefined) window.schedule(first, room.size, envelope.isPrompt === true);
  }

  /** Returns the targets that get the packet, and counts the others as drops. */
  #receivers({ room, number: from }: Participant, { trafficClass, subject, peers }: Envelope): Participant[] {
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

/**
 * Returns a broadcast's envelope with this receiver's message number only, or any other envelope unchanged.
 */
function numberedFor({ number }: Participant, envelope: Envelope): Envelope {
  const { peers, firstIds } = envelope;
  return firstIds ? { ...envelope, firstIds: [firstIds[peers.indexOf(number)]!] } : envelope;
}
