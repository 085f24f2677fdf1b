/** Joins that a game aborts, and leaving that a game awaits. */
import { Client, ConfigError, type JoinTerms, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { describe, expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";
import { Stage } from "./stage.js";
import { pause, until } from "./until.js";

const stage = new Stage();
const reason = new Error("the player went back to the menu");
const outcome = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (room) => `joined ${(room as Room).state}`,
    (error: unknown) => error,
  );

describe("a join that is aborted", () => {
  test("before it begins rejects with the reason, and nothing is sent", async () => {
    const server = await stage.server();
    let sockets = 0;
    class Counted extends NodeWebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols);
        sockets += 1;
      }
    }
    const client = stage.client(server, { webSocket: Counted });
    const signal = AbortSignal.abort(reason);
    const token = "session.token";
    for (const call of [
      () => client.joinOrCreate("race", {}, { signal }),
      () => client.create("race", {}, { signal }),
      () => client.join("race", {}, { signal }),
      () => client.joinById("race", {}, { signal }),
      () => client.reconnect(token, { signal }),
      () => client.list("race", {}, { signal }),
      () => client.queue("race", { signal }),
    ]) {
      expect(await outcome(call())).toBe(reason);
    }
    expect([sockets, server.relay.counts.matchRefusals]).toEqual([0, {}]);
  });

  test("at any moment rejects at once, and leaves no player behind", async () => {
    // Otherwise the first joins wait for code, which takes real time.
    await Client.preload("racing");
    const relay = new RelayStage();
    const seats = (): number => relay.relay.rooms().reduce((sum, { taken }) => sum + taken, 0);
    const ends = new Set<string>();
    for (let atMs = 0; atMs <= 300; atMs += 5) {
      const controller = new AbortController();
      const joining = outcome(relay.player().client.joinOrCreate("race", {}, { signal: controller.signal }));
      await relay.advance(atMs);
      controller.abort(reason);
      const end = await joining;
      ends.add(end === reason ? "aborted" : String(end));
      // From here on, the join completes before the signal.
      if (end !== reason) break;
      await relay.advance(400);
      expect([atMs, relay.relay.health().sessions, seats()]).toEqual([atMs, 0, 0]);
    }
    expect([...ends]).toEqual(["aborted", "joined joined"]);
  });

  test("over real sockets while they open leaves no player behind", async () => {
    const server = await stage.server();
    for (const delayMs of [0, 1, 2, 4, 8]) {
      const controller = new AbortController();
      const joining = stage.client(server).joinOrCreate("duel", {}, { signal: controller.signal });
      const end = outcome(joining);
      if (delayMs > 0) await pause(delayMs);
      controller.abort(reason);
      if ((await end) !== reason) await (await joining).leave();
      await pause(60);
      await until("nobody is left", () => server.relay.health().sessions === 0, 2000);
    }
    await stage.join(server, {}, "duel");
    const friend = await stage.join(server, {}, "duel");
    expect([friend.fullRooms, friend.peers.length]).toEqual([0, 1]);
  });

  test("while it waits for a token, rejects at once", async () => {
    const server = await stage.server();
    let asked = 0;
    const authToken = (): Promise<string> => {
      asked += 1;
      return new Promise(() => undefined);
    };
    const controller = new AbortController();
    const client = stage.client(server, { authToken });
    const joining = outcome(client.joinOrCreate("race", {}, { signal: controller.signal }));
    await until("the token is asked for", () => asked === 1);
    controller.abort();
    expect(await joining).toMatchObject({ name: "AbortError" });
    expect(server.relay.health().sessions).toBe(0);
  });

  test("after the join changes nothing", async () => {
    const server = await stage.server();
    const controller = new AbortController();
    const room = await stage.client(server).joinOrCreate("race", {}, { signal: controller.signal });
    controller.abort(reason);
    await pause(20);
    expect(room.state).toBe("joined");
    await room.leave();
  });

  test.each(["abort", null, {}, new AbortController()])(
    "with a value that is no AbortSignal throws: %s",
    async (wrong) => {
      const client = stage.client(await stage.server());
      const terms = { signal: wrong } as unknown as JoinTerms;
      expect(() => client.joinOrCreate("race", {}, terms)).toThrow(ConfigError);
      expect(() => client.reconnect("a.b", terms)).toThrow("signal: expected an AbortSignal");
      expect(() => client.list("race", {}, terms)).toThrow("signal: expected an AbortSignal");
      await expect(client.queue("race", terms)).rejects.toThrow("signal: expected an AbortSignal");
    },
  );
});

describe("leaving", () => {
  test("resolves when the server knows", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const left = a.leave();
    expect(a.state).toBe("left");
    await left;
    expect(server.relay.health().sessions).toBe(1);
    await Promise.all([b.leave(), b.leave()]);
    expect(server.relay.health().sessions).toBe(0);
    await a.leave();
  });

  test("resolves after a second if the server does not answer, and at once if there is no link", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    server.stopReading();
    const startedAtMs = performance.now();
    await a.leave();
    expect(performance.now() - startedAtMs).toBeGreaterThan(900);
    // At once, because a client soon has another link.
    const left = new Promise<number>((resolve) => {
      b.onDrop(() => {
        const droppedAtMs = performance.now();
        void b.leave().then(() => resolve(performance.now() - droppedAtMs));
      });
    });
    server.cutLinks();
    expect(await left).toBeLessThan(500);
  });

  test("happens at the end of a block with `await using`", async () => {
    const server = await stage.server();
    {
      await using room = await stage.client(server).joinOrCreate("race");
      expect(room.state).toBe("joined");
    }
    expect(server.relay.health().sessions).toBe(0);
  });
});
