import { readFileSync } from "node:fs";
import { ByteWriter, CloseCode, WEBSOCKET_PROTOCOL, writePacketHeader } from "@paceline/protocol";
import { afterEach, expect, it, vi } from "vitest";
import { limitTable, type RelayOptions } from "../src/index.js";
import type { Player } from "./player.js";
import { RealRelay, eventually } from "./real-relay.js";

// These tests compare the columns "a client sees" and "counted as" of docs/OPERATIONS.md with the effect of
// each limit, and the other columns with the code.

vi.setConfig({ testTimeout: 20_000 });

type LimitName = keyof typeof limitTable;

const operations = readFileSync(new URL("../../../docs/OPERATIONS.md", import.meta.url), "utf8");
const cells = operations.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));

/** Returns the cells after the name in the document's row of a limit. */
function documented(name: string): string[] {
  return cells.find(([, first]) => first === `\`${name}\``)?.slice(2) ?? [];
}

let real: RealRelay;
afterEach(() => real.stop());

/** Reaches a limit and returns the effect on a client, in the words of the table. */
interface Scenario {
  readonly limits: NonNullable<RelayOptions["limits"]>;
  readonly address?: string;
  reach(): Promise<readonly string[]>;
}

async function answerOf(path: string, body?: object): Promise<string[]> {
  const response = await real.match(path, { version: 5, ...body });
  if (response.status === 200) return [];
  const { error } = (await response.json()) as { error: { code: string } };
  return [`HTTP ${response.status}`, `\`${error.code}\``];
}

async function lastAnswer(times: number, path = "create/race"): Promise<string[]> {
  for (let count = 1; count < times; count++) expect(await answerOf(path)).toEqual([]);
  return answerOf(path);
}

async function closeOf(player: Player): Promise<string> {
  const code = await eventually(() => {
    expect(player.close).toBeDefined();
    return player.close?.code;
  });
  const [name] = Object.entries(CloseCode).find(([, value]) => value === code) ?? [];
  return `close ${code} \`${name}\``;
}

async function lastUpgrade(times: number): Promise<string[]> {
  for (let count = 1; count < times; count++) {
    expect((await real.raw([WEBSOCKET_PROTOCOL, "ticket.none"])).status).toBe(101);
  }
  return [`HTTP ${(await real.raw([WEBSOCKET_PROTOCOL])).status} to the upgrade`];
}

function flood(packetBytes: number) {
  return async (): Promise<string[]> => {
    const [a, b] = [await real.join(), await real.join()];
    for (let count = 0; count < 400; count++) a.forward([b], new Uint8Array(packetBytes));
    const close = await closeOf(a);
    expect(b.forwarded.length).toBeLessThan(400);
    return [...(packetBytes > 0 ? ["the packet is dropped"] : []), close];
  };
}

/** Sends packets that keep their own limits, of many messages of a kind that nobody knows. */
async function floodMessages(): Promise<string[]> {
  const player = await real.join();
  for (let sequence = 1000; sequence < 1050; sequence++) {
    const writer = new ByteWriter();
    writePacketHeader(writer, { sequence, isPublished: false });
    for (let count = 0; count < 200; count++) writer.u8(0x77).varint(0);
    player.session.activeLink?.send("event", writer.take());
  }
  const close = await closeOf(player);
  expect(real.relay.health().drops["unknown-kind"]).toBeLessThan(50 * 200);
  return ["the packet is dropped", close];
}

async function twoSignals(data: string): Promise<string[]> {
  const [a, b] = [await real.join(), await real.join()];
  for (let count = 0; count < 3; count++) a.tell({ type: "signal", to: b.number, attempt: count, data });
  await eventually(() => expect(Object.keys(real.relay.health().drops)).not.toEqual([]));
  expect(b.of("signal").length).toBeLessThan(3);
  return ["the message is dropped"];
}

async function twoHealths(): Promise<string[]> {
  await fetch(`${real.url}/health`);
  return [`HTTP ${(await fetch(`${real.url}/health`)).status}`];
}

const packets = { packetsPerSecond: 1, packetBurst: 20 };
const bytes = { packetsPerSecond: 100_000, packetBurst: 20, bytesPerSecond: 1024, byteBurst: 20_000 };
const messages = { messagesPerSecond: 100, messageBurst: 1000, floodPatienceMs: 0 };
const matches = { matchesPerSecondPerAddress: 1, matchBurstPerAddress: 1 };
const links = { linksPerSecondPerAddress: 1, linkBurstPerAddress: 1 };
const rooms = { roomsPerMinutePerAddress: 1, roomBurstPerAddress: 1 };
const friends = { groupPlacesPerMinutePerAddress: 1, groupPlaceBurstPerAddress: 1 };
const joins = { joinsPerSecondPerRoom: 1, joinBurstPerRoom: 1 };
const health = { healthPerSecondPerAddress: 1, healthBurstPerAddress: 1 };
const signals = { signalsPerSecond: 1, signalBurst: 1 };
const group = () => answerOf("create/race", { group: { key: "friends", size: 4 } });
const secondJoin = () => lastAnswer(2, "joinOrCreate/race");
const secondRoom = () => lastAnswer(2);

