/** Clients that give up while the server is paused: it obeys none of their requests when it goes on. */
import { preloadRooms } from "@paceline/testkit/room";
import { Room, type Player } from "@paceline/server";
import { afterEach, describe, expect, test } from "vitest";
import { PausingStage } from "./pausing-stage.js";

let hooks: string[];

class WatchedRoom extends Room {
  override onCreate(): void {
    hooks.push("onCreate");
  }

  override onJoin({ number }: Player): void {
    hooks.push(`onJoin ${number}`);
  }
}

let stage: PausingStage;
afterEach(() => stage.stop());

const kinds = { relayed: { maxPlayers: 16 }, "with authority": WatchedRoom };
const requests = {
  "a join in the upgrade": (signal: AbortSignal) => stage.client().joinOrCreate("staged", {}, { signal }),
  "a join by a request": (signal: AbortSignal) =>
    stage.client({ authToken: "anyone" }).joinOrCreate("staged", {}, { signal }),
  "a place in a queue": (signal: AbortSignal) => stage.client().queue("staged", { signal }),
};
type Request = keyof typeof requests;
const cases = (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) =>
  (Object.keys(requests) as Request[])
    .filter((request) => kind === "with authority" || request !== "a place in a queue")
    .map((request) => ({ kind, request })),
);

describe("a client that gives up during a pause of the server", () => {
  test.each(cases)("$request of a room $kind leaves no seat, no player and no room", async (each) => {
    hooks = [];
    const queues = each.kind === "relayed" ? {} : { queues: { staged: { players: 2 } } };
    stage = new PausingStage(kinds[each.kind], queues);
    await preloadRooms();
    await stage.advance(1000);
    stage.process.pause();
    const controller = new AbortController();
    const asking = requests[each.request](controller.signal);
    const outcome = asking.catch((error: unknown) => (error as Error).name);
    await stage.advance(4000);
    controller.abort();
    await stage.advance(8000);
    stage.process.goOn();
    // Also right after the pause.
    for (let turn = 0; turn < 60; turn += 1) {
      await stage.advance(50);
      expect([hooks, stage.server.rooms()]).toEqual([[], []]);
    }
    expect(await outcome).toBe("AbortError");
    expect(stage.server.health()).toMatchObject({ sessions: 0, rooms: 0 });
  });

  test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
    "with a ticket for a room %s leaves no seat and no player",
    async (kind) => {
      hooks = [];
      stage = new PausingStage(kinds[kind]);
      await preloadRooms();
      await stage.advance(1000);
      const controller = new AbortController();
      const { signal } = controller;
      const outcome = stage.client({ authToken: "anyone" }).joinOrCreate("staged", {}, { signal });
      outcome.catch(() => undefined);
      while (stage.sockets === 0) await stage.advance(5);
      stage.process.pause();
      expect(stage.server.rooms()).toMatchObject([{ taken: 1 }]);
      await stage.advance(4000);
      controller.abort();
      await stage.advance(8000);
      stage.process.goOn();
      await stage.advance(1000);
      expect(stage.server.rooms()).toEqual([]);
      expect(hooks.filter((hook) => hook.startsWith("onJoin"))).toEqual([]);
      await expect(outcome).rejects.toMatchObject({ name: "AbortError" });
    },
  );
});

/** Time from the server's answer to an upgrade until the client has it, ms. */
const LONG_WAY_MS = 1200;

describe("a client far away whose upgrade the server answers right after a pause", () => {
  const asked = async (kind: keyof typeof kinds) => {
    hooks = [];
    stage = new PausingStage(kinds[kind]);
    await preloadRooms();
    await stage.advance(1000);
    stage.process.pause();
    const controller = new AbortController();
    const { signal } = controller;
    const joining = stage.client({ answerDelayMs: LONG_WAY_MS }).joinOrCreate("staged", {}, { signal });
    joining.catch(() => undefined);
    await stage.advance(3000);
    stage.process.goOn();
    return { joining, controller };
  };

  test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
    "leaves no seat and no player in a room %s if it gives up before it has the answer",
    async (kind) => {
      const { joining, controller } = await asked(kind);
      await stage.advance(100);
      controller.abort();
      for (let turn = 0; turn < 60; turn += 1) {
        await stage.advance(50);
        expect([hooks, stage.server.rooms()]).toEqual([[], []]);
      }
      await expect(joining).rejects.toMatchObject({ name: "AbortError" });
    },
  );

  test.each(Object.keys(kinds) as (keyof typeof kinds)[])("joins a room %s", async (kind) => {
    const { joining } = await asked(kind);
    const room = await stage.until(joining);
    expect(room.state).toBe("joined");
    expect(stage.server.rooms()).toMatchObject([{ taken: 1 }]);
    void room.leave();
    await stage.advance(100);
  });

  test("joins after 3 s if it says nothing before its welcome", async () => {
    const { joining } = await asked("relayed");
    stage.line.pause();
    await stage.advance(2500);
    expect(stage.server.rooms()).toEqual([]);
    await stage.advance(1000);
    expect(stage.server.rooms()).toMatchObject([{ taken: 1 }]);
    stage.line.goOn();
    const room = await stage.until(joining);
    void room.leave();
    await stage.advance(100);
  });
});
