import { CloseCode } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { ResumeTokens } from "../src/admission/resume-tokens.js";
import { TicketService } from "../src/admission/ticket-service.js";

const LIFETIME_MS = 10_000;
const HOME = "192.0.2.1";

function scene(bindTicketsToAddress = false) {
  const clock = { nowMs: 1000 };
  const seats = new Set<string>();
  const service = new TicketService({
    secret: Buffer.from("a secret of enough bytes"),
    limits: { ticketLifetimeMs: LIFETIME_MS },
    bindTicketsToAddress,
    wallClockMs: () => clock.nowMs,
  });
  const issue = (sessionId: string, address = HOME): string => {
    seats.add(sessionId);
    return service.issue({ roomId: "room", sessionId, webrtc: false }, address);
  };
  const take = (ticket: string, address = HOME) => service.take(ticket, address, (id) => seats.has(id));
  return { clock, seats, issue, take };
}

describe("a ticket", () => {
  it("works once, while its seat is kept", () => {
    const { issue, take } = scene();
    const ticket = issue("a");
    expect(take(ticket)).toEqual({ roomId: "room", sessionId: "a", webrtc: false, network: "" });
    expect(take(ticket)).toMatchObject({ code: CloseCode.ticketUsed });
  });

  it("is refused as expired after its seat was released, which does not use it up", () => {
    const { seats, issue, take } = scene();
    const ticket = issue("a");
    seats.delete("a");
    expect(take(ticket)).toMatchObject({ code: CloseCode.ticketExpired });
    seats.add("a");
    expect(take(ticket)).toMatchObject({ sessionId: "a" });
  });

  it("counts as used for its lifetime, and is forgotten when a later ticket is used", () => {
    const { clock, issue, take } = scene();
    const ticket = issue("a");
    take(ticket);
    clock.nowMs += LIFETIME_MS - 1;
    take(issue("b"));
    expect(take(ticket)).toMatchObject({ code: CloseCode.ticketUsed });
    clock.nowMs += 1;
    take(issue("c"));
    expect(take(ticket)).toMatchObject({ sessionId: "a" });
  });

  it("that this server did not sign is refused", () => {
    const { issue, take } = scene();
    expect(take(`${issue("a")}x`)).toMatchObject({ code: CloseCode.refused });
  });

  it("works only from its own network if the server binds tickets, and else from any network", () => {
    const bound = scene(true);
    const ticket = bound.issue("a");
    expect(bound.take(ticket, "198.51.100.7")).toMatchObject({ code: CloseCode.refused });
    expect(bound.take(ticket)).toMatchObject({ sessionId: "a" });
    const free = scene(false);
    expect(free.take(free.issue("a"), "198.51.100.7")).toMatchObject({ sessionId: "a" });
  });

  it("does not reveal the address that it is bound to", () => {
    const { issue, take } = scene(true);
    const claims = take(issue("a"));
    expect(claims).toMatchObject({ network: expect.stringMatching(/^[\w-]{22}$/) });
    expect(JSON.stringify(claims)).not.toContain(HOME);
  });
});

describe("resume tokens", () => {
  const arrived = new Set<number>();
  const hasArrived = (messageId: number): boolean => arrived.has(messageId);

  it("stay valid until a later one has arrived", () => {
    const tokens = new ResumeTokens();
    const [first, second, third] = [tokens.issue(), tokens.issue(), ""];
    tokens.sent(1);
    expect([first, second, third].map((token) => tokens.accepts(token, hasArrived))).toEqual([
      true,
      true,
      false,
    ]);
    arrived.add(1);
    expect([first, second].map((token) => tokens.accepts(token, hasArrived))).toEqual([false, true]);
    expect(tokens.accepts(second, hasArrived)).toBe(true);
    arrived.clear();
  });

  it("that were not acknowledged are kept: the newest sixteen", () => {
    const tokens = new ResumeTokens();
    const issued = Array.from({ length: 17 }, () => tokens.issue());
    expect(issued.map((token) => tokens.accepts(token, () => false))).toEqual([
      false,
      ...Array<boolean>(16).fill(true),
    ]);
  });

  it("are 24 random bytes each", () => {
    const tokens = new ResumeTokens();
    const [one, other] = [tokens.issue(), tokens.issue()];
    expect([one, other].map((token) => Buffer.from(token, "base64url").length)).toEqual([24, 24]);
    expect(one).not.toBe(other);
  });
});
