import { roomStage } from "@paceline/testkit/room";
import { expect, test } from "vitest";
import { Car, Drive, RaceRoom } from "./race.js";

test("entities of an authority are shown as the profile says: extrapolated to now, or interpolated between states", async () => {
  const stage = roomStage(RaceRoom);
  const network = { delayMs: 40, jitterMs: 5 };
  const [driver, watcher] = [await stage.join({ network }), await stage.join({ network })];
  driver.room.input(Drive).throttle = 1;
  // The game uses a kind from the first call of `entities` on.
  expect([...watcher.room.entities(Car)]).toBeDefined();
  const ahead = async (): Promise<number> => {
    await stage.advance(3000);
    const car = [...watcher.room.entities(Car)].find(({ owner }) => owner?.number === driver.room.myNumber)!;
    const before = car.shown.position.x;
    await stage.advance(5);
    // In both modes the car moves in every frame.
    expect(car.shown.position.x).toBeGreaterThan(before);
    return car.shown.position.x - car.position.x;
  };
  expect(await ahead()).toBeGreaterThan(0);
  watcher.room.transport.configure({ profile: "rpg" });
  expect(watcher.room.transport.plan.style).toBe("interpolation");
  // The interpolation code is fetched, in real time.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await ahead()).toBeLessThan(-0.3);
  watcher.room.transport.configure({ profile: "racing" });
  expect(await ahead()).toBeGreaterThan(0);
  await stage.stop();
});
