import type { Room } from "@paceline/client";
import {
  ByteWriter,
  MessageKind,
  writePacketHeader,
  describeColumns,
  writePeerPayload,
  type PeerPayload,
} from "@paceline/protocol";
import type { Scheduler } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { Lamp, Sled, drive, expectSame, seenBy, type Seen } from "./seen-states.js";
import { VirtualHub } from "./virtual-hub.js";

const TICK_MS = 1000 / 60;
const TICKS = 240;
type Attack = (owner: PeerConnection, tick: number, scheduler: Scheduler) => void;

/**
 * Returns the entities as an honest member and a newcomer see them, while another member attacks the owner.
 */
async function witness(attack: Attack): Promise<{ honest: Seen[]; newcomer: Seen[]; owner: Room }> {
  const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
  const [owner, honest, hostile] = (await hub.meet(3)) as [Room, Room, Room];
  const [sled, lamp] = [owner.spawn(Sled), owner.spawn(Lamp)];
  seenBy(honest);
  await hub.advance(200);
  const toOwner = hostile.peers.find(({ number }) => number === owner.myNumber) as PeerConnection;
  const log = { honest: [] as Seen[], newcomer: [] as Seen[], owner };
  let newcomer: Room | undefined;
  for (let tick = 1; tick <= TICKS; tick++) {
    drive(sled, lamp, tick);
    if (!toOwner.session.isClosed) attack(toOwner, tick, hub.scheduler);
    owner.advance();
    await hub.advance(TICK_MS, TICK_MS);
    log.honest.push(seenBy(honest));
    if (newcomer) log.newcomer.push(seenBy(newcomer));
    if (tick !== TICKS / 2) continue;
    newcomer = await hub.join();
    seenBy(newcomer);
    await hub.advance(300);
  }
  return log;
}

const send = (owner: PeerConnection, payload: PeerPayload): void => {
  if (owner.session.commands.length < 200) owner.send(payload);
};

/** Sends a packet over the session's link. Its sequence number is far from those of the session. */
function sendPacket(owner: PeerConnection, packet: Uint8Array): void {
  owner.session.activeLink?.send("event", packet);
}

const NOTHING = new Uint8Array(0);
const LONG = writePeerPayload({ kind: "command", type: "x", message: "x".repeat(100_000) });

function sendMessage(owner: PeerConnection, tick: number, message: (writer: ByteWriter) => void): void {
  const writer = new ByteWriter();
  writePacketHeader(writer, { sequence: (40_000 + tick) & 0xffff, tick: 0, isPublished: false });
  message(writer);
  sendPacket(owner, writer.take());
}

function sendChunk(owner: PeerConnection, id: number, flags: number): void {
  const bytes = new Uint8Array(4000);
  sendMessage(owner, id, (writer) =>
    writer
      .u8(MessageKind.bulk)
      .varint(bytes.length + 3)
      .u16(id)
      .u8(flags)
      .bytes(bytes),
  );
}

/** Delays everything that the session sends from here on, above all pongs. */
function sendLate(owner: PeerConnection, delayMs: number, scheduler: Scheduler): void {
  const link = owner.session.activeLink!;
  const send = link.send.bind(link);
  link.send = (...args: Parameters<typeof send>) => void scheduler.after(delayMs, () => send(...args));
}

