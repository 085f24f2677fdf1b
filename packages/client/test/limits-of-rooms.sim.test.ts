import { defineEntity, flag, scalar, vec2, type Entity, type Room } from "@paceline/client";
import { describe, expect, test, vi } from "vitest";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { StateSender } from "../src/modes/mesh/state-sender.js";
import { StateStream } from "../src/modes/state-stream.js";
import { VirtualHub } from "./virtual-hub.js";

const FRAME_MS = 1000 / 60;
const SPEED = 6;
const fields = {
  position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  velocity: vec2({ range: [-50, 50], precision: 0.01, unit: "m/s" }),
};
const Sled = defineEntity("sled", fields, { motion: "velocity", show: "extrapolate" });
const Lamp = defineEntity("lamp", { isLit: flag(), level: scalar({ range: [0, 1000], precision: 1 }) });

async function pair() {
  const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
  const [owner, viewer] = (await hub.meet(2)) as [Room, Room];
  return { hub, owner, viewer };
}

describe("a request for whole states", () => {
  test("is answered at most four times a second and stream, however often it is sent", async () => {
    const { hub, owner, viewer } = await pair();
    const lamp = owner.spawn(Lamp);
    expect([...viewer.entities(Lamp)]).toEqual([]);
    await hub.advance(500);
    const whole = vi.spyOn(StateStream.prototype, "whole");
    const ask = (stream: number) =>
      (viewer.peers[0] as PeerConnection).send({ kind: "resync", stream, entities: [] });
    for (let count = 0; count < 20; count++) {
      ask(0);
      // No stream has this number, so there is no answer.
      ask(7);
      await hub.advance(10);
    }
    await hub.advance(100);
    expect(whole).toHaveBeenCalledTimes(1);
    for (let count = 0; count < 100; count++) {
      ask(0);
      await hub.advance(10);
    }
    expect(whole.mock.calls.length).toBeLessThanOrEqual(1 + 4 + 1);
    expect(whole.mock.calls.length).toBeGreaterThan(3);
    whole.mockRestore();
    lamp.level = 77;
    await hub.advance(300);
    expect([...viewer.entities(Lamp)][0]!.level).toBe(77);
  });
});

describe("a profile that is changed while the room runs", () => {
  test("changes how far ahead entities are extrapolated", async () => {
    const { hub, owner, viewer } = await pair();
    const sled = owner.spawn(Sled);
    const seen = () => [...viewer.entities(Sled)].find((each) => !each.isMine) as Entity<typeof Sled>;
    seen();
    for (let tick = 1; tick <= 120; tick++) {
      sled.position.set((SPEED * tick) / 60, 0);
      sled.velocity.set(SPEED, 0);
      owner.advance();
      await hub.advance(FRAME_MS, FRAME_MS);
    }
    // The owner's page stands still, so no states arrive.
    await hub.advance(3000);
    const aheadMs = () => ((seen().shown.position.x - seen().position.x) / SPEED) * 1000;
    expect(aheadMs()).toBeCloseTo(viewer.transport.plan.numbers.extrapolationLimitMs, -1);
    const before = aheadMs();
    viewer.transport.configure({ profile: "shooter" });
    await hub.advance(20);
    expect(viewer.transport.plan.numbers.extrapolationLimitMs).toBeLessThan(before / 2);
    expect(aheadMs()).toBeCloseTo(viewer.transport.plan.numbers.extrapolationLimitMs, -1);
  });

  test("changes the rate at which states are sampled in a game that never calls room.advance", async () => {
    const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
    const room = await hub.join();
    const replicate = vi.spyOn(StateSender.prototype, "replicate");
    const perSecond = async (): Promise<number> => {
      replicate.mockClear();
      await hub.advance(2000);
      return replicate.mock.calls.length / 2;
    };
    expect(await perSecond()).toBeCloseTo(30, -0.5);
    room.transport.configure({ profile: "rpg" });
    const { stateHz } = room.transport.plan.numbers;
    expect(stateHz).toBeLessThan(20);
    expect(await perSecond()).toBeCloseTo(stateHz, -0.5);
    room.transport.configure({ profile: "racing" });
    expect(await perSecond()).toBeCloseTo(30, -0.5);
    // After the game's first call of advance, only such calls sample states.
    room.advance();
    expect(await perSecond()).toBe(0);
    replicate.mockRestore();
  });
});
