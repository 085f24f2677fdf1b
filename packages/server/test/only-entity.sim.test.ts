import { ConfigError, type HostedRoom, type Room as ClientRoom } from "@paceline/client";
import { Room, defineEntity, defineServer, string, uint, type Player } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { expect, onTestFinished, test } from "vitest";

const Score = defineEntity("score", {
  red: uint({ range: [0, 999], default: 1 }),
  map: string({ maxBytes: 20, default: "hills" }),
});

class Match extends Room {
  override readonly entities = [Score];

  override onJoin(player: Player): void {
    // This entity is not the room's only one, because a player owns it.
    this.spawn(Score, { red: 900 }, player);
  }
}
const typed = () => defineServer({ rooms: { match: Match } });

/** Never called. The compiler checks its types. */
function aPlayerOf(room: HostedRoom<ReturnType<typeof typed>["kinds"]["match"]>): number {
  // @ts-expect-error the server writes it
  room.only(Score).red = 2;
  return room.only(Score).red;
}

test("the only entity of a kind in a room with an authority is the server's, without an owner", async () => {
  const stage = roomStage(Match);
  onTestFinished(() => stage.stop());
  const { room } = await stage.join({ network: { delayMs: 30 } });
  const score = room.only(Score);
  const told: unknown[] = [];
  score.onChange("red", (red, previous) => told.push([previous, red]));
  score.onChange("map", (map) => told.push(map));
  await stage.advance(500);
  expect([score.red, score.map, score.isMine, score.owner]).toEqual([1, "hills", false, room.authority]);
  const written = stage.room.only(Score);
  expect(stage.room.only(Score)).toBe(written);
  written.red = 5;
  await stage.advance(500);
  written.map = "city";
  await stage.advance(500);
  expect([score.red, score.map]).toEqual([5, "city"]);
  const late: ClientRoom = (await stage.join()).room;
  late.only(Score);
  await stage.advance(500);
  expect([late.only(Score).red, late.only(Score).map]).toEqual([5, "city"]);
  expect(told).toEqual([[1, 5], "city"]);
  expect(() => (score.red = 9)).toThrow(new ConfigError("score.red", 9, "nothing: the server writes it"));
  stage.room.despawn(written);
  await stage.advance(500);
  expect(score.red).toBe(5);
  // Each loop over the result sees the entities that are there then.
  const scores = stage.room.entitiesOf(Score);
  expect([...scores]).toHaveLength(2);
  stage.room.only(Score).red = 6;
  await stage.advance(500);
  expect([score.red, [...scores].length]).toEqual([6, 3]);
  expect(aPlayerOf).toBeTypeOf("function");
});
