/** What a room or a player was late with because the server's process stood still is no fault of theirs. */
import type { Room as ClientRoom } from "@paceline/client";
import { silentLog } from "@paceline/relay";
import { Room } from "@paceline/server";
import { afterEach, expect, test } from "vitest";
import { PausingStage } from "./pausing-stage.js";

let stage: PausingStage;
afterEach(() => stage.stop());

const HOOK_TIMEOUT_MS = 10_000;
/** Time that the database of the room needs for an answer, ms. */
const DATABASE_MS = 300;

class DatabaseRoom extends Room {
  override async onJoin(): Promise<void> {
    await new Promise<void>((resolve) => {
      // The process reads the answer only after its overdue timers, as Node may.
      stage.scheduler.after(DATABASE_MS, () => stage.process.after(0, resolve));
    });
  }
}

test.each([12, 15])(
  "a hook whose database has answered in time does not fail after a pause of %i s",
  async (seconds) => {
    const errors: unknown[] = [];
    const log = { ...silentLog, error: (...line: unknown[]) => errors.push(line) };
    stage = new PausingStage(DatabaseRoom, { hookTimeoutMs: HOOK_TIMEOUT_MS, log });
    const joining = stage.join();
    joining.catch(() => undefined);
    await stage.advance(100);
    await stage.pause(seconds * 1000);
    await stage.until(joining);
    expect(errors).toEqual([]);
  },
);

test("a hook that never ends fails, in the time that the process runs", async () => {
  class HangingRoom extends Room {
    override onJoin(): Promise<void> {
      return new Promise(() => undefined);
    }
  }
  stage = new PausingStage(HangingRoom, { hookTimeoutMs: 2000, log: silentLog });
  await expect(stage.join()).rejects.toMatchObject({ code: "session/refused" });
});

test.each([12, 20])("players of a queue are still matched after a pause of %i s", async (seconds) => {
  const queue = { players: 2, maxWaitSeconds: 10 };
  stage = new PausingStage(DatabaseRoom, { queues: { staged: queue } });
  const first = await stage.until(stage.client().queue("staged"));
  const ended: string[] = [];
  const rooms: Promise<ClientRoom | undefined>[] = [first.room.catch(failed)];
  function failed(error: unknown): undefined {
    ended.push(String(error));
  }
  await stage.advance(1000);
  await stage.pause(seconds * 1000);
  await stage.advance(2000);
  expect(ended).toEqual([]);
  const second = await stage.until(stage.client().queue("staged"));
  rooms.push(second.room.catch(failed));
  await stage.until(Promise.all(rooms));
  expect(ended).toEqual([]);
});
