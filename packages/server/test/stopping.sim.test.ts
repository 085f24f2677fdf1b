import { silentLog } from "@paceline/relay";
import { Room } from "@paceline/server";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { expect, test } from "vitest";

const HOOK_TIMEOUT_MS = 2000;
const SAVING_MS = 700;

let stage: RoomStage<Room>;
let saved: string[] = [];

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => void stage.scheduler.after(ms, resolve));

/** A room that stores the players and itself when they go. */
class Saving extends Room {
  override async onLeave(): Promise<void> {
    await pause(SAVING_MS);
    saved.push("player");
  }
  override async onDispose(): Promise<void> {
    await pause(SAVING_MS);
    saved.push("room");
  }
}

function staged(roomClass: new () => Room): void {
  saved = [];
  stage = roomStage(roomClass, { log: silentLog, hookTimeoutMs: HOOK_TIMEOUT_MS });
}

/** Stops the server, and returns the virtual time that it took, ms. */
async function stopMs(): Promise<number> {
  const startMs = stage.scheduler.nowMs();
  await stage.until(stage.server.stop({ drainMs: 10 }));
  return stage.scheduler.nowMs() - startMs;
}

test("a server that stops waits until its rooms have stored what they store", async () => {
  staged(Saving);
  await stage.join();
  await stage.join();
  expect(await stopMs()).toBeLessThan(2 * SAVING_MS + 100);
  expect(saved).toEqual(["player", "player", "room"]);
});

test("a server that stops ends rooms that were kept without players", async () => {
  class Kept extends Saving {
    override onCreate(): void {
      this.keep();
    }
  }
  staged(Kept);
  const player = await stage.join();
  player.room.leave();
  await stage.advance(2000);
  expect(saved).toEqual(["player"]);
  await stopMs();
  expect([saved, stage.server.health().rooms]).toEqual([["player", "room"], 0]);
  const { tick } = stage.room;
  await stage.advance(500);
  expect(stage.room.tick).toBe(tick);
});

test("a server that stops waits for a room that still opens, and ends it", async () => {
  class Opening extends Saving {
    override async onCreate(): Promise<void> {
      await pause(500);
    }
  }
  staged(Opening);
  const joining = stage.join().catch((error: unknown) => error);
  await stage.advance(200);
  await stopMs();
  expect(await joining).toBeInstanceOf(Error);
  expect(saved).toEqual(["room"]);
});

test("a server that stops gives up hooks that never end after their timeout", async () => {
  class Stuck extends Room {
    override onLeave(): Promise<void> {
      return new Promise(() => undefined);
    }
  }
  staged(Stuck);
  await stage.join();
  const ms = await stopMs();
  expect(ms).toBeGreaterThan(HOOK_TIMEOUT_MS - 50);
  expect(ms).toBeLessThan(HOOK_TIMEOUT_MS + 200);
});

test.each(["stay", "end"])(
  "a room that still opens when the server drains hears of it then: %s",
  async (wish) => {
    class Slow extends Saving {
      override async onCreate(): Promise<void> {
        await pause(500);
      }
      override onDrain(): void {
        saved.push("drain");
        if (wish === "end") this.disconnect("no match any more");
      }
    }
    staged(Slow);
    const joining = stage.join().then(
      () => "in",
      (error: unknown) => (error as { readonly code: string }).code,
    );
    await stage.advance(200);
    void stage.server.drain({ timeoutMs: 500 });
    expect(await joining).toBe(wish === "end" ? "match/full" : "in");
    await stopMs();
    expect(saved).toEqual(wish === "end" ? ["drain", "room"] : ["drain", "player", "room"]);
  },
);
