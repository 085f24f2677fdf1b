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

/** @param {string} folder @returns {string[]} names of exports without a comment */
export function undocumentedExports(folder) {
  const program = ts.createProgram(entryPoints(folder), {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ["@paceline/source"],
    skipLibCheck: true,
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  return entryPoints(folder).flatMap((file) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) return [`${path.basename(file)} is not a module`];
    return checker
      .getExportsOfModule(module)
      .filter((exported) => !isDocumented(checker, exported))
      .map((exported) => exported.name);
  });
}
