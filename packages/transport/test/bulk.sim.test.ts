import { memoryLinkPair, seededRandom, VirtualScheduler, type NetworkSettings } from "@paceline/testkit";
import {
  ByteWriter,
  ConfigError,
  limits,
  MessageKind,
  NetError,
  writeMessage,
  writePacketHeader,
} from "@paceline/protocol";
import { Session, type BulkRate } from "@paceline/transport";
import { describe, expect, test } from "vitest";

const LINK = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 5000,
  timeoutMs: 60_000,
  heartbeatMs: 1000,
} as const;

interface Scene {
  readonly settings?: Partial<NetworkSettings>;
  readonly bulkBytes?: number;
  readonly bulkRate?: BulkRate;
}

/** Two sessions over one ordered link. b accepts bulk. */
function scene({ settings = { delayMs: 25 }, bulkBytes = limits.bulkBytes, bulkRate }: Scene = {}) {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(5);
  const newPair = () => memoryLinkPair({ scheduler, random: random.fork(), settings, isUnreliable: false });
  const bulk: Uint8Array[] = [];
  const commands: number[] = [];
  const a = new Session({
    scheduler,
    handlers: { onReliable: () => undefined },
    ...(bulkRate && { bulkRate }),
  });
  const b = new Session({
    scheduler,
    bulkBytes: () => bulkBytes,
    handlers: {
      onReliable: (payload) => commands.push(scheduler.nowMs() - new DataView(payload.buffer).getFloat64(0)),
      onBulk: (payload) => bulk.push(payload),
    },
  });
  const connect = (preference = 1) => {
    const pair = newPair();
    a.attach(pair.a, { ...LINK, preference });
    b.attach(pair.b, { ...LINK, preference });
    return pair;
  };
  const pair = connect();
  scheduler.advance(100);
  /** Sends a command that contains its sending time. */
  const command = () => {
    const payload = new Uint8Array(8);
    new DataView(payload.buffer).setFloat64(0, scheduler.nowMs());
    a.sendReliable(payload);
  };
  return { scheduler, a, b, pair, bulk, commands, connect, command };
}

function pattern(bytes: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, index) => (index * 31 + (index >> 8) + seed) & 0xff);
}

/** Returns true if both are equal. `toEqual` would be slow for a million elements. */
const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

