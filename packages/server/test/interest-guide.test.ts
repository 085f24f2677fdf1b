import { readFileSync } from "node:fs";
import { Interest, interestPlan } from "@paceline/netcode/interest";
import { VirtualScheduler } from "@paceline/testkit";
import { Room, aura, defineEntity, hexagons, quadtree, vec2 } from "@paceline/server";
import { describe, expect, test } from "vitest";
import { HookLog } from "../src/hooks/hook-log.js";
import { assertRoom } from "../src/room/room-settings.js";

const guide = readFileSync(new URL("../../../docs/guides/interest.md", import.meta.url), "utf8");
const RADIUS_M = 80;
const Walker = defineEntity("walker", { position: vec2({ range: [0, 500], precision: 0.1, unit: "m" }) });

/** Returns the rows of a table of the guide: what is in code in the first column, then the other columns. */
function rowsAfter(heading: string): string[][] {
  const [, section = ""] = new RegExp(`^## ${heading}$([^]*?)^## `, "m").exec(guide) ?? [];
  return [...section.matchAll(/^\| `([^`]+)` +\| (.+) \|$/gm)].map(([, name = "", rest = ""]) => [
    name,
    ...rest.split(" | ").map((cell) => cell.trim()),
  ]);
}

/** Returns what a room with such an interest says of it; undefined if it takes it. */
function refusalOf(interest: object): string | undefined {
  class Tried extends Room {
    override readonly entities = [Walker];
    override readonly interest = interest as never;
  }
  try {
    assertRoom(new Tried());
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

describe("the table of options", () => {
  const options = rowsAfter("Rings, kinds and weights");
  /** Interests with a wrong value of each option. */
  const wrong: Readonly<Record<string, object>> = {
    radiusM: { radiusM: 0 },
    rings: { rings: [] },
    "rings[].radiusM": { rings: [{ radiusM: 0 }] },
    "rings[].everyTicks": { rings: [{ radiusM: RADIUS_M, everyTicks: 0 }] },
    "rings[].thresholdM": { rings: [{ radiusM: RADIUS_M, thresholdM: 0 }] },
    cellM: { radiusM: RADIUS_M, cellM: 0 },
    maxEntities: { radiusM: RADIUS_M, maxEntities: 0 },
    world: { radiusM: RADIUS_M, world: { minX: NaN, minY: 0, maxX: 1, maxY: 1 } },
    ground: { radiusM: RADIUS_M, ground: "yz" },
    "kinds[].always": { radiusM: RADIUS_M, kinds: [{ definition: Walker, always: 1 }] },
    "kinds[].weight": { radiusM: RADIUS_M, kinds: [{ definition: Walker, weight: 0 }] },
    relevant: { radiusM: RADIUS_M, relevant: true },
    cellVisible: { radiusM: RADIUS_M, cellVisible: true },
    scheme: { radiusM: RADIUS_M, scheme: "hexagons" },
    "kinds[].nimbusM": {
      radiusM: RADIUS_M,
      scheme: aura({ media: { sight: {} } }),
      kinds: [{ definition: Walker, nimbusM: -1 }],
    },
  };

  test("has all options of a room's interest", () => {
    expect(options.map(([name]) => name)).toEqual(Object.keys(wrong));
    const known = /known are (.*), got/.exec(refusalOf({ radiusM: RADIUS_M, nothing: 1 }) ?? "")?.[1];
    const top = Object.keys(wrong).map((name) => name.replace(/\[.*/, ""));
    expect(known?.split(", ").toSorted()).toEqual([...new Set(top)].toSorted());
  });

  test.each(options)("%s has the range that the code has", (name = "", _initial, range = "") => {
    // The guide says it of any radius.
    const least = String(Math.ceil((RADIUS_M / 14.6) * 1000) / 1000);
    const refusal = refusalOf(wrong[name]!)?.replaceAll(/["()]/g, "");
    expect(refusal).toContain(range.replace("radius / 14.6", least).replaceAll('"', ""));
  });

  test("has the defaults that the code has", () => {
    const initial = new Map(options.map(([name = "", value = ""]) => [name, value]));
    const plan = interestPlan({ rings: [{ radiusM: RADIUS_M }] }, { minX: 0, minY: 0, maxX: 500, maxY: 500 });
    expect(initial.get("maxEntities")).toBe(String(plan.maxEntities));
    expect(initial.get("rings[].everyTicks")).toBe(String(plan.levels[0]!.everyTicks));
    expect(initial.get("cellM")).toBe("half of the outermost radius");
    expect(plan.cellM).toBe(RADIUS_M / 2);
  });

  test("stands beside a promise about the margin that the code keeps", () => {
    expect(guide).toContain("nothing from beyond the radius + 1.9 × the edge of a cell");
    const world = { minX: 0, minY: 0, maxX: 500, maxY: 500 };
    expect(interestPlan({ radiusM: RADIUS_M }, world).marginM).toBeLessThanOrEqual(1.9 * (RADIUS_M / 2));
    expect(interestPlan({ radiusM: RADIUS_M, cellM: 20 }, world).marginM).toBeLessThanOrEqual(1.9 * 20);
    expect(guide).toContain("118 m");
  });
});

describe("the table of the schemes' options", () => {
  const wrong: Readonly<Record<string, () => unknown>> = {
    "quadtree.splitAt": () => quadtree({ splitAt: 1 }),
    "quadtree.levels": () => quadtree({ levels: 5 }),
    "aura.media": () => aura({ media: {} }),
    "aura.media.sight.radiusM": () => aura({ media: { sight: { radiusM: 0 } } }),
    "aura.media.sight.angleDeg": () => aura({ media: { sight: { angleDeg: 0 } } }),
    "aura.facing": () => aura({ media: { sight: { angleDeg: 90 } } }),
  };
  const options = rowsAfter("Hexagons, a quadtree, an aura");

  test("has all that the functions take", () => {
    expect(options.map(([name]) => name)).toEqual(Object.keys(wrong));
    expect(() => quadtree({ none: 1 } as never)).toThrow("known are splitAt, levels");
    expect(() => aura({ media: { sight: {} }, none: 1 } as never)).toThrow("known are media, facing");
    expect(() => aura({ media: { sight: { none: 1 } } } as never)).toThrow("known are radiusM, angleDeg");
  });

  test.each(options)("%s has the range that the code has", (name = "", _initial, range = "") => {
    expect(wrong[name]).toThrow(`${name}: expected`);
    expect(wrong[name]).toThrow(range);
  });

  test("is about nothing that a room takes without its scheme", () => {
    const kinds = [{ definition: Walker, nimbusM: 5 }];
    expect(refusalOf({ radiusM: RADIUS_M, kinds })).toContain(
      "interest.kinds[0].nimbusM: expected none, unless interest.scheme is an aura()",
    );
    const scheme = aura({ media: { sight: {} } });
    expect(refusalOf({ radiusM: RADIUS_M, scheme, kinds })).toBeUndefined();
    const unknown = [{ definition: Walker, nimbusM: { smell: 5 } }];
    expect(refusalOf({ radiusM: RADIUS_M, scheme, kinds: unknown })).toContain("known are sight");
  });
});

test("the margins that the guide promises are those of the code", () => {
  expect(guide).toContain("1.6 × the edge instead of 1.9");
  const facts = {
    world: { minX: 0, minY: 0, maxX: 500, maxY: 500 },
    ...{ tickHz: 20, onMoved: () => undefined, onView: () => undefined },
  };
  const marginOf = (scheme: ReturnType<typeof hexagons>, cellM: number) =>
    new Interest({ radiusM: RADIUS_M, cellM, scheme }, facts).marginM / cellM;
  expect(marginOf(hexagons(), 40)).toBeLessThanOrEqual(1.6);
  expect(marginOf(quadtree(), RADIUS_M)).toBeLessThanOrEqual(1.9);
});

test("the table of faults has all kinds, and what the log says of each", () => {
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  const log = new HookLog(
    { debug: write, info: write, warn: write, error: write } as never,
    new VirtualScheduler(),
    "land",
  );
  const { faults } = new Interest(
    { radiusM: RADIUS_M },
    {
      world: { minX: 0, minY: 0, maxX: 500, maxY: 500 },
      tickHz: 20,
      onMoved: () => undefined,
      onView: () => undefined,
    },
  );
  const kinds = Object.keys(faults) as (keyof typeof faults)[];
  for (const kind of kinds) log.misjudged({ kind });
  expect(rowsAfter("Faults")).toEqual(kinds.map((kind, index) => [kind, lines[index]]));
});
