import { afterEach, describe, expect, test, vi } from "vitest";
import { CameraRig } from "../src/render/camera.js";

const CAR = { x: 3, y: 5, headingRad: 0, velocityX: 0, velocityY: 0 };

/** Makes a camera on a system whose player wants less motion, or does not. */
function rigFor(wantsLittleMotion: boolean): CameraRig {
  const matches = (query: string): boolean =>
    query === "(prefers-reduced-motion: reduce)" && wantsLittleMotion;
  vi.stubGlobal("matchMedia", (query: string) => ({ matches: matches(query) }));
  return new CameraRig();
}

/** Returns the distance of the chase camera from its car after an impact, m. */
function shakeM(rig: CameraRig): number {
  rig.mode = "chase";
  rig.shake(0.5);
  rig.update(CAR, 800, 600, 1 / 60);
  return Math.hypot(rig.camera.x - CAR.x, rig.camera.y - CAR.y);
}

afterEach(() => vi.unstubAllGlobals());

describe("a player who wants less motion", () => {
  test("begins with north up, instead of a world that turns", () => {
    expect(rigFor(false).mode).toBe("chase");
    expect(rigFor(true).mode).toBe("north-up");
  });

  test("sees no shaking", () => {
    expect(shakeM(rigFor(false))).toBeGreaterThan(0.1);
    expect(shakeM(rigFor(true))).toBe(0);
  });
});
