import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const PACKAGES = path.resolve(import.meta.dirname, "../packages");
/** Packages that a game or an operator imports. */
const PUBLIC = ["client", "panel", "server", "vite-plugin"];

/**
 * Returns all names of the public API: exports, the members of their types, and those of the types of these.
 * Leaves out what is private or marked as internal.
 * @returns {Set<string>}
 */
export function publicNames() {
  const files = PUBLIC.flatMap(entriesOf);
  const program = programOf(files);
  const names = new Names(program.getTypeChecker());
  for (const file of files) names.addModule(/** @type {ts.SourceFile} */ (program.getSourceFile(file)));
  return names.found;
}

/**
 * Returns the exports of all entries of some packages, types included.
 * @param {readonly string[]} packages names of folders
 * @returns {Map<string, Set<string>>} by package
 */
export function exportsOf(packages) {
  const program = programOf(packages.flatMap(entriesOf));
  const checker = program.getTypeChecker();
  const namesOf = (/** @type {string} */ file) => {
    const source = /** @type {ts.SourceFile} */ (program.getSourceFile(file));
    const module = /** @type {ts.Symbol} */ (checker.getSymbolAtLocation(source));
    return checker.getExportsOfModule(module).map((exported) => exported.getName());
  };
  return new Map(packages.map((name) => [name, new Set(entriesOf(name).flatMap(namesOf))]));
}

/**
 * Returns the names that a file takes from a package of this repository: it imports them, exports them again,
 * or has the word in its code while it takes the package as a whole, dynamically, or by its path.
 * @param {string} text of a source file
 * @param {string} name folder of the package
 * @returns {Set<string>}
 */
export function namesFrom(text, name) {
  const specifier = `@paceline/${name}`;
  /** @type {Set<string>} */
  const names = new Set();
  const source = ts.createSourceFile("a.tsx", text, ts.ScriptTarget.Latest);
  let isWhole = new RegExp(`packages/${name}/(?:src|dist)/index\\b`).test(text);
  // Only such imports stand deeper than in a statement of the module.
  const hasLate = /\bimport\(/.test(text);
  const visit = (/** @type {ts.Node} */ node) => {
    const taken = takenBy(node, (module) => module === specifier || module.startsWith(`${specifier}/`));
    if (taken === "all") isWhole = true;
    else for (const each of taken) names.add(each);
    if (hasLate || node === source) ts.forEachChild(node, visit);
  };
  visit(source);
  if (isWhole) for (const [word] of text.matchAll(/[\w$]+/g)) names.add(word);
  return names;
}

/**
 * Returns the names that one import or export takes from the modules of a kind, or `all`.
 * @param {ts.Node} node
 * @param {(module: string) => boolean} isOf
 * @returns {readonly string[] | "all"}
 */
function takenBy(node, isOf) {
  const module = moduleOf(node);
  if (module === undefined || !ts.isStringLiteralLike(module) || !isOf(module.text)) return [];
  if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return "all";
  const clause = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
  if (!clause) return [];
  if (!ts.isNamedImports(clause) && !ts.isNamedExports(clause)) return "all";
  return clause.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

/** @param {ts.Node} node @returns {ts.Node | undefined} the name of the module that it imports or exports from */
function moduleOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isDynamic ? node.arguments[0] : undefined;
}

/** @param {readonly string[]} files */
function programOf(files) {
  const { config } = ts.readConfigFile(
    path.join(PACKAGES, "../tsconfig.base.json"),
    ts.sys.readFile.bind(ts.sys),
  );
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, PACKAGES);
  return ts.createProgram(files, {
    ...options,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    composite: false,
    noEmit: true,
    rootDir: PACKAGES,
  });
}

/**
 * Returns the source files of a package's exports.
 * @param {string} name
 * @returns {string[]}
 */
function entriesOf(name) {
  const text = readFileSync(path.join(PACKAGES, name, "package.json"), "utf8");
  /** @type {{ exports: Record<string, Record<string, string>> }} */
  const { exports } = JSON.parse(text);
  return Object.values(exports).flatMap(({ "@paceline/source": source }) =>
    source ? [path.join(PACKAGES, name, source)] : [],
  );
}

class Names {
  /** @type {Set<string>} */
  found = new Set();
  /** @type {Set<ts.Type>} */
  #seen = new Set();
  #checker;

  /** @param {ts.TypeChecker} checker */
  constructor(checker) {
    this.#checker = checker;
  }

  /** @param {ts.SourceFile} file */
  addModule(file) {
    const module = /** @type {ts.Symbol} */ (this.#checker.getSymbolAtLocation(file));
    for (const exported of this.#checker.getExportsOfModule(module)) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? this.#checker.getAliasedSymbol(exported) : exported;
      this.found.add(exported.getName());
      if (symbol.flags & ts.SymbolFlags.Value) this.#addType(this.#checker.getTypeOfSymbol(symbol));
      if (symbol.flags & ts.SymbolFlags.Type) this.#addType(this.#checker.getDeclaredTypeOfSymbol(symbol));
    }
  }

  /** @param {ts.Type} type */
  #addType(type) {
    if (this.#seen.has(type)) return;
    this.#seen.add(type);
    if (type.isUnionOrIntersection()) {
      for (const each of type.types) this.#addType(each);
      return;
    }
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      this.#addType(signature.getReturnType());
      for (const parameter of signature.getParameters())
        this.#addType(this.#checker.getTypeOfSymbol(parameter));
    }
    for (const property of type.getProperties()) {
      if (!isPublic(property)) continue;
      this.found.add(property.getName());
      this.#addType(this.#checker.getTypeOfSymbol(property));
    }
  }
}

/**
 * @param {ts.Symbol} symbol a member of a type
 */
function isPublic(symbol) {
  const declarations = symbol.declarations ?? [];
  const isOurs = declarations.some((each) => {
    const { fileName } = each.getSourceFile();
    return fileName.startsWith(PACKAGES) && !fileName.includes("node_modules");
  });
  const isPrivate = declarations.some((each) => {
    const name = ts.getNameOfDeclaration(each);
    const isHidden = (ts.getCombinedModifierFlags(each) & ts.ModifierFlags.Private) !== 0;
    return isHidden || (name !== undefined && ts.isPrivateIdentifier(name));
  });
  return isOurs && !isPrivate && symbol.getJsDocTags().every(({ name }) => name !== "internal");
}
