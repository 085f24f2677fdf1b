import * as crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ResumeTokens } from "../src/admission/resume-tokens.js";
import { randomId } from "../src/admission/random-id.js";

/** Calls of the CSPRNG, whichever of its functions they use. */
function countCalls(): () => number {
  const module = (crypto as unknown as { default: typeof crypto }).default;
  const spies = [vi.spyOn(module, "randomFillSync"), vi.spyOn(module, "randomBytes")];
  syncBuiltinESMExports();
  return () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
}

describe("random ids", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it("have the bytes that were asked for, and none comes twice over many refills of the pool", () => {
    const ids = Array.from({ length: 3000 }, (_, index) => randomId(12 + (index % 3) * 6));
    for (const [index, id] of ids.entries()) {
      expect(Buffer.from(id, "base64url")).toHaveLength(12 + (index % 3) * 6);
    }
    expect(new Set(ids).size).toBe(ids.length);
    // Bytes that were not filled, or given out twice, show as halves that repeat.
    const halves = ids.flatMap((id) => [id.slice(0, 8), id.slice(8, 16)]);
    expect(new Set(halves).size).toBe(halves.length);
  });

  it("cost one call of the CSPRNG for many tokens of many sessions", () => {
    const calls = countCalls();
    for (let session = 0; session < 1000; session++) new ResumeTokens().issue();
    expect(calls()).toBeGreaterThan(0);
    expect(calls()).toBeLessThan(20);
  });
});
