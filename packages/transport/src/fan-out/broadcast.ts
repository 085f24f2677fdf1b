import { limits, writePayloads } from "@paceline/protocol";
import type { ChannelPolicyOf } from "../profiles/plan.js";
import type { Scheduler } from "../scheduler.js";
import { Bundle, commandPeriodMs } from "../session/outbox/bundle.js";
import type { Session } from "../session/session.js";
import { fanOut, type RelayedReceiver } from "../relayed/fan-out.js";
import type { Uplink } from "../relayed/relayed-link.js";

export interface BroadcastReceiver extends RelayedReceiver {
  readonly session: Session;
}

interface Numbered extends BroadcastReceiver {
  readonly firstId: number;
}

export interface BroadcastOptions {
  readonly scheduler: Scheduler;
  /** Returns the plan's policy of a traffic class. */
  readonly channel: ChannelPolicyOf;
  /** Returns the session with the server, or undefined if there is none. */
  uplink(): Uplink | undefined;
}

/** Limit of bytes of the length before each payload. */
const LENGTH_BYTES = 3;

/**
 * Sends reliable messages to several participants through the relay in one body. The envelope names each
 * receiver's own number of the first message, and the relay gives each receiver its number. Each pair of
 * participants keeps its own order, receipts and repetitions. Consecutive messages to the same receivers
 * share an envelope.
 */
export class Broadcast {
  readonly #options: BroadcastOptions;
  readonly #bundle: Bundle;
  readonly #payloads: Uint8Array[] = [];
  #bytes = 0;
  #receivers: Numbered[] = [];

  constructor(options: BroadcastOptions) {
    this.#options = options;
    this.#bundle = new Bundle(options.scheduler, () => this.#send());
  }

  /** Adds a message for the receivers. Throws as {@link Session.sendReliable} does. */
  add(payload: Uint8Array, receivers: readonly BroadcastReceiver[]): void {
    const numbered: Numbered[] = [];
    for (const receiver of receivers) {
      const firstId = receiver.session.addBroadcast(payload);
      // A message that has to wait for receipts travels in the packets of its own session. A receiver could
      // cause that all the time, so such copies count as answers.
      if (firstId === undefined) receiver.session.answer([payload]);
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

  /** Sends the waiting messages at once. */
  flush(): void {
    this.#bundle.release();
  }

  /** Returns true if the message follows the waiting ones directly for each of the receivers. */
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
    const receivers = this.#receivers.sort((a, b) => a.number - b.number);
    const head = { trafficClass: "command", key: 0, isPrompt: true } as const;
    if (uplink) fanOut(uplink, receivers, head, (writer) => writePayloads(writer, this.#payloads));
    this.#payloads.length = 0;
    this.#receivers = [];
    this.#bytes = 0;
  }
}
