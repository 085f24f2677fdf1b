/** Joins of a busy server and of busy pages: a seat that was given is taken up. */
import type { Room as ClientRoom } from "@paceline/client";
import { preloadRooms } from "@paceline/testkit/room";
import { Room, type Player } from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PausableProcess, PausingStage, type PageOptions } from "./pausing-stage.js";

const PLAYERS = 20;
const WITHIN_MS = 90_000;

let joined: number[];
let opened: number;

class BusyRoom extends Room {
  override readonly maxPlayers = 32;

  override onCreate(): void {
    opened += 1;
  }

  override onJoin({ number }: Player): void {
    joined.push(number);
  }
}

let stage: PausingStage;
beforeEach(() => {
  joined = [];
  opened = 0;
});
afterEach(() => stage.stop());

const outcome = (joining: Promise<ClientRoom>): Promise<string> =>
  joining.then(
    ({ state }) => state,
    (error: unknown) => (error as { code: string }).code,
  );

/** Lets all players join at once. Returns the outcomes, in any order, each with its count. */
async function joinAll(pages: readonly PageOptions[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const all = pages.map(async (page) => {
    const end = await outcome(stage.client(page).joinOrCreate("staged") as Promise<ClientRoom>);
    counts[end] = (counts[end] ?? 0) + 1;
  });
  let isOver = false;
  void Promise.all(all).then(() => (isOver = true));
  await preloadRooms();
  for (let ms = 0; ms < WITHIN_MS && !isOver; ms += 100) await stage.advance(100);
  return counts;
}

const kinds = { relayed: { maxPlayers: 32 }, "with authority": BusyRoom };
const ways = { "in the upgrade": {}, "by a request": { authToken: "anyone" } };
const cases = (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) =>
  (Object.keys(ways) as (keyof typeof ways)[]).map((way) => ({ kind, way })),
);

describe("twenty players who join at once", () => {
  test.each(cases)(
    "a room $kind $way get a seat each, once, with answers that are seconds late and pages that stall",
    async ({ kind, way }) => {
      stage = new PausingStage(kinds[kind]);
      const random = seededRandom(12);
      const pages = Array.from({ length: PLAYERS }, () => {
        const loop = new PausableProcess(stage.scheduler);
        const stall = (): void => {
          loop.pause();
          stage.scheduler.after(random.int(1000, 4000), () => loop.goOn());
        };
        for (let atMs = 10; atMs < 20_000; atMs += 5000)
          stage.scheduler.after(atMs + random.int(0, 200), stall);
        return { ...ways[way], answerDelayMs: random.int(1000, 12_000), loop };
      });
      expect(await joinAll(pages)).toEqual({ joined: PLAYERS });
      expect(stage.server.health()).toMatchObject({ sessions: PLAYERS, rooms: 1 });
      const hooks = kind === "with authority" ? [PLAYERS, 1] : [0, 0];
      expect([joined.length, opened]).toEqual(hooks);
    },
  );

  test.each(cases.flatMap((each) => [12_000, 18_000].map((answerDelayMs) => ({ ...each, answerDelayMs }))))(
    "a room $kind $way get a seat each, once, with every answer $answerDelayMs ms late",
    async ({ kind, way, answerDelayMs }) => {
      stage = new PausingStage(kinds[kind]);
      const pages = Array.from({ length: PLAYERS }, () => ({ ...ways[way], answerDelayMs }));
      expect(await joinAll(pages)).toEqual({ joined: PLAYERS });
      expect(stage.server.health()).toMatchObject({ sessions: PLAYERS, rooms: 1 });
      expect(joined.length).toBe(kind === "with authority" ? PLAYERS : 0);
    },
  );

  test("a server that stands still for 12 s meanwhile get a seat each, once", async () => {
    stage = new PausingStage(BusyRoom);
    stage.process.pause();
    stage.scheduler.after(12_000, () => stage.process.goOn());
    expect(await joinAll(Array.from({ length: PLAYERS }, () => ({})))).toEqual({ joined: PLAYERS });
    expect([joined.length, opened]).toEqual([PLAYERS, 1]);
  });
});

test("a player of a room whose onAuth takes 8 s joins it, once", async () => {
  class SlowAuth extends BusyRoom {
    static override async onAuth(): Promise<object> {
      await new Promise<void>((resolve) => void stage.scheduler.after(8000, resolve));
      return {};
    }
  }
  stage = new PausingStage(SlowAuth);
  expect(await joinAll([{}])).toEqual({ joined: 1 });
  expect([joined, stage.sockets]).toEqual([[1], 1]);
});

test.each(Object.entries(ways))(
  "a join %s of a server that never answers fails after 20 s, and leaves no player if it does later",
  async (_, way) => {
    await preloadRooms();
    stage = new PausingStage(BusyRoom);
    stage.process.pause();
    stage.isSilent = true;
    const startMs = stage.scheduler.nowMs();
    let endMs = Infinity;
    const joining = outcome(stage.client(way).joinOrCreate("staged") as Promise<ClientRoom>);
    void joining.then(() => (endMs = stage.scheduler.nowMs()));
    await stage.advance(30_000);
    expect(await joining).toBe("session/timeout");
    expect(endMs - startMs).toBeGreaterThan(19_000);
    expect(endMs - startMs).toBeLessThan(21_000);
    stage.process.goOn();
    await stage.advance(5000);
    expect(stage.server.health().sessions).toBe(0);
  },
);

test("an upgrade that hangs although the server answers over HTTP is replaced by a request", async () => {
  stage = new PausingStage(BusyRoom);
  stage.upgradeDelayMs = 1_000_000;
  stage.scheduler.after(4500, () => (stage.upgradeDelayMs = 0));
  const startMs = stage.scheduler.nowMs();
  expect(await joinAll([{}])).toEqual({ joined: 1 });
  expect(stage.scheduler.nowMs() - startMs).toBeLessThan(6000);
  expect([joined.length, stage.sockets, stage.requests]).toEqual([
    1,
    2,
    ["/match/list/staged", "/match/joinOrCreate/staged"],
  ]);
});
