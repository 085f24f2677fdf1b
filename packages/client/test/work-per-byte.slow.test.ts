import { defineEntity, flag, string, uint, type Room } from "@paceline/client";
import { limits } from "@paceline/protocol";
import { expect, test } from "vitest";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { FloodStates, statePacket } from "./flood-states.js";
import { VirtualHub } from "./virtual-hub.js";

const Light = defineEntity("light", { level: uint({ range: [0, 60_000] }), isLit: flag() });
const Sign = defineEntity("sign", { text: string({ maxBytes: 20 }), more: string({ maxBytes: 20 }) });
const PACKETS_PER_SECOND = 380;
const SECONDS = 10;
/** CPU time of a member for one peer, ms per second. */
const BOUND_MS = 30;
/** The machine may be slow or busy. Without the allowance it is a hundred times the bound. */
const TOLERANCE = 4;

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
  expect(spentMs / SECONDS).toBeLessThan(BOUND_MS * TOLERANCE);
});
