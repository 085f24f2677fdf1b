import {
  ByteWriter,
  MessageKind,
  PROTOCOL_VERSION,
  PayloadKind,
  WEBSOCKET_PROTOCOL,
  readEnvelope,
  readMessages,
  readPacket,
  readPayloads,
  readServerMessage,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
  writePeerPayload,
  type Acks,
  type PacketHeader,
  type Message,
} from "@paceline/protocol";
import { seededRandom, virtualSocketPair } from "@paceline/testkit";
import { Session, WebSocketLink } from "@paceline/transport";
import { expect, test } from "vitest";
import { Car } from "./definitions.js";
import { RelayStage } from "./relay-stage.js";

/** The relay's default limits of a session. */
const [BYTES_PER_SECOND, PACKETS_PER_SECOND] = [262_144, 400];
const HOSTILE = 12;
/** Long enough for full queues; what a member asks for again and again is answered at once. */
const SECONDS_WITHOUT_RECEIPTS = 12;
const SECONDS = 5;
const STEP_MS = 5;
/** The victim sends this to all, 16 times a second. */
const WORDS = "x".repeat(1500);

/** A member that writes all packets of its pair with the victim by hand. */
class HostileReceiver {
  readonly #stage: RelayStage;
  readonly #session: Session;
  victim = 0;
  #sequence = 0;
  /** Newest sequence of a packet with commands, next id, and the receipt that was sent last. */
  newest = -1;
  next = 0;
  receipt = 0;

