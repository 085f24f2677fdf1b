import type { Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { RelayStage } from "./relay-stage.js";

const MODULE = "../src/doors/room.js";
const MOTION = "../src/doors/motion.js";
const MESH = "../src/doors/mesh.js";
const SEATS = "../src/doors/seats.js";
const RTT_MS = 100;
const STEP_MS = 5;

let release: () => void = () => undefined;

/**
 * Holds back the code of rooms until `release()`. Resolves when it has loaded, which takes real time, while that of
 * the join is virtual.
 */
function holdCode(file = MODULE): Promise<void> {
  const gate = new Promise<void>((resolve) => (release = resolve));
  return new Promise((loaded) => {
    vi.doMock(file, async (original) => {
      const code = await original();
      loaded();
      await gate;
      return code as object;
    });
  });
}

/** Answers like a server that has lost the file, until told otherwise. */
function breakCode(file = MODULE): void {
  vi.doMock(file, () => {
    throw new Error("404");
  });
}

/** Starts a page of its own: no code of the client has been fetched. */
async function newStage(): Promise<RelayStage> {
  vi.resetModules();
  const { RelayStage: Stage } = await import("./relay-stage.js");
  return new Stage({ delayMs: RTT_MS / 2 });
}

/** Advances virtual and real time until the promise is settled. Fetches need real time. */
async function settled<Value>(stage: RelayStage, promise: Promise<Value>): Promise<Value> {
  let isOver = false;
  const end = (): void => void (isOver = true);
  promise.then(end, end);
  for (let step = 0; step < 1000 && !isOver; step++) {
    await stage.advance(STEP_MS);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return promise;
}

const refused = (joining: Promise<Room>): Promise<unknown> =>
  joining.then(
    () => "joined",
    (error: unknown) => error,
  );

describe("the code of rooms", () => {
  afterEach(async () => {
    release();
    // Code that arrives after the reset would already be present in the next test.
    await vi.dynamicImportSettled();
    vi.doUnmock(MODULE);
    vi.doUnmock(MOTION);
    vi.doUnmock(MESH);
    vi.doUnmock(SEATS);
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  test("costs a join no round trip: the seat is taken during the fetch, and no received packet is lost", async () => {
    const loaded = holdCode();
    const stage = await newStage();
    const joining = stage.player().client.joinOrCreate("race");
    await stage.advance(RTT_MS * 3);
    expect(stage.relay.health()).toMatchObject({ rooms: 1, sessions: 1 });
    await loaded;
    release();
    const room = await settled(stage, joining);
    expect([room.state, room.myNumber, stage.relay.health().sessions]).toEqual(["joined", 1, 1]);
    await stage.advance(10_000);
    expect(room.state).toBe("joined");
    void room.leave();
    await stage.advance(RTT_MS);
  });

  test("that fails to load rejects the join, frees the seat, and may load the next time", async () => {
    breakCode();
    const stage = await newStage();
    const { client } = stage.player();
    expect(await refused(settled(stage, client.joinOrCreate("race")))).toMatchObject({
      name: "NetError",
      code: "session/code",
      retryable: true,
    });
    await stage.advance(1000);
    expect(stage.relay.health()).toMatchObject({ rooms: 0, sessions: 0 });
    vi.doUnmock(MODULE);
    vi.resetModules();
    const room = await settled(stage, client.joinOrCreate("race"));
    expect(room.state).toBe("joined");
    void room.leave();
    await stage.advance(RTT_MS);
  });

  test("is that of motion as well, if the game has described an entity that moves", async () => {
    breakCode(MOTION);
    const stage = await newStage();
    const { client } = stage.player();
    const { defineEntity, vec2 } = await import("@paceline/client");
    const position = vec2({ range: [-10, 10], precision: 0.01 });
    defineEntity("sign", { position });
    const before = await settled(stage, client.joinOrCreate("race"));
    expect(before.state).toBe("joined");
    void before.leave();
    await stage.advance(RTT_MS);
    defineEntity("car", { position }, { motion: "velocity" });
    const joining = client.joinOrCreate("race");
    expect(await refused(settled(stage, joining))).toMatchObject({ code: "session/code" });
    await stage.advance(1000);
    expect(stage.relay.health()).toMatchObject({ rooms: 0, sessions: 0 });
  });

  test("for requests by HTTP is no part of a join by an upgrade; a list fails without it, and the next one asks again", async () => {
    breakCode(SEATS);
    const stage = await newStage();
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ rooms: [] })));
    const { client } = stage.player();
    const room = await settled(stage, client.joinOrCreate("race"));
    expect(room.state).toBe("joined");
    await expect(client.list("race")).rejects.toMatchObject({ code: "session/code", retryable: true });
    vi.doUnmock(SEATS);
    vi.resetModules();
    expect(await client.list("race")).toEqual([]);
    void room.leave();
    await stage.advance(RTT_MS);
  });

  test("that comes after the seat has expired makes the client request another one", async () => {
    void holdCode();
    const stage = await newStage();
    const asked: unknown[] = [];
    vi.stubGlobal("fetch", (url: unknown) => {
      asked.push(url);
      const body = { error: { code: "match/full", message: "full" } };
      return Promise.resolve(Response.json(body, { status: 409 }));
    });
    const joining = stage.player().client.joinOrCreate("race");
    await stage.advance(RTT_MS);
    expect(stage.relay.health().sessions).toBe(1);
    await stage.advance(4000);
    expect(stage.relay.health().sessions).toBe(0);
    expect(asked).toEqual([]);
    release();
    expect(await refused(settled(stage, joining))).toMatchObject({ code: "match/full" });
    expect(asked).toHaveLength(1);
  });

  test("is not awaited by an aborted join, which leaves no player behind", async () => {
    void holdCode();
    const stage = await newStage();
    const abortion = new AbortController();
    const terms = { signal: abortion.signal };
    const joining = refused(stage.player().client.joinOrCreate("race", {}, terms));
    await stage.advance(RTT_MS * 2);
    expect(stage.relay.health().sessions).toBe(1);
    abortion.abort(new Error("changed my mind"));
    expect(await joining).toMatchObject({ message: "changed my mind" });
    await stage.advance(RTT_MS * 2);
    expect(stage.relay.health().sessions).toBe(0);
  });

  test("passes on the refusal of a server that came before the code", async () => {
    const loaded = holdCode();
    const stage = await newStage();
    const joining = stage.player().client.joinById("nowhere");
    // On a busy machine the refusal is there before it is looked at below.
    joining.catch(() => undefined);
    vi.stubGlobal("fetch", () => Promise.reject(new Error("not asked for")));
    await stage.advance(RTT_MS * 3);
    await loaded;
    release();
    expect(await refused(settled(stage, joining))).toMatchObject({ code: "match/not-found" });
  });

  test("of a room's mode may come after the welcome: nothing that the server sends meanwhile is lost", async () => {
    const stage = await newStage();
    const [host, guest] = [await stage.join(), await stage.join()];
    await stage.advance(RTT_MS);
    vi.resetModules();
    const loaded = holdCode(MESH);
    const { StagePlayer } = await import("@paceline/testkit/room");
    const { Client } = await import("@paceline/client");
    await Client.preload();
    const late = new StagePlayer({
      scheduler: stage.scheduler,
      random: seededRandom(7),
      network: { delayMs: RTT_MS / 2 },
      accept: (link, protocols) => stage.relay.takeLink(link, { address: "stage", headers: {}, protocols }),
    });
    let room: Room | undefined;
    const joining = late.client.joinOrCreate("race").then((joined) => (room = joined as Room));
    await stage.advance(RTT_MS * 3);
    expect([stage.relay.health().sessions, host.peers.length, room]).toEqual([3, 2, undefined]);
    for (let n = 0; n < 3; n++) {
      host.send("n", n);
      guest.send("n", n);
    }
    await stage.advance(RTT_MS);
    void guest.leave();
    await stage.advance(RTT_MS * 2);
    await loaded;
    release();
    await vi.waitFor(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      expect(room).toBeDefined();
    });
    const heard: unknown[] = [];
    room!.onMessage("n", (n, from) => heard.push([from.number, n]));
    await joining;
    await stage.advance(RTT_MS * 2);
    expect(room!.peers.map(({ number }) => number)).toEqual([host.myNumber]);
    expect(heard).toEqual([0, 1, 2].map((n) => [host.myNumber, n]));
    void room!.leave();
    void host.leave();
    await stage.advance(RTT_MS);
  });
});
