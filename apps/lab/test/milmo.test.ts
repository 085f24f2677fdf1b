import { describe, expect, test } from "vitest";
import { modelBytesPerSecond } from "../src/milmo/milmo-model.js";
import { playIsland } from "../src/milmo/paceline-island.js";
import { PAPER_USERS, paperRows } from "../src/milmo/paper.js";
import { monthlyTb, quadraticFit, valueAt } from "../src/milmo/quadratic-fit.js";
import { HEADER_BYTES, TcpDown } from "../src/milmo/tcp-down.js";

describe("the paper's Table 10", () => {
  test.each(paperRows)(
    "$name is the least squares of its outgoing means and the origin",
    ({ fit, outgoing }) => {
      const ours = quadraticFit(PAPER_USERS.map((users, index) => [users, outgoing[index]!]));
      for (const [index, coefficient] of ours.entries()) expect(coefficient).toBeCloseTo(fit[index]!, 4);
    },
  );

  test("extrapolates to the paper's terabytes a month", () => {
    const named = new Map(paperRows.map(({ name, fit }) => [name, fit]));
    const tb = (name: string, users: number, islands: number) => monthlyTb(named.get(name)!, users, islands);
    expect(tb("reference", 100, 10)).toBeCloseTo(20.1, 1);
    expect(tb("MO+SS", 100, 10)).toBeCloseTo(7.65, 1);
    expect(tb("PT+MO+SS", 100, 10)).toBeCloseTo(1.1, 1);
    expect(tb("reference", 40, 25)).toBeCloseTo(8.5, 1);
    expect(tb("MO+SS", 40, 25)).toBeCloseTo(3.4, 1);
    expect(tb("PT+MO+SS", 40, 25)).toBeCloseTo(0.6, 1);
  });
});

describe("the model of the paper's server", () => {
  test.each(paperRows)("sends with $name what the paper measured, within a fifth", (row) => {
    for (const [index, users] of PAPER_USERS.entries()) {
      const share = modelBytesPerSecond(row, users, 120) / 1024 / row.outgoing[index]!;
      expect(share, `${users} users`).toBeGreaterThan(0.8);
      expect(share, `${users} users`).toBeLessThan(1.25);
    }
  });

  test("holds data back while other data is not acknowledged, and takes acknowledgements along", () => {
    const down = new TcpDown({ hasNagle: true });
    down.write(0, 26);
    down.receive(10);
    down.write(20, 26);
    down.write(50, 26);
    expect(down.bytes).toBe(26 + HEADER_BYTES);
    down.advance(200);
    expect(down.bytes).toBe(3 * 26 + 2 * HEADER_BYTES);
    // Nothing takes this one along.
    down.receive(500);
    down.advance(1000);
    expect(down.bytes).toBe(3 * 26 + 3 * HEADER_BYTES);
    const atOnce = new TcpDown({ hasNagle: false });
    atOnce.write(0, 26);
    atOnce.write(1, 26);
    expect(atOnce.bytes).toBe(2 * (26 + HEADER_BYTES));
  });
});

test(
  "an island of Paceline sends less, and shows its users where they are",
  { timeout: 60_000 },
  async () => {
    const users = 24;
    const { bytesPerSecond, errorP99M, missingShare } = await playIsland(users, 8);
    expect(bytesPerSecond / 1024).toBeLessThan(valueAt(paperRows[0]!.fit, users) / 3);
    expect(bytesPerSecond).toBeGreaterThan(users * 50);
    expect(errorP99M).toBeGreaterThan(0);
    expect(errorP99M).toBeLessThan(0.5);
    expect(missingShare).toBe(0);
  },
);
