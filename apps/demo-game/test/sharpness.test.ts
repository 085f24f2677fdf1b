import { expect, test } from "vitest";
import { Sharpness } from "../src/render/sharpness.js";

function run(sharpness: Sharpness, seconds: number, framesPerSecond: number): void {
  for (let frame = 0; frame < seconds * framesPerSecond; frame++) sharpness.frameTook(1 / framesPerSecond);
}

test("at a high frame rate the picture is as sharp as the screen, up to a ratio of 2", () => {
  const sharpness = new Sharpness();
  run(sharpness, 60, 60);
  expect(sharpness.pixelRatio(1)).toBe(1);
  expect(sharpness.pixelRatio(3)).toBe(2);
});

test("at a low frame rate it loses sharpness in steps, and regains it at most twice", () => {
  const sharpness = new Sharpness();
  run(sharpness, 3, 12);
  expect(sharpness.pixelRatio(1)).toBe(0.75);
  run(sharpness, 60, 12);
  expect(sharpness.pixelRatio(1)).toBe(0.55);
  run(sharpness, 120, 60);
  expect(sharpness.pixelRatio(1)).toBe(1);
  run(sharpness, 60, 12);
  run(sharpness, 120, 60);
  expect(sharpness.pixelRatio(1)).toBe(0.55);
});
