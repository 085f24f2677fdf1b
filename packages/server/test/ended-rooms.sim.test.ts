import { silentLog } from "@paceline/relay";
import { Room } from "@paceline/server";
import { VirtualScheduler } from "@paceline/testkit";
import { roomStage } from "@paceline/testkit/room";
import { expect, test } from "vitest";
import { FakeParticipant, attachFake, fakeHosted } from "./fake-relay.js";

const friends = { group: { key: "ours", size: 2 } };

/** Returns "in" for a player who gets in, or else the code of the error. */
const outcome = (joining: Promise<unknown>): Promise<string> =>
  joining.then(
    () => "in",
    ({ code }: { readonly code: string }) => code,
  );

test("a room that ends itself in onCreate lets nobody in", async () => {
  const calls: string[] = [];
  class Closed extends Room {
    override onCreate(): void {
      this.disconnect("not today");
    }
    override onJoin(): void {
      calls.push("join");
    }
    override onDispose(): void {
      calls.push("dispose");
    }
  }
  const stage = roomStage(Closed, { log: silentLog });
  expect(await outcome(stage.join())).toBe("match/full");
  expect(calls).toEqual(["dispose"]);
  expect(stage.server.health()).toMatchObject({ rooms: 0, sessions: 0 });
  await stage.stop();
});

test("a room that ends when a player's page is reloaded does not take the next page", async () => {
  const calls: string[] = [];
  class Fragile extends Room {
    override onDrop(): void {
      this.disconnect("one falls, all fall");
    }
    override onReconnect(): void {
      calls.push("reconnect");
    }
    override onLeave(): void {
      calls.push("leave");
    }
    override onDispose(): void {
      calls.push("dispose");
    }
  }
  const stage = roomStage(Fragile, { log: silentLog });
  const player = await stage.join();
  // The next page's request overtakes the close of the last page's link.
  player.vanish();
  expect(await outcome(stage.reload(player))).not.toBe("in");
  expect(calls).toEqual(["leave", "dispose"]);
  expect(stage.server.health()).toMatchObject({ rooms: 0, sessions: 0 });
  await stage.stop();
});

test("friends get another room after theirs has ended or could not open", async () => {
  let isBroken = true;
  class Party extends Room {
    override onCreate(): void {
      if (isBroken) throw new Error("no map");
    }
  }
  const stage = roomStage(Party, { log: silentLog });
  expect(await outcome(stage.join({ terms: friends }))).toBe("match/room-failed");
  isBroken = false;
  const first = await stage.join({ terms: friends });
  stage.room.disconnect("over");
  await stage.advance(100);
  expect(stage.server.health()).toMatchObject({ rooms: 0, sessions: 0 });
  const second = await stage.join({ terms: friends });
  const third = await stage.join({ terms: friends });
  expect(second.room.roomId).not.toBe(first.room.roomId);
  expect(third.room.roomId).toBe(second.room.roomId);
  await stage.stop();
});

test("a room that was kept without players closes when it is kept no more", async () => {
  const calls: string[] = [];
  class Kept extends Room {
    override onCreate(): void {
      this.keep();
    }
    override onDispose(): void {
      calls.push("dispose");
    }
  }
  const stage = roomStage(Kept, { log: silentLog });
  const player = await stage.join();
  stage.room.keep(false);
  stage.room.keep();
  void player.room.leave();
  await stage.advance(500);
  expect(stage.server.health()).toMatchObject({ rooms: 1, sessions: 0 });
  stage.room.keep(false);
  await stage.advance(100);
  expect(calls).toEqual(["dispose"]);
  expect(stage.server.health().rooms).toBe(0);
  await stage.stop();
});

test("a room that ends leaves no timer behind, though a page was closed just before", async () => {
  const scheduler = new VirtualScheduler();
  const room = new (class extends Room {})();
  const { parts, over } = attachFake(room, scheduler, fakeHosted("staged"));
  const participant = Object.assign(new FakeParticipant(1), { unloadGraceMs: 10_000 });
  const callbacks = await Room.open(room, {});
  const seat = { options: {}, auth: true, replaces: undefined, isSpectator: false, address: "" };
  await parts.lifecycle.join(participant, seat);
  participant.callbacks?.dropped();
  expect(scheduler.nextAtMs).toBeDefined();
  callbacks?.close();
  await over;
  expect(scheduler.nextAtMs).toBeUndefined();
});
