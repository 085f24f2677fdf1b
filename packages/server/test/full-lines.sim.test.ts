import { setImmediate as nextTurn } from "node:timers/promises";
import { Room, defineEntity, vec2, type Player } from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { roomStage, virtualWebRtc } from "@paceline/testkit/room";
import { profiles } from "@paceline/transport";
import { afterEach, expect, test, vi } from "vitest";
import { serveVirtualWebRtc } from "./virtual-server-webrtc.js";

const Ball = defineEntity(
  "ball",
  { position: vec2({ range: [-4096, 4096], precision: 0.01 }) },
  { motion: "hold" },
);

class BallRoom extends Room {
  override readonly entities = [Ball];
  override readonly tickHz = 60;
  readonly #balls: { position: { x: number; set(x: number, y: number): void } }[] = [];

  override onCreate(): void {
    this.onMessage("fill" as never, () => undefined);
  }

  override onJoin(player: Player): void {
    this.#balls.push(this.spawn(Ball, {}, player));
  }

  override onTick(): void {
    for (const { position } of this.#balls) position.set((position.x + 1) % 4000, 0);
  }
}

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Bytes per second of the player's commands, half as many again as the line carries. */
const FILL_BYTES_PER_SECOND = 12_000;
const NARROW = { delayMs: 20, rateBps: 64_000 } as const;
const STEP_MS = 10;

/** Returns a player of a room with an authority, with a function that watches the player's ball. */
async function scene(serverHasWebRtc: boolean) {
  const stage = roomStage(BallRoom, { seed: 1 });
  stops.unshift(() => stage.stop());
  const maker = virtualWebRtc({ random: seededRandom(3), settings: { delayMs: 5 } });
  if (serverHasWebRtc) stops.push(serveVirtualWebRtc(maker, stage.scheduler));
  const player = await stage.join({
    network: { delayMs: 5 },
    client: { profile: "shooter", transports: ["websocket", "webrtc"], webRtc: maker },
  });
  const { room } = player;
  void [...room.entities(Ball)];
  await vi.dynamicImportSettled();
  /** Lets time pass, with commands both ways. Returns the number of positions that the player saw in a second. */
  const watch = async (seconds: number, upBytesPerSecond = 0, downBytesPerSecond = 0): Promise<number> => {
    const seen = new Set<number>();
    const steps = (seconds * 1000) / STEP_MS;
    for (let step = 0; step < steps; step++) {
      if (step % 10 === 0) {
        if (upBytesPerSecond > 0) room.send("fill", "x".repeat(upBytesPerSecond / 10));
        if (downBytesPerSecond > 0) stage.room.broadcast("fill", "x".repeat(downBytesPerSecond / 10));
      }
      stage.scheduler.advance(STEP_MS);
      await nextTurn();
      for (const { position } of room.entities(Ball)) seen.add(position.x);
    }
    return seen.size / seconds;
  };
  await watch(10);
  expect(room.transport.server.stateLink).toBe(serverHasWebRtc ? "webrtc" : "websocket");
  await room.transport.simulate(NARROW);
  await watch(5);
  return { room, watch };
}

const SECONDS = 20;

test.each([true, false])(
  "a full line to an authority does not slow down what comes from it (WebRTC: %s)",
  async (serverHasWebRtc) => {
    const { room, watch } = await scene(serverHasWebRtc);
    await watch(15, FILL_BYTES_PER_SECOND);
    let [seen, heldSeconds] = [0, 0];
    for (let second = 0; second < SECONDS; second++) {
      seen += await watch(1, FILL_BYTES_PER_SECOND);
      if (room.transport.areStatesHeld) heldSeconds += 1;
    }
    // At some phases of the line two states in a row take long, and the server says for two seconds that it holds them.
    expect(heldSeconds).toBeLessThanOrEqual(0.2 * SECONDS);
    expect(seen / SECONDS).toBeGreaterThan(0.9 * profiles.shooter.stateHz);
  },
);

test.each([true, false])(
  "states that an authority holds back for a full line are called so until it is free (WebRTC: %s)",
  async (serverHasWebRtc) => {
    const { room, watch } = await scene(serverHasWebRtc);
    room.onMessage("fill", () => undefined);
    const budget = async (): Promise<string> =>
      (await room.transport.explain()).find(({ about }) => about === "budget")!.choice;
    expect([room.transport.areStatesHeld, await budget()]).toEqual([
      false,
      expect.not.stringContaining("held"),
    ]);
    await watch(15, 0, FILL_BYTES_PER_SECOND);
    expect([room.transport.areStatesHeld, await budget()]).toEqual([
      true,
      expect.stringContaining("states are held back: those before them take much longer than the path needs"),
    ]);
    await watch(60);
    expect([room.transport.areStatesHeld, await budget()]).toEqual([
      false,
      expect.not.stringContaining("held"),
    ]);
    expect(await watch(5)).toBeGreaterThan(25);
  },
);

test("a pair whose direct path and relay share a full line stays direct, and holds states back", async () => {
  const stage = roomStage({ maxPlayers: 4 }, { seed: 1 });
  stops.unshift(() => stage.stop());
  const webRtc = virtualWebRtc({ random: seededRandom(3), settings: { delayMs: 5 } });
  const join = async () => {
    const client = { profile: "rpg", transports: ["websocket", "webrtc"], webRtc } as const;
    const { room } = await stage.join({ network: { delayMs: 5 }, client });
    return room;
  };
  const [mine, theirs] = [await join(), await join()];
  const balls = [mine, theirs].map((room) => {
    void [...room.entities(Ball)];
    return room.spawn(Ball);
  });
  theirs.onMessage("fill", () => undefined);
  await vi.dynamicImportSettled();
  const paths = new Set<string>();
  let heldSteps = 0;
  const play = async (seconds: number, fillBytesPerSecond: number): Promise<void> => {
    const steps = (seconds * 1000) / STEP_MS;
    for (let step = 0; step < steps; step++) {
      for (const { position } of balls) position.set((step * 7) % 500, 0);
      for (const room of [mine, theirs]) room.advance();
      if (fillBytesPerSecond > 0 && step % 10 === 0) mine.send("fill", "x".repeat(fillBytesPerSecond / 10));
      stage.scheduler.advance(STEP_MS);
      await nextTurn();
      for (const { peers } of [mine, theirs]) for (const { path } of peers) paths.add(path);
      if (mine.transport.areStatesHeld) heldSteps += 1;
    }
  };
  await play(10, 0);
  paths.clear();
  await mine.transport.simulate(NARROW);
  await play(10, 0);
  expect([[...paths], heldSteps]).toEqual([["direct"], 0]);
  for (let round = 0; round < 2; round++) {
    await play(15, FILL_BYTES_PER_SECOND);
    await play(40, 0);
  }
  expect(heldSteps).toBeGreaterThan(0);
  expect([...paths]).toEqual(["direct"]);
  expect(mine.transport.areStatesHeld).toBe(false);
});
