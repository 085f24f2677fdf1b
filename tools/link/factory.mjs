/** Writes the chunks of a bundle as modules that do not import each other. */
import { parseAst } from "rolldown/parseAst";
import { codeOf, doorOf, INDEX } from "./chunks.mjs";

/**
 * @typedef {import("./chunks.mjs").OutputChunk} OutputChunk
 * @typedef {{ start: number, end: number, text: string }} Change
 * @typedef {Map<string, Map<string, string>>} Imports by file, the local name of each imported one
 *
 * @typedef {object} Parsed
 * @property {string} code
 * @property {Imports} imports
 * @property {Map<string, string>} exports the local name of each exported one
 * @property {{ start: number, end: number, file: string }[]} statements static imports; `file` is empty for exports
 * @property {{ start: number, end: number, file: string }[]} calls dynamic imports
 * @property {Set<number>} pure where a call begins that makes the value of a variable of the module
 */

/** A name that no code of ours has, for the exports of a chunk. @param {string} chunk */
const parameter = (chunk) => `chunk$${chunk.replace(/\W/g, "_")}`;
const LINKED = parameter("linked");

/** @param {any} node @param {(node: any) => unknown} visit returns false to leave out what is in the node */
function walk(node, visit) {
  if (Array.isArray(node)) for (const item of node) walk(item, visit);
  else if (typeof node === "object" && node !== null) {
    if (typeof node.type === "string" && visit(node) === false) return;
    for (const value of Object.values(node)) walk(value, visit);
  }
}

const nameOf = (/** @type {any} */ node) => node.name ?? node.value;

/** Adds an import or an export. @param {Parsed} parsed @param {any} node */
function addNames(parsed, { type, source, specifiers, start, end }) {
  const isExport = type === "ExportNamedDeclaration";
  const file = source?.value.replace("./", "") ?? "";
  /** @type {[string, string][]} */
  const names = specifiers.map((/** @type {any} */ one) => [
    nameOf(one.imported ?? one.local),
    nameOf(one.local),
  ]);
  if (file !== "") parsed.imports.set(file, new Map([...(parsed.imports.get(file) ?? []), ...names]));
  if (isExport)
    for (const { local, exported } of specifiers) parsed.exports.set(nameOf(exported), nameOf(local));
  parsed.statements.push({ start, end, file: isExport ? "" : file });
}

/** Adds the calls that make a variable's value. @param {Parsed} parsed @param {any} declaration */
function addCalls(parsed, declaration) {
  walk(declaration, ({ type, start }) => {
    if (/^Call|^New/.test(type)) parsed.pure.add(start);
    return !/Function|Class/.test(type);
  });
}

/** @param {OutputChunk | undefined} chunk @returns {Parsed} */
function parse(chunk) {
  const code = chunk ? codeOf(chunk) : "";
  /** @type {Parsed} */
  const parsed = { code, imports: new Map(), exports: new Map(), statements: [], calls: [], pure: new Set() };
  /** @type {{ body: any[] }} */
  const { body } = parseAst(code);
  for (const node of body) {
    if (/^Import|^ExportNamed/.test(node.type)) addNames(parsed, node);
    else if (node.type === "VariableDeclaration") addCalls(parsed, node);
  }
  // A factory returns values: a variable that changes later would stay what it was for the other chunks.
  const variables = body.filter(({ kind }) => kind === "let").flatMap(({ declarations }) => declarations);
  const changing = new Set(variables.map(({ id }) => id.name));
  const stale = [...parsed.exports.values()].find((local) => changing.has(local));
  if (stale !== undefined) throw new Error(`${chunk?.fileName} exports ${stale}, which changes`);
  walk(body, ({ type, start, end, source }) => {
    if (type !== "ImportExpression" || source.type !== "Literal") return;
    parsed.calls.push({ start, end, file: source.value.replace("./", "") });
  });
  return parsed;
}

/** Applies changes; the lines stay where they are, for the source map. @param {string} code @param {Change[]} changes */
function changed(code, changes) {
  let [out, at] = ["", 0];
  for (const { start, end, text } of changes.toSorted((one, other) => one.start - other.start)) {
    const lines = code.slice(start, end).split("\n").length - text.split("\n").length;
    out += code.slice(at, start) + text + "\n".repeat(Math.max(0, lines));
    at = end;
  }
  return out + code.slice(at);
}

