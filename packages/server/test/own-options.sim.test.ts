/** A server that restarts: what each player gave comes back with that player. */
import type { Client, ClientOptions, Room as ClientRoom } from "@paceline/client";
import { Room, defineServer, type Player } from "@paceline/server";
import { VirtualScheduler, seededRandom } from "@paceline/testkit";
import { StagePlayer, preloadRooms } from "@paceline/testkit/room";
import { setImmediate as nextTurn, setTimeout as realPause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stubFetch } from "./virtual-fetch.js";

interface Entry {
  readonly options: object;
  readonly auth: unknown;
  readonly watches: boolean;
}

class NamedRoom extends Room {
  static override readonly filterBy = ["track"];
  static override readonly onAuth = ({ token }: { readonly token: string }): unknown => token || "nobody";
  static places = 4;
  override maxPlayers = NamedRoom.places;
  override maxSpectators = 4;
  readonly joins: Entry[] = [];

  override onCreate(): void {
    opened.push(this);
  }

  override onJoin(player: Player, options: object, auth: unknown): void {
    this.joins.push({ options, auth, watches: player.isSpectator });
  }
}

let scheduler: VirtualScheduler;
let server: ReturnType<typeof serve>;
/** The rooms of the server that runs. */
let opened: NamedRoom[];
let players: { readonly player: StagePlayer; readonly room: ClientRoom }[];

function serve() {
  opened = [];
  const rooms = { staged: NamedRoom };
  const queues = { staged: { players: 2, spread: 100 } };
  const started = defineServer({ scheduler, wallClockMs: () => scheduler.nowMs(), rooms, queues });
  stubFetch(started);
  return started;
}

beforeEach(() => {
  scheduler = new VirtualScheduler({ startMs: 1000 });
  server = serve();
  players = [];
  NamedRoom.places = 4;
});
afterEach(async () => {
  for (const { room } of players) room.leave();
  await advance(200);
  void server.stop({ drainMs: 0 });
  await advance(200);
});

async function advance(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5) {
    scheduler.advance(5);
    await nextTurn();
  }
}

async function join(
  enter: (client: Client) => Promise<unknown>,
  client: Partial<ClientOptions> = {},
): Promise<ClientRoom> {
  const player = new StagePlayer({
    scheduler,
    random: seededRandom(1),
    network: { delayMs: 20 },
    client,
    accept: (link, protocols) => server.takeLink(link, { address: "stage", protocols }),
  });
  await preloadRooms();
  let room: ClientRoom | undefined;
  const joining = enter(player.client).then((joined) => (room = joined as ClientRoom));
  joining.catch(() => undefined);
  for (let step = 0; step < 400 && !room; step += 1) {
    await advance(5);
    if (!room) await realPause(1);
  }
  room = await joining;
  players.push({ player, room });
  return room;
}

/** Ends the server as a crash does, and starts another one a moment later. */
async function restart(): Promise<void> {
  for (const { player } of players) player.offline();
  await advance(500);
  server = serve();
  for (const { player } of players) player.online();
  for (let step = 0; step < 1500 && players.some(({ room }) => room.state !== "joined"); step += 1)
    await advance(10);
}

const namesOf = (room: NamedRoom): unknown[] =>
  room.joins.map(({ options }) => (options as { readonly name?: string }).name).sort();

const people = ["Ann", "Ben", "Cem"] as const;

test("after a restart each player joins with its own options", async () => {
  for (const name of people) await join((client) => client.joinOrCreate("staged", { name, track: "loop" }));
  await restart();
  expect(opened.map(namesOf)).toEqual([["Ann", "Ben", "Cem"]]);
});

test("after two restarts each player joins with its own options, token, and place among the spectators", async () => {
  for (const name of people) {
    const terms = { spectate: name === "Cem" };
    await join((client) => client.joinOrCreate("staged", { name, track: "loop" }, terms), {
      authToken: `token of ${name}`,
    });
  }
  await restart();
  await restart();
  const joins = opened.flatMap((room) => room.joins);
  expect(joins.map(({ options }) => (options as { name: string }).name).sort()).toEqual([...people]);
  for (const { options, auth, watches } of joins) {
    const { name } = options as { readonly name: string };
    expect([auth, watches]).toEqual([`token of ${name}`, name === "Cem"]);
  }
});

test("after a restart a player who came by the room's code comes back to it, with its own options", async () => {
  await join((client) => client.joinOrCreate("staged", { name: "Ann", track: "loop" }));
  const { code } = opened[0]!;
  await join((client) => client.joinById(code, { name: "Ben" }));
  await join((client) => client.joinById(code));
  await restart();
  expect(opened).toHaveLength(1);
  expect(namesOf(opened[0]!)).toEqual(["Ann", "Ben", undefined]);
});

test("after a restart matched friends meet again, with their own options", async () => {
  NamedRoom.places = 2;
  const queueing = ["Ann", "Cem", "Ben", "Dan"].map((name) =>
    join(async (client) => {
      const group = { key: name < "C" ? "A and B" : "C and D", size: 2 };
      const place = await client.queue("staged", { options: { name, track: "loop" }, group });
      return place.room as Promise<ClientRoom>;
    }),
  );
  await Promise.all(queueing);
  const pairs = [
    ["Ann", "Ben"],
    ["Cem", "Dan"],
  ];
  expect(opened.map(namesOf).sort()).toEqual(pairs);
  await restart();
  expect(opened.map(namesOf).sort()).toEqual(pairs);
});

test("after a restart a player who has moved to another page comes back with its own options", async () => {
  await join((client) => client.joinOrCreate("staged", { name: "Ann", track: "loop" }));
  const { reconnectionToken } = await join((client) =>
    client.joinOrCreate("staged", { name: "Ben", track: "loop" }),
  );
  players.pop()!.player.vanish();
  await join((client) => client.reconnect(reconnectionToken));
  await restart();
  expect(opened.map(namesOf)).toEqual([["Ann", "Ben"]]);
});

test("a player whom a running server has dropped joins the same room again with its own options", async () => {
  const ann = await join((client) => client.joinOrCreate("staged", { name: "Ann", track: "loop" }));
  await join((client) => client.joinOrCreate("staged", { name: "Ben", track: "loop" }));
  const { player, room } = players[1]!;
  player.offline();
  await advance(25_000);
  player.online();
  for (let step = 0; step < 1500 && room.state !== "joined"; step += 1) await advance(10);
  expect(room.roomId).toBe(ann.roomId);
  expect(opened.map(namesOf)).toEqual([["Ann", "Ben", "Ben"]]);
});
