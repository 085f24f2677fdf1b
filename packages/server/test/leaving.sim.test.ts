/** A leave resolves when the room has let the player go. */
import { silentLog } from "@paceline/relay";
import { Room } from "@paceline/server";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { afterEach, expect, test } from "vitest";

let stage: RoomStage<Room>;
let saveMs: number;
let saved: number;
/** What each `onJoin` has read. */
let read: number[];

class Bank extends Room {
  override onJoin(): void {
    read.push(saved);
  }

  override async onLeave(): Promise<void> {
    if (saveMs > 0) await new Promise<void>((resolve) => void stage.scheduler.after(saveMs, resolve));
    saved = 5;
  }
}

function staged(forMs: number): void {
  [saveMs, saved, read] = [forMs, 0, []];
  stage = roomStage(Bank, { log: silentLog });
}
afterEach(() => stage.stop());

/** Lets a player leave. Returns how long that takes, ms. */
async function leave(player: Awaited<ReturnType<typeof stage.join>>): Promise<number> {
  const startMs = stage.scheduler.nowMs();
  await stage.until(player.room.leave());
  return stage.scheduler.nowMs() - startMs;
}

test("a leave resolves when an asynchronous onLeave has ended: the next onJoin reads what it has stored", async () => {
  staged(1500);
  const player = await stage.join();
  await stage.join();
  expect(await leave(player)).toBeLessThan(1600);
  expect(saved).toBe(5);
  await stage.join();
  expect(read).toEqual([0, 0, 5]);
});

test("a leave resolves at once if onLeave is quick, and in a room between players", async () => {
  staged(0);
  expect(await leave(await stage.join({ network: { delayMs: 20 } }))).toBeLessThan(100);
  const mesh = roomStage({ maxPlayers: 2 }, { log: silentLog });
  const player = await mesh.join({ network: { delayMs: 20 } });
  let hasLeft = false;
  void player.room.leave().then(() => (hasLeft = true));
  await mesh.advance(100);
  expect(hasLeft).toBe(true);
  await mesh.stop();
});

test.each(["onLeave takes longer", "the server is dead"])("a leave resolves after 2 s if %s", async (why) => {
  staged(5000);
  const player = await stage.join();
  await stage.join();
  if (why === "the server is dead") player.vanish();
  const tookMs = await leave(player);
  expect(tookMs).toBeGreaterThanOrEqual(2000);
  expect(tookMs).toBeLessThan(2100);
  expect(saved).toBe(0);
});

test("the player has left the room from the moment at which it leaves", async () => {
  staged(1500);
  const player = await stage.join();
  const friend = await stage.join();
  const gone: number[] = [];
  friend.room.onPeerLeave(({ number }) => gone.push(number));
  const events: string[] = [];
  player.room.onLeave((code, reason) => events.push(`${code} ${reason}`));
  player.room.onDrop(() => events.push("drop"));
  void player.room.leave();
  expect([player.room.state, events]).toEqual(["left", ["4000 left"]]);
  await stage.advance(300);
  expect([gone, stage.room.players.size, saved]).toEqual([[1], 1, 0]);
  await stage.advance(3000);
  expect(events).toEqual(["4000 left"]);
});
