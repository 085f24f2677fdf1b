import { Room, type PlayerEntities } from "@paceline/server";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { afterEach, expect, test, vi } from "vitest";
import { doors } from "../../client/src/doors/doors.js";
import { Car } from "./race.js";

const LEAP_M = 500;

class OpenRoom extends Room {
  override readonly entities = [Car];
  override readonly playerEntities: readonly PlayerEntities[] = [{ definition: Car, most: 2 }];
}

let stage: RoomStage<OpenRoom>;
afterEach(async () => {
  vi.restoreAllMocks();
  await stage.stop();
});

test("the code that sends own states may come after the grant: the entity then moves, and a jump before stays one", async () => {
  stage = roomStage(OpenRoom);
  const [owner, viewer] = [await stage.join(), await stage.join()];
  const seen = () => [...viewer.room.entities(Car)];
  expect(seen()).toEqual([]);
  const code = doors.sending.code!;
  let arrive!: () => void;
  const arrival = new Promise<typeof code>((resolve) => (arrive = () => resolve(code)));
  const open = vi.spyOn(doors.sending, "openWhile").mockReturnValue(arrival);
  const held = vi.spyOn(doors.sending, "code", "get").mockReturnValue(undefined);
  const [mine, gone] = [owner.room.spawn(Car), owner.room.spawn(Car)];
  await stage.advance(300);
  expect([seen().length, open.mock.calls.length]).toEqual([2, 1]);
  owner.room.despawn(gone);
  mine.position.x = LEAP_M;
  mine.teleport();
  await stage.advance(300);
  expect(seen().map(({ position }) => position.x)).toEqual([0]);
  held.mockRestore();
  arrive();
  let steps = 0;
  while (seen()[0]?.position.x !== LEAP_M && steps++ < 60) await stage.advance(10);
  const [car] = seen();
  expect(car?.position.x).toBe(LEAP_M);
  // A jump is shown at once, and no motion leads to it.
  expect(car?.shown.position.x).toBeGreaterThan(LEAP_M - 1);
});
