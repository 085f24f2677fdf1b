import { ConfigError, NetError, type Peer, type Room } from "@paceline/client";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { Stage } from "./stage.js";
import { pause, until } from "./until.js";

const stage = new Stage();
/** Errors of the game's code, as a browser reports them. */
let uncaught: string[];

beforeEach(() => {
  uncaught = [];
  vi.stubGlobal("reportError", (error: unknown) => uncaught.push(String(error)));
});
afterEach(() => vi.unstubAllGlobals());

function heard(room: Room, type: string): [message: unknown, from: number][] {
  const messages: [unknown, number][] = [];
  room.onMessage(type, (message, from) => messages.push([message, from.number]));
  return messages;
}

const peerOf = (room: Room, other: Room): Peer => room.peers.find(({ number }) => number === other.myNumber)!;

describe("messages", () => {
  test("reach all others once and in order, or only their receiver", async () => {
    const server = await stage.server();
    const [a, b, c] = (await stage.meet(server, 3)) as [Room, Room, Room];
    await until("a sees both", () => a.peers.length === 2);
    const [atA, atB, atC] = [heard(a, "lap"), heard(b, "lap"), heard(c, "lap")];
    for (let lap = 0; lap < 200; lap++) a.send("lap", { lap });
    a.send("lap", "for b", peerOf(a, b));
    a.send("lap", "end");
    await until("both have all", () => atB.length === 202 && atC.length === 201);
    expect(atB.map(([message]) => message)).toEqual([
      ...Array.from({ length: 200 }, (_, lap) => ({ lap })),
      "for b",
      "end",
    ]);
    expect(atC.at(-1)).toEqual(["end", a.myNumber]);
    await pause(60);
    expect([atA.length, atB.length, atC.length]).toEqual([0, 202, 201]);
  });

  test("that nobody listens to are named in the console, once for each type and at most eight", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    await until("a sees b", () => a.peers.length === 1);
    const listened = heard(b, "lap");
    const stop = b.onMessage("once", () => undefined);
    stop();
    for (const type of ["once", "late", "late", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "lap"]) {
      a.send(type, 1);
    }
    await until("all came", () => listened.length === 1);
    const named = warn.mock.calls.map(([line]) => /message "(\w+)"/.exec(String(line))?.[1]);
    expect(named).toEqual(["late", "u1", "u2", "u3", "u4", "u5", "u6", "u7"]);
  });

  test("of bulk arrive whole and in order while commands overtake them, also across a cut", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    await until("a sees b", () => a.peers.length === 1);
    const order: string[] = [];
    b.onMessage("map", (map) => order.push(`map of ${(map as Uint8Array).length}`));
    b.onMessage("lap", (lap) => order.push(`lap ${String(lap)}`));
    const map = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 7) & 0xff);
    let arrived: Uint8Array | undefined;
    b.onMessage("map", (whole) => (arrived ??= whole as Uint8Array));
    a.send("map", map, { class: "bulk" });
    a.send("map", new Uint8Array(10), { to: peerOf(a, b), class: "bulk" });
    a.send("lap", 1, { to: peerOf(a, b) });
    await until("the command has overtaken", () => order.length === 1);
    await pause(300);
    server.cutLinks(0);
    await until("all is there", () => order.length === 3);
    expect(order).toEqual(["lap 1", "map of 200000", "map of 10"]);
    expect(Buffer.compare(arrived!, map)).toBe(0);
    expect(b.peers[0]!.drops["bad-message"]).toBeUndefined();
    const tooLong = new Uint8Array(16_777_217);
    expect(() => a.send("map", tooLong, { class: "bulk" })).toThrow(ConfigError);
    expect(() => a.send("map", 1, { class: "fast" as never })).toThrow(/class: .*"command" or "bulk"/);
  });

  test("to a newcomer reach listeners that it adds right after joining", async () => {
    const server = await stage.server();
    const a = await stage.join(server);
    a.onPeerJoin((peer) => a.send("greeting", peer.number, peer));
    for (let count = 0; count < 6; count++) {
      const newcomer = await stage.join(server);
      const greetings = heard(newcomer, "greeting");
      await until("it is greeted", () => greetings.length === 1);
      expect(greetings).toEqual([[newcomer.myNumber, a.myNumber]]);
    }
  });

  test("of many kinds of content arrive unchanged", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const atB = heard(b, "x");
    const contents = [
      null,
      true,
      -1.5,
      2 ** 40,
      "grüße 🏁",
      [1, [2]],
      { a: { b: ["c"] } },
      Uint8Array.of(1, 2, 255),
      "",
    ];
    for (const content of contents) a.send("x", content);
    await until("all arrive", () => atB.length === contents.length);
    expect(
      atB.map(([message]) => (message instanceof Uint8Array ? new Uint8Array(message) : message)),
    ).toEqual(contents);
  });

  test("that cannot be sent throw, with peers and without", async () => {
    const server = await stage.server();
    const a = await stage.join(server);
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const room of [a, (await stage.meet(server, 1))[0]!]) {
      for (const content of [() => 1, Symbol("x"), new Date(), circle, Number.NaN, 10n]) {
        expect(() => room.send("x", content)).toThrow(ConfigError);
        expect(() => room.sendEvent("x", content)).toThrow(ConfigError);
      }
      for (const type of ["", "x".repeat(65), "ä".repeat(40), 5 as never]) {
        expect(() => room.send(type, 1)).toThrow(/type: expected text of 1 to 64/);
      }
    }
    const [alone] = (await stage.meet(await stage.server(), 1)) as [Room];
    await until("a has a peer", () => a.peers.length === 1);
    for (const room of [a, alone]) {
      expect(() => room.send("x", "x".repeat(17_000))).toThrow(/message: expected at most \d+ bytes/);
      expect(() => room.sendEvent("x", "x".repeat(1300))).toThrow(/event: expected at most \d+ bytes/);
    }
    expect(() => a.onMessage("", () => undefined)).toThrow(ConfigError);
  });

  test("end with a subscription, and a listener that throws affects no other", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const seen: unknown[] = [];
    const stop = b.onMessage("x", () => {
      throw new Error("a listener of the game fails on purpose");
    });
    b.onMessage("x", (message) => seen.push(message));
    a.send("x", 1);
    await until("the other listener has it", () => seen.length === 1);
    stop();
    a.send("x", 2);
    await until("and the next", () => seen.length === 2);
    expect(uncaught).toEqual(["Error: a listener of the game fails on purpose"]);
    expect(b.state).toBe("joined");
  });

  test("as events arrive too, at once or not at all", async () => {
    const server = await stage.server();
    const [a, b, c] = (await stage.meet(server, 3)) as [Room, Room, Room];
    await until(
      "paths are there",
      () => a.peers.every(({ rttMs }) => rttMs !== undefined) && a.peers.length === 2,
    );
    const [atB, atC] = [heard(b, "horn"), heard(c, "horn")];
    a.sendEvent("horn", 1);
    a.sendEvent("horn", 2, peerOf(a, c));
    await until("both heard it", () => atB.length === 1 && atC.length === 2);
    expect(atC).toEqual([
      [1, a.myNumber],
      [2, a.myNumber],
    ]);
  });

  test("to a participant who is not in the room are refused", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    await until("a sees b", () => a.peers.length === 1);
    const peer = peerOf(a, b);
    b.leave();
    await until("b is gone", () => a.peers.length === 0);
    const gone = expect.objectContaining({ code: "transport/closed" });
    expect(() => a.send("x", 1, peer)).toThrow(gone);
    expect(() => a.sendEvent("x", 1, peer)).toThrow(gone);
    await expect(a.request("x", 1, peer)).rejects.toThrow(gone);
    expect(() => a.send("x", 1)).not.toThrow();
  });
});

