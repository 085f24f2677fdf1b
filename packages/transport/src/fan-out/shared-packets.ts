import {
  MessageKind,
  limits,
  messageBytes,
  nextSequence,
  writeMessage,
  writePacketHeader,
  type ByteWriter,
} from "@paceline/protocol";
import type { ChannelPolicyOf } from "../profiles/plan.js";
import { fanOut, packetOf, type RelayedReceiver } from "../relayed/fan-out.js";
import type { RelayedLink, Uplink } from "../relayed/relayed-link.js";
import type { Scheduler } from "../scheduler.js";
import { assertEventBytes } from "../session/outbox/payload-limits.js";
import type { Session } from "../session/session.js";
import { Bundle } from "../session/outbox/bundle.js";

/** One of several participants that get the same packets. */
interface Subscriber {
  /** Number of the session at the relay. */
  readonly sessionNumber: number;
  readonly session: Session;
  /** The link through the relay if it carries this peer's states. Undefined if a direct link does. */
  readonly relayedState: RelayedLink | undefined;
}

export interface SharedPacketsOptions {
  readonly scheduler: Scheduler;
  /** Returns the plan's policy of a traffic class. */
  readonly channel: ChannelPolicyOf;
  /** Returns the subscribers that get events. Called when a packet leaves. */
  peers(): Iterable<Subscriber>;
  /** Returns the session with the relay, or undefined if there is none. */
  uplink(): Uplink | undefined;
  /** True if some packets go to a part of the receivers only: then a short number could be taken for another one. */
  readonly hasGaps?: boolean;
}

/** A message that waits for its packet. `head` stands before the body. */
interface Message {
  readonly head?: Uint8Array;
  readonly body: Uint8Array;
}

/** Properties of a packet apart from its messages. */
interface Terms {
  readonly trafficClass: "state" | "event";
  /** Tick of states. Other messages have none. */
  readonly tick?: number;
  readonly receivers: readonly Subscriber[];
  /** Id of the entity if the packet is about one entity only. A later packet about it replaces this one. */
  readonly alone?: number | undefined;
  readonly lifetimeMs?: number;
}

const PACKET_HEAD_BYTES = 5;

/**
 * Sends the same states and events to several receivers. Each packet is encoded once, goes once over every
 * direct link, and goes once to the relay for all receivers that it serves. The bodies of one tick share packets,
 * and so do the events within one period of the plan. A body is copied once, into the packet. The packet for
 * direct links is a part of the envelope that goes to the relay.
 */
export class SharedPackets {
  readonly #options: SharedPacketsOptions;
  readonly #eventBundle: Bundle;
  readonly #events: Message[] = [];
  #messages: Message[] = [];
  #bytes = PACKET_HEAD_BYTES;
  #terms: Terms | undefined;
  #sequence = 0;

  constructor(options: SharedPacketsOptions) {
    this.#options = options;
    this.#eventBundle = new Bundle(options.scheduler, () => this.#sendEvents());
  }

  /** Adds an event to those of the plan's period. Throws {@link ConfigError} if it is too long. */
  addEvent(body: Uint8Array): void {
    assertEventBytes(body.length);
    this.#events.push({ body });
    this.#eventBundle.add(body.length, this.#options.channel("event").periodMs);
  }

  /** Sends the waiting events at once. */
  flush(): void {
    this.#eventBundle.release();
  }

  #sendEvents(): void {
    const options = this.#options;
    const { lifetimeMs } = options.channel("event");
    const receivers = [...options.peers()];
    const terms = { trafficClass: "event", receivers, lifetimeMs } as const;
    for (const event of this.#events.splice(0)) this.add(event, terms);
    this.send();
  }

  /**
   * Adds a body. It is read when its packet leaves: at {@link send}, or when a later body does not fit any
   * more, or is for other receivers.
   */
  add(message: Message, terms: Terms): void {
    const bytes = messageBytes((message.head?.length ?? 0) + message.body.length);
    const isFull = this.#bytes + bytes > limits.unreliablePacketBytes;
    if (isFull || (this.#terms && !isSame(this.#terms.receivers, terms.receivers))) this.send();
    // Only a packet about one entity may replace an older one about the same entity.
    this.#terms = this.#messages.length === 0 ? terms : { ...terms, alone: undefined };
    this.#messages.push(message);
    this.#bytes += bytes;
  }

  /** Returns the number of a published packet that the caller sends itself. */
  takeSequence(): number {
    const sequence = this.#sequence;
    this.#sequence = nextSequence(sequence);
    return sequence;
  }

  /** Sends the waiting messages over every direct link, and to the relay in as few envelopes as possible. */
  send(): void {
    const terms = this.#terms;
    if (!terms) return;
    const { trafficClass, receivers, alone, lifetimeMs } = terms;
    const key = alone === undefined ? 0 : (alone + 1) & 0xffff;
    const subject = key === 0 ? undefined : { entity: alone!, sequence: this.#sequence };
    const relayed: RelayedReceiver[] = [];
    for (const { relayedState: link, sessionNumber: number } of receivers)
      if (link) relayed.push({ number, link });
    const uplink = this.#options.uplink();
    const head = { trafficClass, key, subject, isPrompt: trafficClass === "event" };
    const write = (writer: ByteWriter): void => this.#write(writer, terms);
    let packet = uplink && fanOut(uplink, relayed, head, write, lifetimeMs);
    for (const { relayedState, session } of receivers) {
      if (!relayedState) session.outbox.forward(trafficClass, (packet ??= packetOf(write)), key, lifetimeMs);
    }
    this.takeSequence();
    this.#terms = undefined;
    this.#messages = [];
    this.#bytes = PACKET_HEAD_BYTES;
  }

  #write(writer: ByteWriter, { trafficClass, tick }: Terms): void {
    const kind = MessageKind[trafficClass];
    const only = this.#messages.length === 1 && !this.#options.hasGaps ? kind : undefined;
    writePacketHeader(writer, { sequence: this.#sequence, tick, isPublished: true, only });
    for (const { head, body } of this.#messages) writeMessage(writer, kind, body, { head, only });
  }
}

function isSame(some: readonly Subscriber[], others: readonly Subscriber[]): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index]);
}