const attacks: Record<string, Attack> = {
  "questions for columns, again and again": (owner, tick) => {
    for (const stream of [0, 1, tick % 256]) send(owner, { kind: "columns", stream, columns: NOTHING });
  },
  "columns of streams of the owner, and of its own that nobody asked for": (owner, tick) => {
    const columns = tick % 2 === 0 ? describeColumns(Lamp) : Uint8Array.of(3, 0xff, 0xff, 0x7f, tick);
    for (const stream of [0, 1, 255]) send(owner, { kind: "columns", stream, columns });
  },
  "streams of other columns, described as what cannot be": (owner, tick) => {
    if (tick % 4 !== 0 || tick > 200) return;
    const stream = tick / 4;
    send(owner, { kind: "stream", stream, name: "sled", tickHz: 60, schemaHash: tick });
    send(owner, {
      kind: "columns",
      stream,
      columns: Uint8Array.of(1, 0xff, 0x01, ...LONG.subarray(0, 12_000)),
    });
    send(owner, { kind: "reference", stream, states: new Uint8Array(20).fill(tick) });
  },
  "resync of all": (owner) => {
    for (const stream of [0, 1]) send(owner, { kind: "resync", stream, entities: [] });
  },
  "resync of all, ten a tick": (owner) => {
    for (let count = 0; count < 10; count++) send(owner, { kind: "resync", stream: count % 2, entities: [] });
  },
  "resync of some, known or not": (owner, tick) => {
    for (const stream of [0, 1, 9]) send(owner, { kind: "resync", stream, entities: [0, 1, tick, 65_535] });
  },
  "streams of the owner's names, each with a list of entities": (owner, tick) => {
    const { name, schemaHash } = Sled;
    send(owner, { kind: "stream", stream: tick % 256, name, tickHz: 60, schemaHash, entities: [0, tick] });
  },
  "streams and references of its own, of the owner's names and numbers": (owner, tick) => {
    if (tick % 20 !== 0) return;
    const { name, schemaHash } = Sled;
    const stream = tick / 20;
    send(owner, { kind: "stream", stream, name, tickHz: 60, schemaHash });
    send(owner, { kind: "reference", stream, states: new Uint8Array(20).fill(tick) });
  },
  "commands, requests and replies": (owner, tick) => {
    send(owner, { kind: "command", type: "x", message: tick });
    send(owner, { kind: "request", id: tick, type: "x", message: tick });
    send(owner, { kind: "reply", id: tick, ok: true, message: tick });
  },
  "messages of a match in lockstep that nobody plays": (owner, tick) => {
    const turn = { turn: tick, commands: [tick], wishMs: 1000, hash: { turn: tick, hash: 1 } };
    const said = [
      { here: 60 },
      { start: [1, 2, 3], seed: tick, tickHz: 60 },
      turn,
      { gone: 1, turns: [turn] },
    ];
    for (const message of said) send(owner, { kind: "command", type: "lockstep", message });
  },
  "events, and payloads without sense": (owner, tick) => {
    if (owner.session.commands.length > 200) return;
    owner.session.sendEvent(new Uint8Array(40).fill(tick));
    owner.session.sendReliable(Uint8Array.of(tick & 0xff, 0xc1, 0xff));
  },
  "long messages, one after another": (owner) => {
    if (owner.session.bulk.bytes === 0) owner.session.sendBulk(LONG);
  },
  "chunks of a long message that never ends": (owner, tick) => {
    if (tick % 4 === 0) sendChunk(owner, tick / 4, 0);
  },
  "chunks far ahead, with flags that nobody knows, and receipts of what was never sent": (owner, tick) => {
    if (tick % 12 === 0) sendChunk(owner, 30_000 + tick, 1);
    else if (tick % 12 === 4) sendChunk(owner, 0, 0xfe);
    else if (tick % 12 === 8) {
      const acks = { ack: 0, ackBits: 0, bulkReceipt: 30_000 };
      const writer = new ByteWriter();
      writePacketHeader(writer, { sequence: 40_000, isPublished: false, acks });
      sendPacket(owner, writer.take());
    }
  },
  "inputs, which nobody here takes": (owner, tick) => {
    sendMessage(owner, tick, (writer) =>
      writer.u8(MessageKind.input).varint(40).bytes(new Uint8Array(40).fill(tick)),
    );
  },
  "states of entities that it does not have": (owner, tick) => {
    owner.session.sendState(new Uint8Array(40).fill(tick), 0);
  },
  "acks of all that was ever sent": (owner) => {
    const header = { sequence: 40_000, tick: 0, isPublished: false, receipt: 0 };
    const writer = new ByteWriter();
    writePacketHeader(writer, { ...header, acks: { ack: 1, ackBits: 0xffffffff } });
    sendPacket(owner, writer.take());
  },
  "receipts of what was never sent": (owner) => {
    const writer = new ByteWriter();
    writePacketHeader(writer, { sequence: 40_000, tick: 0, isPublished: false, receipt: 30_000 });
    sendPacket(owner, writer.take());
  },
  "pings, a hundred to a packet": (owner, tick) => {
    const writer = new ByteWriter();
    writePacketHeader(writer, { sequence: (40_000 + tick) & 0xffff, tick: 0, isPublished: false });
    for (let count = 0; count < 100; count++) writer.u8(MessageKind.ping).varint(2).u16(count);
    sendPacket(owner, writer.take());
  },
  "pongs that come two seconds late, and acks of what has not arrived": (owner, tick, scheduler) => {
    if (tick === 1) sendLate(owner, 2000, scheduler);
    const writer = new ByteWriter();
    const acks = { ack: tick & 0xffff, ackBits: tick % 2 === 0 ? 0xffffffff : 0 };
    const header = { sequence: (40_000 + tick) & 0xffff, tick: 0, isPublished: false, receipt: 0 };
    writePacketHeader(writer, { ...header, acks });
    sendPacket(owner, writer.take());
  },
  "acks of what was sent long ago": (owner, tick) => {
    const acks = { ack: (tick - 300) & 0xffff, ackBits: 0xffffffff };
    const writer = new ByteWriter();
    const header = { sequence: (40_000 + tick) & 0xffff, tick: 0, isPublished: false, acks };
    writePacketHeader(writer, header);
    sendPacket(owner, writer.take());
  },
  "no receipts, no acks, nothing at all": (owner, tick) => {
    const link = owner.session.activeLink;
    if (tick === 1 && link) link.send = () => undefined;
  },
  "acks and receipts only once a second, with requests for whole states": (owner, tick) => {
    const link = owner.session.activeLink;
    if (!link) return;
    if (tick === 1) {
      const pass = link.send.bind(link);
      link.send = (...args) => void (args[0] === "command" && pass(...args));
    }
    if (tick % 60 === 0) for (const stream of [0, 1]) send(owner, { kind: "resync", stream, entities: [] });
  },
  "its session's end": (owner, tick) => {
    if (tick === 30) owner.session.close(4200, "no");
  },
};

