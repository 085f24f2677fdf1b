import { defineEntity, vec2, type ProfileChoice } from "@paceline/client";
import { expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const Boat = defineEntity(
  "boat",
  { position: vec2({ range: [0, 1000], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);
const FRAME_MS = 50;
const LATE_MS = 6000;

test.each<ProfileChoice>(["strategy", "racing"])(
  "an entity whose first states came late is shown as soon as the line is good again (%s)",
  async (profile) => {
    const stage = new RelayStage({ delayMs: 20 });
    const sender = stage.player({}, { profile });
    const [owner, viewer] = [await stage.join(sender), await stage.join(stage.player({}, { profile }))];
    await stage.advance(1000);
    sender.change({ delayMs: LATE_MS });
    const first = owner.spawn(Boat);
    const remote = () => [...viewer.entities(Boat)].filter(({ isMine }) => !isMine);
    expect(remote()).toEqual([]);
    let x = 0;
    const sail = async (ms: number): Promise<void> => {
      for (let passedMs = 0; passedMs < ms; passedMs += FRAME_MS) {
        first.position.set((x += 0.2), 0);
        owner.advance();
        await stage.advance(FRAME_MS);
      }
    };
    await sail(LATE_MS + FRAME_MS);
    sender.change({ delayMs: 20 });
    await sail(2000);
    const second = owner.spawn(Boat, { position: { x: 7, y: 7 } });
    await sail(2000);
    expect(remote().map(({ position }) => position.y)).toEqual([0, 7]);
    expect(Math.abs(remote()[0]!.shown.position.x - x)).toBeLessThan(2);
    expect(viewer.drops.of("outdated")).toBe(0);
    owner.despawn(second);
    await sail(500);
    expect(remote()).toHaveLength(1);
  },
);
