import { readFileSync, writeFileSync } from "node:fs";
import { defineEntity, vec2, type Room } from "@paceline/client";
import { MessageKind, readMessages, readPacket } from "@paceline/protocol";
import { seededRandom } from "@paceline/testkit";
import { virtualWebRtc } from "@paceline/testkit/room";
import { decisionTree, type LinkFilter, type ProfileOverrides, type Row } from "@paceline/transport";
import { expect, test, vi } from "vitest";
import { someOf } from "../../testkit/test/some-of.js";
import { RelayStage } from "./relay-stage.js";

// Measures what a player sends and gets in each second, directly and through the relay, headers included. The
// thesis table of docs/PROFILES.md contains the figures.

const file = new URL("path-bytes.json", import.meta.url);
/** The figures may change a little with any packet; how much says this share. */
const TOLERANCE = 0.05;

/** IP, UDP, DTLS and SCTP. Acks of SCTP are left out. */
const DIRECT_HEAD_BYTES = 100;
/** IP, TCP, TLS and the WebSocket's frame. */
const SOCKET_HEAD_BYTES = 80;
/** IP and TCP of an ack, which leaves for every second packet. */
const TCP_ACK_BYTES = 52;
const MEASURED_S = 20;

type Path = "direct" | "relay";

interface Traffic {
  packets: number;
  bytes: number;
}

interface Figures {
  readonly situation: string;
  readonly path: Path;
  readonly packetsOutPerSecond: number;
  readonly bytesOutPerSecond: number;
  readonly bytesInPerSecond: number;
}

const Walker = defineEntity(
  "walker",
  { position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);

class Meter {
  readonly traffic = {
    webrtc: { out: newTraffic(), in: newTraffic() },
    websocket: { out: newTraffic(), in: newTraffic() },
  };
  /** Packets with nothing but an answer, and those with a ping or a pong. */
  readonly direct = { answers: 0, pings: 0, all: 0 };
  isOn = false;

  filterOf(kind: "webrtc" | "websocket"): LinkFilter {
    const take = (direction: "in" | "out", { length }: Uint8Array): void => {
      if (!this.isOn) return;
      const traffic = this.traffic[kind][direction];
      traffic.packets += 1;
      traffic.bytes += length;
    };
    return {
      queuedBytes: 0,
      hasRoom: () => true,
      send: (_, packet, pass) => {
        take("out", packet);
        if (this.isOn && kind === "webrtc") this.#sort(packet);
        pass(packet);
      },
      receive: (packet, pass) => {
        take("in", packet);
        pass(packet);
      },
      end: (tell) => tell(),
      close: () => undefined,
    };
  }

  #sort(bytes: Uint8Array): void {
    const packet = readPacket(bytes);
    const messages = typeof packet === "string" ? packet : readMessages(packet, () => undefined);
    if (typeof messages === "string") return;
    this.direct.all += 1;
    if (messages.length === 0) this.direct.answers += 1;
    else if (messages.every(({ kind }) => kind === MessageKind.ping || kind === MessageKind.pong))
      this.direct.pings += 1;
  }

  bytes(direction: "in" | "out"): number {
    const { webrtc, websocket } = this.traffic;
    const acked = websocket[direction === "in" ? "out" : "in"].packets / 2;
    const direct = webrtc[direction].bytes + webrtc[direction].packets * DIRECT_HEAD_BYTES;
    return (
      direct +
      websocket[direction].bytes +
      websocket[direction].packets * SOCKET_HEAD_BYTES +
      acked * TCP_ACK_BYTES
    );
  }
}

function newTraffic(): Traffic {
  return { packets: 0, bytes: 0 };
}

/** Lets the plan want direct links to several players whatever it favours, to measure them. */
async function withDirectLinks<Value>(work: () => Promise<Value>): Promise<Value> {
  const paths = decisionTree.find(({ id }) => id === "paths") as { rows: readonly Row[] };
  const before = paths.rows;
  paths.rows = before.filter(({ id }) => id !== "PATHS-7" && id !== "PATHS-8");
  try {
    return await work();
  } finally {
    paths.rows = before;
  }
}

/** Games that spare bytes or the battery, each with three others. */
const situations: Readonly<Record<string, ProfileOverrides>> = {
  "racing, low battery": { base: "racing", device: { battery: "low", network: "mobile" } },
  rpg: { base: "rpg" },
  "rpg, bound": { base: "rpg", movement: "bound" },
  strategy: { base: "strategy" },
  "puzzle for bandwidth": { base: "puzzle", favour: "bandwidth" },
};

