import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { breaches, readPackage } from "../layers.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");

interface Layer {
  mayImport: string[];
  pure?: boolean;
  nodeFiles?: string[];
  folders?: string[];
}

const layers = JSON.parse(readFileSync(path.join(ROOT, "tools/layers.json"), "utf8")) as Record<
  string,
  Layer
>;

describe("dependency directions", () => {
  it("are stated for every package and app", () => {
    const present = ["packages", "apps"].flatMap((folder) =>
      readdirSync(path.join(ROOT, folder)).map((name) => `${folder}/${name}`),
    );
    expect(Object.keys(layers).toSorted()).toEqual(present.toSorted());
  });

  it("have no cycle", () => {
    const reach = (name: string, seen: string[]): void => {
      expect(seen, `${[...seen, name].join(" -> ")} is a cycle`).not.toContain(name);
      const layer = layers[`packages/${name.replace("@paceline/", "")}`];
      for (const next of layer?.mayImport ?? []) reach(next, [...seen, name]);
    };
    for (const folder of Object.keys(layers)) reach(`@paceline/${path.basename(folder)}`, []);
  });

  it.each(Object.entries(layers))("%s keeps its place", (folder, layer) => {
    const pkg = readPackage(ROOT, folder, layer);
    expect(pkg.sources.length).toBeGreaterThan(0);
    expect(breaches(pkg)).toEqual([]);
  });
});

describe("the checker", () => {
  const check = (text: string, layer: Layer, dependencies: string[] = []): string[] =>
    breaches({ folder: "packages/x", dependencies, sources: [{ file: "src/a.ts", text }], layer });

  it("finds an import against the direction, in every form of import", () => {
    const forms = [
      'import { Client } from "@paceline/client";',
      'import type { Client } from "@paceline/client";',
      'export * from "@paceline/client/node";',
      'const late = await import("@paceline/client");',
    ];
    for (const form of forms) {
      expect(check(form, { mayImport: ["@paceline/protocol"] })).toContain(
        'packages/x/src/a.ts may not import "@paceline/client"',
      );
    }
  });

  it("finds a relative path into another package", () => {
    expect(check('import "../../protocol/src/index.js";', { mayImport: [] })).toHaveLength(1);
    expect(check('import "../src/b.js";', { mayImport: [] })).toEqual([]);
  });

  it("finds an arrow between folders against their order, types included", () => {
    const layer = { mayImport: [], folders: ["low", "high"] };
    const faults = (file: string, text: string) =>
      breaches({ folder: "packages/x", dependencies: [], sources: [{ file, text }], layer });
    expect(faults("src/high/a.ts", 'import { b } from "../low/b.js"; import "./c.js";')).toEqual([]);
    expect(faults("src/index.ts", 'export * from "./high/a.js"; export * from "./low/b.js";')).toEqual([]);
    expect(faults("src/low/b.ts", 'import type { A } from "../high/a.js";')).toEqual([
      'packages/x/src/low/b.ts may not import from the folder "high"',
    ]);
    expect(faults("src/low/b.ts", 'import { all } from "../index.js";')).toHaveLength(1);
    expect(faults("src/new/a.ts", 'import { b } from "../low/b.js";')).toHaveLength(1);
  });

  it("finds an arrow from a file of src itself, but not from index.ts, where the order names them", () => {
    const layer = { mayImport: [], folders: [".", "high"] };
    const faults = (file: string, text: string) =>
      breaches({ folder: "packages/x", dependencies: [], sources: [{ file, text }], layer });
    expect(faults("src/high/a.ts", 'import type { Low } from "../low.js";')).toEqual([]);
    expect(faults("src/index.ts", 'export * from "./high/a.js"; export * from "./low.js";')).toEqual([]);
    expect(faults("src/low.ts", 'import type { A } from "./high/a.js";')).toEqual([
      'packages/x/src/low.ts may not import from the folder "high"',
    ]);
    expect(faults("src/high/a.ts", 'import { all } from "../index.js";')).toHaveLength(1);
  });

  it("finds an undeclared and an unused dependency", () => {
    const layer = { mayImport: ["@paceline/protocol"] };
    expect(check('import "@paceline/protocol";', layer)[0]).toContain("without depending on it");
    expect(check("", layer, ["@paceline/protocol"])[0]).toContain("never imports it");
    expect(check('import "@paceline/protocol";', layer, ["@paceline/protocol"])).toEqual([]);
  });

  it("finds Node in what a browser loads, but not in the Node half", () => {
    const text = 'import fs from "node:fs"; import { WebSocketServer } from "ws";';
    expect(check(text, { mayImport: [] })).toHaveLength(2);
    expect(check(text, { mayImport: [], nodeFiles: ["src/"] })).toEqual([]);
  });

  it("finds clocks, timers and chance in a pure package, but not words that only look like them", () => {
    const impure =
      "const a = Date.now() + Math.random() + performance.now(); setTimeout(f, a); document.title;";
    expect(check(impure, { mayImport: [], pure: true })).toHaveLength(5);
    const innocent =
      "const x = { self: 1, process() {} }; x.self; interface P { performance: number } // Date";
    expect(check(innocent, { mayImport: [], pure: true })).toEqual([]);
  });
});
