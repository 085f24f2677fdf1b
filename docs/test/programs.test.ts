import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test, vi } from "vitest";
import { programsOf } from "../../tools/snippets.mjs";

const DOCS = path.resolve(import.meta.dirname, "..");
/** Inside this package, so that imports find what it depends on. */
const SCRATCH = path.join(DOCS, ".programs");

const guides = ["guides", "coming-from"].flatMap((folder) =>
  readdirSync(path.join(DOCS, folder)).map((name) => `${folder}/${name}`),
);

afterAll(() => rmSync(SCRATCH, { recursive: true, force: true }));

describe.each(guides)("%s", (guide) => {
  const programs = programsOf(readFileSync(path.join(DOCS, guide), "utf8"));

  test("has a program that prints what the page says", async () => {
    expect(programs.length).toBeGreaterThan(0);
    mkdirSync(SCRATCH, { recursive: true });
    for (const { line, code, output } of programs) {
      const file = path.join(SCRATCH, `${guide.replaceAll(/\W/g, "-")}-${line}.ts`);
      writeFileSync(file, code);
      expect(await printedBy(file)).toBe(output);
    }
  });
});

/** What a program writes to the console, a server's own lines left out. */
async function printedBy(file: string): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => {
    const line = words.join(" ");
    if (!line.startsWith("paceline: ")) lines.push(line);
  });
  const errors = vi.spyOn(console, "error").mockImplementation((...words: unknown[]) => {
    lines.push(`error: ${words.join(" ")}`);
  });
  try {
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  } finally {
    log.mockRestore();
    errors.mockRestore();
  }
  return lines.map((line) => `${line}\n`).join("");
}
