import { ByteWriter, limits, writeEnvelope, writePayloads } from "@paceline/protocol";
import type { ChannelPolicyOf } from "../profiles/plan.js";
import type { Scheduler } from "../scheduler.js";
import { Bundle } from "../session/outbox/bundle.js";
import { commandPeriodMs } from "../session/outbox/outbox.js";
import type { Session } from "../session/session.js";
import type { RelayedLink, Uplink } from "./relayed-link.js";

/** One of several participants that are reached through the relay. */
export interface BroadcastReceiver {
  /** By which the relay knows it. */
  readonly number: number;
  readonly session: Session;
  readonly link: RelayedLink;
}

interface Numbered extends BroadcastReceiver {
  readonly firstId: number;
}

export interface BroadcastOptions {
  readonly scheduler: Scheduler;
  /** The plan's policy of a class of traffic. */
  readonly channel: ChannelPolicyOf;
  /** The session with the server; undefined while there is none. */
  uplink(): Uplink | undefined;
}

/** Three bytes of length before each payload at most. */
const LENGTH_BYTES = 3;

/**
 * Sends reliable messages to several participants through the relay in one body: the envelope has each receiver's own
 * number of the first message, and the relay hands each its number. Order, receipts and repetitions stay the pairs'.
 * Messages that follow each other to the same receivers share an envelope.
 */
export class Broadcast {
  readonly #options: BroadcastOptions;
  readonly #bundle: Bundle;
  readonly #writer = new ByteWriter(1440);
  readonly #payloads: Uint8Array[] = [];
  #bytes = 0;
  #receivers: Numbered[] = [];

  constructor(options: BroadcastOptions) {
    this.#options = options;
    this.#bundle = new Bundle(options.scheduler, () => this.#send());
  }

  /** Throws as {@link Session.sendReliable} does. */
  add(payload: Uint8Array, receivers: readonly BroadcastReceiver[]): void {
    const numbered: Numbered[] = [];
    for (const receiver of receivers) {
      const firstId = receiver.session.addBroadcast(payload);
      // A message that has to wait for receipts goes in the pair's own packets.
      if (firstId === undefined) receiver.session.sendReliable(payload);
      else numbered.push({ ...receiver, firstId });
    }
    if (numbered.length === 0) return;
    const bytes = payload.length + LENGTH_BYTES;
    if (!this.#continues(numbered) || this.#bytes + bytes > limits.unreliablePacketBytes) this.flush();
    if (this.#payloads.length === 0) this.#receivers = numbered;
    this.#payloads.push(payload);
    this.#bytes += bytes;
    this.#bundle.add(bytes, commandPeriodMs([payload], this.#options.channel));
  }

  /** Sends at once what waits for others. */
  flush(): void {
    if (this.#payloads.length > 0) this.#bundle.flush();
  }

  /** Whether to each of the receivers the message is the one behind those that wait. */
  #continues(numbered: readonly Numbered[]): boolean {
    const waiting = this.#receivers;
    const count = this.#payloads.length;
    return (
      waiting.length === numbered.length &&
      numbered.every(({ session, firstId }, index) => {
        const first = waiting[index]!;
        return session === first.session && firstId === ((first.firstId + count) & 0xffff);
      })
    );
  }

  #send(): void {
    const uplink = this.#options.uplink();
    const packet = new ByteWriter(this.#bytes);
    writePayloads(packet, this.#payloads);
    const receivers = this.#receivers.sort((a, b) => a.number - b.number);
    this.#forget();
    for (let first = 0; uplink && first < receivers.length; first += limits.envelopeTargets) {
      const named = receivers.slice(first, first + limits.envelopeTargets);
      for (const { link } of named) link.countSent(packet.length);
      const peers = named.map(({ number }) => number);
      const firstIds = named.map(({ firstId }) => firstId);
      const envelope = { trafficClass: "command", key: 0, isPrompt: true, peers, firstIds } as const;
      writeEnvelope(this.#writer.reset(), { ...envelope, packet: packet.view() });
      uplink.forward("command", this.#writer.take());
    }
  }

  #forget(): void {
    this.#payloads.length = 0;
    this.#receivers = [];
    this.#bytes = 0;
  }
}
