import {
  ByteWriter,
  CloseCode,
  MessageKind,
  writeControl,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
} from "@paceline/protocol";
import {
  array,
  assert,
  asyncProperty,
  constant,
  integer,
  nat,
  oneof,
  record,
  tuple,
  uint8Array,
} from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Player } from "./player.js";
import { Opcode } from "./raw-web-socket.js";
import { RealRelay, eventually } from "./real-relay.js";

const RUNS = 50;
const PACKETS_PER_RUN = 40;

/** Bytes that a hostile client writes to its socket, as a frame or not. */
type Hostile = (reliableId: number) => Uint8Array;

function packet(kind: MessageKind, body: Uint8Array, sequence: number): Uint8Array {
  const writer = new ByteWriter();
  writePacketHeader(writer, { sequence, tick: 0, isPublished: false });
  writeMessage(writer, kind, body);
  return writer.take();
}

function reliable(id: number, payload: Uint8Array): Uint8Array {
  return packet(MessageKind.reliable, new ByteWriter().u16(id).bytes(payload).take(), id);
}

function envelope(peers: readonly number[], inner: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  writeEnvelope(writer, { trafficClass: "event", key: 1, peers, packet: inner });
  return writer.take();
}

const controls = [
  writeControl({ type: "signal", to: 1, attempt: 1, data: { sdp: "v=0", candidates: [1.5, null, true] } }),
  writeControl({ type: "capabilities", webrtc: true }),
  writeControl({ type: "welcome", peers: [] }),
];
const wellFormed = [
  packet(MessageKind.ping, Uint8Array.of(1, 2), 1),
  packet(MessageKind.state, Uint8Array.of(1, 2, 3), 2),
  envelope([1, 2], Uint8Array.of(9)),
  ...controls.map((control, id) => reliable(id, control)),
];

const changes = array(record({ at: nat(), to: integer({ min: 0, max: 255 }) }), {
  minLength: 1,
  maxLength: 6,
});

function mutated(
  original: Uint8Array,
  edits: readonly { at: number; to: number }[],
  cut: number,
): Uint8Array {
  const bytes = original.slice(0, Math.max(1, original.length - cut));
  for (const { at, to } of edits) bytes[at % bytes.length] = to;
  return bytes;
}

const hostile = oneof(
  uint8Array({ maxLength: 300 }).map(
    (bytes): Hostile =>
      () =>
        bytes,
  ),
  tuple(integer({ min: 0, max: 0xff }), uint8Array({ maxLength: 100 })).map(
    ([first, rest]): Hostile =>
      () =>
        Uint8Array.of(first, ...rest),
  ),
  tuple(nat(wellFormed.length - 1), changes, nat(4)).map(
    ([which, edits, cut]): Hostile =>
      () =>
        mutated(wellFormed[which]!, edits, cut),
  ),
  // With the right message number, so that the relay reads the control message.
  tuple(nat(controls.length - 1), changes, nat(4)).map(
    ([which, edits, cut]): Hostile =>
      (id) =>
        reliable(id, Uint8Array.of(1, ...mutated(controls[which]!.subarray(1), edits, cut))),
  ),
);

const opcodes = oneof(
  { weight: 30, arbitrary: constant<number>(Opcode.binary) },
  { weight: 2, arbitrary: constant<number>(Opcode.text) },
  { weight: 2, arbitrary: constant<number>(Opcode.ping) },
  { weight: 1, arbitrary: nat(15) },
);

describe("hostile bytes", () => {
  let real: RealRelay;
  let a: Player;
  let b: Player;
  let exchanged = 0;

  beforeAll(async () => {
    const perAddress = { matchBurstPerAddress: 1000, linkBurstPerAddress: 1000 };
    real = await RealRelay.start({
      rooms: { race: { maxPlayers: 64 } },
      limits: { ...perAddress, reconnectGraceMs: 0 },
    });
    a = await real.join();
    b = await real.join();
  });
  afterAll(() => real.stop());

  it("harm nobody: the relay runs on, the others go on, and what was dropped is counted", async () => {
    const session = array(tuple(opcodes, hostile), {
      minLength: PACKETS_PER_RUN,
      maxLength: PACKETS_PER_RUN,
    });
    await assert(
      asyncProperty(session, async (frames) => {
        const raw = await real.rawParticipant();
        frames.forEach(([opcode, write], index) => raw.frame(opcode, write(index)));
        await expectExchange();
        raw.destroy();
      }),
      { numRuns: RUNS },
    );
    const { drops } = real.relay.health();
    const dropped = Object.values(drops).reduce((sum, count) => sum + count, 0);
    expect(dropped).toBeGreaterThan((RUNS * PACKETS_PER_RUN) / 10);
    expect(Object.keys(drops).length).toBeGreaterThan(5);
    await eventually(() =>
      expect(real.relay.health()).toMatchObject({ status: "ok", sessions: 2, rooms: 1 }),
    );
  });

  it("that are not even frames harm nobody", async () => {
    await assert(
      asyncProperty(uint8Array({ minLength: 1, maxLength: 500 }), async (bytes) => {
        const raw = await real.rawParticipant();
        raw.socket.write(bytes);
        await expectExchange();
        raw.destroy();
      }),
      { numRuns: 20 },
    );
  });

  it("in place of tickets and protocol names give no seat", async () => {
    const token = uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) =>
      Buffer.from(bytes).toString("latin1"),
    );
    const protocols = token.map((text) => text.replaceAll(/[\r\n]/g, ""));
    await assert(
      asyncProperty(protocols, async (text) => {
        const raw = await real.raw(["paceline.5", `ticket.${text}`]);
        // An invalid subprotocol name is refused with an HTTP status, before there is a WebSocket.
        await eventually(() => expect([400, CloseCode.refused]).toContain(raw.closeCode ?? raw.status));
        raw.destroy();
      }),
      { numRuns: 50 },
    );
    expect(real.relay.health().sessions).toBe(2);
    await expectExchange();
  });

  async function expectExchange(): Promise<void> {
    exchanged += 1;
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const mark = Buffer.from(`mark ${exchanged}`);
      from.forward([to], mark);
      await eventually(() => {
        const own = to.forwarded.filter(({ peers }) => peers[0] === from.number);
        expect(own.at(-1)?.packet).toEqual(new Uint8Array(mark));
      });
    }
    expect([a.close, b.close]).toEqual([undefined, undefined]);
  }
});
