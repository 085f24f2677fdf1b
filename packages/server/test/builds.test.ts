import { Client, type ClientOptions, type Room as ClientRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { silentLog } from "@paceline/relay";
import { Room, defineServer, type RoomEntry, type Server } from "@paceline/server";
import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "./stage.js";

class Decided extends Room {}
class Mixed extends Room {
  static override readonly mixesBuilds = true;
}
const rooms: Record<string, RoomEntry> = {
  race: { maxPlayers: 4 },
  fair: { maxPlayers: 4, mixesBuilds: true },
  decided: Decided,
  mixed: Mixed,
};

let server: Server<typeof rooms>;
let url: string;
const joined: ClientRoom[] = [];

async function serve(build?: string, port = 0): Promise<void> {
  server = defineServer({
    rooms,
    queues: { decided: { players: 2 } },
    log: silentLog,
    ...(build !== undefined && { build }),
  });
  url = await server.listen(port);
}

function clientOf(build?: string, options: Partial<ClientOptions> = {}): Client {
  return new Client(url, {
    profile: "racing",
    webSocket: NodeWebSocket,
    transports: ["websocket"],
    ...(build !== undefined && { build }),
    ...options,
  });
}

async function enter(joining: Promise<ClientRoom>): Promise<ClientRoom> {
  const room = await joining;
  joined.push(room);
  return room;
}

function outdatedPage(build = "41"): { readonly client: Client; readonly told: object[] } {
  const told: object[] = [];
  return { client: clientOf(build, { onOutdated: (builds) => told.push(builds) }), told };
}

afterEach(async () => {
  for (const room of joined.splice(0)) room.leave();
  await server.stop({ drainMs: 50 });
});

describe("players of different builds", () => {
  test.each(["race", "decided"])("[M7] do not meet in a room of the kind %s", async (kind) => {
    await serve();
    const first = await enter(clientOf("41").joinOrCreate(kind));
    const second = await enter(clientOf("42").joinOrCreate(kind));
    const third = await enter(clientOf().joinOrCreate(kind));
    const fourth = await enter(clientOf("41").joinOrCreate(kind));
    expect(new Set([first.roomId, second.roomId, third.roomId]).size).toBe(3);
    expect(fourth.roomId).toBe(first.roomId);
    await expect(clientOf("43").join(kind)).rejects.toMatchObject({ code: "match/not-found" });
    await expect(clientOf("42").joinById(first.roomId)).rejects.toMatchObject({
      code: "match/outdated",
      message: expect.stringContaining("the room is of build 41, this page of build 42") as string,
      retryable: false,
    });
    await expect(clientOf().joinById(first.roomId)).rejects.toMatchObject({ code: "match/outdated" });
    expect((await clientOf("42").list(kind)).map(({ roomId }) => roomId)).toEqual([second.roomId]);
    await expect(clientOf("42").reconnect(first.reconnectionToken)).rejects.toMatchObject({
      code: "match/outdated",
    });
    const again = await enter(clientOf("41").reconnect(first.reconnectionToken));
    expect(again.roomId).toBe(first.roomId);
  });

  test.each(["fair", "mixed"])("[M7] meet in a room of the kind %s, which mixes them", async (kind) => {
    await serve();
    const first = await enter(clientOf("41").joinOrCreate(kind));
    const second = await enter(clientOf("42").joinOrCreate(kind));
    const third = await enter(clientOf().joinById(first.roomId));
    expect([second.roomId, third.roomId]).toEqual([first.roomId, first.roomId]);
    expect(await clientOf("43").list(kind)).toHaveLength(1);
  });

  test("[M7] are not matched as friends: one group key has a room for each build", async () => {
    await serve();
    const terms = { group: { key: "us", size: 2 } };
    const first = await enter(clientOf("41").joinOrCreate("race", {}, terms));
    const second = await enter(clientOf("42").joinOrCreate("race", {}, terms));
    expect(second.roomId).not.toBe(first.roomId);
  });
});

describe("players of a queue", () => {
  test("[M7] are matched within their build, and only clients of that build get their seats back", async () => {
    await serve();
    const [first, other, second] = await Promise.all(
      ["41", "42", "41"].map((build) => clientOf(build).queue("decided")),
    );
    const [a, b] = await Promise.all([enter(first!.room), enter(second!.room)]);
    expect(b.roomId).toBe(a.roomId);
    other!.room.catch(() => undefined);
    other!.cancel();
    await expect(clientOf("42").reconnect(a.reconnectionToken)).rejects.toMatchObject({
      code: "match/outdated",
    });
    const again = await enter(clientOf("41").reconnect(a.reconnectionToken));
    expect(again.roomId).toBe(a.roomId);
  });
});

describe("a page of an older build", () => {
  test("[M7] gets one event when it joins", async () => {
    await serve("42");
    const { client, told } = outdatedPage();
    await enter(client.joinOrCreate("race"));
    await enter(client.joinOrCreate("mixed"));
    expect(told).toEqual([{ mine: "41", current: "42" }]);
    const same = outdatedPage("42");
    await enter(same.client.joinOrCreate("race"));
    expect(same.told).toEqual([]);
  });

  test("[M7] gets an event when it is back after a deployment, and again after the next", async () => {
    await serve("41");
    const { client, told } = outdatedPage();
    const room = await enter(client.joinOrCreate("race"));
    let back = 0;
    room.onReconnect(() => (back += 1));
    const port = Number(new URL(url).port);
    for (const build of ["42", "43"]) {
      const before = back;
      await server.stop({ drainMs: 0 });
      await serve(build, port);
      await eventually(() => expect(back).toBe(before + 1), 15_000);
    }
    expect(told).toEqual([
      { mine: "41", current: "42" },
      { mine: "41", current: "43" },
    ]);
  }, 40_000);

  test("[M7] gets no event from a server that names no build", async () => {
    await serve();
    const { client, told } = outdatedPage();
    await enter(client.joinOrCreate("race"));
    expect(told).toEqual([]);
  });
});

describe("a build", () => {
  test.each(["", "a b", "x".repeat(65), 42, null])("cannot be %j", async (build) => {
    await serve();
    const wrong = build as string;
    expect(() => clientOf(wrong)).toThrow(/^build: expected 1 to 64 letters, digits/);
    expect(() => defineServer({ rooms, build: wrong })).toThrow(/^build: expected 1 to 64 letters, digits/);
    const body = JSON.stringify({ version: 5, build });
    const answer = await fetch(`${url}/match/joinOrCreate/race`, { method: "POST", body });
    expect(await answer.json()).toMatchObject({
      error: { code: "match/bad-request", message: expect.stringContaining("build must be") as string },
    });
  });

  test("is required with onOutdated", async () => {
    await serve();
    expect(() => clientOf(undefined, { onOutdated: () => undefined })).toThrow(/^build: expected a build/);
    expect(() => clientOf("1", { onOutdated: 1 as never })).toThrow(/^onOutdated: expected a function/);
    const kinds = { race: { mixesBuilds: 1 as never } };
    expect(() => defineServer({ rooms: kinds })).toThrow(/^rooms\.race\.mixesBuilds: expected true or false/);
  });
});
