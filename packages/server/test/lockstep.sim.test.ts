import { LockstepSession } from "@paceline/client/lockstep";
import { roomStage } from "@paceline/testkit/room";
import { expect, test } from "vitest";
import { RaceRoom } from "./race.js";

test("lockstep is refused in a room with an authority: its players get no packets of each other", async () => {
  const stage = roomStage(RaceRoom);
  const { room } = await stage.join();
  const options = { players: 1, readCommand: Number, step: () => undefined };
  expect(() => new LockstepSession(room, options)).toThrow(
    expect.objectContaining({ name: "ConfigError", field: "room" }),
  );
  await stage.stop();
});
