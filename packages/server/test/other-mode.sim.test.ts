/** A server that restarts with rooms of another mode: the client's room goes on in that mode. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Room as ClientRoom } from "@paceline/client";
import { Room, defineServer, type Player, type RoomEntry } from "@paceline/server";
import { VirtualScheduler, seededRandom } from "@paceline/testkit";
import { StagePlayer, preloadRooms } from "@paceline/testkit/room";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Door } from "../../client/src/browser/door.js";
import { stubFetch } from "./virtual-fetch.js";

class HelloRoom extends Room {
  override onJoin(player: Player): void {
    for (const word of ["first", "second"]) this.send(player, "hello", word);
  }
}

const MESH = { maxPlayers: 4 };
let scheduler: VirtualScheduler;
let server: ReturnType<typeof serve>;
let player: StagePlayer;
let room: ClientRoom;

function serve(staged: RoomEntry) {
  const started = defineServer({ scheduler, wallClockMs: () => scheduler.nowMs(), rooms: { staged } });
  stubFetch(started);
  return started;
}

async function advance(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5) {
    scheduler.advance(5);
    await nextTurn();
  }
}

/** Joins a room of the first server. */
async function joinFirst(staged: RoomEntry): Promise<void> {
  server = serve(staged);
  await preloadRooms();
  player = new StagePlayer({
    scheduler,
    random: seededRandom(1),
    network: { delayMs: 20 },
    accept: (link, protocols) => server.takeLink(link, { address: "stage", protocols }),
  });
  const joining = player.client.joinOrCreate("staged").then((joined) => (room = joined as ClientRoom));
  await advance(2000);
  await joining;
}

/** Ends the server as a crash does, and starts another one a moment later. Resolves when the room is joined again. */
async function restart(staged: RoomEntry): Promise<void> {
  player.offline();
  await advance(500);
  server = serve(staged);
  player.online();
  for (let step = 0; step < 1500 && room.state !== "joined"; step += 1) await advance(10);
}

beforeEach(() => void (scheduler = new VirtualScheduler({ startMs: 1000 })));
afterEach(async () => {
  vi.restoreAllMocks();
  void room.leave();
  await advance(200);
  void server.stop({ drainMs: 0 });
  await advance(200);
});

test.each([{ isLoaded: true }, { isLoaded: false }])(
  "a room of players has an authority after a restart that gave it one (code is there: $isLoaded)",
  async ({ isLoaded }) => {
    await joinFirst(MESH);
    expect(room.authority).toBeUndefined();
    const heard: unknown[] = [];
    room.onMessage("hello", (word, from) => heard.push([word, from.number === room.authority?.number]));
    room.onReconnect(({ resumed }) => heard.push({ resumed, hasAuthority: room.authority !== undefined }));
    const code = isLoaded ? undefined : vi.spyOn(Door.prototype, "code", "get").mockReturnValue(undefined);
    await restart(HelloRoom);
    await advance(500);
    await vi.dynamicImportSettled();
    await advance(500);
    expect(code?.mock.calls.length).not.toBe(0);
    expect(room.state).toBe("joined");
    expect(heard).toEqual([{ resumed: false, hasAuthority: true }, ["first", true], ["second", true]]);
  },
);

test("a room with an authority is one of players after a restart that took it away", async () => {
  await joinFirst(HelloRoom);
  expect(room.authority).toBeDefined();
  await restart(MESH);
  expect([room.state, room.authority]).toEqual(["joined", undefined]);
  await expect(room.request("hello", 1)).rejects.toThrow("the room has no authority");
});
