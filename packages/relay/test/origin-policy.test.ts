import { describe, expect, it } from "vitest";
import { OriginPolicy } from "../src/origin-policy.js";

describe("the origin policy", () => {
  it.each([
    [[], undefined, "play.example.com", true],
    [[], "https://play.example.com", "play.example.com", true],
    [[], "https://play.example.com", "Play.Example.com", true],
    [[], "http://localhost:8787", "localhost:8787", true],
    [[], "http://localhost:5173", "localhost:8787", false],
    [[], "https://evil.example", "play.example.com", false],
    [[], "https://play.example.com.evil.example", "play.example.com", false],
    [[], "null", "play.example.com", false],
    [[], "https://play.example.com", undefined, false],
    [["https://game.example"], "https://game.example", "relay.example", true],
    [["https://game.example"], "http://game.example", "relay.example", false],
    [["https://game.example"], "https://game.example:444", "relay.example", false],
    ["*", "null", "relay.example", true],
    ["*", "https://anyone.example", undefined, true],
  ] as const)("%j: %s at %s: %s", (allowed, origin, host, isAllowed) => {
    expect(new OriginPolicy(allowed).permits(origin, host)).toBe(isAllowed);
  });
});
