import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const TOOLS = path.resolve(import.meta.dirname, "..");
const STATIC_IMPORT = /^(?:import|export)\s[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"/gm;

/** What a script and all that it imports statically import from elsewhere than this repository and Node. */
function packagesOf(script: string): string[] {
  const files = new Set([path.join(TOOLS, script)]);
  const packages: string[] = [];
  for (const file of files) {
    const code = readFileSync(file, "utf8").replaceAll(/\/\*[^]*?\*\//g, "");
    for (const [, from, alone] of code.matchAll(STATIC_IMPORT)) {
      const name = from ?? alone ?? "";
      if (name.startsWith(".")) files.add(path.resolve(path.dirname(file), name));
      else if (!name.startsWith("node:")) packages.push(`${path.relative(TOOLS, file)}: ${name}`);
    }
  }
  return packages;
}

it.each(["test.mjs", "start.mjs"])(
  "%s runs in a fresh clone: it imports no package before it installs them",
  (script) => {
    expect(packagesOf(script)).toEqual([]);
  },
);

it("finds a package that is imported over another file", () => {
  expect(packagesOf("link.mjs")).toEqual(
    expect.arrayContaining([expect.stringContaining("rolldown"), "link/minify.mjs: terser"]),
  );
});