describe("one hostile member of three", () => {
  test.each(Object.entries(attacks))(
    "does not change the states that the others read: %s",
    { timeout: 600_000 },
    async (_, attack) => {
      const quiet = await witness(() => undefined);
      const attacked = await witness(attack);
      expectSame(attacked.honest, quiet.honest);
      expectSame(attacked.newcomer, quiet.newcomer);
      const ticks = new Set(quiet.honest.map(({ sled }) => sled?.[0]));
      expect(ticks.size).toBeGreaterThan(TICKS / 8);
      expect(attacked.newcomer.at(-1)!.lamp).toBeDefined();
      expect(attacked.owner.state).toBe("joined");
    },
  );
});

test("a member whose pongs come late does not change when the others are sent states", async () => {
  /** Returns the ticks whose states of a sled on a gentle curve reached an honest member. */
  const told = async (attack: Attack): Promise<Set<number>> => {
    const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
    const [owner, honest, hostile] = (await hub.meet(3)) as [Room, Room, Room];
    const sled = owner.spawn(Sled);
    seenBy(honest);
    await hub.advance(200);
    const toOwner = hostile.peers.find(({ number }) => number === owner.myNumber) as PeerConnection;
    const ticks = new Set<number>();
    for (let tick = 1; tick <= 720; tick++) {
      const seconds = tick / 60;
      sled.position.set(100 * Math.cos(seconds / 4), 100 * Math.sin(seconds / 4));
      attack(toOwner, tick, hub.scheduler);
      owner.advance();
      await hub.advance(TICK_MS, TICK_MS);
      const seen = seenBy(honest).sled;
      // Measurements from before the attack stay in force for a while.
      if (tick > 360 && seen) ticks.add(seen[0]);
    }
    return ticks;
  };
  const quiet = await told(() => undefined);
  const attacked = await told((owner, tick, scheduler) => {
    if (tick === 1) sendLate(owner, 2000, scheduler);
  });
  expect(quiet.size).toBeGreaterThan(10);
  expect(Math.abs(attacked.size - quiet.size)).toBeLessThanOrEqual(2);
});
