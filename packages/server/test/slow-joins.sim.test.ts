import { Room, type Player } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { expect, test } from "vitest";
import { stubFetch } from "./virtual-fetch.js";

const JOIN_MS = 1000;

class SlowRoom extends Room {
  override readonly reconnectSeconds = 1;
  readonly heard: unknown[] = [];
  joins = 0;
  leaves = 0;
  readonly drops: boolean[] = [];

  override onCreate(): void {
    this.onMessage("n", (_, n) => this.heard.push(n));
  }

  override onDrop({ isConnected }: Player): void {
    this.drops.push(isConnected);
  }

  override onLeave(): void {
    this.leaves += 1;
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

test("a player who comes in again hears what the room said in onJoin after the news of its return", async () => {
  const { stage, player, heard, returns } = await forgotten();
  const order: unknown[] = [];
  player.room.onMessage("hello", () => order.push("hello"));
  player.room.onReconnect(() => order.push("back"));
  await stage.advance(2 * JOIN_MS);
  expect([returns, heard]).toEqual([[false], [2, 2, 2]]);
  expect(order).toEqual(["back", "hello", "hello", "hello"]);
  await stage.stop();
});

test("a player whose line broke while a slow room let it in leaves no seat, and the room hears of it", async () => {
  const { stage, player, room } = await forgotten();
  await stage.advance(JOIN_MS / 2);
  player.offline();
  const dropsBefore = room.drops.length;
  await stage.advance(50);
  // The line broke before the welcome, so nobody has a token for this seat.
  expect([room.players.size, stage.server.health().sessions]).toEqual([0, 0]);
  await stage.advance(JOIN_MS / 2);
  expect([room.joins, room.leaves, room.drops.length]).toEqual([2, 2, dropsBefore]);
  await stage.stop();
});

class SlowAnswers extends Room {
  override readonly reconnectSeconds = 1;
  asked = 0;

  override onCreate(): void {
    this.onRequest("slow", async (_, content) => {
      this.asked += 1;
      await new Promise((resolve) => void this.clock.setTimeout(() => resolve(undefined), 1000));
      return content;
    });
  }
}

test("the answer to a request of a page that was reloaded is not that to a request of the next page", async () => {
  const stage = roomStage(SlowAnswers);
  const player = await stage.join();
  player.room.request("slow", "of the first page").catch(() => undefined);
  await stage.advance(100);
  const next = await stage.reload(player);
  const answer = next.room.request("slow", "of the second page");
  expect(await stage.until(answer)).toBe("of the second page");
  expect(stage.room.asked).toBe(2);
  await stage.stop();
});

test("the answer of a page to an earlier session's request is not that to one of its next session", async () => {
  const stage = roomStage(SlowAnswers);
  stubFetch(stage.server);
  const player = await stage.join();
  stage.room.keep();
  const replies: ((answer: string) => void)[] = [];
  player.room.onRequest("name", () => new Promise((resolve) => replies.push(resolve)));
  const ask = (): Promise<unknown> => stage.room.request([...stage.room.players.values()][0]!, "name", 0);
  const lost = ask().catch(() => "lost");
  await stage.advance(100);
  player.offline();
  await stage.advance(3000);
  player.online();
  for (let step = 0; step < 500 && stage.room.players.size === 0; step++) await stage.advance(10);
  const asked = ask();
  await stage.advance(100);
  expect(replies).toHaveLength(2);
  replies[0]!("of the first session");
  await stage.advance(100);
  replies[1]!("of the second session");
  expect(await stage.until(Promise.all([lost, asked]))).toEqual(["lost", "of the second session"]);
  await stage.stop();
});
