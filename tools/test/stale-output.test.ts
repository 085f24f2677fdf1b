import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeStaleOutput } from "../stale-output.mjs";

function packageWith(files: readonly string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), "paceline-stale-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), "");
  }
  return folder;
}

test("a build removes what the compiler made of files that are gone, and nothing else", () => {
  const kept = ["src/room/room.ts", "dist/room/room.js", "dist/room/room.d.ts.map", "dist/linked/entry.js"];
  const kinds = ["js", "d.ts", "js.map", "d.ts.map"];
  const gone = kinds.map((kind) => `dist/netcode/lockstep.${kind}`);
  const folder = packageWith([...kept, "dist/.tsbuildinfo", ...gone]);
  const removed = removeStaleOutput(folder).map((file) => `dist/${file}`);
  expect(removed.sort()).toEqual([...gone].sort());
  for (const file of [...kept, "dist/.tsbuildinfo"]) expect(existsSync(path.join(folder, file))).toBe(true);
  for (const file of gone) expect(existsSync(path.join(folder, file))).toBe(false);
});

test("a package that was never built has nothing to remove", () => {
  expect(removeStaleOutput(packageWith(["src/index.ts"]))).toEqual([]);
});
