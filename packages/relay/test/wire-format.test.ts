import { CloseCode, PROTOCOL_VERSION, WEBSOCKET_PROTOCOL, errorCodes } from "@paceline/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RealRelay, eventually, stoppedClock } from "./real-relay.js";

let real: RealRelay;

beforeEach(async () => {
  real = await RealRelay.start();
});
afterEach(() => real.stop());

async function closeOf(...protocols: string[]): Promise<number | undefined> {
  const player = real.player(protocols);
  await eventually(() => expect(player.close).toBeDefined());
  return player.close?.code;
}

describe("seats", () => {
  test("[M1] are given for a match request", async () => {
    const body = { version: PROTOCOL_VERSION, options: { track: "oval" }, webrtc: true };
    const response = await real.match("joinOrCreate/race", body);
    expect(response.status).toBe(200);
    const seat = (await response.json()) as Record<string, unknown>;
    const text = expect.stringMatching(/./) as unknown;
    expect(seat).toEqual({
      version: PROTOCOL_VERSION,
      ticket: text,
      roomId: text,
      roomName: "race",
      sessionId: text,
      linkPath: expect.stringMatching(/^\//) as unknown,
    });
    const joined = await real.match(`joinById/${String(seat.roomId)}`, body);
    expect(joined.status).toBe(200);
  });

  test.each([
    ["join/race", { version: 5 }, 404, "match/not-found"],
    ["create/chess", { version: 5 }, 404, "match/unknown-room"],
    ["create/race", { version: 1 }, 400, "session/version"],
    ["create/race", "{", 400, "match/bad-request"],
    ["enter/race", { version: 5 }, 404, "match/bad-request"],
  ])(`[M1] are refused with a status and a code: %s, %o`, async (path, body, status, code) => {
    const response = await real.match(path, body);
    const { error } = (await response.json()) as { error: { code: string; message: unknown } };
    expect([response.status, error.code, typeof error.message]).toEqual([status, code, "string"]);
    expect(Object.keys(errorCodes)).toContain(error.code);
  });
});

describe("links", () => {
  test("[WF45] [WF46] begin with a ticket and a welcome", async () => {
    const player = await real.join();
    expect(player.messages[0]?.type).toBe("welcome");
    expect(player.messages).toHaveLength(1);
  });

  test("[WF45] [WF46] go on with a token; the older link is closed", async () => {
    const player = await real.join();
    const { sessionId, resumeToken: token } = player.welcome;
    real.reopen(player, [WEBSOCKET_PROTOCOL, `resume.${sessionId}.${token}`]);
    await eventually(() => expect(player.closes).toHaveLength(1));
    expect(player.closes[0]?.code).toBe(CloseCode.replaced);
    await eventually(() => expect(player.messages.map(({ type }) => type)).toEqual(["welcome", "resumed"]));
  });

  test("[WF45] are refused with a close code", async () => {
    const { ticket } = await real.seat();
    const credential = `ticket.${ticket}`;
    expect(await closeOf("paceline.9", credential)).toBe(CloseCode.versionMismatch);
    expect(await closeOf(WEBSOCKET_PROTOCOL)).toBe(CloseCode.refused);
    expect(await closeOf(WEBSOCKET_PROTOCOL, "ticket.forged.ticket")).toBe(CloseCode.refused);
    expect(await closeOf(WEBSOCKET_PROTOCOL, "resume.nobody.token")).toBe(CloseCode.sessionUnknown);
    const player = real.player([WEBSOCKET_PROTOCOL, credential]);
    const { sessionId } = await eventually(() => player.welcome);
    expect(await closeOf(WEBSOCKET_PROTOCOL, credential)).toBe(CloseCode.ticketUsed);
    expect(await closeOf(WEBSOCKET_PROTOCOL, `resume.${sessionId}.wrong`)).toBe(CloseCode.refused);
  });
});

describe("envelopes", () => {
  test("[WF22] reach each target in the room once, unchanged, with their sender", async () => {
    const [a, b, c] = [await real.join(), await real.join(), await real.join()];
    const stranger = await real.join("create/race");
    const packet = Uint8Array.of(0x20, 0xff, 0);
    const peers = [b.number, c.number, b.number, a.number, 4000];
    a.forward([], packet, { trafficClass: "event", key: 7, peers });
    const arrived = { trafficClass: "event", key: 0, peers: [a.number], packet };
    await eventually(() => expect(c.forwarded).toEqual([arrived]));
    await eventually(() => expect(b.forwarded).toEqual([arrived]));
    expect([a.forwarded, stranger.forwarded]).toEqual([[], []]);
    expect(real.relay.health().drops).toEqual({ "not-routable": 3 });
  });
});

/** Returns the credential of a match request in the upgrade. */
function joinOf(request: object): string {
  const body = { version: PROTOCOL_VERSION, method: "joinOrCreate", target: "race", options: {}, ...request };
  return `join.${Buffer.from(JSON.stringify(body)).toString("base64url")}`;
}

describe("a join in the upgrade", () => {
  test("[WF48] is answered by a welcome", async () => {
    const player = real.player([WEBSOCKET_PROTOCOL, joinOf({ options: { track: "oval" } })]);
    const { options, roomName } = await eventually(() => player.welcome);
    expect([options, roomName]).toEqual([{ track: "oval" }, "race"]);
    const other = real.player([WEBSOCKET_PROTOCOL, joinOf({ options: { track: "oval" } })]);
    expect((await eventually(() => other.welcome)).roomId).toBe(player.welcome.roomId);
    await eventually(() => expect(player.of("joined")).toHaveLength(1));
  });

  test.each([
    [{ target: "chess" }, "match/unknown-room"],
    [{ method: "join" }, "match/not-found"],
    [{ method: "joinById", target: "nowhere" }, "match/not-found"],
    [{ method: "reconnect", target: "somebody", token: "t" }, "match/bad-request"],
    [{ method: "enter" }, "match/bad-request"],
    [{ target: 7 }, "match/bad-request"],
    [{ version: 1 }, "session/version"],
    [{ options: { deep: {} } }, "match/bad-request"],
    [{ options: { long: "x".repeat(5000) } }, "match/bad-request"],
  ])("[WF48] is refused with 4106 and the code of a match request: %o", async (request, code) => {
    const player = real.player([WEBSOCKET_PROTOCOL, joinOf(request)]);
    await eventually(() => expect(player.close).toBeDefined());
    expect([player.close?.code, player.close?.reason.split(" ")[0]]).toEqual([CloseCode.matchRefused, code]);
  });

  const valid = joinOf({ method: "joinOrCreate", target: "race" });
  test.each([
    "join.",
    "join.%%%",
    `join.${Buffer.from("[1]").toString("base64url")}`,
    "join.AAAA",
    `${valid}%`,
  ])("[WF48] is refused if it is no request: %s", async (credential) => {
    const player = real.player([WEBSOCKET_PROTOCOL, credential.replaceAll("%", "-")]);
    await eventually(() => expect(player.close?.code).toBe(CloseCode.matchRefused));
  });

  test.each([`${valid}.`, `${valid}.x`, "stripe.a.b", "resume.a", "resume.a.b.c"])(
    "a credential with too many parts, or too few, is refused: %s",
    async (credential) => {
      const player = real.player([WEBSOCKET_PROTOCOL, credential]);
      await eventually(() => expect(player.close?.code).toBe(CloseCode.refused));
      expect(player.close?.reason).toBe("no ticket and no token");
    },
  );

  test("[WF48] shares the limits of match requests", async () => {
    const strict = await RealRelay.start({
      limits: { matchesPerSecondPerAddress: 1, matchBurstPerAddress: 3 },
    });
    try {
      await strict.seat();
      await strict.seat();
      const player = strict.player([WEBSOCKET_PROTOCOL, joinOf({})]);
      await eventually(() => player.welcome);
      const late = strict.player([WEBSOCKET_PROTOCOL, joinOf({})]);
      await eventually(() => expect(late.close?.reason).toMatch(/^match\/rate-limited /));
      expect((await strict.match("joinOrCreate/race")).status).toBe(429);
    } finally {
      await strict.stop();
    }
  });

  test("[WF48] [WF45] is refused for pages of other origins", async () => {
    const raw = await real.raw([WEBSOCKET_PROTOCOL, joinOf({})], ["Origin: https://evil.example.org"]);
    await eventually(() => expect(raw.closeCode).toBe(CloseCode.originRefused));
    expect(real.relay.health().sessions).toBe(0);
  });
});

describe("one more socket", () => {
  // A server that its clock shows to be slow gives no tickets.
  beforeEach(async () => {
    await real.stop();
    real = await RealRelay.start({ scheduler: stoppedClock });
  });

  test("[WF47] opens with a ticket, once, and carries states of the same session", async () => {
    const [a, b] = [await real.join(), await real.join()];
    a.tell({ type: "stripe" });
    await eventually(() => expect(a.of("stripe")).toHaveLength(1));
    const credential = `stripe.${a.of("stripe")[0]!.ticket}`;
    const raw = await real.raw([WEBSOCKET_PROTOCOL, credential]);
    const forwarded = (): number => raw.binaryMessages;
    let sent = 0;
    // The sockets alternate once the relay has added the new one.
    await eventually(() => {
      for (let more = 0; more < 10; more++, sent++)
        b.forward([a], Uint8Array.of(0x20, sent), { trafficClass: "state", key: 1 + sent });
      expect(forwarded()).toBeGreaterThan(3);
    });
    await eventually(() => expect(a.forwarded.length + forwarded()).toBe(sent));
    expect(await closeOf(WEBSOCKET_PROTOCOL, credential)).toBe(CloseCode.refused);
    expect(await closeOf(WEBSOCKET_PROTOCOL, "stripe.guessed")).toBe(CloseCode.refused);
    expect(real.relay.health().drops.credential).toBe(2);
  });

  test("[WF47] is refused after too many requests", async () => {
    const a = await real.join();
    for (let asked = 0; asked < 10; asked++) a.tell({ type: "stripe" });
    await eventually(() => expect(real.relay.health().drops["rate-limit"]).toBe(8));
    await eventually(() => expect(a.of("stripe")).toHaveLength(2));
  });
});

describe("resume tokens", () => {
  test("[WF49] are valid until their successor has arrived; a replayed one is refused and counted", async () => {
    const player = await real.join();
    const { sessionId, resumeToken, token } = player.welcome;
    expect(await closeOf(WEBSOCKET_PROTOCOL, `resume.${sessionId}.${token}`)).toBe(CloseCode.refused);
    real.reopen(player, [WEBSOCKET_PROTOCOL, `resume.${sessionId}.${resumeToken}`]);
    await eventually(() => expect(player.of("resumed")).toHaveLength(1));
    // Its receipt may have been on its way over the older link when that one ended; then it comes once more.
    await eventually(() => expect(real.relay.rooms()[0]!.sessions[0]!.unacknowledged).toBe(0));
    expect(await closeOf(WEBSOCKET_PROTOCOL, `resume.${sessionId}.${resumeToken}`)).toBe(CloseCode.refused);
    expect(real.relay.health().drops.credential).toBe(2);
    real.reopen(player, [WEBSOCKET_PROTOCOL, `resume.${sessionId}.${player.resumeToken}`]);
    await eventually(() => expect(player.of("resumed")).toHaveLength(2));
  });
});

describe("a server that stops", () => {
  test("[WF51] names the server where its sessions continue", async () => {
    const player = await real.join();
    await real.relay.stop({ drainMs: 200, moveTo: "https://other.example.org" });
    expect(player.of("moving")).toEqual([{ type: "moving", endpoint: "https://other.example.org" }]);
    await eventually(() => expect(player.end?.code).toBe(CloseCode.serverShutdown));
  });
});
