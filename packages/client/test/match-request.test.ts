import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigError, NetError } from "@paceline/client";
import { VirtualScheduler } from "@paceline/testkit";
import { systemScheduler, type Scheduler } from "@paceline/transport";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkedCall, serverUrlOf } from "../src/connection/match-request.js";
import { requestSeat, type Seat } from "../src/connection/match-http.js";

/** Far more than a busy machine needs. The test of silence has its own timeout. */
const TIMEOUT_MS = 4000;
const SHORT_MS = 150;
const call = checkedCall("joinOrCreate", "race", { track: "hill" });
const goodSeat = {
  version: 5,
  ticket: "abc.DEF-_1",
  roomName: "race",
  roomId: "r",
  sessionId: "s",
  linkPath: "/link",
};

let server: Server;
let answer: { status?: number; body?: string; delayMs?: number; cut?: boolean };
let asked: { method?: string; url?: string; body: string }[];

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      asked.push({ method: request.method ?? "", url: request.url ?? "", body });
      const reply = () => {
        response.writeHead(answer.status ?? 200, {
          "content-length": String((answer.body ?? "").length + (answer.cut ? 9 : 0)),
        });
        response.write(answer.body ?? "");
        if (answer.cut) setTimeout(() => response.destroy(), 10);
        else response.end();
      };
      if (answer.delayMs === undefined) reply();
      else setTimeout(reply, answer.delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

function ask(path = "", timeoutMs = TIMEOUT_MS, scheduler: Scheduler = systemScheduler): Promise<Seat> {
  const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  return requestSeat({ serverUrl, call, webrtc: true, timeoutMs, scheduler });
}

async function refusal(
  promise: Promise<unknown>,
): Promise<{ code: string; retryable: boolean; message: string }> {
  const error: unknown = await promise.then(
    () => new Error("was not refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof NetError)) throw error;
  const { code, retryable, message } = error;
  return { code, retryable, message };
}

describe("a match request", () => {
  test("requests a seat and gets the address of its link", async () => {
    answer = { body: JSON.stringify(goodSeat) };
    const seat = await ask("/games");
    expect(seat).toMatchObject({ ticket: "abc.DEF-_1", roomName: "race" });
    expect(seat.linkUrl).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/games\/link$/);
    expect(asked).toEqual([
      {
        method: "POST",
        url: "/games/match/joinOrCreate/race",
        body: JSON.stringify({ version: 5, options: { track: "hill" }, webrtc: true }),
      },
    ]);
  });

  test("fails if nothing listens, nothing answers in time, or the answer breaks off", async () => {
    const unreachable = { code: "match/unreachable", retryable: true };
    answer = { body: JSON.stringify(goodSeat), delayMs: 2 * SHORT_MS };
    expect(await refusal(ask("", SHORT_MS))).toMatchObject(unreachable);
    answer = { body: "{", cut: true };
    expect(await refusal(ask())).toMatchObject(unreachable);
    const nobody = requestSeat({
      serverUrl: "http://127.0.0.1:9",
      call,
      webrtc: false,
      timeoutMs: TIMEOUT_MS,
      scheduler: systemScheduler,
    });
    expect(await refusal(nobody)).toMatchObject(unreachable);
  });

  test("waits for the answer while its own page stands still", async () => {
    const page = new VirtualScheduler();
    answer = { body: JSON.stringify(goodSeat), delayMs: 2 * SHORT_MS };
    const seat = ask("", SHORT_MS, page);
    page.advance(SHORT_MS - 1);
    expect(await seat).toMatchObject({ roomName: "race" });
    expect(page.nextAtMs).toBeUndefined();
  });

  test.each([
    [404, "match/unknown-room", false],
    [404, "match/not-found", true],
    [409, "match/full", true],
    [503, "match/full", true],
    [400, "match/bad-request", false],
    [429, "match/rate-limited", true],
    [403, "session/origin", false],
    [400, "session/version", false],
  ])("is refused with status %i and the code %s", async (status, code, retryable) => {
    answer = { status, body: JSON.stringify({ error: { code, message: "so it is" } }) };
    expect(await refusal(ask())).toEqual({ code, retryable, message: `so it is [${code}]` });
  });

  test.each([
    ["a page instead of JSON", 200, "<!doctype html><title>Welcome</title>", false],
    ["a page of errors", 404, "<h1>Not found</h1>", false],
    ["a proxy without its server", 502, "Bad gateway", true],
    ["nothing at all", 200, "", false],
    ["an unknown code", 400, JSON.stringify({ error: { code: "match/oops", message: "x" } }), false],
    ["a code that is a name of every object", 400, JSON.stringify({ error: { code: "toString" } }), false],
    ["an error that is none", 500, JSON.stringify({ error: 5 }), true],
    ["null", 200, "null", false],
    ["an empty object", 200, "{}", false],
    ["a seat without its ticket", 200, JSON.stringify({ ...goodSeat, ticket: undefined }), false],
    ["a ticket that is not text", 200, JSON.stringify({ ...goodSeat, ticket: 5 }), false],
    ["a ticket that no header can carry", 200, JSON.stringify({ ...goodSeat, ticket: "a b\r\nX: y" }), false],
    ["a link elsewhere", 200, JSON.stringify({ ...goodSeat, linkPath: "@evil.example/link" }), false],
    [
      "a link that names a host",
      200,
      JSON.stringify({ ...goodSeat, linkPath: "http://evil.example/" }),
      false,
    ],
    ["a link with a fragment", 200, JSON.stringify({ ...goodSeat, linkPath: "/link#x" }), false],
  ])("is answered with %s: bad answer", async (_, status, body, retryable) => {
    answer = { status, body };
    expect(await refusal(ask())).toMatchObject({ code: "match/bad-answer", retryable });
  });

  test("rejects an answer of another version", async () => {
    answer = { body: JSON.stringify({ ...goodSeat, version: 1 }) };
    expect(await refusal(ask())).toMatchObject({ code: "session/version", retryable: false });
  });

  test("stays with the server's host, whatever the path", async () => {
    for (const linkPath of ["//evil.example/link", "/../link", "/link?x=@evil.example"]) {
      answer = { body: JSON.stringify({ ...goodSeat, linkPath }) };
      expect(new URL((await ask()).linkUrl).hostname).toBe("127.0.0.1");
    }
  });
});

test.each([
  ["http://localhost:2567", "http://localhost:2567"],
  ["https://play.example.com/", "https://play.example.com"],
  ["ws://10.0.0.1:80", "http://10.0.0.1"],
  ["wss://play.example.com/games/", "https://play.example.com/games"],
  ["https://user:pw@play.example.com/a?b=c#d", "https://play.example.com/a"],
])("%s is the server %s", (endpoint, url) => {
  expect(serverUrlOf(endpoint)).toBe(url);
});

test.each([
  undefined,
  null,
  5,
  "",
  "localhost:2567",
  "//play.example.com",
  "ftp://play.example.com",
  "javascript:alert(1)",
])("%s is no address of a server", (endpoint) => {
  expect(() => serverUrlOf(endpoint)).toThrow(ConfigError);
  expect(() => serverUrlOf(endpoint)).toThrow(/^endpoint: expected an http\(s\) or ws\(s\) address/);
});
