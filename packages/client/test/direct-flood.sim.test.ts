import type { Room } from "@paceline/client";
import { limits } from "@paceline/protocol";
import { seededRandom } from "@paceline/testkit";
import { virtualWebRtc } from "@paceline/testkit/room";
import { expect, test, vi } from "vitest";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { statePacket } from "./flood-states.js";
import { RelayStage } from "./relay-stage.js";

/** Two rooms of players with a direct path. */
async function directPair(): Promise<{ stage: RelayStage; rooms: [Room, Room] }> {
  const stage = new RelayStage({ delayMs: 20 });
  const webRtc = virtualWebRtc({ random: seededRandom(2), settings: { delayMs: 15 } });
  const join = () => stage.join(stage.player({}, { transports: ["webrtc", "websocket"], webRtc }));
  const rooms: [Room, Room] = [await join(), await join()];
  for (let step = 0; step < 200 && !rooms.every(({ peers }) => peers[0]!.path === "direct"); step++) {
    await stage.advance(50);
    // The code of direct links is fetched on demand, in real time.
    await vi.dynamicImportSettled();
  }
  expect(rooms.map(({ peers }) => peers[0]!.path)).toEqual(["direct", "direct"]);
  return { stage, rooms };
}

const STEPS = 100;
const seconds = 2;

test.each([
  ["packets", limits.directPacketsPerSecond, 100, 0],
  ["bytes", Math.floor(limits.directBytesPerSecond / 16_000), 10, 16_000],
])(
  "of the %s that a peer sends over a direct path, so many are read in a second, and the others are counted",
  async (_, perSecond, perStep, bytes) => {
    const { stage, rooms } = await directPair();
    const [hostile, victim] = rooms;
    const { session } = hostile.peers[0] as PeerConnection;
    const peer = victim.peers[0] as PeerConnection;
    const heard: unknown[] = [];
    victim.onMessage("after", (said) => heard.push(said));
    // The stream of these states is unknown, so that each packet that is read is counted as dropped, too.
    const body = new Uint8Array(1 + bytes).fill(9);
    let sequence = 0;
    for (let step = 0; step < STEPS; step++) {
      for (let each = 0; each < perStep; each++)
        session.activeLink!.send("state", statePacket((sequence += 1) & 0xffff, 1000, body));
      await stage.advance((seconds * 1000) / STEPS);
    }
    await stage.advance(100);
    const read = victim.drops.of("unknown-entity");
    const refused = peer.drops["rate-limit"] ?? 0;
    expect(read).toBeGreaterThan(perSecond);
    expect(read).toBeLessThan(perSecond * (seconds + 1.2));
    expect(refused).toBeGreaterThan(0.9 * (STEPS * perStep - read));
    await stage.advance(1000);
    hostile.send("after", 1);
    await stage.advance(1000);
    expect(heard).toEqual([1]);
  },
);

test("a peer that sends bulk over a direct path as fast as its plan lets it is not limited", async () => {
  const { stage, rooms } = await directPair();
  const [owner, receiver] = rooms;
  const arrived: number[] = [];
  receiver.onMessage("map", (text) => arrived.push((text as string).length));
  owner.send("map", "x".repeat(2_500_000), { class: "bulk" });
  await stage.advance(8000);
  expect(arrived).toEqual([2_500_000]);
  expect((receiver.peers[0] as PeerConnection).drops["rate-limit"] ?? 0).toBe(0);
});
