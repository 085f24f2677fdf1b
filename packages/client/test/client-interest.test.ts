import { readFileSync } from "node:fs";
import { ConfigError } from "@paceline/client";
import { describe, expect, test } from "vitest";
import { checkInterest } from "../src/policy/client-interest.js";

const guide = readFileSync(new URL("../../../docs/guides/interest.md", import.meta.url), "utf8");
const RADIUS_M = 80;
const [, section = ""] = /^## Without a game server$([^]*?)^## /m.exec(guide) ?? [];
const options = [...section.matchAll(/^\| `([^`]+)` +\| ([^|]+) \| ([^|]+) \|/gm)].map((row) =>
  row.slice(1).map((cell) => cell.trim()),
);
const wrong: Readonly<Record<string, object>> = {
  radiusM: { radiusM: 0 },
  cellM: { radiusM: RADIUS_M, cellM: 1 },
  ground: { radiusM: RADIUS_M, ground: "yz" },
};

/** Returns what the code says of such an interest; undefined if it takes it. */
function refusalOf(interest: object): string | undefined {
  try {
    checkInterest(interest);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return undefined;
}

describe("the table of options in rooms without a game server", () => {
  test("has all options", () => {
    expect(options.map(([name]) => name)).toEqual(Object.keys(wrong));
    const known = /known are (.*), got/.exec(refusalOf({ radiusM: RADIUS_M, nothing: 1 }) ?? "")?.[1];
    expect(known?.split(", ")).toEqual(Object.keys(wrong));
  });

  test.each(options)("%s has the range that the code has", (name = "", _initial = "", range = "") => {
    const refusal = refusalOf(wrong[name]!)?.replaceAll(/["()]/g, "");
    expect(refusal).toContain(range.replace("radius / 8", String(RADIUS_M / 8)).replaceAll('"', ""));
  });

  test.each([[NaN], [Infinity], ["80"], [undefined]])("refuses a radius of %s", (radiusM) => {
    expect(refusalOf({ radiusM })).toContain("interest.radiusM");
  });
});
