import { Client, type HostedRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { defineEntity, defineInput, defineServer, flag } from "@paceline/server";
import { expect, expectTypeOf, it } from "vitest";
import { Car, Drive, RaceRoom } from "./race.js";

const server = defineServer({ rooms: { race: RaceRoom, party: { maxPlayers: 8 } } });
const Ghost = defineEntity("ghost", { seen: flag() });
const Jump = defineInput({ jump: flag() });
type RaceClientRoom = HostedRoom<(typeof server)["kinds"]["race"]>;

/** Never called: the compiler reads it. */
async function aClientOfThisServer(client: Client<typeof server>): Promise<RaceClientRoom> {
  const room = await client.joinOrCreate("race", { track: "loop" });
  // @ts-expect-error there is no such kind of room
  await client.join("rase");
  // @ts-expect-error a track is text
  await client.create("race", { track: 1 });
  room.send("horn", { loud: true });
  // @ts-expect-error loud is no text
  room.send("horn", { loud: "yes" });
  // @ts-expect-error there is no such message
  room.send("hork", { loud: true });
  room.onMessage("horn", (message) => expectTypeOf(message).toEqualTypeOf<{ from: number; loud: boolean }>());
  expectTypeOf(await room.request("lap", { car: 1 })).toEqualTypeOf<{ laps: number }>();
  // @ts-expect-error a car is a number
  await room.request("lap", { car: "1" });
  for (const car of room.entities(Car)) expectTypeOf(car.shown.heading).toEqualTypeOf<number>();
  // @ts-expect-error the room has no ghosts
  room.entities(Ghost);
  room.input(Drive).steer = 1;
  // @ts-expect-error nobody jumps here
  room.input(Jump);
  const queueing = await client.queue("race", { rank: 5, options: { track: "loop" } });
  expectTypeOf(await queueing.room).toEqualTypeOf<RaceClientRoom>();
  // @ts-expect-error a track is text
  await client.queue("race", { options: { track: 1 } });
  // @ts-expect-error there is no such kind of room
  await client.queue("rase");
  await client.joinOrCreate("race", { track: "loop" }, { spectate: true, group: { key: "us", size: 2 } });
  const party = await client.joinOrCreate("party", { any: 1 });
  party.send("whatever", { is: "fine" });
  return room;
}

it("what is wrong in a client of this server does not compile", async () => {
  expect(aClientOfThisServer).toBeTypeOf("function");
  const url = await server.listen(0);
  const client = new Client<typeof server>(url, { profile: "racing", webSocket: NodeWebSocket });
  const room = await client.joinOrCreate("race");
  expect(room.authority).toMatchObject({ number: 0, id: "server" });
  room.leave();
  await server.stop({ drainMs: 100 });
});
