import { Client, type HostedRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import {
  Room,
  defineEntity,
  defineInput,
  defineServer,
  flag,
  type Directed,
  type Player,
} from "@paceline/server";
import { expect, expectTypeOf, it } from "vitest";
import { Car, Drive, RaceRoom } from "./race.js";

const server = defineServer({ rooms: { race: RaceRoom, party: { maxPlayers: 8 } } });
const Ghost = defineEntity("ghost", { seen: flag() });
const Jump = defineInput({ jump: flag() });
type RaceClientRoom = HostedRoom<(typeof server)["kinds"]["race"]>;

/** Never called. The compiler checks its types. */
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
  room.onMessage("gap", (seconds) => expectTypeOf(seconds).toEqualTypeOf<number>());
  room.onMessage("flag", (flag) => expectTypeOf(flag).toEqualTypeOf<{ color: string }>());
  room.send("flag", { color: "blue" });
  // @ts-expect-error the server alone sends gaps
  room.send("gap", 1);
  room.send("boost", 2, { class: "bulk" });
  // @ts-expect-error players alone send boosts
  room.onMessage("boost", () => undefined);
  // @ts-expect-error there is no such message
  room.onMessage("hork", () => undefined);
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

/** Never opened. The compiler checks its types. */
class TypedRoom extends Room<{
  messages: {
    flag: { color: string };
    gap: Directed<never, number>;
    boost: Directed<number>;
    chat: Directed<string, { from: number; text: string }>;
  };
}> {
  override onCreate(): void {
    this.onMessage("flag", (_player, flag) => expectTypeOf(flag).toEqualTypeOf<{ color: string }>());
    this.onMessage("boost", (_player, boost) => expectTypeOf(boost).toEqualTypeOf<number>());
    this.onMessage("chat", (player, text) => this.broadcast("chat", { from: player.number, text }));
    this.broadcast("flag", { color: "red" });
    this.broadcast("gap", 3);
    // @ts-expect-error a gap is a number
    this.broadcast("gap", "3");
    // @ts-expect-error the room alone sends gaps
    this.onMessage("gap", () => undefined);
    // @ts-expect-error players alone send boosts
    this.broadcast("boost", 1);
    // @ts-expect-error what comes back has its sender
    this.broadcast("chat", "hello");
  }

  override onJoin(player: Player): void {
    this.send(player, "gap", 1);
    // @ts-expect-error there is no such message
    this.sendEvent(player, "hork", 1);
  }
}

it("messages are described once for both directions, and wrong ones do not compile", () => {
  expect(TypedRoom).toBeTypeOf("function");
});

it("wrong calls in a client of this server do not compile", async () => {
  expect(aClientOfThisServer).toBeTypeOf("function");
  const url = await server.listen(0);
  const client = new Client<typeof server>(url, { profile: "racing", webSocket: NodeWebSocket });
  const room = await client.joinOrCreate("race");
  expect(room.authority).toMatchObject({ number: 0, id: "server" });
  room.leave();
  await server.stop({ drainMs: 100 });
});
