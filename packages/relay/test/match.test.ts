import { request } from "node:http";
import { CloseCode, WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RelayOptions } from "../src/index.js";
import { RealRelay, eventually, stoppedClock } from "./real-relay.js";

let real: RealRelay;

async function restart(options: Partial<RelayOptions>): Promise<void> {
  await real.stop();
  real = await RealRelay.start(options);
}

async function refusal(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, ...error };
}

beforeEach(async () => {
  real = await RealRelay.start();
});
afterEach(() => real.stop());

describe("match requests", () => {
  it("are answered with a seat", async () => {
    const response = await real.match("joinOrCreate/race", {
      version: 5,
      options: { track: "loop" },
      webrtc: true,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = /^[\w-]+$/;
    expect(await response.json()).toEqual({
      version: 5,
      ticket: expect.stringMatching(/^[\w-]{32}$/) as string,
      roomId: expect.stringMatching(text) as string,
      roomName: "race",
      sessionId: expect.stringMatching(text) as string,
      linkPath: "/link",
    });
  });

  it.each([
    ["joinOrCreate/race", "", 400, "match/bad-request", "the body is not JSON in UTF-8"],
    ["joinOrCreate/race", "{", 400, "match/bad-request", "the body is not JSON in UTF-8"],
    ["joinOrCreate/race", "[]", 400, "match/bad-request", "the body must be a JSON object"],
    ["joinOrCreate/race", {}, 400, "session/version", "version 5"],
    ["joinOrCreate/race", { version: 1 }, 400, "session/version", "version 5"],
    ["joinOrCreate/race", { version: 5, webrtc: 1 }, 400, "match/bad-request", "webrtc"],
    ["joinOrCreate/race", { version: 5, options: [] }, 400, "match/bad-request", "options"],
    [
      "joinOrCreate/race",
      { version: 5, options: { a: null } },
      400,
      "match/bad-request",
      "options.a: expected text, a finite number or a boolean, got null",
    ],
    ["joinOrCreate/race", { version: 5, options: { a: { b: 1 } } }, 400, "match/bad-request", "options.a"],
    ["joinOrCreate/race", { version: 5, options: { "": 1 } }, 400, "match/bad-request", "names of 1 to 64"],
    ["joinOrCreate/rase", { version: 5 }, 404, "match/unknown-room", '"rase"'],
    ["joinOrCreate/__proto__", { version: 5 }, 404, "match/unknown-room", "__proto__"],
    ["joinOrCreate/%E0%A4%A", { version: 5 }, 404, "match/unknown-room", "%E0%A4%A"],
    ["join/race", { version: 5 }, 404, "match/not-found", "no room"],
    ["joinById/none", { version: 5 }, 404, "match/not-found", "id"],
    ["steal/race", { version: 5 }, 404, "match/bad-request", "joinById"],
    ["joinOrCreate/", { version: 5 }, 404, "match/bad-request", "METHOD"],
    ["joinOrCreate/race/more", { version: 5 }, 404, "match/bad-request", "METHOD"],
  ])("%s %j: %i %s", async (path, body, status, code, words) => {
    const answer = await refusal(await real.match(path, body));
    expect(answer).toMatchObject({ status, code });
    expect(answer.message).toContain(words);
    expect(real.relay.health().rooms).toBe(0);
  });

  it("may have a body of limited size, with or without a stated length", async () => {
    const long = JSON.stringify({ version: 5, padding: "x".repeat(5000) });
    expect(await refusal(await real.match("joinOrCreate/race", long))).toMatchObject({ status: 413 });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const chunked = request(`${real.url}/match/joinOrCreate/race`, { method: "POST" });
      chunked.on("response", (response) => resolve(response.resume().statusCode));
      chunked.on("error", reject);
      chunked.write(long.slice(0, 3000));
      chunked.write(long.slice(3000));
    });
    expect(status).toBe(413);
  });

  it("must be complete in time", async () => {
    await restart({ limits: { bodyDeadlineMs: 100 } });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const slow = request(`${real.url}/match/joinOrCreate/race`, { method: "POST" });
      slow.on("response", (response) => resolve(response.resume().statusCode));
      slow.on("error", reject);
      slow.write('{"version"');
    });
    expect(status).toBe(408);
  });

  it("are limited per address", async () => {
    await restart({
      scheduler: stoppedClock,
      limits: { matchBurstPerAddress: 3 },
      addressOf: (from) => String(from.headers["x-test-address"]),
    });
    const from = (address: string): Promise<Response> =>
      real.match("joinOrCreate/race", { version: 5 }, { headers: { "x-test-address": address } });
    for (let count = 0; count < 3; count++) expect((await from("192.0.2.1")).status).toBe(200);
    const limited = await from("192.0.2.1");
    expect(limited.headers.get("retry-after")).toBe("1");
    expect(await refusal(limited)).toMatchObject({ status: 429, code: "match/rate-limited" });
    expect((await from("192.0.2.2")).status).toBe(200);
  });

  it("fill rooms and no more", async () => {
    await restart({ rooms: { race: { maxPlayers: 1 } }, limits: { maxRooms: 1 } });
    const { roomId } = await real.seat();
    const byId = await refusal(await real.match(`joinById/${roomId}`));
    expect(byId).toMatchObject({
      status: 409,
      code: "match/full",
      message: "the room is full: joinOrCreate finds or opens another",
    });
    expect(await refusal(await real.match("joinOrCreate/race"))).toMatchObject({
      status: 503,
      code: "match/full",
    });
  });

  it("are answered for pages of allowed origins only", async () => {
    await restart({ allowedOrigins: ["https://game.example"] });
    const from = (origin: string, method = "POST"): Promise<Response> =>
      method === "POST"
        ? real.match("joinOrCreate/race", { version: 5 }, { headers: { origin } })
        : fetch(`${real.url}/match/joinOrCreate/race`, { method, headers: { origin } });
    const allowed = await from("https://game.example");
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get("access-control-allow-origin")).toBe("https://game.example");
    expect(allowed.headers.get("vary")).toBe("Origin");
    const preflight = await from("https://game.example", "OPTIONS");
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("Content-Type");
    const refused = await from("https://evil.example");
    // The page may read the reason, as it may read that of an upgrade, and gets nothing else.
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://evil.example");
    expect(await refusal(refused)).toMatchObject({ status: 403, code: "session/origin" });
    expect((await from("https://evil.example", "OPTIONS")).status).toBe(204);
    expect(real.relay.health().rooms).toBe(1);
    expect((await from(real.url)).status).toBe(200);
  });

  it("are POST requests", async () => {
    const response = await fetch(`${real.url}/match/joinOrCreate/race`);
    expect(response.headers.get("allow")).toBe("POST, OPTIONS");
    expect(await refusal(response)).toMatchObject({ status: 405, code: "match/bad-request" });
  });
});