describe("bulk", () => {
  test("[WF39] arrives whole, once and in order, whatever the length", () => {
    const { scheduler, a, bulk } = scene();
    const sent = [0, 1, 1164, 1165, 1166, 100_000, 5].map((bytes, seed) => pattern(bytes, seed));
    for (const message of sent) a.sendBulk(message);
    scheduler.advance(20_000);
    expect(bulk.map(({ length }) => length)).toEqual(sent.map(({ length }) => length));
    expect(bulk.every((message, index) => isSame(message, sent[index]!))).toBe(true);
    expect(a.bulk.bytes).toBe(0);
  });

  test("[WF39] a megabyte delays no command by more than two chunks on a path of 512 kbit/s", () => {
    const { scheduler, a, bulk, commands, command } = scene({ settings: { delayMs: 25, rateBps: 512_000 } });
    a.sendBulk(pattern(1_000_000, 1));
    const stop = scheduler.every(200, command);
    scheduler.advance(24_000);
    stop();
    scheduler.advance(1000);
    expect(bulk).toHaveLength(1);
    expect(isSame(bulk[0]!, pattern(1_000_000, 1))).toBe(true);
    const sorted = commands.toSorted((one, other) => one - other);
    expect(sorted.length).toBe(120);
    // 25 ms of delay, the queue that the window aims at, and the time to notice it.
    expect(sorted[Math.floor(sorted.length * 0.95)]).toBeLessThan(150);
    expect(sorted.at(-1)).toBeLessThan(400);
  });

  test("[WF39] goes on over another link when the first one dies in the middle of it", () => {
    const { scheduler, a, pair, bulk, connect } = scene();
    const sent = [pattern(60_000, 1), pattern(30_000, 2)];
    for (const message of sent) a.sendBulk(message);
    scheduler.advance(120);
    expect(bulk).toHaveLength(0);
    pair.a.close(4002, "cut");
    pair.b.close(4002, "cut");
    scheduler.advance(500);
    connect(2);
    scheduler.advance(20_000);
    expect(bulk.map(({ length }) => length)).toEqual([60_000, 30_000]);
    expect(bulk.every((message, index) => isSame(message, sent[index]!))).toBe(true);
  });

  test("[WF39] does not exceed its given rate", () => {
    let left = 20_000;
    const bulkRate = { take: (bytes: number) => left >= bytes && ((left -= bytes), true) };
    const { scheduler, a, bulk } = scene({ bulkRate });
    a.sendBulk(pattern(30_000, 1));
    scheduler.advance(1000);
    expect(a.bulk.bytes).toBeGreaterThanOrEqual(10_000);
    left = 1_000_000;
    scheduler.advance(2000);
    expect(bulk).toHaveLength(1);
  });

  test("throws an error with the reason for a message that is too long, too much or too late", () => {
    const { a } = scene();
    expect(() => a.sendBulk(new Uint8Array(limits.bulkBytes + 1))).toThrow(ConfigError);
    expect(() => a.sendBulk(new Uint8Array(limits.bulkBytes + 1))).toThrow(/at most 16777216 bytes/);
    a.sendBulk(new Uint8Array(limits.bulkBytes));
    a.sendBulk(new Uint8Array(limits.bulkBytes));
    expect(() => a.sendBulk(new Uint8Array(1))).toThrow(NetError);
    a.close(4000, "left");
    expect(() => a.sendBulk(new Uint8Array(1))).toThrow(/has ended/);
  });

  test("[WF39] a message longer than the receiver accepts is dropped and counted; later ones arrive", () => {
    const { scheduler, a, b, bulk } = scene({ bulkBytes: 5000 });
    for (const bytes of [5000, 5001, 100_000, 10]) a.sendBulk(pattern(bytes, bytes));
    scheduler.advance(5000);
    expect(bulk.map(({ length }) => length)).toEqual([5000, 10]);
    expect(b.drops.toRecord()).toMatchObject({ "too-long": 2 });
  });

  test("[WF39] an endless message is dropped at the limit, and takes no more memory than the longest allowed one", () => {
    const scheduler = new VirtualScheduler();
    const { a: raw, b: link } = memoryLinkPair({ scheduler, random: seededRandom(1), isUnreliable: false });
    const bulk: number[] = [];
    const session = new Session({
      scheduler,
      bulkBytes: () => 20_000,
      handlers: { onReliable: () => undefined, onBulk: ({ length }) => bulk.push(length) },
    });
    raw.start({ onOpen: () => undefined, onPacket: () => undefined, onClose: () => undefined });
    session.attach(link, LINK);
    scheduler.advance(50);
    let id = 0;
    const send = (bytes: number, flags: number): void => {
      const writer = new ByteWriter();
      writePacketHeader(writer, { sequence: id, tick: 0, isPublished: false });
      const body = new ByteWriter(bytes + 3).u16(id).u8(flags).bytes(new Uint8Array(bytes)).take();
      writeMessage(writer, MessageKind.bulk, body);
      id += 1;
      raw.send("bulk", writer.take());
      scheduler.advance(5);
    };
    let mostHeld = 0;
    const dropped: (number | undefined)[] = [];
    for (let chunk = 0; chunk < 300; chunk++) {
      send(1000, 0);
      mostHeld = Math.max(mostHeld, session.heldBytes);
      dropped.push(session.drops.toRecord()["too-long"]);
    }
    // The 21st exceeds the limit.
    expect([dropped[19], dropped[20], dropped[299]]).toEqual([undefined, 1, 1]);
    expect(mostHeld).toBeLessThanOrEqual(20_000 + 1000);
    expect(session.heldBytes).toBe(0);
    send(10, 1);
    send(10, 1);
    expect(bulk).toEqual([10]);
    expect(session.drops.toRecord()).toEqual({ "too-long": 1 });
  });

  test("[WF39] bulk is a violation at a session that accepts none, and malformed bulk at every session", () => {
    const scheduler = new VirtualScheduler();
    const { a: raw, b: link } = memoryLinkPair({ scheduler, random: seededRandom(1), isUnreliable: false });
    let maxBytes = 0;
    const bulk: number[] = [];
    const session = new Session({
      scheduler,
      bulkBytes: () => maxBytes,
      handlers: { onReliable: () => undefined, onBulk: ({ length }) => bulk.push(length) },
    });
    raw.start({ onOpen: () => undefined, onPacket: () => undefined, onClose: () => undefined });
    session.attach(link, LINK);
    scheduler.advance(50);
    let sequence = 0;
    const send = (kind: MessageKind, body?: Uint8Array, bulkReceipt?: number): void => {
      const writer = new ByteWriter();
      const acks = bulkReceipt === undefined ? undefined : { ack: 0, ackBits: 0, bulkReceipt };
      writePacketHeader(writer, { sequence, tick: 0, isPublished: false, acks, receipt: 0 });
      sequence += 1;
      if (body) writeMessage(writer, kind, body);
      raw.send("bulk", writer.take());
      scheduler.advance(50);
    };
    const chunk = (id: number, flags: number) => new ByteWriter().u16(id).u8(flags).u8(7).take();
    send(MessageKind.bulk, chunk(0, 1));
    expect(session.drops.toRecord()).toEqual({ "not-allowed": 1 });
    maxBytes = 1000;
    send(MessageKind.bulk, chunk(0, 2));
    send(MessageKind.bulk, new Uint8Array(2));
    send(MessageKind.bulk, undefined, 5);
    expect(session.drops.toRecord()).toEqual({ "not-allowed": 1, "bad-message": 3 });
    send(MessageKind.bulk, chunk(0, 1));
    send(MessageKind.bulk, chunk(0, 1));
    send(MessageKind.bulk, chunk(limits.outOfOrderMessages + 1, 1));
    expect(session.drops.toRecord()).toMatchObject({ duplicate: 1, "gap-too-large": 1 });
    expect(bulk).toEqual([1]);
  });
});