describe("requests", () => {
  test("are answered with what the handler returns, at once or later", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    b.onRequest("double", (message) => (message as number) * 2);
    b.onRequest("later", async (message, from) => {
      await pause(10);
      return [message, from.number];
    });
    b.onRequest("nothing", () => undefined);
    await until("a sees b", () => a.peers.length === 1);
    const peer = peerOf(a, b);
    const answers = await Promise.all([
      a.request("later", "x", peer),
      a.request("double", 21, peer),
      a.request("nothing", null, peer),
    ]);
    expect(answers).toEqual([["x", a.myNumber], 42, null]);
  });

  test("are refused if there is no handler, if it fails, or if its answer cannot be sent", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    b.onRequest("throws", () => {
      throw new Error("secret details");
    });
    b.onRequest("rejects", () => Promise.reject(new Error("secret details")));
    b.onRequest("odd", () => () => 1);
    const stop = b.onRequest("gone", () => 1);
    stop();
    await until("a sees b", () => a.peers.length === 1);
    for (const type of ["throws", "rejects", "odd", "gone", "unheard-of"]) {
      const error: unknown = await a.request(type, 1, peerOf(a, b), 2000).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(NetError);
      expect(error).toMatchObject({ code: "request/refused" });
      expect((error as Error).message).not.toContain("secret");
    }
    // Only the handler's side learns the details.
    expect(uncaught).toEqual([
      "Error: secret details",
      "Error: secret details",
      expect.stringContaining("ConfigError: message: expected plain data"),
    ]);
  });

  test("time out, fail when the peer leaves, and a late answer is ignored", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    b.onRequest("slow", () => pause(80));
    b.onRequest("never", () => new Promise(() => undefined));
    await until("a sees b", () => a.peers.length === 1);
    await expect(a.request("slow", 1, peerOf(a, b), 20)).rejects.toMatchObject({
      code: "request/timeout",
      retryable: true,
    });
    const waiting = a.request("never", 1, peerOf(a, b));
    await pause(100);
    b.leave();
    await expect(waiting).rejects.toMatchObject({ code: "transport/closed" });
  });
});
