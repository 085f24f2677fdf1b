/** Type-checks the TypeScript in documents against the packages' sources, without writing a file. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { fencesOf } from "./markdown.mjs";

/** Options added to tsconfig.base.json: write nothing, and allow unused declarations in examples. */
const CHECK_ONLY = {
  composite: false,
  declaration: false,
  declarationMap: false,
  noEmit: true,
  outDir: undefined,
  tsBuildInfoFile: undefined,
  lib: ["es2022", "dom"],
  types: ["node"],
  noUnusedLocals: false,
  noUnusedParameters: false,
};

/**
 * A fence that begins with "```ts" is a module of its own; "```ts continued" continues the fence before it.
 * @param {string} text @returns {{ line: number, code: string }[]}
 */
export function snippetsOf(text) {
  /** @type {{ line: number, code: string }[]} */
  const snippets = [];
  for (const fence of fencesOf(text).filter(({ language }) => language === "ts")) {
    const before = snippets.at(-1);
    if (fence.info === "continued" && before !== undefined) before.code += fence.code;
    else snippets.push({ line: fence.line, code: fence.code });
  }
  return snippets;
}

/**
 * A fence that begins with "```ts run" is a whole program; the "```text" fence after it is its output.
 * @param {string} text @returns {{ line: number, code: string, output: string }[]}
 */
export function programsOf(text) {
  const fences = fencesOf(text);
  return fences.flatMap(({ language, info, line, code }, index) => {
    if (language !== "ts" || info !== "run") return [];
    const next = fences[index + 1];
    if (next?.language !== "text") throw new Error(`the program in line ${line} does not say what it prints`);
    return [{ line, code, output: next.code }];
  });
}

/** @param {string} root @returns {Record<string, string[]>} every published entry and its source, and Vite */
function packagePaths(root) {
  /** @type {Record<string, string[]>} */
  const paths = {};
  for (const folder of readdirSync(path.join(root, "packages"))) {
    const home = path.join(root, "packages", folder);
    const manifest = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8"));
    for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
      paths[manifest.name + subpath.slice(1)] = [path.join(home, target["@paceline/source"])];
    }
  }
  paths.vite = [path.join(root, "packages/vite-plugin/node_modules/vite/dist/node/index.d.ts")];
  return paths;
}

/**
 * @param {string} root
 * @param {{ name: string, code: string }[]} snippets
 * @returns {string[]} one line per mistake, naming the snippet
 */
export function snippetFaults(root, snippets) {
  const base = ts.readConfigFile(path.join(root, "tsconfig.base.json"), (file) => ts.sys.readFile(file));
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      ...base.config.compilerOptions,
      ...CHECK_ONLY,
      rootDir: root,
      paths: packagePaths(root),
    },
    root,
  );
  const files = new Map(
    snippets.map(({ name, code }, index) => [
      path.join(root, `snippet-${index}.mts`),
      { name, code: `${code}\nexport {};\n` },
    ]),
  );
  const host = ts.createCompilerHost(options);
  host.fileExists = (file) => files.has(path.normalize(file)) || ts.sys.fileExists(file);
  host.readFile = (file) => files.get(path.normalize(file))?.code ?? ts.sys.readFile(file);
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files].flatMap(([file, { name }]) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map((fault) => `${name}, ${describeFault(fault)}`);
  });
}

/** @param {ts.Diagnostic} fault */
function describeFault(fault) {
  const position = fault.file?.getLineAndCharacterOfPosition(fault.start ?? 0);
  return `its line ${(position?.line ?? 0) + 1}: ${ts.flattenDiagnosticMessageText(fault.messageText, " ")}`;
}
