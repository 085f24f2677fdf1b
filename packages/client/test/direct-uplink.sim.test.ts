import type { Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { virtualWebRtc } from "@paceline/testkit/room";
import { expect, test, vi } from "vitest";
import { Car } from "./definitions.js";
import { RelayStage } from "./relay-stage.js";

const OTHERS = 8;
const SECONDS = 3;
const UPLINK_BYTES_PER_SECOND = 30_000;

/** Moves a car of the room for `SECONDS`. Returns how many of its positions each of the others has seen. */
async function seenBy(room: Room, others: readonly Room[], stage: RelayStage): Promise<number[]> {
  const [car] = [...room.entities(Car)].filter(({ isMine }) => isMine);
  const seen = others.map(() => 0);
  const stops = others.map((other, index) =>
    [...other.entities(Car)][0]!.onChange("position", () => (seen[index]! += 1)),
  );
  for (let step = 0; step < SECONDS * 30; step++) {
    // No motion model predicts this motion, so every step sends a state.
    (car as { position: { set(x: number, y: number): void } }).position.set(step % 2 === 0 ? step : -step, 0);
    room.advance();
    await stage.advance(1000 / 30);
  }
  for (const stop of stops) stop();
  return seen;
}

test("eight direct pairs share one narrow uplink: bulk to one of them keeps no states from any", async () => {
  const stage = new RelayStage({ delayMs: 20 });
  const webRtc = virtualWebRtc({ random: seededRandom(2), settings: { delayMs: 15 } });
  const transports = ["webrtc", "websocket"] as const;
  const profile = { base: "racing", numbers: { sendBytesPerSecond: UPLINK_BYTES_PER_SECOND } } as const;
  const room = await stage.join(stage.player({}, { transports, webRtc, profile }));
  const others: Room[] = [];
  while (others.length < OTHERS)
    others.push(await stage.join(stage.player({}, { transports, webRtc, profile: "racing" })));
  const arrived: number[] = [];
  for (const [index, other] of others.entries()) other.onMessage("map", () => arrived.push(index));
  for (let step = 0; step < 200 && !room.peers.every(({ path }) => path === "direct"); step++) {
    await stage.advance(50);
    // The code of direct links is fetched on demand, in real time.
    await vi.dynamicImportSettled();
  }
  expect(room.peers.map(({ path }) => path)).toEqual(others.map(() => "direct"));
  room.spawn(Car);
  await stage.advance(500);
  const quiet = await seenBy(room, others, stage);
  const [first] = room.peers;
  room.send("map", "x".repeat(40_000), { class: "bulk", to: first! });
  const busy = await seenBy(room, others, stage);
  // A packet of bulk occupies the line for 40 ms. It may delay two states of a pair, and then one of them is
  // skipped.
  expect(Math.min(...busy)).toBeGreaterThan(0.65 * Math.min(...quiet));
  expect(Math.max(...busy) - Math.min(...busy)).toBeLessThan(0.15 * Math.max(...busy));
  await stage.advance(1500);
  expect(arrived).toEqual([others.findIndex(({ myNumber }) => myNumber === first!.number)]);
});
