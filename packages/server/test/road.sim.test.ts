import type { Client, Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { roomStage, virtualWebRtc } from "@paceline/testkit/room";
import { describe, expect, test, vi } from "vitest";
import { RelayStage } from "../../client/test/relay-stage.js";
import { inWords, ownFrames } from "./own-frames.js";
import { Car, Drive, RaceRoom } from "./race.js";

/** Most frames from the event of the link to the function that writes the replica, both included. */
const MAX_FRAMES = 12;

/** Files that call listeners, after the write. */
const TELLING = /\/(field-changes|listeners)\.ts$/;

/**
 * Returns the frames of this project, from the write to the socket or the channel that received the packet.
 */
function framesIn(): string[] {
  const frames = ownFrames();
  const end = frames.findLastIndex(({ file }) => file.endsWith("-link.ts"));
  return inWords(frames.slice(0, end + 1).filter(({ file }) => !TELLING.test(file)));
}

/** Returns the longest path of a state to a car that moves in this room. `drive` moves it. */
async function roadTo(room: Room, drive: () => Promise<void>): Promise<string[]> {
  let road: string[] = [];
  room.onSpawn(Car, (car) => {
    const onMove = (): void => {
      const frames = framesIn();
      if (frames.length > road.length) road = frames;
    };
    if (!car.isMine) car.onChange("position", onMove);
  });
  await drive();
  return road;
}

/** Returns a function that drives the player's own car. The room advances with every step. */
function driver(room: Room, advance: (ms: number) => Promise<void>): () => Promise<void> {
  const car = room.spawn(Car);
  return async () => {
    for (let step = 0; step < 40; step++) {
      // No motion model predicts this, so every step sends a state.
      car.position.set(step % 2 === 0 ? step : -step, 0);
      room.advance();
      await advance(50);
    }
  };
}

type ClientOptions = ConstructorParameters<typeof Client>[1];

async function untilPaths(room: Room, stage: RelayStage, path: string): Promise<void> {
  for (let step = 0; step < 400 && !room.peers.every((peer) => peer.path === path); step++) {
    await stage.advance(50);
    // The code of direct links is fetched on demand, in real time.
    await vi.dynamicImportSettled();
  }
  expect(room.peers.map((peer) => peer.path)).toEqual([path, path]);
}

async function mesh(options: Partial<ClientOptions>): Promise<{ rooms: Room[]; stage: RelayStage }> {
  const stage = new RelayStage({ delayMs: 20 });
  const rooms: Room[] = [];
  while (rooms.length < 3) rooms.push(await stage.join(stage.player({}, options)));
  return { rooms, stage };
}

describe("a state comes in through few frames, from the event of its link to the replica", () => {
  test("of a peer that is reached through the relay", async () => {
    const { rooms, stage } = await mesh({});
    const [mine, theirs] = rooms as [Room, Room];
    await untilPaths(mine, stage, "relay");
    const road = await roadTo(
      mine,
      driver(theirs, (ms) => stage.advance(ms)),
    );
    expect(road.at(-1)).toMatch(/websocket-link/);
    expect(road.slice(MAX_FRAMES)).toEqual([]);
  });

  test("of a peer with a direct link", async () => {
    const webRtc = virtualWebRtc({ random: seededRandom(2), settings: { delayMs: 15 } });
    const { rooms, stage } = await mesh({ transports: ["webrtc", "websocket"], webRtc });
    const [mine, theirs] = rooms as [Room, Room];
    await untilPaths(mine, stage, "direct");
    const road = await roadTo(
      mine,
      driver(theirs, (ms) => stage.advance(ms)),
    );
    expect(road.at(-1)).toMatch(/path-link/);
    expect(road.slice(MAX_FRAMES)).toEqual([]);
  });

  test("of the authority of a room", async () => {
    const stage = roomStage(RaceRoom);
    const network = { delayMs: 20 };
    const [theirs, mine] = [await stage.join({ network }), await stage.join({ network })];
    theirs.room.input(Drive).throttle = 1;
    const road = await roadTo(mine.room, () => stage.advance(2000));
    expect(road.at(-1)).toMatch(/websocket-link/);
    expect(road.slice(MAX_FRAMES)).toEqual([]);
    await stage.stop();
  });
});
