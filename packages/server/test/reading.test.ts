import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { Car, Drive, RaceRoom } from "./race.js";
import { Stage, eventually } from "./stage.js";

afterEach(() => vi.restoreAllMocks());

test("a frame that reads many fields reads the clock once, and shows one moment however long it takes", async () => {
  const stage = await new Stage(RaceRoom).start();
  const [driver, watcher] = [await stage.join(), await stage.join()];
  driver.input(Drive).throttle = 1;
  const [car] = await eventually(() => {
    const cars = [...watcher.entities(Car)].filter(({ shown }) => shown.velocity.x > 1);
    expect(cars).toHaveLength(1);
    return cars;
  });
  const { shown } = car!;
  const first = shown.position.x;
  const clock = vi.spyOn(performance, "now");
  const seen = new Set<number>();
  for (let read = 0; read < 300; read++) seen.add(shown.position.x + shown.position.y + shown.heading);
  expect(clock.mock.calls.length).toBeLessThanOrEqual(1);
  const untilMs = performance.now() + 5;
  while (performance.now() < untilMs) seen.add(shown.position.x + shown.position.y + shown.heading);
  expect(seen.size).toBe(1);
  await pause(5);
  expect(shown.position.x).toBeGreaterThan(first);
  await stage.stop();
});
