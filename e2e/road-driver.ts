import { ComputerDriver } from "../apps/demo-game/src/drivers/computer-driver.js";
import { skillOf } from "../apps/demo-game/src/drivers/racecraft.js";
import type { CarState } from "../apps/demo-game/src/car/car-state.js";
import type { RaceKey } from "./browsers/race-browser.js";
import type { PageWindow, RacePage } from "./race-page.js";

const DECISION_MS = 50;
/** A key steers fully: it is held from this much of the lock on. */
const KEY_STEER = 0.25;

/** Drives as a computer driver would, with the page's keys: for pictures of somebody who stays on the road. */
export async function driveOnRoad(page: RacePage, durationMs: number): Promise<void> {
  const driver = new ComputerDriver({ ...skillOf(1), reactionS: 0 });
  const held = new Set<RaceKey>();
  const hold = async (key: RaceKey, isHeld: boolean): Promise<void> => {
    if (isHeld === held.has(key)) return;
    if (isHeld) held.add(key);
    else held.delete(key);
    await (isHeld ? page.browser.holdKey(key) : page.browser.releaseKey(key));
  };
  const endMs = Date.now() + durationMs;
  while (Date.now() < endMs) {
    const car = await page.browser.evaluate(() => (window as unknown as PageWindow).paceline.game.car);
    const { steer, throttle } = driver.decide(car as CarState, []);
    await hold("ArrowLeft", steer < -KEY_STEER);
    await hold("ArrowRight", steer > KEY_STEER);
    await hold("ArrowUp", throttle > 0);
    await hold("ArrowDown", throttle < -0.3);
    await new Promise((resolve) => setTimeout(resolve, DECISION_MS));
  }
  for (const key of held) await page.browser.releaseKey(key);
}
