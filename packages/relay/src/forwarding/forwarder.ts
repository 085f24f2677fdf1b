import { ByteWriter, readEnvelope, writeEnvelope, type Envelope } from "@paceline/protocol";
import type { Clock, DropCounters } from "@paceline/transport";
import type { Participant } from "../sessions/participant.js";

/** Version, flags, class, key, count and the sender's number. */
const DOWNWARD_ENVELOPE_BYTES = 7;
/** Keys are 16 bits per sender: together they are a receiver's key. */
const KEYS_PER_SENDER = 0x10000;

/** Passes packets from one participant of a room to others. It reads the envelope and nothing behind it. */
export class Forwarder {
  readonly #drops: DropCounters;
  readonly #writer = new ByteWriter(1280);
  readonly #clock: Clock;
  #round = 0;

  constructor(drops: DropCounters, clock: Clock) {
    this.#drops = drops;
    this.#clock = clock;
  }

  /** Sends the packet in the envelope `bytes` to every target that has an open link. Encoded once for all. */
  forward(sender: Participant, bytes: Uint8Array): void {
    const envelope = readEnvelope(bytes);
    if (typeof envelope === "string") return sender.session.reportViolation(envelope);
    const { trafficClass, key, subject, peers, packet } = envelope;
    if (!sender.egress.admit(trafficClass, (packet.length + DOWNWARD_ENVELOPE_BYTES) * peers.length)) return;
    const nowMs = subject ? this.#clock.nowMs() : 0;
    const receiverKey = key === 0 ? 0 : sender.number * KEYS_PER_SENDER + key;
    const round = (this.#round += 1);
    let downward: Uint8Array | undefined;
    for (const number of peers) {
      const receiver = sender.room.participant(number);
      const isOpen = receiver !== sender && receiver?.canTake(trafficClass) === true;
      // The same target named twice would let a small packet become a large burst at one receiver.
      if (!receiver || !isOpen || receiver.lastRound === round) {
        this.#drops.count("not-routable");
        continue;
      }
      receiver.lastRound = round;
      const refusal = subject && receiver.filter.refuses(subject, sender.number, nowMs);
      if (refusal) {
        this.#drops.count(refusal);
        continue;
      }
      downward ??= this.#downward(envelope, sender.number);
      receiver.session.forward(trafficClass, downward, receiverKey);
    }
  }

  #downward(envelope: Envelope, senderNumber: number): Uint8Array {
    writeEnvelope(this.#writer.reset(), { ...envelope, peers: [senderNumber] });
    return this.#writer.take();
  }
}
