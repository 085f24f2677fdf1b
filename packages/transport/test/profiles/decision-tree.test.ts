import { TrafficClass, type TrafficClassName } from "@paceline/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Circumstances,
  decide,
  decisionTree,
  END,
  type Plan,
  type PlannedLink,
  type ProfileNumbers,
  profileRanges,
  measuredBands,
  type Row,
} from "../../src/profiles/index.js";
import { bandSources, treeWords } from "../../src/profiles/tree-words.js";
import { everyCombination } from "./every-combination.js";

const classNames = Object.keys(TrafficClass) as TrafficClassName[];

const PARTNERS = { server: "nobody", relay: "everybody", mesh: "everybody", host: "host" } as const;

/** What holds for every plan. */
const checks: Record<string, (plan: Plan, circumstances: Circumstances) => boolean> = {
  "has reasons": ({ reasons }) => reasons.length >= 8,
  "gives every class of traffic a delivery both ways": ({ traffic }) =>
    classNames.every(
      (name) => traffic[name].server.delivery !== undefined && traffic[name].pair.delivery !== undefined,
    ),
  "uses only links that are there": (plan, circumstances) =>
    usedLinks(plan).every((link) => isThere(link, circumstances)),
  "relays to players only, and goes to the server only by links of its own": (plan) =>
    !plan.serverLinks.includes("relayed") &&
    plan.pairLinks.every((link) => link === "webrtc" || link === "relayed"),
  "can connect exactly where there is a WebSocket": (plan, { available }) =>
    plan.canConnect === available.websocket,
  "ends every order with the link that always works": (plan) =>
    !plan.canConnect ||
    (plan.serverLinks.at(-1) === "websocket" &&
      (plan.pairsWith === "nobody" ? plan.pairLinks.length === 0 : plan.pairLinks.at(-1) === "relayed")),
  "keeps a session with those whom the topology names": ({ canConnect, pairsWith }, { topology }) =>
    pairsWith === (canConnect ? PARTNERS[topology] : "nobody"),
  "leaves all orders empty where nothing can connect": (plan) =>
    plan.canConnect || usedLinks(plan).length === 0,
  "carries every class to the server": ({ canConnect, traffic }) =>
    !canConnect || classNames.every((name) => traffic[name].server.links.length > 0),
  "keeps what must arrive on the WebSocket on the way to the server": ({ traffic }) =>
    (["reference", "command", "bulk"] as const).every((name) =>
      traffic[name].server.links.every((link) => link === "websocket"),
    ),
  "opens no unencrypted WebSocket from an https page": ({ webSocketSchemes }, { security }) =>
    webSocketSchemes.includes("ws") === (security === "http") && webSocketSchemes.includes("wss"),
  "keeps every number within the range of profiles": ({ numbers }) =>
    numbers.stateHz <= numbers.tickHz &&
    Object.entries(profileRanges).every(([field, { min, max }]) => {
      const value = numbers[field as keyof ProfileNumbers];
      return value >= min && value <= max;
    }),
};

function usedLinks(plan: Plan): PlannedLink[] {
  const routed = classNames.flatMap((name) => [
    ...plan.traffic[name].server.links,
    ...plan.traffic[name].pair.links,
  ]);
  return [...plan.serverLinks, ...plan.pairLinks, ...routed];
}

function isThere(link: PlannedLink, { available, server, topology }: Circumstances): boolean {
  if (link === "websocket" || link === "relayed") return available.websocket;
  if (link === "webtransport") return available.webtransport && server?.webtransport === true;
  return available.webrtc && (server?.webrtc === true || topology === "mesh" || topology === "host");
}

describe("over every combination of bands", () => {
  const failures: string[] = [];
  const usedRows = new Set<string>();
  let combinations = 0;

  beforeAll(() => {
    for (const circumstances of everyCombination()) {
      combinations += 1;
      const plan = decide(circumstances);
      for (const { row } of plan.reasons) usedRows.add(row);
      for (const [name, isFine] of Object.entries(checks)) {
        if (!isFine(plan, circumstances) && failures.length < 20) {
          failures.push(`not so: ${name}: ${JSON.stringify(circumstances)}`);
        }
      }
    }
  }, 120_000);

  test("there are more than half a million combinations, and each has a plan", () => {
    expect(combinations).toBeGreaterThan(500_000);
  });

  test("every plan keeps every promise of a plan", () => {
    expect(failures).toEqual([]);
  });

  test("every row of the tree is the answer at least once", () => {
    const rows = decisionTree.flatMap((question) => question.rows.map((row) => row.id));
    expect(rows.filter((id) => !usedRows.has(id))).toEqual([]);
  });
});

test("the same circumstances give the same plan", () => {
  // A prime step, so that the sample runs through the bands in every phase.
  const sample = [...everyCombination()].filter((_, at) => at % 997 === 0);
  const again = structuredClone(sample);
  expect(sample.map((circumstances) => decide(circumstances))).toEqual(
    again.map((circumstances) => decide(circumstances)),
  );
}, 30_000);

describe("the table", () => {
  const rows: Row[] = decisionTree.flatMap((question) => question.rows);
  const place = new Map(decisionTree.map((question, at) => [question.id, at]));

  test("names every question and every row once", () => {
    expect(place.size).toBe(decisionTree.length);
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  });

  test("leads only forward, to questions that exist, so that every walk ends", () => {
    const backward = decisionTree.flatMap((question, at) =>
      question.rows.filter((row) => row.next !== END && !((place.get(row.next) ?? -1) > at)),
    );
    expect(backward).toEqual([]);
  });

  test.each(decisionTree)(
    "closes the question $id with a row that always holds, and no other does",
    ({ rows: answers }) => {
      const conditions = answers.map((row) => Object.keys(row.when).length);
      expect(conditions.at(-1)).toBe(0);
      expect(conditions.slice(0, -1)).not.toContain(0);
    },
  );
});

describe("the words", () => {
  test("are there for every question and every row of the tree, and for nothing else, in its order", () => {
    const structure = decisionTree.map(({ id, rows }) => [id, rows.map((row) => row.id)]);
    expect(treeWords.map(({ question, rows }) => [question, Object.keys(rows)])).toEqual(structure);
  });

  test("are none of them missing", () => {
    for (const { ask, rows } of treeWords) {
      expect(ask).toMatch(/\?$/);
      for (const { choice, reason } of Object.values(rows)) {
        expect(choice).not.toBe("");
        expect(reason).toMatch(/\.$/);
      }
    }
  });

  test("name a source for every band but the lowest of each quantity", () => {
    const drawn = Object.values(measuredBands).flatMap(([, ...others]) => others.map(({ name }) => name));
    expect(Object.keys(bandSources).sort()).toEqual(drawn.sort());
  });
});
