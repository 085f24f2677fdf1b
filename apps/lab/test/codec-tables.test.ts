import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tablesSource } from "../src/codec/make-tables.js";

const FILE = path.join(import.meta.dirname, "../../../packages/protocol/src/state/codec/tables.ts");

test("the codec's tables are made again from generated motions, byte for byte", () => {
  expect(tablesSource()).toBe(readFileSync(FILE, "utf8"));
});
