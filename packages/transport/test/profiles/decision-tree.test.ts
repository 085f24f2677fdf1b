import { beforeAll, describe, expect, test } from "vitest";
import type { Circumstances } from "../../src/profiles/circumstances.js";
import { decisionTree, END, type Row } from "../../src/profiles/tree.js";
import type { Plan, PlannedLink } from "../../src/profiles/plan.js";
import { planFor } from "../../src/profiles/decide.js";
import { profileRanges } from "../../src/profiles/profile.js";
import { measuredBands } from "../../src/profiles/bands.js";
import { bandSources, treeWords } from "../../src/profiles/tree-words.js";
import { everyCombination } from "./every-combination.js";

/** Policies that contain links. */
const routed = ({ state, input, event }: Plan["channels"]) => [state, input, event];

/** Conditions that every plan fulfils. */
const checks: Record<string, (plan: Plan, circumstances: Circumstances) => boolean> = {
  "uses only links that are there": ({ channels }, circumstances) =>
    routed(channels).every(({ links }) => links.every((link) => isThere(link, circumstances))),
  "carries every class, at last on the WebSocket": ({ channels }) =>
    routed(channels).every(({ links }) => links.at(-1) === "websocket"),
  "connects players directly only where they talk with each other and may know each other": (
    { channels },
    { topology, exposeAddress },
  ) => !channels.state.links.includes("direct") || (topology === "mesh" && exposeAddress),
  "keeps what must arrive on the WebSocket on the way to the server": ({ channels }) =>
    routed(channels).every(
      ({ delivery, links }) => delivery !== "ordered-reliable" || !links.includes("webrtc"),
    ),
  "opens no unencrypted WebSocket from an https page": ({ schemes }, { security }) =>
    schemes.includes("ws") === (security === "http") && schemes.includes("wss"),
  "lets a class expire exactly where it has a lifetime": ({ channels }) =>
    (channels.event.delivery === "lifetime") === Number.isFinite(channels.event.lifetimeMs),
  "keeps every number within the range of profiles": ({ numbers, channels }) =>
    [channels.state, channels.event, channels.command].every(
      ({ periodMs }) => periodMs <= profileRanges.sendPeriodMs.max,
    ) &&
    (Object.keys(numbers) as (keyof typeof numbers)[]).every(
      (name) => numbers[name] >= profileRanges[name].min && numbers[name] <= profileRanges[name].max,
    ),
};

function isThere(link: PlannedLink, { available, server }: Circumstances): boolean {
  if (link === "websocket") return true;
  return available.webrtc && (link === "direct" || server?.webrtc === true);
}

describe("over every combination of bands", () => {
  const failures: string[] = [];
  const usedRows = new Set<string>();
  let combinations = 0;

  beforeAll(() => {
    for (const circumstances of everyCombination()) {
      combinations += 1;
      const plan = planFor(circumstances);
      for (const { row } of plan.reasons) usedRows.add(row);
      for (const [name, isFine] of Object.entries(checks)) {
        if (!isFine(plan, circumstances) && failures.length < 20) {
          failures.push(`not so: ${name}: ${JSON.stringify(circumstances)}`);
        }
      }
    }
  }, 120_000);

  test("there are more than a hundred thousand combinations, and each has a plan", () => {
    expect(combinations).toBeGreaterThan(100_000);
  });

  test("every plan fulfils all conditions", () => {
    expect(failures).toEqual([]);
  });

  test("every row of the tree is the answer at least once", () => {
    const rows = decisionTree.flatMap((question) => question.rows.map((row) => row.id));
    expect(rows.filter((id) => !usedRows.has(id))).toEqual([]);
  });
});

test("the same circumstances give the same plan", () => {
  // A prime step, so that the sample contains all bands.
  const sample = [...everyCombination()].filter((_, at) => at % 997 === 0);
  const again = structuredClone(sample);
  expect(sample.map((circumstances) => planFor(circumstances))).toEqual(
    again.map((circumstances) => planFor(circumstances)),
  );
}, 30_000);

describe("the table", () => {
  const rows: Row[] = decisionTree.flatMap((question) => question.rows);
  const place = new Map(decisionTree.map((question, at) => [question.id, at]));

  test("names every question and every row once", () => {
    expect(place.size).toBe(decisionTree.length);
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  });

  test("leads only forward, to existing questions, so that every walk ends", () => {
    const backward = decisionTree.flatMap((question, at) =>
      question.rows.filter((row) => row.next !== END && !((place.get(row.next) ?? -1) > at)),
    );
    expect(backward).toEqual([]);
  });

  test.each(decisionTree)(
    "ends the question $id with the only row that always holds",
    ({ rows: answers }) => {
      const conditions = answers.map((row) => Object.keys(row.when).length);
      expect(conditions.at(-1)).toBe(0);
      expect(conditions.slice(0, -1)).not.toContain(0);
    },
  );
});

describe("the words", () => {
  test("exist for exactly the questions and rows of the tree, in its order", () => {
    const structure = decisionTree.map(({ id, rows }) => [id, rows.map((row) => row.id)]);
    expect(treeWords.map(({ question, rows }) => [question, Object.keys(rows)])).toEqual(structure);
  });

  test("are never empty", () => {
    for (const { ask, rows } of treeWords) {
      expect(ask).toMatch(/\?$/);
      for (const { choice, reason } of Object.values(rows)) {
        expect(choice).not.toBe("");
        expect(reason).toMatch(/\.$/);
      }
    }
  });

  test("name a source for every band except the lowest of each quantity", () => {
    const drawn = Object.values(measuredBands).flatMap(([, ...others]) => others.map(({ name }) => name));
    expect(Object.keys(bandSources).sort()).toEqual(drawn.sort());
  });
});