async function figuresOf(situation: string, profile: ProfileOverrides, path: Path): Promise<Figures> {
  const meter = await withDirectLinks(() => play(profile, 3, path));
  const perSecond = (count: number): number => Math.round(count / MEASURED_S);
  const { webrtc, websocket } = meter.traffic;
  return {
    situation,
    path,
    packetsOutPerSecond: perSecond(webrtc.out.packets + websocket.out.packets),
    bytesOutPerSecond: perSecond(meter.bytes("out")),
    bytesInPerSecond: perSecond(meter.bytes("in")),
  };
}

/** Plays with players who all move one walker, and measures the first player. */
async function play(overrides: ProfileOverrides, others: number, path: Path): Promise<Meter> {
  const stage = new RelayStage({ delayMs: 20 });
  const webRtc = virtualWebRtc({ random: seededRandom(2), settings: { delayMs: 20 } });
  const meter = new Meter();
  const rooms: Room[] = [];
  while (rooms.length <= others) {
    const profile = { ...overrides, topology: path === "relay" ? "relay" : "mesh" } as const;
    const room = await stage.join(stage.player({}, { profile, transports: ["webrtc", "websocket"], webRtc }));
    if (rooms.length === 0)
      room.transport.onLink(({ kind, filters }) =>
        filters?.push(meter.filterOf(kind === "webrtc" ? "webrtc" : "websocket")),
      );
    rooms.push(room);
  }
  const walkers = rooms.map((room) => room.spawn(Walker));
  for (const room of rooms) void [...room.entities(Walker)];
  for (let frame = 0; frame < 60 * (10 + MEASURED_S); frame++) {
    const seconds = frame / 60;
    meter.isOn = seconds >= 10;
    for (const [index, { position }] of walkers.entries())
      position.set(20 * Math.sin(seconds * 2 + index), 10 * Math.cos(seconds * 1.3 + index));
    for (const room of rooms) room.advance();
    await stage.advance(frame % 3 === 0 ? 20 : 15);
    if (frame % 60 === 0) await vi.dynamicImportSettled();
  }
  expect(rooms[0]!.peers.map(({ path }) => path)).toEqual(Array<Path>(others).fill(path));
  return meter;
}

test.each([
  ["rpg", 10],
  ["strategy", 5],
] as const)(
  "a pair of %s with a direct link sends %d packets of states a second, and few others",
  async (genre, stateHz) => {
    const { direct } = await play({ base: genre }, 1, "direct");
    const perSecond = (count: number): number => count / MEASURED_S;
    expect(perSecond(direct.pings)).toBeLessThanOrEqual(4.5);
    // States of strategy are rarer than the longest wait of an answer.
    expect(perSecond(direct.answers)).toBeLessThanOrEqual(genre === "rpg" ? 0.5 : stateHz);
    expect(perSecond(direct.all)).toBeLessThanOrEqual(15);
  },
);

test("the kept figures of both paths are those of today", async () => {
  const isWritten = process.env.PACELINE_WRITE_PATHS !== undefined;
  const played = isWritten ? Object.entries(situations) : someOf(Object.entries(situations), 2);
  const rows: Figures[] = [];
  for (const [situation, profile] of played)
    for (const path of ["direct", "relay"] as const) rows.push(await figuresOf(situation, profile, path));
  if (isWritten) writeFileSync(file, `${JSON.stringify({ rows }, undefined, 2)}\n`);
  const { rows: all } = JSON.parse(readFileSync(file, "utf8")) as { rows: Figures[] };
  expect(all.map(({ situation }) => situation)).toEqual(
    Object.keys(situations).flatMap((name) => [name, name]),
  );
  const kept = all.slice(0, rows.length);
  const about = (value: number) =>
    expect.toSatisfy((now: number) => Math.abs(now - value) <= TOLERANCE * value);
  const expected = kept.map((row) => ({
    ...row,
    packetsOutPerSecond: about(row.packetsOutPerSecond),
    bytesOutPerSecond: about(row.bytesOutPerSecond),
    bytesInPerSecond: about(row.bytesInPerSecond),
  }));
  expect(rows).toEqual(expected);
});
