import { readFileSync } from "node:fs";
import path from "node:path";
import {
  CloseCode,
  MessageKind,
  PROTOCOL_VERSION,
  PacketFlag,
  PayloadKind,
  TrafficClass,
  WEBSOCKET_PROTOCOL,
  defineEntity,
  dropReasons,
  errorCodes,
  limits,
  vec2,
  angle,
} from "@paceline/protocol";
import { describe, expect, test } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const document = readFileSync(path.join(ROOT, "docs/WIRE-FORMAT.md"), "utf8");

/** The cells of every row of every table, without code marks. */
const rows = document
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));

function rowsOf(heading: string): string[][] {
  const start = document.indexOf(`\n| ${heading}`);
  expect(start, `a table that begins with ${heading}`).toBeGreaterThan(0);
  const table = document.slice(start + 1).split("\n\n", 1)[0]!;
  return table
    .split("\n")
    .slice(2)
    .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")))
    .map((cells) => cells.slice(1));
}

const byKind = (kinds: Readonly<Record<string, number>>): string[][] =>
  Object.entries(kinds).map(([name, kind]) => [`0x${kind.toString(16).padStart(2, "0")}`, name]);
const byNumber = (codes: Readonly<Record<string, number>>): string[][] =>
  Object.entries(codes).map(([name, code]) => [String(code), name]);
const pairs = (table: string[][]): string[][] => table.map((cells) => cells.slice(0, 2));

describe("docs/WIRE-FORMAT.md agrees with the code", () => {
  test("[WF6] message kinds", () => {
    const table = rows.filter(([, kind = ""]) => kind.startsWith("0x")).map((cells) => cells.slice(1));
    expect(pairs(table)).toEqual([...byKind(MessageKind), ...byKind(PayloadKind)]);
  });

  test("[WF21] traffic classes", () => {
    expect(pairs(rowsOf("class "))).toEqual(byNumber(TrafficClass));
  });

  test("[WF45] close codes", () => {
    expect(pairs(rowsOf("code "))).toEqual(byNumber(CloseCode));
  });

  test("[WF8] limits", () => {
    expect(pairs(rowsOf("limit "))).toEqual(
      Object.entries(limits).map(([name, value]) => [name, String(value)]),
    );
  });

  test("drop reasons", () => {
    const named = rowsOf("what arrives").map((cells) => cells[1]!);
    expect([...new Set(named)].toSorted()).toEqual([...dropReasons].toSorted());
  });

  test("[WF2] [WF45] version, subprotocol and flags", () => {
    expect(document).toContain(`Version ${PROTOCOL_VERSION}.`);
    expect(document).toContain(`\`${WEBSOCKET_PROTOCOL}\``);
    expect(PacketFlag).toEqual({ routed: 1, acks: 2, receipt: 4, published: 8, timed: 16 });
  });

  test("[WF20] the example of a schema hash", () => {
    const car = defineEntity(
      "car",
      {
        position: vec2({ range: [-512, 512], precision: 0.01, unit: "m" }),
        heading: angle({ precision: 0.001, unit: "rad" }),
      },
      { motion: "velocity" },
    );
    expect(document).toContain(`\`0x${car.schemaHash.toString(16)}\``);
  });
});

describe("codes", () => {
  test.each([
    ["message kinds", MessageKind],
    ["payload kinds", PayloadKind],
    ["traffic classes", TrafficClass],
    ["close codes", CloseCode],
  ])("use no number twice: %s", (_, codes) => {
    const numbers = Object.values(codes);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test("[WF45] close codes lie in the private range of WebSockets", () => {
    for (const code of Object.values(CloseCode)) {
      expect(code).toBeGreaterThanOrEqual(4000);
      expect(code).toBeLessThanOrEqual(4999);
    }
  });

  test("errors are named family/reason and have a meaning", () => {
    for (const [code, meaning] of Object.entries(errorCodes)) {
      expect(code).toMatch(
        /^(?:match|session|transport|limit|request|schema|motion|message|entity|time|store)\/[a-z-]+$/,
      );
      expect(meaning).toMatch(/[.?]$/);
    }
  });
});
