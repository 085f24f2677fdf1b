import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { exportsOf, namesFrom } from "../public-names.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** Packages that games do not install by themselves: their exports are for the other packages and for tools. */
const INNER = ["protocol", "netcode", "transport"];

/**
 * Types of fields: the compiler names them in the declaration of an exported entity, whoever defines it. And the
 * codec of an entry that exists to make it the codec in use: protocol's own tests compare it with the other one.
 */
const EXEMPT = /^(?:(?:Angle|Bytes|Enum|Flag|Int|Scalar|Uint)Field|msgpackrCodec)$/;

/** Returns the code of a file: a document has some between its fences. */
function codeOf(file: string): string {
  const text = readFileSync(path.join(ROOT, file), "utf8");
  if (!file.endsWith(".md")) return text;
  return Array.from(text.matchAll(/^```(?:ts|js)\n(.*?)^```/gms), ([, code]) => code).join("\n");
}

describe.runIf(existsSync(path.join(ROOT, ".git")))("exports", () => {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
  }).split("\0");
  const files = listed
    .filter((file) => /\.(?:[mc]?[jt]sx?|vue|md)$/.test(file) && existsSync(path.join(ROOT, file)))
    .map((file) => ({ file, code: codeOf(file) }));
  const exported = exportsOf(INNER);

  it.each(INNER)("of %s have a user in another package, a tool or a document", (name) => {
    const others = files.filter(({ file }) => file.endsWith(".md") || !file.startsWith(`packages/${name}/`));
    const takers = others.filter(
      ({ code }) => code.includes(`@paceline/${name}`) || code.includes(`packages/${name}/`),
    );
    const used = new Set(takers.flatMap(({ code }) => [...namesFrom(code, name)]));
    const isIdle = (each: string) => !used.has(each) && !EXEMPT.test(each);
    expect([...exported.get(name)!].filter(isIdle)).toEqual([]);
    expect(takers.length).toBeGreaterThan(10);
  });
});

describe("the names that a file takes from a package", () => {
  const from = (text: string): string[] => [...namesFrom(text, "netcode")];

  it("are those of imports and of exports that go on", () => {
    expect(from('import { a, type B, c as d } from "@paceline/netcode";')).toEqual(["a", "B", "c"]);
    expect(from('export { a as b } from "@paceline/netcode/node";')).toEqual(["a"]);
    expect(from('import { a } from "@paceline/netcodes"; import { b } from "./netcode.js";')).toEqual([]);
  });

  it("are all words of a file that imports the package dynamically, as a whole or by its path", () => {
    expect(from('const { late } = await import("@paceline/netcode");')).toContain("late");
    expect(from('import * as netcode from "@paceline/netcode"; netcode.whole();')).toContain("whole");
    expect(from('type Late = import("@paceline/netcode").Late;')).toContain("Late");
    expect(from('/** @type {import("../packages/netcode/dist/index.js").Late} */')).toContain("Late");
    expect(from('/** @type {import("../packages/netcode/dist/body.js").Late} */')).toEqual([]);
  });
});
