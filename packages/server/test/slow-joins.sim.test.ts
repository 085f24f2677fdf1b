import { Room } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { expect, test } from "vitest";
import { stubFetch } from "./virtual-fetch.js";

const JOIN_MS = 1000;

class SlowRoom extends Room {
  override readonly reconnectSeconds = 1;
  readonly heard: unknown[] = [];
  joins = 0;

  override onCreate(): void {
    this.onMessage("n", (_, n) => this.heard.push(n));
  }

  override async onJoin(): Promise<void> {
    this.joins += 1;
    if (this.joins === 1) return;
    // It reaches the player before the welcome.
    for (let count = 0; count < 3; count++) this.broadcast("hello", this.joins);
    await new Promise((resolve) => void this.clock.setTimeout(() => resolve(undefined), JOIN_MS));
  }
}

async function forgotten() {
  const stage = roomStage(SlowRoom);
  stubFetch(stage.server);
  const player = await stage.join();
  const heard: unknown[] = [];
  const returns: unknown[] = [];
  player.room.onMessage("hello", (join) => heard.push(join));
  player.room.onReconnect(({ resumed }) => returns.push(resumed));
  const { room } = stage;
  room.keep();
  player.offline();
  await stage.advance(3000);
  expect(room.players.size).toBe(0);
  player.online();
  for (let step = 0; step < 1000 && room.joins < 2; step++) await stage.advance(10);
  return { stage, player, room, heard, returns };
}

test("what a player sends while a slow room lets it in again arrives once, in order", async () => {
  const { stage, player, room, returns } = await forgotten();
  for (const n of [1, 2, 3]) player.room.send("n", n);
  player.room.send("n", "bulk", { class: "bulk" });
  await stage.advance(JOIN_MS / 2);
  expect([returns, room.heard]).toEqual([[], []]);
  await stage.advance(JOIN_MS);
  expect(returns).toEqual([false]);
  expect(room.heard).toEqual([1, 2, 3, "bulk"]);
  await stage.stop();
});

test("a player whose line breaks while a slow room lets it in again comes in at the next attempt", async () => {
  const { stage, player, room, heard, returns } = await forgotten();
  player.room.send("n", 1);
  await stage.advance(JOIN_MS / 2);
  player.offline();
  player.online();
  await stage.advance(JOIN_MS + 2000);
  expect([room.joins, returns, player.room.state]).toEqual([3, [false], "joined"]);
  player.room.send("n", 2);
  room.broadcast("hello", "all");
  await stage.advance(500);
  expect(room.heard).toEqual([1, 2]);
  expect(heard.slice(-4)).toEqual([3, 3, 3, "all"]);
  await stage.stop();
});
