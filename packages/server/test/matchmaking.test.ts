import { Client } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { CloseCode } from "@paceline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RaceRoom } from "./race.js";
import { Stage } from "./stage.js";

class ListedRoom extends RaceRoom {
  override maxPlayers = 2;
  override onCreate(options: { name?: string } = {}): void {
    this.setMetadata({ host: options.name ?? "" });
  }
}

let stage: Stage<ListedRoom>;
let client: Client;
beforeEach(async () => {
  stage = await new Stage(ListedRoom).start();
  client = new Client(stage.url, { profile: "racing", webSocket: NodeWebSocket, transports: ["websocket"] });
});
afterEach(() => stage.stop());

describe("finding a room", () => {
  it("options outside of filterBy do not separate players; the next room opens when one is full", async () => {
    const a = await stage.join({ track: "loop", name: "Ann" });
    const b = await stage.join({ track: "loop", name: "Bob" });
    const c = await stage.join({ track: "loop", name: "Cleo" });
    const d = await stage.join({ track: "oval", name: "Dan" });
    expect(b.roomId).toBe(a.roomId);
    expect(new Set([a.roomId, c.roomId, d.roomId]).size).toBe(3);
  });

  it("lists open rooms, by options and metadata", async () => {
    await stage.join({ track: "loop", name: "Ann" });
    await stage.join({ track: "oval", name: "Bob" });
    const hosts = async (filter = {}): Promise<unknown[]> =>
      (await client.list("race", filter)).map(({ metadata }) => metadata.host);
    expect(await hosts()).toEqual(["Ann", "Bob"]);
    expect(await hosts({ track: "oval" })).toEqual(["Bob"]);
    expect(await hosts({ host: "Ann" })).toEqual(["Ann"]);
    expect(await hosts({ track: "none" })).toEqual([]);
    expect((await client.list("race"))[0]).toMatchObject({
      players: 1,
      maxPlayers: 2,
      options: { track: "loop" },
    });
    await expect(client.list("rase")).rejects.toMatchObject({ code: "match/unknown-room" });
  });

  it("a locked room lets nobody in, a private one only players with its code", async () => {
    const first = await stage.join();
    const [hosted] = stage.rooms;
    hosted!.lock();
    const second = await stage.join();
    expect(second.roomId).not.toBe(first.roomId);
    await expect(client.joinById(first.roomId)).rejects.toMatchObject({ code: "match/not-found" });
    hosted!.unlock();
    hosted!.setPrivate();
    stage.rooms[1]!.lock();
    expect(await client.list("race")).toEqual([]);
    expect(hosted!.code).toMatch(/^[2-9B-Z]{6}$/);
    const guest = await client.joinById(hosted!.code);
    expect(guest.roomId).toBe(first.roomId);
    guest.leave();
  });

  it("disconnect ends a room for everybody, and nobody comes back to it", async () => {
    const room = await stage.join();
    const left = new Promise((resolve) => room.onLeave((code, reason) => resolve([code, reason])));
    stage.rooms[0]!.disconnect("the race is over");
    expect(await left).toEqual([CloseCode.roomClosed, "the race is over"]);
    expect(stage.server.health().rooms).toBe(0);
  });
});
