import { NetError } from "@paceline/client";
import { describe, expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const stage = new Stage();

async function refusal(promise: Promise<unknown>): Promise<{ code: string; retryable: boolean }> {
  const error: unknown = await promise.then(
    () => new Error("was not refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof NetError)) throw error;
  return { code: error.code, retryable: error.retryable };
}

describe("joining", () => {
  test("joinOrCreate opens a room, and the next call joins it", async () => {
    const server = await stage.server();
    const a = await stage.join(server);
    expect(a.state).toBe("joined");
    expect([a.name, a.myNumber, a.peers.length]).toEqual(["race", 1, 0]);
    expect(a.roomId).not.toBe("");
    expect(a.sessionId).not.toBe("");
    const joined: number[] = [];
    a.onPeerJoin((peer) => joined.push(peer.number));
    const b = await stage.join(server);
    expect([b.roomId, b.myNumber]).toEqual([a.roomId, 2]);
    expect(b.peers.map(({ number, id }) => [number, id])).toEqual([[1, a.sessionId]]);
    await until("a sees b", () => a.peers.length === 1);
    expect(joined).toEqual([2]);
    expect(a.peers[0]).toMatchObject({ number: 2, id: b.sessionId, path: "relay" });
  });

  test("create opens another room though one is open; join and joinById find it", async () => {
    const server = await stage.server();
    const client = stage.client(server);
    const [first, second] = [
      stage.keep(await client.create("race")),
      stage.keep(await client.create("race")),
    ];
    expect(first.roomId).not.toBe(second.roomId);
    expect(stage.keep(await client.joinById(second.roomId)).roomId).toBe(second.roomId);
    expect([first.roomId, second.roomId]).toContain(stage.keep(await client.join("race")).roomId);
  });

  test("rooms of one name are separated by their options", async () => {
    const server = await stage.server();
    const client = stage.client(server);
    const hill = stage.keep(await client.joinOrCreate("race", { track: "hill", laps: 3 }));
    const lake = stage.keep(await client.joinOrCreate("race", { track: "lake", laps: 3 }));
    const hillToo = stage.keep(await client.joinOrCreate("race", { laps: 3, track: "hill" }));
    expect(lake.roomId).not.toBe(hill.roomId);
    expect(hillToo.roomId).toBe(hill.roomId);
    expect(await refusal(client.join("race", { track: "hill", laps: 4 }))).toMatchObject({
      code: "match/not-found",
    });
  });

  test("is refused with a code if there is no such room, no open one, or no seat", async () => {
    const server = await stage.server();
    const client = stage.client(server);
    await expect(client.joinOrCreate("chess")).rejects.toThrow(
      'no kind of room is named "chess"; there are: race, duel [match/unknown-room]',
    );
    expect(await refusal(client.joinOrCreate("chess"))).toEqual({
      code: "match/unknown-room",
      retryable: false,
    });
    expect(await refusal(client.join("race"))).toEqual({ code: "match/not-found", retryable: true });
    expect(await refusal(client.joinById("no-such-room"))).toEqual({
      code: "match/not-found",
      retryable: true,
    });
    const duel = await stage.join(server, {}, "duel");
    await stage.join(server, {}, "duel");
    expect(await refusal(client.joinById(duel.roomId))).toEqual({ code: "match/full", retryable: true });
    expect((await stage.join(server, {}, "duel")).roomId).not.toBe(duel.roomId);
  });

  test("names the setting of the server that would let this page in", async () => {
    const stage = new RelayStage();
    const page = stage.player({ origin: "https://game.example", host: "127.0.0.1:8787" });
    await expect(stage.join(page)).rejects.toMatchObject({
      code: "session/origin",
      retryable: false,
      message: expect.stringContaining('allowedOrigins: ["https://game.example"] is missing') as string,
    });
    const rebound = stage.player({ origin: "http://rebound.example", host: "rebound.example" });
    await expect(stage.join(rebound)).rejects.toMatchObject({
      code: "session/origin",
      message: expect.stringContaining('publicHosts: ["rebound.example"] is missing') as string,
    });
  });

  test("is refused with a code if the server stops or does not exist", async () => {
    const server = await stage.server();
    const client = stage.client(server);
    const stopping = server.relay.stop({ drainMs: 0 });
    expect(await refusal(client.joinOrCreate("race"))).toEqual({ code: "match/full", retryable: true });
    await stopping;
    await server.stop();
    expect(await refusal(client.joinOrCreate("race"))).toEqual({
      code: "match/unreachable",
      retryable: true,
    });
  });

  test("several rooms of one client are independent", async () => {
    const server = await stage.server();
    const client = stage.client(server);
    const rooms = [stage.keep(await client.create("race")), stage.keep(await client.create("race"))];
    rooms[0]!.leave();
    expect(rooms.map(({ state }) => state)).toEqual(["left", "joined"]);
  });
});
