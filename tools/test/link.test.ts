import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap, type SourceMapping } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { linkClient, linkPanel } from "../link.mjs";
import { chunkLoader } from "../link/chunk-loader.mjs";
import { chunksOf } from "../link/chunks.mjs";
import { Linker } from "../link/factory.mjs";

const TOOLS = path.resolve(import.meta.dirname, "..");
const CLIENT = path.resolve(TOOLS, "../packages/client");
const LOADER = readFileSync(path.join(TOOLS, "link/chunk-loader.mjs"), "utf8");

const root = mkdtempSync(path.join(tmpdir(), "paceline-link-"));
afterAll(() => rmSync(root, { recursive: true }));
let folders = 0;

/** Links modules with these codes, and returns the folder of the chunks. */
async function link(modules: Record<string, string>, inputs = ["index"]): Promise<string> {
  const folder = path.join(root, String(++folders));
  mkdirSync(path.join(folder, "out"), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module", "sideEffects": false }');
  for (const [name, code] of Object.entries(modules)) writeFileSync(path.join(folder, `${name}.js`), code);
  const input = Object.fromEntries(inputs.map((name) => [name, path.join(folder, `${name}.js`)]));
  const out = path.join(folder, "out");
  for (const { name, code } of new Linker(await chunksOf(input, out)).modules(LOADER))
    writeFileSync(path.join(out, `${name}.js`), code);
  return out;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the compiler does not know what a test has linked
const run = (out: string, name = "index"): Promise<any> =>
  import(pathToFileURL(path.join(out, `${name}.js`)).href);
const codeOf = (out: string, name: string): string => readFileSync(path.join(out, `${name}.js`), "utf8");
const STATIC_IMPORT = /^\s*(?:import|export)\b[^(;]*?from\s*["']/m;

/** A room and two doors that share a module with it or with each other. */
const MODULES = {
  index: `
    export { Fault } from "./fault.js";
    export const open = (name) => ({ room: () => import("./room.js"), one: () => import("./one.js"), two: () => import("./two.js") })[name]();`,
  fault: "export class Fault extends Error {}",
  room: 'import { Fault } from "./fault.js"; export class Room { fail() { return new Fault("of a room"); } }',
  one: 'import { Shared } from "./shared.js"; import { Room } from "./room.js"; export const made = [new Shared(), new Room()];',
  two: 'import { Shared } from "./shared.js"; export { Shared }; export const isShared = (value) => value instanceof Shared;',
  shared: "export class Shared {}",
};

describe("chunks", () => {
  it("import nothing, and have one copy of each class", async () => {
    const out = await link(MODULES);
    expect(readdirSync(out).toSorted()).toEqual(["index.js", "one.js", "room.js", "two.js"]);
    for (const file of readdirSync(out)) expect(codeOf(out, file.slice(0, -3))).not.toMatch(STATIC_IMPORT);
    const { Fault, open } = await run(out);
    const [one, two, room] = await Promise.all([open("one"), open("two"), open("room")]);
    expect(two.isShared(one.made[0])).toBe(true);
    expect(one.made[1]).toBeInstanceOf(room.Room);
    expect(new room.Room().fail()).toBeInstanceOf(Fault);
    expect(await open("two")).toBe(two);
  });

  it("keep the code of own states out of the room's: with motion if that has it, else apart", async () => {
    const out = await link({
      index: `export const open = (name) => ({ room: () => import("./room.js"), motion: () => import("./motion.js"),
        sending: () => import("./sending.js"), authority: () => import("./authority.js") })[name]();`,
      room: "export class Room {}",
      model: "export class Model {}",
      writer: "export class Writer {}",
      motion: 'export { Model } from "./model.js"; export const moves = true;',
      sending:
        'export { Model } from "./model.js"; export { Writer } from "./writer.js"; export const sends = 1;',
      authority: 'export { Writer } from "./writer.js"; export const decides = true;',
    });
    const named = (...names: string[]) =>
      names.map((name) => codeOf(out, name).match(/\b(Model|Writer) = class/g));
    expect(named("motion", "writing")).toEqual([["Model = class"], ["Writer = class"]]);
    expect(named("index", "room", "sending", "authority")).toEqual([null, null, null, null]);
    const { open } = await run(out);
    const [sending, motion, authority] = await Promise.all([
      open("sending"),
      open("motion"),
      open("authority"),
    ]);
    expect([sending.Model, sending.Writer]).toEqual([motion.Model, authority.Writer]);
  });

  it("of another public module are the ones that the page has, whichever it imports first", async () => {
    const lockstep = {
      ...MODULES,
      lockstep:
        'import { Room } from "./room.js"; export const isRoom = (room) => room instanceof Room; export const more = () => import("./one.js");',
    };
    for (const isLockstepFirst of [false, true]) {
      const out = await link(lockstep, ["index", "lockstep"]);
      const early = isLockstepFirst ? await run(out, "lockstep") : undefined;
      const { open } = await run(out);
      const { Room } = await open("room");
      const { isRoom, more } = early ?? (await run(out, "lockstep"));
      expect(isRoom(new Room())).toBe(true);
      expect(await more()).toBe(await open("one"));
    }
  });

  it("that give another one a variable that changes are refused", async () => {
    const counting = {
      ...MODULES,
      room: "export let count = 0; export const add = () => (count += 1); export class Room {}",
      one: 'import { count } from "./room.js"; export const made = [() => count];',
    };
    await expect(link(counting)).rejects.toThrow("exports count, which changes");
  });

  it("are refused if two files that are imported dynamically have one name, or none is the room", async () => {
    const twice = { ...MODULES, two: 'export const other = () => import("./nested/one.js");' };
    mkdirSync(path.join(root, String(folders + 1), "nested"), { recursive: true });
    writeFileSync(path.join(root, String(folders + 1), "nested/one.js"), "export const made = [];");
    await expect(link(twice)).rejects.toThrow("are called one");
    await expect(
      link({ index: 'export const open = () => import("./one.js");', one: "export const a = 1;" }),
    ).rejects.toThrow("no file called room");
  });
});

describe("a chunk that did not load", () => {
  const factory = { default: () => ({ word: "there" }) };

  it("is asked for again by the next call", async () => {
    const answers = [Promise.reject(new Error("offline")), Promise.resolve(factory)];
    const { loadChunk } = chunkLoader({}, { room: [() => answers.shift()!] });
    await expect(loadChunk("room")).rejects.toThrow("offline");
    expect(await loadChunk("room")).toEqual({ word: "there" });
    expect(await loadChunk("room")).toBe(await loadChunk("room"));
  });

  it("is not asked for at an address of another origin, whatever the error says", async () => {
    const error = new TypeError("error loading dynamically imported module: https://evil.example/x.js");
    const answers = [Promise.reject(error), Promise.resolve(factory)];
    const { loadChunk } = chunkLoader({}, { room: [() => answers.shift()!] });
    await expect(loadChunk("room")).rejects.toThrow("evil.example");
    await expect(loadChunk("room")).rejects.toThrow("https://evil.example is not ours");
    expect(await loadChunk("room")).toEqual({ word: "there" });
  });

  it("is told from another module that the server gives instead", async () => {
    const { loadChunk } = chunkLoader({}, { room: [() => Promise.resolve({ default: "<html>" })] });
    await expect(loadChunk("room")).rejects.toThrow("no chunk of Paceline");
  });
});

const GAME = `
import { Client, defineEntity, vec2 } from "@paceline/client";
const Car = defineEntity("car", { position: vec2({ range: [-100, 100], precision: 0.01 }) });
const room = await new Client(location.origin, { profile: "racing" }).joinOrCreate("race");
room.spawn(Car);
`;

describe("the linked client in a game", () => {
  beforeAll(async () => {
    const tsc = path.resolve(TOOLS, "../node_modules/typescript/bin/tsc");
    const built = spawnSync(process.execPath, [tsc, "-b", CLIENT], { encoding: "utf8" });
    if (built.status !== 0) throw new Error(built.stdout);
    await linkClient();
  }, 600_000);

  interface Built {
    readonly entry: string;
    /** By file. */
    readonly chunks: ReadonlyMap<string, { readonly imports: readonly string[]; readonly code: string }>;
  }

  async function withEsbuild(contents: string): Promise<Built> {
    const { metafile, outputFiles } = await build({
      stdin: { contents, resolveDir: path.join(TOOLS, "../apps/demo-game") },
      ...({ bundle: true, splitting: true, minify: true, format: "esm", platform: "browser" } as const),
      ...({ target: "es2022", outdir: "/out", metafile: true, write: false } as const),
    });
    const codes = new Map(outputFiles.map(({ path: file, text }) => [path.basename(file), text]));
    const chunks = Object.entries(metafile.outputs).map(([name, { imports }]) => {
      const statics = imports.filter(({ kind }) => kind === "import-statement");
      const file = path.basename(name);
      const facts = { imports: statics.map(({ path: to }) => path.basename(to)), code: codes.get(file)! };
      return [file, facts] as const;
    });
    return { entry: "stdin.js", chunks: new Map(chunks) };
  }

  async function withRolldown(contents: string): Promise<Built> {
    const entry = path.join(TOOLS, "../apps/demo-game/a-game.js");
    const bundle = await rolldown({
      input: entry,
      platform: "browser",
      resolve: { conditionNames: ["import", "module", "browser", "production"] },
      onLog: (level, log) => {
        throw new Error(`a developer would read: ${level}: ${log.message}`);
      },
      plugins: [
        {
          name: "game",
          resolveId: (id) => (id === entry ? entry : undefined),
          load: (id) => (id === entry ? contents : undefined),
        },
      ],
    });
    const { output } = await bundle.generate({ format: "esm", minify: true });
    const chunks = output.filter((file) => file.type === "chunk");
    return {
      entry: chunks.find(({ isEntry }) => isEntry)!.fileName,
      chunks: new Map(chunks.map(({ fileName, imports, code }) => [fileName, { imports, code }])),
    };
  }

  /** The files that load with the entry. */
  function earlyOf({ entry, chunks }: Built): Set<string> {
    const early = new Set([entry]);
    for (const file of early) for (const next of chunks.get(file)!.imports) early.add(next);
    return early;
  }

  it.each([withEsbuild, withRolldown])("has two levels, the entry and all doors (%o)", async (bundle) => {
    const built = await bundle(GAME);
    const early = earlyOf(built);
    const late = [...built.chunks].filter(([file]) => !early.has(file));
    const others = late.flatMap(([, { imports }]) => imports.filter((one) => !early.has(one)));
    expect(others).toEqual([]);
    const doors = readdirSync(path.join(CLIENT, "dist/linked")).filter((file) => file.endsWith(".js"));
    expect(late.length).toBeGreaterThan(5);
    expect(late.length).toBeLessThan(doors.length);
  });

  it.each([withEsbuild, withRolldown])(
    "costs little in a page that only knows its errors (%o)",
    async (bundle) => {
      const code =
        'import { NetError } from "@paceline/client"; globalThis.isOurs = (e) => e instanceof NetError;';
      const built = await bundle(code);
      const early = [...earlyOf(built)].map((file) => gzipSync(built.chunks.get(file)!.code).length);
      expect(early.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(3000);
    },
  );

  it("has source maps that lead to the sources in the packages", () => {
    const map = JSON.parse(readFileSync(path.join(CLIENT, "dist/linked/room.js.map"), "utf8"));
    expect(map.sources).toContain("../../src/room/room.ts");
    expect(map.sources).toContain("../../../protocol/src/wire/packet.ts");
    expect(map.names).toContain("Room");
    const code = readFileSync(path.join(CLIENT, "dist/linked/room.js"), "utf8");
    const column = code.indexOf("webRtc.open()");
    const found = new SourceMap(map).findEntry(0, column) as SourceMapping;
    const source = readFileSync(path.join(CLIENT, "dist/linked", found.originalSource), "utf8").split("\n");
    expect(source[found.originalLine]!.slice(found.originalColumn)).toMatch(/^webRtc\.open\(\)/);
  });

  it("needs no file of esbuild's own, for which all scripts would wait", async () => {
    const { entry, chunks } = await withEsbuild(GAME);
    expect(chunks.get(entry)?.imports).toEqual([]);
  });

  it.each([withEsbuild, withRolldown])(
    "has chunks that V8 compiles while they arrive, since brackets stand around their function (%o)",
    async (bundle) => {
      const built = await bundle(GAME);
      const early = earlyOf(built);
      const late = [...built.chunks].filter(([file]) => !early.has(file));
      for (const [, { code }] of late) expect(code).toMatch(/[ ,][\w$]+=\(\(?[\w$,]+\)?=>\{/);
    },
  );
});

describe("the linked panel", () => {
  const linked = path.resolve(CLIENT, "../panel/dist/linked");
  let codes: Map<string, string>;

  beforeAll(async () => {
    const tsc = path.resolve(TOOLS, "../node_modules/typescript/bin/tsc");
    const panel = path.resolve(CLIENT, "../panel");
    const built = spawnSync(process.execPath, [tsc, "-b", panel], { encoding: "utf8" });
    if (built.status !== 0) throw new Error(built.stdout);
    await linkPanel();
    const files = readdirSync(linked).filter((file) => file.endsWith(".js"));
    codes = new Map(files.map((file) => [file, readFileSync(path.join(linked, file), "utf8")]));
  }, 600_000);

  it("imports its own files alone, so that a page without a bundler can load it", () => {
    const specifiers = [...codes.values()].flatMap((code) =>
      Array.from(code.matchAll(/(?:\bfrom|\bimport\(?)\s*"([^"]+)"/g), ([, specifier]) => specifier!),
    );
    expect(specifiers).toContain("./content-view.js");
    for (const specifier of specifiers) expect(codes.has(specifier.slice("./".length))).toBe(true);
  });

  it("has no code of rooms: of the client it needs types", () => {
    const TEXT_OF_ROOMS = "one loop at a time: stop the other one first";
    expect(readFileSync(path.join(CLIENT, "dist/linked/room.js"), "utf8")).toContain(TEXT_OF_ROOMS);
    expect([...codes].filter(([, code]) => code.includes(TEXT_OF_ROOMS))).toEqual([]);
    for (const file of readdirSync(path.resolve(CLIENT, "../panel/src"))) {
      const text = readFileSync(path.resolve(CLIENT, "../panel/src", file), "utf8");
      expect([file, /^import (?!type\b)[^;]*"@paceline\/client"/m.test(text)]).toEqual([file, false]);
    }
  });

  it("exports what the package exports", async () => {
    const { bugReport, showPanel } = await import(pathToFileURL(path.join(linked, "index.js")).href);
    expect([typeof bugReport, typeof showPanel]).toEqual(["function", "function"]);
  });
});
