import { defineEntity, vec2, type Entity } from "@paceline/client";
import { expect, test } from "vitest";
import { VirtualHub } from "./virtual-hub.js";

const FRAME_MS = 1000 / 60;
const SPEED = 12;
const fields = { position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }) };

test.each([
  ["extrapolate", 2],
  ["extrapolate", 3],
  ["interpolate", 2],
] as const)(
  "a jump of 100 m (%s, %i in the room) is shown within one update, without points between",
  async (show, participants) => {
    const Ghost = defineEntity("ghost", fields, { motion: "turn", show });
    const hub = new VirtualHub({ delayMs: 40 }, { startMs: 5000 });
    const [owner, viewer] = await hub.meet(participants);
    const mine = owner!.spawn(Ghost);
    const seen = () => [...viewer!.entities(Ghost)].find(({ isMine }) => !isMine) as Entity<typeof Ghost>;
    seen();
    let x = 0;
    const shown: number[] = [];
    const drive = async (frames: number): Promise<void> => {
      for (let frame = 0; frame < frames; frame++) {
        x += SPEED / 60;
        mine.position.set(x, 0);
        owner!.advance();
        await hub.advance(FRAME_MS, FRAME_MS);
        shown.push(seen()?.shown.position.x ?? Number.NaN);
      }
    };
    await drive(60);
    await hub.fetches();
    await drive(120);
    const before = x;
    shown.length = 0;
    x += 100;
    mine.teleport();
    await drive(60);
    const between = shown.filter((at) => at > before + 8 && at < before + 100 - 2);
    expect(between).toEqual([]);
    const firstThere = shown.findIndex((at) => at > before + 90);
    // The way there, a frame on each side, and the interpolation delay if any.
    expect(firstThere).toBeLessThan(show === "interpolate" ? 24 : 6);
    expect(shown.slice(firstThere).every((at) => at > before + 90 && at < x + 2)).toBe(true);
    // Extrapolation at 6 km/s, the speed in the frame of the jump, would show it far beyond.
    expect(Math.max(...shown)).toBeLessThan(x + 2);
  },
);
