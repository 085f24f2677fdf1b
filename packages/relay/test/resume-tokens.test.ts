import { describe, expect, it } from "vitest";
import { ResumeTokens } from "../src/admission/resume-tokens.js";

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

  it("that were not acknowledged are kept: the one in use, and the newest fifteen", () => {
    const tokens = new ResumeTokens();
    const issued = Array.from({ length: 17 }, () => tokens.issue());
    const isKnown = (token: string): boolean => tokens.accepts(token, () => false);
    expect(issued.map(isKnown)).toEqual([true, false, ...Array<boolean>(15).fill(true)]);
  });

  it("end when the client uses a later one, and the used one stays", () => {
    const tokens = new ResumeTokens();
    const [first, second] = [tokens.issue(), tokens.issue()];
    const isKnown = (token: string): boolean => tokens.accepts(token, () => false);
    expect([second, first, second].map(isKnown)).toEqual([true, false, true]);
    for (let count = 0; count < 100; count++) tokens.issue();
    expect(isKnown(second)).toBe(true);
  });

  it("are 24 random bytes each", () => {
    const tokens = new ResumeTokens();
    const [one, other] = [tokens.issue(), tokens.issue()];
    expect([one, other].map((token) => Buffer.from(token, "base64url").length)).toEqual([24, 24]);
    expect(one).not.toBe(other);
  });
});
