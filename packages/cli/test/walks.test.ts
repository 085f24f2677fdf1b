import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { walkOf, type WalkName } from "../src/bots/walks.js";

const EDGE_M = 1000;
const STEP_SECONDS = 0.5;

/** Returns what the bots of a walk do in ten minutes. */
function walked(name: WalkName, bots: number) {
  // Evenly spread numbers: each run is the same.
  let number = 0;
  const random = (): number => (number = (number + Math.SQRT2) % 1);
  const walk = walkOf({ name, bots, edgeM: EDGE_M, random });
  let [moving, steps, hot, outside, fastest, slips] = [0, 0, 0, 0, 0, 0];
  for (let bot = 0; bot < bots; bot++) {
    let before = walk.at(bot, 0);
    for (let seconds = STEP_SECONDS; seconds < 600; seconds += STEP_SECONDS) {
      const now = walk.at(bot, seconds);
      steps += 1;
      if (now.isMoving) moving += 1;
      if (Math.abs(now.x - 500) <= 50 && Math.abs(now.y - 500) <= 50) hot += 1;
      if (Math.min(now.x, now.y) < 0 || Math.max(now.x, now.y) > EDGE_M) outside += 1;
      fastest = Math.max(fastest, Math.hypot(now.x - before.x, now.y - before.y) / STEP_SECONDS);
      const hasMoved = now.x !== before.x || now.y !== before.y;
      if (!before.isMoving && !now.isMoving && hasMoved) slips += 1;
      before = now;
    }
  }
  return { movingShare: moving / steps, hotShare: hot / steps, outside, fastest, slips };
}

describe("bots that walk to random places", () => {
  test("walk and stand for the same time, at 3 m/s and within their ground", () => {
    const { movingShare, hotShare, outside, fastest, slips } = walked("random-waypoint", 40);
    expect(slips).toBe(0);
    expect(movingShare).toBeCloseTo(0.5, 1);
    expect(fastest).toBeLessThanOrEqual(3 + 1e-9);
    expect(fastest).toBeGreaterThan(2.9);
    expect(outside).toBe(0);
    // Walkers between random places cross the middle more often than the rest.
    expect(hotShare).toBeLessThan(0.04);
  });

  test("are at a hot spot with 30 % of them, in 1 % of the ground", () => {
    const { hotShare, outside } = walked("hotspot", 40);
    expect(hotShare).toBeGreaterThan(0.3);
    expect(hotShare).toBeLessThan(0.34);
    expect(outside).toBe(0);
  });
});

describe("bots that follow recorded entities", () => {
  function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
    const folder = mkdtempSync(path.join(tmpdir(), "paceline-traces-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
    return folder;
  }

  const zipped = (floats: readonly number[]) => gzipSync(Buffer.from(new Float32Array(floats).buffer));
  /** Ten frames a second, in which one entity goes 1 m along x, then stands. */
  const frames = Array.from({ length: 40 }, (_, frame) => {
    return [frame / 10, 1, Math.min(frame, 20) / 20, 5, ...Array.from({ length: 11 }, () => 0)];
  }).flat();

  test("walk as those, scaled to the ground, and later ones elsewhere in the recording", () => {
    const data = folderWith({ "one.json": '{"hz":10,"entities":1}', "one.f32.gz": zipped(frames) });
    const walk = walkOf({ name: "trace", bots: 2, edgeM: EDGE_M, data });
    expect(walk.at(0, 0)).toEqual({ x: 0, y: 0, isMoving: true });
    expect(walk.at(0, 1).x).toBeCloseTo(500, 1);
    expect(walk.at(0, 2.5)).toMatchObject({ x: 1000, isMoving: false });
    expect(walk.at(0, 5).x).toBeCloseTo(500, 1);
    expect(walk.at(1, 0).x).not.toBe(walk.at(0, 5.5).x);
  });

  test("walk as people whose rows were recorded", () => {
    const rows = Array.from({ length: 20 }, (_, frame) => [frame, 7, frame, 0, 1, 0]).flat();
    const data = folderWith({ "ped.json": '{"hz":10,"entities":1}', "ped.rows.f32.gz": zipped(rows) });
    const walk = walkOf({ name: "trace", bots: 1, edgeM: 190, data });
    expect(walk.at(0, 1)).toEqual({ x: 100, y: 0, isMoving: true });
  });

  test.each([
    [undefined, "data: expected the folder of recorded traces, got none"],
    ["/nowhere", 'data: there is no folder "/nowhere"'],
    ["", "data: no trace in"],
  ])("say which folder they need (%s)", (given, message) => {
    const data = given === "" ? folderWith({ "a.json": "{}" }) : given;
    expect(() => walkOf({ name: "trace", bots: 1, edgeM: EDGE_M, data })).toThrow(message);
  });
});
