import { defineEntity, flag, uint, type Entity, type Room } from "@paceline/client";
import { limits } from "@paceline/protocol";
import { seededRandom } from "@paceline/testkit";
import { virtualWebRtc } from "@paceline/testkit/room";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { FloodStates, statePacket } from "./flood-states.js";
import { RelayStage } from "./relay-stage.js";
import { VirtualHub } from "./virtual-hub.js";

const Light = defineEntity("light", { level: uint({ range: [0, 60_000] }), isLit: flag() });
/** The limits are so many times smaller here, because thousands of entities take their time. */
const SCALE = 8;
const ENTITIES = limits.ownedEntities / SCALE;
const profile = { base: "racing", numbers: { stateBytesPerSecond: 10_000_000 } } as const;
/** Each entity is sent a few times a second. */
const LOOK_TICKS = 6;
const TICK_MS = 1000 / 60;

type Advance = (ms: number) => Promise<void>;

const { statesPerSecond, statesBurst } = limits;
beforeAll(() => {
  Object.assign(limits, { statesPerSecond: statesPerSecond / SCALE, statesBurst: statesBurst / SCALE });
});
afterAll(() => void Object.assign(limits, { statesPerSecond, statesBurst }));

/** Counts the states of its peer that a participant takes. */
function takenBy(room: Room): { readonly peer: PeerConnection; readonly states: () => number } {
  const [peer] = room.peers as PeerConnection[];
  let states = 0;
  vi.spyOn(peer!.meter, "countUpdatesIn").mockImplementation((count) => void (states += count));
  return { peer: peer!, states: () => states };
}

describe("a peer that sends states of thousands of entities in few bytes", () => {
  test("has its world read, then so many states in a second; the others are counted, and it is asked for none", async () => {
    const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
    const [hostile, victim] = (await hub.meet(2)) as [Room, Room];
    victim.entities(Light);
    const taken = takenBy(victim);
    const asked = vi.spyOn(taken.peer, "trySend");
    const [toVictim] = hostile.peers as PeerConnection[];
    const flood = new FloodStates(Light, ENTITIES, 1000);
    toVictim!.send(flood.announcement);
    await hub.advance(200);
    const seconds = 1;
    const bodies = flood.bodies(60 * seconds);
    expect(bodies.at(-1)!.body.length).toBeLessThan(1200);
    for (const [sequence, { tick, body }] of bodies.entries()) {
      toVictim!.session.activeLink!.send("state", statePacket(sequence, tick, body));
      await hub.advance(TICK_MS, TICK_MS);
    }
    await hub.advance(100);
    expect([...victim.entities(Light)]).toHaveLength(ENTITIES);
    const allowed = limits.statesBurst + limits.statesPerSecond * (seconds + 0.2);
    expect(taken.states()).toBeGreaterThan(limits.statesBurst - (limits.newEntityStates + 1) * ENTITIES);
    expect(taken.states()).toBeLessThanOrEqual(allowed - limits.newEntityStates * ENTITIES);
    expect(victim.drops.of("too-many-states")).toBeGreaterThan(0);
    expect(asked).not.toHaveBeenCalled();
    expect(victim.peers).toHaveLength(1);
  });
});

/** Three rooms of players on an ordered link to the server. */
async function overServer(): Promise<{ rooms: Room[]; advance: Advance }> {
  const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
  return { rooms: await hub.meet(3, { profile }), advance: (ms) => hub.advance(ms, TICK_MS) };
}

/** Three rooms of players with direct links that lose states, so that states are whole. */
async function overLossyLinks(): Promise<{ rooms: Room[]; advance: Advance }> {
  const stage = new RelayStage({ delayMs: 20 });
  const settings = { delayMs: 15, jitterMs: 20, loss: { kind: "uniform", ratio: 0.05 } } as const;
  const webRtc = virtualWebRtc({ random: seededRandom(2), settings });
  const transports = ["webrtc", "websocket"] as const;
  const rooms: Room[] = [];
  while (rooms.length < 3) rooms.push(await stage.join(stage.player({}, { profile, transports, webRtc })));
  const isDirect = ({ peers }: Room): boolean => peers.every(({ path }) => path === "direct");
  for (let step = 0; step < 200 && !rooms.every(isDirect); step++) {
    await stage.advance(50);
    // The code of direct links is fetched on demand, in real time.
    await vi.dynamicImportSettled();
  }
  expect(rooms.every(isDirect)).toBe(true);
  return { rooms, advance: (ms) => stage.advance(ms) };
}

test.each([
  ["an ordered link to the server", overServer],
  ["direct links that lose states", overLossyLinks],
])(
  "an owner of very many moving entities sends no more states than receivers read, and all equally often: %s",
  { timeout: 600_000 },
  async (_, meet) => {
    const { rooms, advance } = await meet();
    const [owner, receiver, other] = rooms as [Room, Room, Room];
    for (const room of [receiver, other]) room.entities(Light);
    const lights = Array.from({ length: ENTITIES }, () => owner.spawn(Light));
    await advance(2000);
    await vi.dynamicImportSettled();
    const shown = [...receiver.entities(Light)] as Entity<typeof Light>[];
    expect(shown).toHaveLength(ENTITIES);
    const ticks = shown.map(() => new Set<number>());
    const seconds = 4;
    for (let tick = 0; tick < 60 * seconds; tick++) {
      for (const [index, light] of lights.entries()) light.level = (tick * 97 + index) % 60_000;
      owner.advance();
      await advance(TICK_MS);
      if (tick % LOOK_TICKS === 0)
        for (const [index, { lastTick }] of shown.entries()) ticks[index]!.add(lastTick);
    }
    const counts = ticks.map(({ size }) => size);
    const sum = counts.reduce((total, count) => total + count, 0);
    expect([receiver, other].map(({ drops }) => drops.of("too-many-states"))).toEqual([0, 0]);
    expect(sum).toBeGreaterThan((limits.statesPerSecond / 3) * seconds);
    expect(Math.min(...counts)).toBeGreaterThan(sum / ENTITIES / 2);
    expect(Math.max(...counts)).toBeLessThan((2 * sum) / ENTITIES);
  },
);
