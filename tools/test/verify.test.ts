import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { mutantsOf } from "../mutate.mjs";
import { lastJson, outcome, settled, skip } from "../verify/outcome.mjs";
import { refuseWorkspaceRanges } from "../verify/tarballs.mjs";

describe("a step of pnpm verify", () => {
  test("that has checked nothing fails, unless it says why", () => {
    expect(settled({ passed: 0, failed: 0, skipped: [], notes: [] }).failed).toBe(1);
    expect(settled(skip("no root"))).toEqual({ passed: 0, failed: 0, skipped: ["no root"], notes: [] });
  });

  test("counts its faults and keeps their words", () => {
    const checks = [["this", undefined] as const, ["that", "is broken"] as const];
    expect(outcome(checks)).toEqual({ passed: 1, failed: 1, skipped: [], notes: ["that: is broken"] });
  });

  test("that ends without its result has none", () => {
    expect(lastJson("a table\n{ broken\n")).toBeUndefined();
    expect(lastJson('a table\n{"passed":1}\n')).toEqual({ passed: 1 });
  });

  test("that is misspelt is refused, with the names of all", () => {
    const tool = path.resolve(import.meta.dirname, "../verify.mjs");
    const { status, stderr } = spawnSync(process.execPath, [tool, "--only", "mutations"], {
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/mutations; known: tarballs, .*mutation, attack/);
  });
});

test("a tarball that names a version by workspace: is refused, in a template's manifest, too", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "paceline-workspace-"));
  const packed = (dependencies: Record<string, string>): string => {
    mkdirSync(path.join(folder, "package"), { recursive: true });
    const manifest = { name: "game", description: "works in a workspace: yes", dependencies };
    writeFileSync(path.join(folder, "package/package.json"), JSON.stringify(manifest));
    const file = path.join(folder, "game.tgz");
    spawnSync("tar", ["-czf", file, "-C", folder, "package"]);
    return file;
  };
  await expect(refuseWorkspaceRanges(packed({ "@paceline/client": "workspace:*" }))).rejects.toThrow(
    'names a version by "workspace:"',
  );
  const good = { "@paceline/client": "0.1.0" };
  await expect(refuseWorkspaceRanges(packed(good))).resolves.toBeUndefined();
  const template = path.join(folder, "package/templates/racing");
  mkdirSync(template, { recursive: true });
  writeFileSync(
    path.join(template, "package.json"),
    JSON.stringify({ devDependencies: { paceline: "workspace:*" } }),
  );
  await expect(refuseWorkspaceRanges(packed(good))).rejects.toThrow('names a version by "workspace:"');
  rmSync(folder, { recursive: true, force: true });
});

test("pnpm mutate changes what a program does, not its types or the words of its errors", () => {
  const source = `
    const size: 4 | 8 = 4;
    if (size < 8 && !isOpen) throw new Error("at least 8" + size);
    count += 1;
  `;
  const found = mutantsOf({ file: "example.ts", tests: [] }, source);
  expect(found.map(({ line, from, to }) => `${line}: ${from} -> ${to}`)).toEqual([
    "2: 4 -> 5",
    "3: size < 8 && !isOpen -> false",
    "3: && -> ||",
    "3: < -> <=",
    "3: 8 -> 9",
    "3: !isOpen -> (isOpen)",
    "4: count += 1; -> ;",
    "4: += -> -=",
    "4: 1 -> 2",
  ]);
});
