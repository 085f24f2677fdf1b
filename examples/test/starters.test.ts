import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { profiles } from "@paceline/client";
import { expect, test } from "vitest";

const EXAMPLES = path.resolve(import.meta.dirname, "..");
const MAX_LINES = 80;

test.each(Object.keys(profiles))("%s has a starter of at most 80 lines of game code", (genre) => {
  const folder = path.join(EXAMPLES, genre);
  // What draws is not counted, nor are comments.
  const sources = readdirSync(folder).filter((name) => /^(game|rooms|world)\.ts$/.test(name));
  const lines = sources.flatMap((name) => readFileSync(path.join(folder, name), "utf8").split("\n"));
  const code = lines.filter((line) => line.trim() !== "" && !/^\s*(\/\/|\/\*|\*)/.test(line));
  expect(sources).toContain("game.ts");
  expect(code.length).toBeLessThanOrEqual(MAX_LINES);
});