  constructor(stage: RelayStage) {
    this.#stage = stage;
    this.#session = new Session({
      scheduler: stage.scheduler,
      handlers: { onReliable: (payload) => this.#control(payload), onRouted: (packet) => this.#read(packet) },
    });
  }

  async join(): Promise<this> {
    const { scheduler, relay } = this.#stage;
    const settings = { delayMs: 10 };
    const { player, server } = virtualSocketPair({ scheduler, random: seededRandom(1), settings });
    const wish = { version: PROTOCOL_VERSION, method: "joinOrCreate", target: "race", options: {} };
    const credential = `join.${Buffer.from(JSON.stringify(wish)).toString("base64url")}`;
    relay.takeLink(new WebSocketLink(server, { scheduler }), {
      address: "raw",
      protocols: [WEBSOCKET_PROTOCOL, credential],
    });
    const times = { connectTimeoutMs: 5000, timeoutMs: 60_000, heartbeatMs: 1000 };
    const link = new WebSocketLink(player, { scheduler });
    this.#session.attach(link, { preference: 1, needsProof: false, ...times });
    for (let step = 0; step < 100 && this.victim === 0; step++) await this.#stage.advance(STEP_MS);
    return this;
  }

  #control(payload: Uint8Array): void {
    if (payload[0] !== PayloadKind.control) return;
    const message = readServerMessage(payload.subarray(1));
    if (message?.type === "welcome") this.victim = Math.min(...message.peers.map(({ number }) => number));
  }

  #read(bytes: Uint8Array): void {
    const envelope = readEnvelope(bytes);
    if (typeof envelope === "string" || envelope.peers[0] !== this.victim) return;
    if (envelope.firstIds) {
      const count = readPayloads(envelope.packet)!.length;
      this.next = Math.max(this.next, envelope.firstIds[0]! + count);
      return;
    }
    const packet = readPacket(envelope.packet);
    if (typeof packet === "string" || packet.isPublished) return;
    const messages = readMessages(packet, () => undefined);
    for (const { kind, body } of typeof messages === "string" ? [] : messages) {
      if (kind !== MessageKind.reliable) continue;
      this.newest = packet.sequence;
      this.next = Math.max(this.next, body[0]! + 256 * body[1]! + 1);
    }
  }

  send(messages: readonly Message[], header: Partial<PacketHeader> = {}): void {
    const inner = new ByteWriter();
    writePacketHeader(inner, { sequence: this.#sequence, tick: 0, isPublished: false, ...header });
    this.#sequence = (this.#sequence + 1) & 0xffff;
    for (const { kind, body } of messages) writeMessage(inner, kind, body, header);
    const writer = new ByteWriter();
    writeEnvelope(writer, {
      trafficClass: "command",
      key: 0,
      peers: [this.victim],
      packet: inner.take(),
    });
    this.#session.activeLink?.send("command", writer.take());
  }
}

const u16 = (value: number): Uint8Array => Uint8Array.of(value & 0xff, (value >> 8) & 0xff);
const reliable = (id: number, payload: Uint8Array): Message => ({
  kind: MessageKind.reliable,
  body: Uint8Array.of(...u16(id), ...payload),
});

type Attack = (member: HostileReceiver, step: number) => void;
const attacks: Record<string, Attack> = {
  "withholds receipts, and then gives one more with a fresh ack, again and again": (member, step) => {
    if (step < 600) return;
    if (step % 11 === 0 && member.receipt < member.next - 2) member.receipt += 1;
    const acks: Acks = { ack: member.newest, ackBits: 0 };
    if (member.newest >= 0) member.send([], { receipt: member.receipt, acks });
  },
  "withholds all receipts": () => undefined,
  "pings all the time": (member, step) => member.send([{ kind: MessageKind.ping, body: u16(step) }]),
  "sends the same message all the time": (member) => member.send([reliable(0, Uint8Array.of(0xc1))]),
  "sends parts of bulk without content": (member, step) =>
    member.send(
      [0, 1].map((at) => ({
        kind: MessageKind.bulk,
        body: Uint8Array.of(...u16(2 * step + at), 0),
      })),
    ),
  "requests an answer all the time": (member, id) =>
    member.send([reliable(id, writePeerPayload({ kind: "request", id, type: "ask", message: 0 }))]),
  "asks for all states all the time": (member, id) =>
    member.send([reliable(id, writePeerPayload({ kind: "resync", stream: 0, entities: [] }))]),
};

test.each(Object.entries(attacks))(
  "a dozen members that each do this do not get an honest one removed: %s",
  { timeout: 600_000 },
  async (name, attack) => {
    const lengthS = name.startsWith("withholds") ? SECONDS_WITHOUT_RECEIPTS : SECONDS;
    const stage = new RelayStage({ delayMs: 10 });
    const [victim, honest] = [await stage.join(), await stage.join()];
    const heard: number[] = [];
    honest.onMessage("n", (message) => heard.push((message as { n: number }).n));
    victim.onRequest("ask", () => "x".repeat(2000));
    for (let count = 0; count < 40; count++) victim.spawn(Car);
    const members: HostileReceiver[] = [];
    for (let count = 0; count < HOSTILE; count++) members.push(await new HostileReceiver(stage).join());
    await stage.advance(1000);
    const seconds = Array.from({ length: lengthS }, () => ({ bytes: 0, packets: 0 }));
    const startMs = stage.scheduler.nowMs();
    stage.watch(0, ({ length }) => {
      const second = seconds[Math.floor((stage.scheduler.nowMs() - startMs) / 1000)];
      if (!second) return;
      second.bytes += length;
      second.packets += 1;
    });
    let said = 0;
    for (let step = 0; step < (lengthS * 1000) / STEP_MS; step++) {
      if (step % 12 === 0) {
        try {
          victim.send("n", { n: said, words: WORDS });
          said += 1;
        } catch {
          // A pair is full: the game tries again later.
        }
      }
      for (const member of members) attack(member, step);
      await stage.advance(STEP_MS);
    }
    await stage.advance(1000);
    const highest = (of: "bytes" | "packets"): number => Math.max(...seconds.map((each) => each[of]));
    expect(victim.state).toBe("joined");
    expect(highest("bytes")).toBeLessThan(BYTES_PER_SECOND);
    expect(highest("packets")).toBeLessThan(PACKETS_PER_SECOND);
    expect(heard).toEqual(Array.from({ length: said }, (__, n) => n));
  },
);
