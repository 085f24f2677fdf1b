import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { PROJECTS } from "../build.mjs";
import { binOf, ROOT } from "../pnpm.mjs";

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"],
  types: ["node"],
  typeRoots: [path.join(ROOT, "node_modules/@types")],
  strict: true,
  noEmit: true,
  skipLibCheck: false,
};

/** The compiler leaves out what is marked internal, and with it may go what another declaration names. */
it("the declarations that games get stand for themselves", () => {
  const built = spawnSync(process.execPath, [binOf("typescript", "tsc"), "-b", ...PROJECTS], { cwd: ROOT });
  expect(String(built.stdout)).toBe("");
  const packages = path.join(ROOT, "packages");
  const files = readdirSync(packages).flatMap((name) =>
    readdirSync(path.join(packages, name, "dist"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".d.ts"))
      .map((file) => path.join(packages, name, "dist", file)),
  );
  expect(files.length).toBeGreaterThan(300);
  const program = ts.createProgram(files, OPTIONS);
  // Only ours: to check those of the platform, too, takes longer.
  const ours = files.flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  const told = ours.map(({ file, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, "\n");
    return `${path.relative(ROOT, file!.fileName)}: ${text}`;
  });
  expect(told).toEqual([]);
}, 600_000);
