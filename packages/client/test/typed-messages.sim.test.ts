import type { Client, Peer, Room } from "@paceline/client";
import { describe, expect, expectTypeOf, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

interface Messages {
  horn: { loud: boolean };
  chat: string;
}

/** For the compiler only: never called. */
async function aClientOfThisGame(client: Client<Messages>): Promise<Room<Messages>> {
  const room = await client.joinOrCreate("race", { track: "loop" });
  expectTypeOf(room).toEqualTypeOf<Room<Messages>>();
  room.send("horn", { loud: true });
  room.send("chat", "hello", room.peers[0]);
  room.sendEvent("chat", "hello");
  // @ts-expect-error loud is no text
  room.send("horn", { loud: "yes" });
  // @ts-expect-error there is no such message
  room.send("hork", { loud: true });
  // @ts-expect-error chat is text
  room.sendEvent("chat", 1);
  room.onMessage("horn", (message, from) => {
    expectTypeOf(message).toEqualTypeOf<{ loud: boolean }>();
    expectTypeOf(from).toEqualTypeOf<Peer>();
  });
  // @ts-expect-error there is no such message
  room.onMessage("hork", () => undefined);
  // @ts-expect-error chat is text
  room.onMessage("chat", (message: number) => message);
  for (const again of [
    client.create("race"),
    client.join("race"),
    client.joinById("id"),
    client.reconnect("t"),
  ]) {
    expectTypeOf(await again).toEqualTypeOf<Room<Messages>>();
  }
  const queueing = await client.queue("race", { rank: 5 });
  expectTypeOf(await queueing.room).toEqualTypeOf<Room<Messages>>();
  // A helper for any room accepts it.
  const leave = (any: Room): Promise<void> | void => any.leave();
  await leave(room);
  return room;
}

describe("messages between players", () => {
  test("are checked by the compiler from one interface", () => {
    expect(aClientOfThisGame).toBeTypeOf("function");
  });

  test("arrive with their declared types, in both directions", async () => {
    const stage = new RelayStage({ delayMs: 20 });
    // The room of an untyped client can be used as a typed one.
    const a: Room<Messages> = await stage.join();
    const b: Room<Messages> = await stage.join();
    await stage.advance(300);
    const heard: unknown[] = [];
    a.onMessage("chat", (text, from) => heard.push([text.toUpperCase(), from.number]));
    b.onMessage("horn", ({ loud }, from) => heard.push([loud, from.number]));
    a.send("horn", { loud: true });
    b.send("chat", "hello");
    await stage.advance(500);
    expect(heard).toHaveLength(2);
    expect(heard).toEqual(
      expect.arrayContaining([
        [true, a.myNumber],
        ["HELLO", b.myNumber],
      ]),
    );
  });
});
