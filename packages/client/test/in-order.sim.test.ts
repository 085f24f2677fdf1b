import { defineEntity, scalar, vec2, type Room } from "@paceline/client";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { describe, expect, test } from "vitest";
import { VirtualHub, type HubNetwork } from "./virtual-hub.js";

const TICK_MS = 1000 / 60;
const TICKS = 600;
const Sled = defineEntity(
  "sled",
  {
    position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
    heat: scalar({ range: [0, 1], precision: 0.01 }),
  },
  { motion: "velocity" },
);

type Seen = readonly [tick: number, x: number, y: number, heat: number] | undefined;

function seenBy(room: Room): Seen {
  const sled = [...room.entities(Sled)].find((each) => !each.isMine);
  return sled && [sled.lastTick, sled.position.x, sled.position.y, sled.heat];
}

interface Log {
  readonly followed: Seen[];
  readonly deprived: Seen[];
  /** Bytes of states that the follower received, headers included. */
  readonly bytes: number;
}

/** Moves a sled before three others. The relay drops states to the last of them at the given ticks. */
async function drive(isDropped: (tick: number) => boolean): Promise<Log> {
  let tick = 0;
  const network: HubNetwork = { delayMs: 30, drops: (to) => to === 4 && isDropped(tick) };
  const hub = new VirtualHub(network, { startMs: 5000 });
  const [owner, follower, , deprived] = (await hub.meet(4)) as [Room, Room, Room, Room];
  const sled = owner.spawn(Sled);
  seenBy(follower);
  seenBy(deprived);
  await hub.advance(200);
  const log = { followed: [] as Seen[], deprived: [] as Seen[] };
  const from = follower.peers.find(({ number }) => number === owner.myNumber) as PeerConnection;
  const bytesIn = (): number => from.session.activeLink!.counters.bytesReceived;
  const before = bytesIn();
  for (tick = 1; tick <= TICKS; tick++) {
    const seconds = tick / 60;
    sled.position.set(40 * Math.cos(seconds), 30 * Math.sin(2 * seconds));
    sled.heat = (tick % 50) / 50;
    owner.advance();
    await hub.advance(TICK_MS, TICK_MS);
    log.followed.push(seenBy(follower));
    log.deprived.push(seenBy(deprived));
  }
  return { ...log, bytes: bytesIn() - before };
}

describe("states to several behind a relay, each as the difference from the last", () => {
  test("[WF16] are the same for all others while one misses some, and that one catches up within a second", async () => {
    const quiet = await drive(() => false);
    const hit = await drive((tick) => tick >= 120 && tick < 132);
    expect(hit.followed).toEqual(quiet.followed);
    const ticksIn = (seen: readonly Seen[]): number =>
      new Set(seen.slice(118, 200).map((one) => one![0])).size;
    expect(ticksIn(hit.deprived)).toBeLessThan(ticksIn(quiet.deprived) - 4);
    // The states are the same, but may arrive a packet later.
    const valuesAt = new Map(quiet.followed.map((seen) => [seen![0], seen]));
    for (const seen of hit.deprived.slice(200)) expect(seen).toEqual(valuesAt.get(seen![0]));
    const lastTicks = new Set(hit.deprived.slice(200).map((seen) => seen![0]));
    const expected = new Set(quiet.followed.slice(200).map((seen) => seen![0]));
    expect(lastTicks.size).toBeGreaterThan(expected.size * 0.95);
  });

  test("cost others hardly more while one misses some again and again", async () => {
    const quiet = await drive(() => false);
    const hit = await drive((tick) => tick % 30 < 3);
    expect(hit.followed).toEqual(quiet.followed);
    expect(hit.bytes).toBeLessThan(quiet.bytes * 1.1);
    // The deprived member still reads the states that reach it.
    const read = new Set(hit.deprived.slice(120).map((seen) => seen![0]));
    expect(read.size).toBeGreaterThan(40);
  });

  test("can be read by a newcomer, even if a state is sent in the turn that makes its session", async () => {
    const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
    const [owner] = (await hub.meet(3)) as [Room, Room, Room];
    const sled = owner.spawn(Sled);
    const step = (tick: number): void => {
      sled.position.set(40 * Math.cos(tick / 60), 30 * Math.sin(tick / 30));
      owner.advance();
    };
    for (let tick = 1; tick <= 60; tick++) {
      step(tick);
      await hub.advance(TICK_MS, TICK_MS);
    }
    owner.onPeerJoin(() => step(75));
    const newcomer = await hub.join();
    seenBy(newcomer);
    for (let tick = 76; tick <= 200; tick++) {
      step(tick);
      await hub.advance(TICK_MS, TICK_MS);
    }
    const from = newcomer.peers.find(({ number }) => number === owner.myNumber) as PeerConnection;
    expect(seenBy(newcomer)![0]).toBeGreaterThan(0);
    expect(newcomer.drops.toRecord()).toEqual({});
    expect(from.drops).toEqual({});
  });
});
