import { Room } from "@paceline/server";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { Stage, eventually } from "./stage.js";

test("over a WebSocket, a leave resolves after onLeave has ended, and not before", async () => {
  const said: string[] = [];
  let store = (): void => undefined;
  class Bank extends Room {
    override async onLeave(): Promise<void> {
      await new Promise<void>((resolve) => (store = resolve));
      said.push("stored");
    }
  }
  const stage = await new Stage(Bank).start();
  const room = await stage.join();
  await stage.join();
  void room.leave().then(() => said.push("left"));
  await eventually(() => expect(stage.rooms[0]!.players.size).toBe(1));
  await pause(100);
  expect(said).toEqual([]);
  store();
  await eventually(() => expect(said).toEqual(["stored", "left"]));
  await stage.stop();
});
