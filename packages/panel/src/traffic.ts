import {
  MessageKind,
  PayloadKind,
  isRouted,
  readEnvelope,
  readEvent,
  readMessages,
  readPacket,
  readPayloads,
  readPeerPayload,
  type Message,
} from "@paceline/protocol";
import type { Link, LinkFilter, LinkKind } from "@paceline/transport";
import type { Room } from "@paceline/client";

/** Purposes of bytes; `upkeep` is headers, acks, pings, joining and signalling. */
export const trafficClasses = ["states", "messages", "events", "inputs", "bulk", "upkeep"] as const;
export type TrafficClass = (typeof trafficClasses)[number];

/** Bytes in one direction since the meter was made. */
interface TrafficTotals {
  readonly bytes: number;
  readonly byClass: Readonly<Record<TrafficClass, number>>;
  /** Bytes of the game's messages and events, by type. */
  readonly byType: ReadonlyMap<string, number>;
  /** Estimated headers below the links: frames, encryption, IP. */
  readonly headerBytes: number;
}

/** The time between a ping and its answer, without smoothing. */
export interface RawRoundTrip {
  readonly atMs: number;
  readonly rttMs: number;
}

/** Headers per packet: WebSocket, TLS and TCP/IP; DTLS, SCTP and UDP/IP. */
const HEADER_BYTES: Readonly<Partial<Record<LinkKind, number>>> = { websocket: 66, webrtc: 93 };
/** Further message types are counted together. Games have fewer. */
const MAX_TYPES = 64;
const MAX_OPEN_PINGS = 64;
const OTHER_TYPES = "others";

class Direction implements TrafficTotals {
  bytes = 0;
  headerBytes = 0;
  readonly byClass: Record<TrafficClass, number> = {
    ...{ states: 0, messages: 0, events: 0, inputs: 0, bulk: 0, upkeep: 0 },
  };
  readonly byType = new Map<string, number>();

  packet(kind: LinkKind, bytes: number): void {
    this.bytes += bytes;
    this.headerBytes += HEADER_BYTES[kind] ?? 0;
    // Bytes count as upkeep until a message claims them.
    this.byClass.upkeep += bytes;
  }

  claim(trafficClass: TrafficClass, bytes: number): void {
    this.byClass[trafficClass] += bytes;
    this.byClass.upkeep -= bytes;
  }

  type(name: string, bytes: number): void {
    const key = this.byType.size < MAX_TYPES || this.byType.has(name) ? name : OTHER_TYPES;
    this.byType.set(key, (this.byType.get(key) ?? 0) + bytes);
  }
}

/**
 * Counts the packets on the links of a room, as close to the network as possible, and their purpose. It
 * changes no packet.
 */
export class TrafficMeter {
  readonly in = new Direction();
  readonly out = new Direction();
  /** Round trips since {@link takeRoundTrips} was last called, oldest first. */
  readonly #roundTrips: RawRoundTrip[] = [];
  readonly #pings = new Map<string, number>();
  readonly #taps = new Map<Link, LinkFilter>();
  readonly #nowMs: () => number;
  readonly #stopListening: () => void;

  constructor(room: Pick<Room, "transport" | "nowMs">) {
    this.#nowMs = () => room.nowMs();
    this.#stopListening = room.transport.onLink((link) => this.#tap(link));
  }

  takeRoundTrips(): RawRoundTrip[] {
    return this.#roundTrips.splice(0);
  }

  stop(): void {
    this.#stopListening();
    for (const [link, tap] of this.#taps) {
      const at = link.filters?.indexOf(tap) ?? -1;
      if (at >= 0) link.filters?.splice(at, 1);
    }
    this.#taps.clear();
  }

  #tap(link: Link): void {
    for (const known of this.#taps.keys()) if (known.state === "closed") this.#taps.delete(known);
    if (this.#taps.has(link) || !link.filters) return;
    const tap: LinkFilter = {
      queuedBytes: 0,
      hasRoom: () => true,
      send: (_class, packet, pass) => {
        if (link.state === "open") this.#count(this.out, link, packet);
        pass(packet);
      },
      receive: (packet, pass) => {
        this.#count(this.in, link, packet);
        pass(packet);
      },
      end: (tell) => tell(),
      close: () => this.#taps.delete(link),
    };
    // The first filter is nearest to the path: packets that a simulated network drops on the way out are not
    // counted.
    link.filters.unshift(tap);
    this.#taps.set(link, tap);
  }

  #count(direction: Direction, { kind }: Link, packet: Uint8Array): void {
    direction.packet(kind, packet.length);
    if (!isRouted(packet)) return this.#messages(direction, packet, kind);
    const envelope = readEnvelope(packet);
    if (typeof envelope === "string") return;
    if (!envelope.firstIds) return this.#messages(direction, envelope.packet, `${kind} ${envelope.peers[0]}`);
    for (const payload of readPayloads(envelope.packet) ?? []) payloadOf(direction, payload);
  }

  #messages(direction: Direction, bytes: Uint8Array, pair: string): void {
    const packet = readPacket(bytes);
    if (typeof packet === "string") return;
    const messages = readMessages(packet, () => undefined);
    if (typeof messages === "string") return;
    for (const message of messages) this.#message(direction, message, pair);
  }

  #message(direction: Direction, { kind, body }: Message, pair: string): void {
    switch (kind) {
      case MessageKind.state:
        return direction.claim("states", body.length);
      case MessageKind.event: {
        direction.claim("events", body.length);
        const event = readEvent(body);
        if (event) direction.type(event.type, body.length);
        return;
      }
      case MessageKind.input:
        return direction.claim("inputs", body.length);
      case MessageKind.bulk:
        return direction.claim("bulk", body.length);
      case MessageKind.reliable:
        // The payload follows the message's number.
        return payloadOf(direction, body.subarray(2));
      case MessageKind.ping:
      case MessageKind.pong:
        return this.#roundTrip(direction, kind === MessageKind.ping, body, pair);
      // Counts as upkeep, like everything unclaimed.
      case MessageKind.close:
      case MessageKind.report:
    }
  }

  #roundTrip(direction: Direction, isPing: boolean, body: Uint8Array, pair: string): void {
    // Takes pings from here and their answers. The other side measures its own pings.
    if (isPing !== (direction === this.out)) return;
    const key = `${pair} ${body[0]} ${body[1]}`;
    const atMs = this.#nowMs();
    if (isPing) {
      this.#pings.set(key, atMs);
      const [oldest] = this.#pings.keys();
      if (this.#pings.size > MAX_OPEN_PINGS && oldest !== undefined) this.#pings.delete(oldest);
      return;
    }
    const sentAtMs = this.#pings.get(key);
    if (sentAtMs === undefined) return;
    this.#pings.delete(key);
    this.#roundTrips.push({ atMs, rttMs: atMs - sentAtMs });
    if (this.#roundTrips.length > MAX_OPEN_PINGS) this.#roundTrips.shift();
  }
}

/** Claims the bytes of a reliable payload for messages or for states. */
function payloadOf(direction: Direction, payload: Uint8Array): void {
  const kind = payload[0];
  switch (kind) {
    case PayloadKind.command:
    case PayloadKind.request: {
      direction.claim("messages", payload.length);
      const read = readPeerPayload(payload);
      if (read?.kind === "command" || read?.kind === "request") direction.type(read.type, payload.length);
      return;
    }
    case PayloadKind.reply:
      return direction.claim("messages", payload.length);
    case PayloadKind.stream:
    case PayloadKind.reference:
    case PayloadKind.resync:
    case PayloadKind.columns:
      return direction.claim("states", payload.length);
    case undefined:
  }
}
