/** A server that was paused: every player is back once, as the one that it was. */
import { Room, type Player } from "@paceline/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { someOf } from "../../testkit/test/some-of.js";
import { PausableProcess, PausingStage, type PausingPlayer } from "./pausing-stage.js";

let hooks: string[];

class PausedRoom extends Room {
  override onJoin({ number }: Player): void {
    hooks.push(`join ${number}`);
  }

  override onDrop({ number }: Player): void {
    hooks.push(`drop ${number}`);
  }

  override onReconnect({ number }: Player): void {
    hooks.push(`reconnect ${number}`);
  }

  override onLeave({ number }: Player): void {
    hooks.push(`leave ${number}`);
  }
}

let stage: PausingStage;
afterEach(() => stage.stop());

const kinds = { relayed: { maxPlayers: 16 }, "with authority": PausedRoom };
const cases = (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) =>
  someOf([3, 6], 1).flatMap((count) => [4, 5, 12, 20, 30, 50].map((seconds) => ({ kind, count, seconds }))),
);

describe("after a pause of the server", () => {
  test.each(cases)(
    "of $seconds s, $count players of a room $kind are back once, and resumed",
    async (each) => {
      hooks = [];
      stage = new PausingStage(kinds[each.kind]);
      const numbers = Array.from({ length: each.count }, (_, index) => index + 1);
      for (const _ of numbers) await stage.join();
      await stage.advance(2000);
      for (const { seen } of stage.players) seen.news.length = 0;
      hooks.length = 0;
      await stage.pause(each.seconds * 1000);
      await stage.advance(10_000);
      // Links last 5 s without a packet.
      const isDropped = each.seconds >= 5;
      for (const { room, seen } of stage.players) {
        const others = numbers.filter((number) => number !== room.myNumber);
        expect(seen).toMatchObject({
          drops: isDropped ? 1 : 0,
          returns: isDropped ? [true] : [],
          ends: [],
        });
        expect([room.state, room.peers.length]).toEqual(["joined", each.count - 1]);
        for (const other of others) {
          const news = seen.news
            .filter((item) => item.endsWith(` ${other}`))
            .map((item) => item.split(" ")[0]);
          expect(["", "away back"]).toContain(news.join(" "));
        }
        if (each.kind === "relayed") continue;
        const own = hooks
          .filter((item) => item.endsWith(` ${room.myNumber}`))
          .map((item) => item.split(" ")[0]);
        // After 5 s, the next link's first packet may overtake the end of the last link: then nobody was away.
        const isOvertaken = each.seconds === 5 && own.length === 0;
        expect(own).toEqual(isDropped && !isOvertaken ? ["drop", "reconnect"] : []);
      }
      expect(stage.server.health()).toMatchObject({ sessions: each.count, rooms: 1 });
    },
  );
});

test("a player whose line stalls for 3.5 s while newer sockets hang for 10 s stays in the room", async () => {
  hooks = [];
  stage = new PausingStage(PausedRoom);
  const { room, seen } = await stage.join();
  await stage.advance(2000);
  const before = stage.sockets;
  stage.upgradeDelayMs = 10_000;
  stage.line.pause();
  await stage.advance(3500);
  stage.line.goOn();
  await stage.advance(20_000);
  expect(stage.sockets).toBeGreaterThan(before);
  expect([room.state, seen.drops, seen.ends, hooks]).toEqual(["joined", 0, [], ["join 1"]]);
});

describe("a player whose line stalls", () => {
  beforeEach(async () => {
    hooks = [];
    stage = new PausingStage(PausedRoom);
    await stage.join();
    await stage.advance(2000);
  });

  const isBack = ({ room, seen }: PausingPlayer): void => {
    expect([room.state, seen.drops, seen.returns, seen.ends]).toEqual(["joined", 1, [true], []]);
    expect(hooks).toEqual(["join 1", "drop 1", "reconnect 1"]);
  };

  test("is back if the server takes up a newer socket that the player has lost meanwhile", async () => {
    const [player] = stage.players as [PausingPlayer];
    const first = stage.line;
    const second = new PausableProcess(stage.scheduler);
    first.pause();
    await stage.advance(500);
    stage.line = second;
    second.pause();
    await stage.advance(500);
    stage.breakNewest();
    first.goOn();
    await stage.advance(2500);
    expect([player.room.state, player.seen.drops, stage.sockets]).toEqual(["joined", 0, 2]);
    // Its first packet replaces the first socket; then its end arrives.
    second.goOn();
    await stage.advance(5000);
    isBack(player);
  });

  test("is back as the one that it was if the server refuses a socket with an earlier token", async () => {
    const [player] = stage.players as [PausingPlayer];
    stage.upgradeDelayMs = 1500;
    stage.line.pause();
    await stage.advance(1500);
    stage.upgradeDelayMs = 3000;
    await stage.advance(500);
    stage.line.goOn();
    await stage.advance(2300);
    // The second socket has brought another token. The third one still hangs with the first token.
    expect([player.room.state, player.seen.drops, stage.sockets]).toEqual(["joined", 0, 3]);
    stage.breakNewest();
    stage.upgradeDelayMs = 0;
    await stage.advance(5000);
    isBack(player);
  });

  test.each([2000, 4000, 7000])("is back if every upgrade takes %i ms", async (upgradeDelayMs) => {
    const [player] = stage.players as [PausingPlayer];
    stage.upgradeDelayMs = upgradeDelayMs;
    stage.breakNewest();
    await stage.advance(100);
    expect(player.room.state).toBe("dropped");
    await stage.advance(upgradeDelayMs + 3000);
    isBack(player);
  });
});
