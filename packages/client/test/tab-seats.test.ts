import { defineEntity, uint, type Client, type ClientOptions, type Room } from "@paceline/client";
import { describe, expect, test, vi } from "vitest";
import type { TabStorage } from "../src/browser/tab.js";
import type { GameServer } from "./game-server.js";
import { Stage } from "./stage.js";
import type { TabSeat } from "../src/connection/tab-seat.js";
import { TestPage, TestTab } from "./test-page.js";
import { until } from "./until.js";

const Score = defineEntity("score", { points: uint({ range: [0, 99] }) });

const stage = new Stage();
const FOUR = { rooms: { race: { maxPlayers: 4 }, duel: { maxPlayers: 2 } } };

/** Loads a page in the tab. No module of the page before remains. */
async function load(tab: TestTab, server: GameServer, options: Partial<ClientOptions> = {}): Promise<Client> {
  const page = tab.load();
  vi.resetModules();
  const { Client: OfPage } = await import("@paceline/client");
  const { NodeWebSocket } = await import("@paceline/client/node");
  return new OfPage(server.url, { profile: "racing", webSocket: NodeWebSocket, page, ...options });
}

const enter = async (client: Client): Promise<Room> => stage.keep(await client.joinOrCreate("race"));
const identityOf = ({ roomId, sessionId, myNumber }: Room) => ({ roomId, sessionId, myNumber });
const sessions = (server: GameServer) => server.relay.health().sessions;

describe.each([{ hasLocks: true }, { hasLocks: false }])("a tab (with locks: $hasLocks)", ({ hasLocks }) => {
  test("has one player after ten reloads: the same room, id and number, and its friend plays with it", async () => {
    const server = await stage.server(FOUR);
    const tab = TestTab.open({ hasLocks });
    const first = await enter(await load(tab, server));
    const friend = await stage.join(server);
    let room = first;
    for (let count = 0; count < 10; count++) {
      room = await enter(await load(tab, server));
      expect(identityOf(room)).toEqual(identityOf(first));
    }
    await until("the friend sees one player", () => friend.peers[0]?.state === "connected");
    const [{ id, number } = { id: "", number: 0 }] = friend.peers;
    expect([id, number, friend.peers.length]).toEqual([first.sessionId, 1, 1]);
    expect(server.relay.health()).toMatchObject({ rooms: 1, sessions: 2 });
    const heard: unknown[] = [];
    for (const each of [friend, room]) each.onMessage("n", (n, from) => heard.push([n, from.number]));
    await until("they see each other", () => room.peers.length === 1);
    room.send("n", 7);
    friend.send("n", 8, friend.peers[0]);
    await until("both are heard", () => heard.length === 2);
    expect(heard).toEqual(
      expect.arrayContaining([
        [7, 1],
        [8, friend.myNumber],
      ]),
    );
  });

  test("that is duplicated has a second player in the copy, and both keep their players", async () => {
    const server = await stage.server(FOUR);
    const tab = TestTab.open({ hasLocks });
    const original = await enter(await load(tab, server));
    const copied = tab.duplicate();
    const copy = await enter(await load(copied, server));
    expect([original.state, copy.roomId]).toEqual(["joined", original.roomId]);
    expect(copy.sessionId).not.toBe(original.sessionId);
    const [again, copyAgain] = [
      await enter(await load(tab, server)),
      await enter(await load(copied, server)),
    ];
    expect(identityOf(again)).toEqual(identityOf(original));
    expect(identityOf(copyAgain)).toEqual(identityOf(copy));
    expect(sessions(server)).toBe(2);
  });

  test("whose page joins three times has three players, each with its own seat after every reload", async () => {
    const server = await stage.server(FOUR);
    const tab = TestTab.open({ hasLocks });
    const client = await load(tab, server);
    const rooms = await Promise.all([enter(client), enter(client), enter(client)]);
    const ids = rooms.map(({ sessionId }) => sessionId);
    expect(new Set(ids).size).toBe(3);
    for (const order of ["together", "one by one", "by several clients"]) {
      const next = await load(tab, server);
      const again: Room[] = [];
      if (order === "together") again.push(...(await Promise.all([enter(next), enter(next), enter(next)])));
      const { Client: OfPage } = await import("@paceline/client");
      const { NodeWebSocket } = await import("@paceline/client/node");
      const another = () =>
        new OfPage(server.url, { profile: "racing", webSocket: NodeWebSocket, page: tab.page! });
      while (again.length < 3) again.push(await enter(order === "one by one" ? next : another()));
      expect(again.map(({ sessionId }) => sessionId)).toEqual(ids);
    }
    expect(sessions(server)).toBe(3);
  });

  test.each([
    ["one", "two"],
    ["two", "one"],
  ])("whose join %s is answered first, then %s, gives each player its own seat", async (...answered) => {
    const tab = TestTab.open({ hasLocks });
    const call = { method: "joinOrCreate", target: "race", options: {} } as const;
    const seatsOf = async (): Promise<Record<string, TabSeat>> => {
      const { tab: page } = tab.load();
      vi.resetModules();
      const { TabSeat: OfPage } = await import("../src/connection/tab-seat.js");
      return { one: new OfPage(page, "https://a"), two: new OfPage(page, "https://a") };
    };
    const seats = await seatsOf();
    for (const session of answered) seats[session]!.keep({ session, token: session, roomId: "r" }, call);
    const again = await seatsOf();
    expect(Object.values(again).map((seat) => seat.find(call)?.session)).toEqual(["one", "two"]);
  });
});

