import { describe, expect, it } from "vitest";
import { SpentTickets } from "../src/admission/spent-tickets.js";
import { readTicket, signTicket } from "../src/admission/ticket.js";

const secret = Buffer.from("a secret of enough bytes");
const claims = {
  roomId: "room",
  sessionId: "session",
  webrtc: true,
  network: "",
};

describe("tickets", () => {
  it("contain the signed claims, in characters that a subprotocol may have", () => {
    const ticket = signTicket(claims, secret);
    expect(ticket).toMatch(/^[\w.-]+$/);
    expect(readTicket(ticket, secret)).toEqual(claims);
  });

  it("are refused after any change", () => {
    const ticket = signTicket(claims, secret);
    for (let at = 0; at < ticket.length; at++) {
      const changed = ticket.slice(0, at) + (ticket[at] === "A" ? "B" : "A") + ticket.slice(at + 1);
      // Some bits of the last base64url character carry no data. Equal bytes are the same signature.
      const isSame = Buffer.from(changed.split(".")[1] ?? "", "base64url").equals(signatureOf(ticket));
      if (isSame && changed.split(".")[0] === ticket.split(".")[0]) continue;
      expect([changed, readTicket(changed, secret)]).toEqual([changed, undefined]);
    }
  });

  it("are refused when another secret signed them, or nobody", () => {
    const [body = ""] = signTicket(claims, secret).split(".");
    const signed = signTicket(claims, Buffer.from("another secret of enough"));
    for (const ticket of [
      signed,
      body,
      `${body}.`,
      `${body}.${body}`,
      "",
      ".",
      "..",
      "a.b.c",
      "x".repeat(5000),
    ]) {
      expect([ticket, readTicket(ticket, secret)]).toEqual([ticket, undefined]);
    }
  });

  it("are refused with text after the signature, and beyond 1024 characters", () => {
    expect(readTicket(`${signTicket(claims, secret)}.x`, secret)).toBeUndefined();
    const longest = Array.from({ length: 1000 }, (_, length) =>
      signTicket({ ...claims, roomId: "r".repeat(length) }, secret),
    ).filter((ticket) => ticket.length >= 1023 && ticket.length <= 1026);
    const read = longest.map((ticket) => [ticket.length, readTicket(ticket, secret) !== undefined]);
    expect(read).toContainEqual([1024, true]);
    expect(read).toContainEqual([1026, false]);
  });

  it("are refused if they are signed but contain other fields", () => {
    for (const other of [{}, null, 7, { ...claims, network: 7 }, { ...claims, roomId: 1 }]) {
      expect(readTicket(signTicket(other as never, secret), secret)).toBeUndefined();
    }
  });

  function signatureOf(ticket: string): Buffer {
    return Buffer.from(ticket.split(".")[1] ?? "", "base64url");
  }
});

describe("spent tickets", () => {
  it("are remembered until they expire", () => {
    const spent = new SpentTickets();
    spent.add("a", 100, 0);
    spent.add("b", 150, 50);
    expect(spent.has("a")).toBe(true);
    spent.add("c", 220, 120);
    expect([spent.has("a"), spent.has("b"), spent.size]).toEqual([false, true, 2]);
  });
});