/** @param {Iterable<readonly [string, string]>} entries */
const literal = (entries) => `{ ${[...entries].map(([name, local]) => `${name}: ${local}`).join(", ")} }`;

/**
 * A chunk's code, and the module without code that exports a door's own names from it.
 * @typedef {{ name: string, map: OutputChunk["map"], isPublic: boolean, own: Parsed, door: Parsed }} Part
 * @typedef {Pick<Part, "name" | "map" | "isPublic"> & { code: string }} Module
 */

/** @param {OutputChunk} chunk */
const isFacade = (chunk) => chunk.facadeModuleId !== null;

/** Writes the modules of one bundle. */
export class Linker {
  /** @type {ReadonlyMap<string, string>} chunk of each file */
  #names;
  /** @type {readonly Part[]} */
  #parts;
  /** @type {ReadonlyMap<string, Set<string>>} names that other chunks import from each one */
  #wanted;

  /** @param {readonly OutputChunk[]} output */
  constructor(output) {
    this.#names = new Map(
      output.map((chunk) => [chunk.fileName, isFacade(chunk) ? doorOf(chunk) : chunk.name]),
    );
    this.#parts = [...new Set(this.#names.values())].map((name) => {
      const own = output.find((chunk) => !isFacade(chunk) && chunk.name === name);
      const door = output.find((chunk) => isFacade(chunk) && doorOf(chunk) === name);
      const isPublic = door?.isEntry === true;
      return { name, map: own?.map ?? null, isPublic, own: parse(own), door: parse(door) };
    });
    this.#wanted = new Map(this.#parts.map(({ name }) => [name, new Set()]));
    for (const { name, own, door } of this.#parts) {
      for (const [file, imported] of [...own.imports, ...door.imports]) {
        const from = this.#chunkOf(file);
        if (from === name) continue;
        for (const one of imported.keys()) this.#wanted.get(from)?.add(one);
      }
    }
    for (const { name } of this.#parts) this.#refuseCycle(name, []);
  }

  /**
   * Returns the module of each chunk.
   * @param {string} loader code of the loader of chunks, for the first one
   * @returns {Module[]}
   */
  modules(loader) {
    return this.#parts.map((part) => {
      const { name, map, isPublic } = part;
      const door = () => (isPublic ? this.#public(part) : `export default ${this.#factory(part)};`);
      return { name, map, isPublic, code: name === INDEX ? this.#first(part, loader) : door() };
    });
  }

  /** @param {string} file */
  #chunkOf(file) {
    return this.#names.get(file) ?? "";
  }

  /** The chunks that a chunk needs beside the first one. @param {string} name @returns {string[]} */
  #needsOf(name) {
    const files = this.#parts
      .filter((part) => part.name === name)
      .flatMap(({ own, door }) => [...own.imports.keys(), ...door.imports.keys()]);
    const chunks = new Set(files.map((file) => this.#chunkOf(file)));
    return [...chunks].filter((from) => from !== name && from !== INDEX);
  }

  /** @param {string} name @param {readonly string[]} path */
  #refuseCycle(name, path) {
    if (path.includes(name)) throw new Error(`chunks need each other: ${[...path, name].join(" > ")}`);
    for (const next of this.#needsOf(name)) this.#refuseCycle(next, [...path, name]);
  }

  /** The door's own names, each with an expression in the chunk's code. @param {Part} part */
  #doorNames({ name, own, door }) {
    /** @type {Map<string, string>} an expression for each local name of the door */
    const given = new Map();
    for (const [file, imported] of door.imports) {
      const from = this.#chunkOf(file);
      for (const [short, local] of imported)
        given.set(local, (from === name && own.exports.get(short)) || `${parameter(from)}.${short}`);
    }
    /** @type {Map<string, string>} */
    const found = new Map();
    for (const [exported, local] of door.exports) found.set(exported, given.get(local) ?? local);
    return found;
  }

  /** @param {Part} part */
  #forOthers({ name, own }) {
    return [...own.exports].filter(([short]) => this.#wanted.get(name)?.has(short));
  }

  /** The chunk's code without imports and exports. @param {Part} part @param {string} load the loader's function */
  #body({ own, isPublic }, load) {
    // The packages declare that their modules have no side effects; in one module a bundler has to be told again.
    const pure = isPublic ? [...own.pure] : [];
    return changed(own.code, [
      ...pure.map((at) => ({ start: at, end: at, text: "/* @__PURE__ */ " })),
      ...own.calls.map(({ start, end, file }) => {
        return { start, end, text: `${load}(${JSON.stringify(this.#chunkOf(file))})` };
      }),
      ...own.statements.map(({ start, end, file }) => {
        const names = literal(own.imports.get(file) ?? []);
        return { start, end, text: file === "" ? "" : `const ${names} = ${parameter(this.#chunkOf(file))};` };
      }),
    ]);
  }

  /** @param {Part} part */
  #factory(part) {
    const [own, door] = [this.#forOthers(part), this.#doorNames(part)];
    const twice = own.find(([short]) => door.has(short));
    if (twice)
      throw new Error(`${part.name} exports ${twice[0]} to the game and another one to other chunks`);
    const given = [INDEX, ...this.#needsOf(part.name)].map(parameter);
    const body = this.#body(part, `${parameter(INDEX)}.loadChunk`);
    return `(${given.join(", ")}) => {${body}\nreturn ${literal([...own, ...door])};\n}`;
  }

  /** @param {Part} part */
  #exports(part) {
    return [...this.#doorNames(part)].map(([name, local]) => `${local} as ${name}`);
  }

  /** @param {Part} part @param {string} loader */
  #first(part, loader) {
    if (part.own.imports.size > 0)
      throw new Error(`the first chunk needs ${[...part.own.imports.keys()].join(" and ")}`);
    const chunks = this.#parts
      .filter(({ isPublic }) => !isPublic)
      .map(({ name }) => {
        const needs = this.#needsOf(name).map((other) => `, ${JSON.stringify(other)}`);
        return `${JSON.stringify(name)}: [() => import("./${name}.js")${needs.join("")}]`;
      });
    const given = [...this.#forOthers(part), ["loadChunk", `(name) => ${LINKED}.loadChunk(name)`]];
    return [
      this.#body(part, `${LINKED}.loadChunk`),
      // In a scope of its own, since the names of the chunk are not known here.
      `const ${parameter("loader")} = /* @__PURE__ */ (() => {`,
      loader.replaceAll(/^export /gm, ""),
      "return chunkLoader;\n})();",
      `const ${LINKED} = /* @__PURE__ */ ${parameter("loader")}(${literal(/** @type {[string, string][]} */ (given))}, { ${chunks.join(", ")} });`,
      `export { ${[...this.#exports(part), `${LINKED} as linked`].join(", ")} };`,
    ].join("\n");
  }

  /**
   * Another public module. It gives the page its classes at once, so it imports the chunks that it needs.
   * @param {Part} part
   */
  #public(part) {
    const needs = this.#needsOf(part.name);
    const factory = (/** @type {string} */ name) => parameter(`make-${name}`);
    const made = needs.map((name) => {
      const given = [factory(name), ...this.#needsOf(name).map((other) => JSON.stringify(other))];
      return `const ${parameter(name)} = ${LINKED}.enter(${JSON.stringify(name)}, ${given.join(", ")});`;
    });
    const own = this.#forOthers(part);
    return [
      [
        `const ${parameter(INDEX)} = ${LINKED}.index;`,
        ...made,
        this.#body(part, `${parameter(INDEX)}.loadChunk`),
      ].join(" "),
      ...needs.map((name) => `import ${factory(name)} from "./${name}.js";`),
      `import { linked as ${LINKED} } from "./${INDEX}.js";`,
      own.length === 0 ? "" : `${LINKED}.enter(${JSON.stringify(part.name)}, () => (${literal(own)}));`,
      `export { ${this.#exports(part).join(", ")} };`,
    ].join("\n");
  }
}
