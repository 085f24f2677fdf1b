import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, test } from "vitest";
import { bandSources, treeWords } from "../../packages/transport/src/profiles/tree-words.js";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** Returns all numbers in the rows of a kept result: values, and numbers in names such as "3 others". */
function numbersIn(file: string): readonly number[] {
  const { rows } = JSON.parse(readFileSync(path.join(ROOT, file), "utf8")) as {
    readonly rows: readonly Readonly<Record<string, string | number>>[];
  };
  return rows
    .flatMap((row) => Object.values(row))
    .flatMap((value) =>
      typeof value === "number" ? [value] : [...value.matchAll(/\d+/g)].map(([found]) => Number(found)),
    );
}

/** Returns the figures that a test of a package keeps beside itself. */
function keptBy(test: string): string {
  const kept = readdirSync(path.join(ROOT, "packages")).map((name) => `packages/${name}/test/${test}.json`);
  return kept.find((file) => existsSync(path.join(ROOT, file))) ?? test;
}

/** Returns the numbers of a text that no command of this project has printed. */
function faultsOf(text: string): string[] {
  // The year of a citation is not a figure.
  const quoted = [...text.replaceAll(/[A-Z][a-z]+ (19|20)\d\d/g, "").matchAll(/\d+(?:\.(\d+))?/g)];
  if (quoted.length === 0) return [];
  const commands = [...text.matchAll(/`pnpm (bench|lab|unit) ([a-z-]+)`/g)];
  if (commands.length === 0) return ["names no command that measured it"];
  const known = commands.flatMap(([command, kind, name = ""]) => {
    const [source, result] =
      kind === "unit"
        ? [keptBy(name), keptBy(name)]
        : [`apps/lab/src/${kind}-${name}.ts`, `docs/results/${name}.json`];
    if (!existsSync(path.join(ROOT, source))) throw new Error(`no ${command}`);
    return numbersIn(result);
  });
  return quoted
    .filter(([found, digits = ""]) => !known.some((value) => value.toFixed(digits.length) === found))
    .map(([found]) => `${found} is in no result of ${commands.map(([command]) => command).join(", ")}`);
}

describe("numbers in the reasons of the decision tree", () => {
  const texts = [
    ...treeWords.flatMap(({ rows }) =>
      Object.entries(rows).flatMap(([row, { reason, unknown }]) => [
        [row, reason],
        [`${row}, unknown`, unknown?.reason ?? ""],
      ]),
    ),
    ...Object.entries(bandSources).map(([band, source]) => [`band ${band}`, source]),
  ] as [string, string][];

  it("are figures that a command of ours has printed", () => {
    expect(texts.flatMap(([row, text]) => faultsOf(text).map((fault) => `${row}: ${fault}`))).toEqual([]);
    expect(texts.filter(([, text]) => text.includes("`pnpm ")).length).toBeGreaterThan(5);
  });

  test.each([
    ["Loss of 1 % is bad.", "names no command that measured it"],
    ["At 5 % loss it takes 12345 ms (`pnpm lab age`).", "12345 is in no result of `pnpm lab age`"],
  ])("are found where nobody measured them: %s", (text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
    expect(() => faultsOf("5 ms (`pnpm lab guess`)")).toThrow("no `pnpm lab guess`");
  });
});

test("the table of the stated capacity is the kept result of pnpm bench room", () => {
  const { rows } = JSON.parse(readFileSync(path.join(ROOT, "docs/results/room.json"), "utf8")) as {
    readonly rows: readonly Readonly<Record<string, number>>[];
  };
  const text = readFileSync(path.join(ROOT, "docs/OPERATIONS.md"), "utf8");
  const [, section = ""] = text.split("\n## Stated capacity\n");
  const cells = section
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const kept = rows.map((row) => [
    ...["", String(row["clients"]), row["system"]],
    ...[row["bytesPerState"]!.toFixed(0), row["serverCpuRatioToWs"]!.toFixed(1)],
    `${row["latencyMsP50"]!.toFixed(1)} / ${row["latencyMsP99"]!.toFixed(1)}`,
    ...[row["statesPerClientPerSecond"]!.toFixed(1), `${row["wrong"]} / ${row["stale"]}`],
    ...[row["rssMb"]!.toFixed(0), ""],
  ]);
  expect(kept.length).toBeGreaterThan(0);
  expect(cells).toEqual(kept);
});
