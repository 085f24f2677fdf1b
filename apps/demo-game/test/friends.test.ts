import { Client, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { defineServer } from "@paceline/server";
import { expect, onTestFinished, test } from "vitest";
import { joinFriends } from "../src/net/invitation.js";

const KIND = "race";

test("a full race among friends refuses one more, and no second race of that name is left", async () => {
  const server = defineServer({ rooms: { [KIND]: { maxPlayers: 2 } } });
  const url = await server.listen(0);
  const rooms: Room[] = [];
  onTestFinished(async () => {
    for (const room of rooms) room.leave();
    await server.stop({ drainMs: 10 });
  });
  const client = (): Client =>
    new Client(url, { profile: "racing", transports: ["websocket"], webSocket: NodeWebSocket });
  const join = async (friends: string): Promise<Room> => {
    const room = await joinFriends(client(), KIND, friends);
    rooms.push(room);
    return room;
  };
  const [ann, bob] = [await join("fox-42"), await join("fox-42")];
  expect(bob.roomId).toBe(ann.roomId);
  await expect(join("fox-42")).rejects.toMatchObject({ code: "match/full" });
  await expect.poll(() => client().list(KIND)).toEqual([]);
  // Friends of another name are not concerned, and a place that becomes free can be taken.
  expect((await join("stag-7")).roomId).not.toBe(ann.roomId);
  bob.leave();
  await expect.poll(() => client().list(KIND, { room: "fox-42" })).toHaveLength(1);
  expect((await join("fox-42")).roomId).toBe(ann.roomId);
});
