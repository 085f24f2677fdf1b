import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { genericRows } from "../src/codec/generic.js";
import { traceNames } from "../src/codec/trace.js";

test("every trace of a folder is found, whatever it is called", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "traces-"));
  for (const file of ["one.json", "one.f32.gz", "another.json", "another.f32.gz", "half.json", "notes.txt"])
    writeFileSync(path.join(folder, file), "");
  expect(traceNames(folder)).toEqual(["another", "one"]);
});

test("a folder that is missing or holds no trace is an error that names it", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "traces-"));
  expect(() => traceNames(folder)).toThrow(folder);
  expect(() => traceNames(path.join(folder, "nowhere"))).toThrow(/nowhere: no such folder/);
});

test("states that are no cars take no more than fixed widths with a change mask and a twentieth, and no more than Colyseus", () => {
  const { rows, faults } = genericRows();
  expect(rows.length).toBe(6);
  expect(faults).toEqual([]);
});
