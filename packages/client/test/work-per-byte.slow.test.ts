import { defineEntity, flag, string, uint, type Room } from "@paceline/client";
import { limits } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { FloodStates, statePacket } from "./flood-states.js";
import {
  DIRECT,
  PeerFlood,
  RELAYED,
  floodedPair,
  floods,
  type FloodMessage,
  type FloodRate,
} from "./peer-flood.js";
import { VirtualHub } from "./virtual-hub.js";

const Light = defineEntity("light", { level: uint({ range: [0, 60_000] }), isLit: flag() });
const Sign = defineEntity("sign", { text: string({ maxBytes: 20 }), more: string({ maxBytes: 20 }) });
const PACKETS_PER_SECOND = 380;
const SECONDS = 10;
/** CPU time of a member for one peer, ms per second. */
const BOUND_MS = 30;
/** CPU time of a member for what a peer may send at once, ms. */
const BURST_MS = 60;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

test.each([
  ["numbers", Light],
  ["texts", Sign],
])("380 packets a second of 4,096 states each cost a member 30 ms of CPU a second: %s", async (_, kind) => {
  const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
  const [hostile, victim] = (await hub.meet(2)) as [Room, Room];
  victim.entities(kind);
  const flood = new FloodStates(kind, limits.ownedEntities, 1000);
  (hostile.peers[0] as PeerConnection).send(flood.announcement);
  await hub.advance(200);
  const { relayedState } = victim.peers[0] as PeerConnection;
  const [first, ...later] = flood.bodies(100);
  let sequence = 0;
  // Hands packets to the victim's link at once: the time of the simulated network is not the victim's.
  const cost = ({ tick, body }: { readonly tick: number; readonly body: Uint8Array }): number => {
    const packet = statePacket(sequence++, tick, body);
    const before = cpuMs();
    relayedState!.received(packet);
    return cpuMs() - before;
  };
  cost(first!);
  for (let left = limits.statesBurst; left > 0; left -= limits.ownedEntities)
    cost(later[sequence % later.length]!);
  let spentMs = 0;
  for (let packet = 0; packet < PACKETS_PER_SECOND * SECONDS; packet++) {
    hub.scheduler.advance(1000 / PACKETS_PER_SECOND);
    spentMs += cost(later[packet % later.length]!);
  }
  expect(victim.drops.of("too-many-states")).toBeGreaterThan((PACKETS_PER_SECOND - 10) * SECONDS);
  expect(spentMs / SECONDS).toBeLessThan(BOUND_MS);
});

/** A flood is measured in so many rounds of a second, of which the cheapest counts: other processes disturb. */
const ROUNDS = 3;

/** Returns the CPU time of a member for a second of a peer's flood that has used up its allowance, ms. */
async function floodedMs(flood: FloodMessage, rate: FloodRate): Promise<number> {
  const { hub, rooms } = await floodedPair();
  const hostile = new PeerFlood(hub, rooms, flood, rate);
  while (hostile.packetsRefused === 0 && hostile.sent < limits.messagesBurst) hostile.send(0.5, cpuMs);
  return Math.min(...Array.from({ length: ROUNDS }, () => hostile.send(1, cpuMs)));
}

describe.each([
  ["at the limits of a relay", RELAYED],
  ["at those of a direct link", DIRECT],
])("messages of a peer %s cost a member 30 ms of CPU a second at most", (_, rate) => {
  test.each(Object.entries(floods))("%s", async (name, flood) => {
    const spentMs = await floodedMs(flood, rate);
    process.stdout.write(`${name}: ${spentMs.toFixed(1)} ms\n`);
    expect(spentMs).toBeLessThan(BOUND_MS);
  });
});

test("what a quiet peer may send at once costs a member 60 ms of CPU at most", async () => {
  for (const name of ["commands", "events of maps", "events of texts", "bulk messages"]) {
    const { hub, rooms } = await floodedPair();
    const hostile = new PeerFlood(hub, rooms, floods[name]!, { ...DIRECT, perSecond: 1e6 });
    let spentMs = 0;
    while (hostile.packetsRefused === 0) spentMs += hostile.send(1e-5, cpuMs);
    process.stdout.write(`${name} at once: ${spentMs.toFixed(1)} ms\n`);
    expect(spentMs).toBeLessThan(BURST_MS);
  }
});