const scenarios: Partial<Record<LimitName, Scenario>> = {
  packetsPerSecond: { limits: packets, reach: flood(10) },
  packetBurst: { limits: packets, reach: flood(10) },
  bytesPerSecond: { limits: bytes, reach: flood(2000) },
  byteBurst: { limits: bytes, reach: flood(2000) },
  messagesPerSecond: { limits: messages, reach: floodMessages },
  messageBurst: { limits: messages, reach: floodMessages },
  floodPatienceMs: { limits: packets, reach: flood(0) },
  signalsPerSecond: { limits: signals, reach: () => twoSignals("short") },
  signalBurst: { limits: signals, reach: () => twoSignals("short") },
  signalBytes: { limits: { signalBytes: 256 }, reach: () => twoSignals("long".repeat(200)) },
  matchesPerSecondPerAddress: { limits: matches, reach: secondRoom },
  matchBurstPerAddress: { limits: matches, reach: secondRoom },
  linksPerSecondPerAddress: { limits: links, reach: () => lastUpgrade(2) },
  linkBurstPerAddress: { limits: links, reach: () => lastUpgrade(2) },
  roomsPerMinutePerAddress: { limits: rooms, reach: secondRoom },
  roomBurstPerAddress: { limits: rooms, reach: secondRoom },
  groupPlacesPerMinutePerAddress: { limits: friends, reach: group },
  groupPlaceBurstPerAddress: { limits: friends, reach: group },
  joinsPerSecondPerRoom: { limits: joins, reach: secondJoin },
  joinBurstPerRoom: { limits: joins, reach: secondJoin },
  healthPerSecondPerAddress: { limits: health, reach: twoHealths },
  healthBurstPerAddress: { limits: health, reach: twoHealths },
  maxRooms: { limits: { maxRooms: 1 }, reach: secondRoom },
  maxSessions: { limits: { maxSessions: 1 }, reach: secondRoom },
  maxConnections: { limits: { maxConnections: 1 }, reach: async () => (await real.join(), lastUpgrade(1)) },
  addressSharePercent: {
    limits: { maxSessions: 4 },
    address: "198.51.100.1",
    reach: () => lastAnswer(3),
  },
  bodyBytes: {
    limits: { bodyBytes: 256 },
    reach: () => answerOf("create/race", { token: "long".repeat(100) }),
  },
  ticketLifetimeMs: {
    limits: { ticketLifetimeMs: 100 },
    reach: async () => {
      const { ticket } = await real.seat();
      await eventually(() => expect(real.relay.health().rooms).toBe(0));
      return [await closeOf(real.player([WEBSOCKET_PROTOCOL, `ticket.${ticket}`]))];
    },
  },
};

/** Tests of the other limits: those of time, and those that need a virtual clock or a full room. */
const elsewhere: Partial<Record<LimitName, string>> = {
  bytesPerSecondPerRoom: "links.test.ts",
  byteBurstPerRoom: "links.test.ts",
  egressBytesPerSecondPerRoom: "egress.sim.test.ts",
  egressBurstPerRoom: "egress.sim.test.ts",
  egressBytesPerSecondPerAddress: "egress.sim.test.ts",
  egressBurstPerAddress: "egress.sim.test.ts",
  forwardsPerSecondPerRoom: "forward-limits.sim.test.ts",
  forwardsPerSecond: "forward-limits.sim.test.ts",
  heldBytes: "memory-budget.sim.test.ts",
  webRtcLinks: "webrtc-desk.test.ts",
  bodyDeadlineMs: "match.test.ts",
  groupPlaceMs: "groups.sim.test.ts",
  reconnectGraceMs: "resuming.sim.test.ts",
  unloadGraceMs: "resuming.sim.test.ts",
  linkTimeoutMs: "resuming.sim.test.ts",
  hiddenTimeoutMs: "resuming.sim.test.ts",
  hiddenGraceMs: "resuming.sim.test.ts",
  queuedCommandBytes: "bad-company.test.ts",
};

function countOf(counter: string): number {
  const [group = "", name = ""] = counter.split(/\.(.*)/);
  const counts: Record<string, Readonly<Record<string, number>>> = {
    ...real.relay.counts,
    drops: real.relay.health().drops,
  } as never;
  return counts[group]?.[name] ?? 0;
}

it.each(Object.entries(limitTable))("%s has its default and its range in the document", async (name, row) => {
  real = await RealRelay.start();
  const { default: usual, min, max, unit } = row;
  expect(documented(name).slice(0, 2)).toEqual([String(usual), `${min} to ${max} ${unit}`]);
});

it("every limit of the table has a test", async () => {
  real = await RealRelay.start();
  const covered = [...Object.keys(scenarios), ...Object.keys(elsewhere)];
  expect(covered.toSorted()).toEqual(Object.keys(limitTable).toSorted());
});

it.each(Object.entries(scenarios))(
  "%s has the effect that the table describes, and is counted",
  async (name, scenario) => {
    const { limits, address, reach } = scenario;
    real = await RealRelay.start({ limits, ...(address !== undefined && { addressOf: () => address }) });
    const [, , , described, counter = ""] = documented(name);
    const seen = await reach();
    expect(seen.length).toBeGreaterThan(0);
    for (const words of seen) expect(described).toContain(words);
    await eventually(() => expect(countOf(counter.replaceAll("`", ""))).toBeGreaterThan(0));
  },
);
