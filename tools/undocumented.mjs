/** Lists the exports of a package that have no docstring. */
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** @param {string} folder of a package @returns {string[]} the sources of its entry points */
function entryPoints(folder) {
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  return Object.values(manifest.exports).map((target) => path.join(folder, target["@paceline/source"]));
}

/** @param {ts.TypeChecker} checker @param {ts.Symbol} exported */
function isDocumented(checker, exported) {
  const target = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  return target.getDocumentationComment(checker).length > 0 || target.getJsDocTags(checker).length > 0;
}

/** @type {ts.CompilerOptions} */
const OPTIONS = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  customConditions: ["@paceline/source"],
  skipLibCheck: true,
  noLib: true,
  types: [],
};

/** Packages import each other: each file is read once for all programs. @type {Map<string, ts.SourceFile | undefined>} */
const sources = new Map();
const host = ts.createCompilerHost(OPTIONS);
const readSource = host.getSourceFile.bind(host);
/** @type {typeof host.getSourceFile} */
const readOnce = (file, ...rest) => {
  if (!sources.has(file)) sources.set(file, readSource(file, ...rest));
  return sources.get(file);
};
host.getSourceFile = readOnce;

/** @type {Map<string, ts.Program>} */
const programs = new Map();

/** @param {string} folder of a package */
function programOf(folder) {
  const program = programs.get(folder) ?? ts.createProgram(entryPoints(folder), OPTIONS, host);
  programs.set(folder, program);
  return program;
}

/**
 * @param {ts.Program} program @param {string} file @returns {ts.Symbol[] | undefined} undefined for a file
 * that is no module
 */
function exportsOf(program, file) {
  const source = program.getSourceFile(file);
  const module = source && program.getTypeChecker().getSymbolAtLocation(source);
  return module && program.getTypeChecker().getExportsOfModule(module);
}

/** @param {string} folder @returns {string[]} names of exports without a comment */
export function undocumentedExports(folder) {
  const program = programOf(folder);
  const checker = program.getTypeChecker();
  return entryPoints(folder).flatMap((file) => {
    const names = exportsOf(program, file);
    if (names === undefined) return [`${path.basename(file)} is not a module`];
    return names.filter((exported) => !isDocumented(checker, exported)).map((exported) => exported.name);
  });
}

const KINDS = /** @type {const} */ ([
  [ts.SymbolFlags.Class, "class"],
  [ts.SymbolFlags.Function, "function"],
  [ts.SymbolFlags.Variable, "value"],
]);

/**
 * Returns the exports of a package, by the module that has them.
 * @param {string} folder
 */
export function publicExports(folder) {
  const { name, exports } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const program = programOf(folder);
  const checker = program.getTypeChecker();
  return Object.keys(exports).map((subpath, index) => {
    const found = exportsOf(program, entryPoints(folder)[index] ?? "") ?? [];
    const names = found.map((exported) => {
      const target = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const [, kind = "type"] = KINDS.find(([flag]) => target.flags & flag) ?? [];
      const comment = ts.displayPartsToString(target.getDocumentationComment(checker));
      return { name: exported.name, kind, comment };
    });
    return { module: name + subpath.slice(1), names: names.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  });
}

/**
 * Returns the members that an editor's completions show for a class: neither private nor `@internal` nor
 * deprecated. With `method` only those that are called.
 * @param {string} file @param {string} className @param {"any" | "method"} [kind] @returns {string[]}
 */
export function publicMembers(file, className, kind = "any") {
  const tree = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2022, true);
  const found = tree.statements.find((each) => ts.isClassDeclaration(each) && each.name?.text === className);
  if (!found || !ts.isClassDeclaration(found)) throw new Error(`${file} has no class ${className}`);
  const shown = found.members.filter((member) => {
    if (kind === "method" && !ts.isMethodDeclaration(member)) return false;
    const isPrivate = member.name?.getText().startsWith("#") === true;
    const isHidden = ts
      .getJSDocTags(member)
      .some(({ tagName }) => ["internal", "deprecated"].includes(tagName.text));
    return !isPrivate && !isHidden;
  });
  return [...new Set(shown.map((member) => member.name?.getText() ?? "constructor"))].sort();
}