describe("other requests", () => {
  it("/health reports the state of the relay", async () => {
    await real.seat();
    const response = await fetch(`${real.url}/health`);
    expect(await response.json()).toMatchObject({
      status: "ok",
      rooms: 1,
      sessions: 0,
      connections: 0,
      drops: {},
    });
    expect((await fetch(`${real.url}/health`, { method: "POST" })).status).toBe(405);
  });

  it("are left to the HTTP server", async () => {
    expect((await fetch(`${real.url}/`)).status).toBe(404);
    expect((await fetch(`${real.url}/match`)).status).toBe(404);
  });

  it("a client that disconnects early leaves nothing behind", async () => {
    const aborted = request(`${real.url}/match/joinOrCreate/race`, { method: "POST" });
    aborted.on("error", () => undefined);
    aborted.write("{");
    await eventually(() => expect(aborted.socket?.connecting).toBe(false));
    aborted.destroy();
    expect((await real.match("joinOrCreate/race")).status).toBe(200);
    expect(real.relay.health().rooms).toBe(1);
  });
});

describe("options that msgpack cannot carry", () => {
  const hostile = ['{"__proto__":1}', '{"\\ud800":1}', '{"name":"half \\udbff"}'];

  it.each(hostile)(
    "[M1] %s are refused in requests and in upgrades, and other players go on",
    async (options) => {
      const other = await real.join();
      const body = `{"version":5,"options":${options}}`;
      expect(await refusal(await real.match("joinOrCreate/race", body))).toMatchObject({ status: 400 });
      const credential = `{"version":5,"method":"create","target":"race","options":${options}}`;
      const encoded = Buffer.from(credential).toString("base64url");
      const hostilePlayer = real.player([WEBSOCKET_PROTOCOL, `join.${encoded}`]);
      await eventually(() => expect(hostilePlayer.close?.code).toBe(CloseCode.matchRefused));
      expect(other.session.isClosed).toBe(false);
      expect((await real.join()).welcome.roomId).toBe(other.welcome.roomId);
    },
  );

  it("a target with half of a surrogate pair, or of many bytes, gets the right close code", async () => {
    for (const target of ["\\ud800", "€".repeat(200)]) {
      const credential = `{"version":5,"method":"create","target":"${target}"}`;
      const encoded = Buffer.from(credential).toString("base64url");
      const player = real.player([WEBSOCKET_PROTOCOL, `join.${encoded}`]);
      await eventually(() => expect(player.close?.code).toBe(CloseCode.matchRefused));
    }
  });
});
