import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { profiles } from "@paceline/client";
import { expect, test } from "vitest";

const EXAMPLES = path.resolve(import.meta.dirname, "..");
const starters = [...Object.keys(profiles).map((genre) => [genre, 80] as const), ["arena", 151] as const];

test.each(starters)("%s has a starter of at most %i lines of game code", (name, maxLines) => {
  const folder = path.join(EXAMPLES, name);
  // What draws is not counted, nor are comments.
  const sources = readdirSync(folder).filter((file) => /^(game|rooms|world)\.ts$/.test(file));
  const lines = sources.flatMap((file) => readFileSync(path.join(folder, file), "utf8").split("\n"));
  const code = lines.filter((line) => line.trim() !== "" && !/^\s*(\/\/|\/\*|\*)/.test(line));
  expect(sources).toContain("game.ts");
  expect(code.length).toBeLessThanOrEqual(maxLines);
});
