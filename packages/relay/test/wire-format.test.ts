import { CloseCode, PROTOCOL_VERSION, WEBSOCKET_PROTOCOL, errorCodes } from "@paceline/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RealRelay, eventually } from "./real-relay.js";

let real: RealRelay;

beforeEach(async () => {
  real = await RealRelay.start();
});
afterEach(() => real.stop());

/** The code with which a link that offers these subprotocols is closed. */
async function closeOf(...protocols: string[]): Promise<number | undefined> {
  const player = real.player(protocols);
  await eventually(() => expect(player.close).toBeDefined());
  return player.close?.code;
}

describe("seats", () => {
  test("[WF42] are given for a match request", async () => {
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
    ["join/race", { version: 1 }, 404, "match/not-found"],
    ["create/chess", { version: 1 }, 404, "match/unknown-room"],
    ["create/race", { version: 2 }, 400, "session/version"],
    ["create/race", "{", 400, "match/bad-request"],
    ["enter/race", { version: 1 }, 404, "match/bad-request"],
  ])(`[WF42] are refused with a status and a code: %s, %o`, async (path, body, status, code) => {
    const response = await real.match(path, body);
    const { error } = (await response.json()) as { error: { code: string; message: unknown } };
    expect([response.status, error.code, typeof error.message]).toEqual([status, code, "string"]);
    expect(Object.keys(errorCodes)).toContain(error.code);
  });
});

describe("links", () => {
  test("[WF43] [WF45] begin with a ticket and a welcome", async () => {
    const player = await real.join();
    expect(player.messages[0]?.type).toBe("welcome");
    expect(player.messages).toHaveLength(1);
  });

  test("[WF43] [WF45] go on with a token; the older link is closed", async () => {
    const player = await real.join();
    const { sessionId, token } = player.welcome;
    real.reopen(player, [WEBSOCKET_PROTOCOL, `resume.${sessionId}.${token}`]);
    await eventually(() => expect(player.closes).toHaveLength(1));
    expect(player.closes[0]?.code).toBe(CloseCode.replaced);
    await eventually(() => expect(player.messages.map(({ type }) => type)).toEqual(["welcome", "resumed"]));
  });

  test("[WF43] [WF44] are refused with a close code", async () => {
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
  test("[WF30] reach whoever is named in the room, once, byte for byte, with their sender", async () => {
    const [a, b, c] = [await real.join(), await real.join(), await real.join()];
    const stranger = await real.join("create/race");
    const packet = Uint8Array.of(0x10, 0xff, 0);
    const peers = [b.number, c.number, b.number, a.number, 4000];
    a.forward([], packet, { trafficClass: "event", key: 7, peers });
    const arrived = { trafficClass: "event", key: 7, peers: [a.number], packet };
    await eventually(() => expect(c.forwarded).toEqual([arrived]));
    await eventually(() => expect(b.forwarded).toEqual([arrived]));
    expect([a.forwarded, stranger.forwarded]).toEqual([[], []]);
    expect(real.relay.health().drops).toEqual({ "not-routable": 3 });
  });
});