describe("a reloaded page", () => {
  test("of the writer of the room's only score does not reset it: the next player writes it", async () => {
    const server = await stage.server(FOUR);
    const tab = TestTab.open();
    const writer = await enter(await load(tab, server));
    const friend = await stage.join(server);
    writer.only(Score).points = 9;
    friend.only(Score);
    await until("the friend has the score", () => friend.only(Score).points === 9);
    const told: unknown[] = [];
    friend.only(Score).onChange("points", (points) => told.push(points));
    friend.onPeerLeave(({ number }) => told.push(`left ${number}`));
    friend.onPeerJoin(({ number }) => told.push(`joined ${number}`));
    const reloaded = await enter(await load(tab, server));
    expect([reloaded.myNumber, reloaded.only(Score).isMine]).toEqual([1, false]);
    await until("the friend writes the score", () => friend.only(Score).isMine);
    await until("the reloaded page has the score", () => reloaded.only(Score).points === 9);
    friend.only(Score).points += 1;
    await until("the reloaded page follows", () => reloaded.only(Score).points === 10);
    expect(told).toEqual(["left 1", "joined 1", 10]);
  });

  test("gets its seat by the same call, or by its room's id", async () => {
    const server = await stage.server(FOUR);
    const tab = TestTab.open();
    const room = stage.keep(await (await load(tab, server)).joinOrCreate("race", { track: "hill", laps: 3 }));
    const other = stage.keep(await (await load(tab, server)).joinOrCreate("race", { track: "lake" }));
    expect(other.sessionId).not.toBe(room.sessionId);
    const byName = stage.keep(await (await load(tab, server)).join("race", { laps: 3, track: "hill" }));
    expect(identityOf(byName)).toEqual(identityOf(room));
    const byId = stage.keep(await (await load(tab, server)).joinById(room.roomId));
    expect(identityOf(byId)).toEqual(identityOf(room));
    const created = stage.keep(await (await load(tab, server)).create("race", { track: "hill", laps: 3 }));
    expect(created.roomId).not.toBe(room.roomId);
  });

  test("is a newcomer if the room was left, the seat has expired, or the server is another one", async () => {
    const server = await stage.server({ ...FOUR, limits: { unloadGraceMs: 100 } });
    const tab = TestTab.open();
    const left = await enter(await load(tab, server));
    left.leave();
    const second = await enter(await load(tab, server));
    expect(second.sessionId).not.toBe(left.sessionId);
    tab.close();
    await until("the seat is free", () => sessions(server) === 0);
    const third = await enter(await load(tab, server));
    expect(third.sessionId).not.toBe(second.sessionId);
    const elsewhere = await stage.server(FOUR);
    expect((await enter(await load(tab, elsewhere))).state).toBe("joined");
    // A restarted server at the same address does not know the secret.
    const { port } = elsewhere;
    await elsewhere.stop();
    const restarted = await stage.server(FOUR, port);
    expect((await enter(await load(tab, restarted))).myNumber).toBe(1);
  });

  test("is another player after another user's login, and the same one with a fresh token of the same user", async () => {
    const server = await stage.server(FOUR);
    const tab = TestTab.open();
    const tokenOf = (sub: string, exp: number) =>
      `${btoa("{}")}.${btoa(JSON.stringify({ sub, exp })).replaceAll("=", "")}.signature`;
    const anna = await enter(await load(tab, server, { authToken: tokenOf("anna", 1) }));
    const again = await enter(await load(tab, server, { authToken: () => tokenOf("anna", 2) }));
    expect(identityOf(again)).toEqual(identityOf(anna));
    const bert = await enter(await load(tab, server, { authToken: tokenOf("bert", 1) }));
    expect(bert.sessionId).not.toBe(anna.sessionId);
    const opaque = await enter(await load(tab, server, { authToken: "s3cret" }));
    expect(opaque.sessionId).not.toBe(bert.sessionId);
    expect(identityOf(await enter(await load(tab, server, { authToken: "s3cret" })))).toEqual(
      identityOf(opaque),
    );
    expect(tab.storage.getItem("paceline:seats")).not.toContain("s3cret");
  });

  test.each<[string, TabStorage | undefined]>([
    ["there is no storage", undefined],
    [
      "the storage throws",
      {
        getItem: () => {
          throw new Error("denied");
        },
        setItem: () => {
          throw new Error("full");
        },
      },
    ],
    [
      "the storage has nonsense",
      { getItem: () => `[{"session": 1}, null, {"server": "x"}]`, setItem: () => undefined },
    ],
    ["the storage has no JSON", { getItem: () => "{{", setItem: () => undefined }],
  ])("is a newcomer if %s", async (_, storage) => {
    const server = await stage.server(FOUR);
    const [first, second] = [new TestPage({ storage }), new TestPage({ storage })];
    const before = await stage.join(server, { page: first });
    first.tell("unload");
    const room = await stage.join(server, { page: second });
    expect(room.sessionId).not.toBe(before.sessionId);
    expect(room.roomId).toBe(before.roomId);
  });

  test("gets its seat even if locks are forbidden", async () => {
    const server = await stage.server(FOUR);
    const { storage } = TestTab.open();
    const forbidden = { request: () => Promise.reject(new DOMException("no", "SecurityError")) };
    const throwing = {
      request: () => {
        throw new TypeError("no locks");
      },
    };
    const first = new TestPage({ storage, locks: forbidden });
    const before = await stage.join(server, { page: first });
    first.tell("unload");
    vi.resetModules();
    const { Client: OfPage } = await import("@paceline/client");
    const { NodeWebSocket } = await import("@paceline/client/node");
    const page = new TestPage({ storage, locks: throwing });
    const next = new OfPage(server.url, { profile: "racing", webSocket: NodeWebSocket, page });
    expect(identityOf(await enter(next))).toEqual(identityOf(before));
  });

  test("returns to its seat when its tab comes back to a sleeping page, even if another page had the seat meanwhile", async () => {
    const server = await stage.server(FOUR);
    const tab = TestTab.open();
    const friend = await stage.join(server);
    const sleeping = tab.load();
    const room = await stage.join(server, { page: sleeping });
    const life: string[] = [];
    room.onReconnect(({ resumed }) => life.push(resumed ? "resumed" : "joined again"));
    room.onLeave((code) => life.push(`left ${code}`));
    sleeping.tell("suspend");
    // Another page of the tab. The page before stays in the browser's cache.
    const between = new TestPage(sleeping.tab);
    vi.resetModules();
    const { Client: OfPage } = await import("@paceline/client");
    const { NodeWebSocket } = await import("@paceline/client/node");
    const next = await enter(
      new OfPage(server.url, { profile: "racing", webSocket: NodeWebSocket, page: between }),
    );
    expect(identityOf(next)).toEqual(identityOf(room));
    between.tell("suspend");
    sleeping.tell("wake");
    await until("it is back", () => life.length > 0);
    expect(life).toEqual(["joined again"]);
    expect(identityOf(room)).toEqual(identityOf(next));
    await until("the friend sees one player", () => friend.peers.length === 1);
    expect(sessions(server)).toBe(2);
  });
});
