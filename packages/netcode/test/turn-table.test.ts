import { describe, expect, test } from "vitest";
import { TurnTable, type TurnMessage } from "../src/lockstep/turn-table.js";

const message = (turn: number, wishMs = 50): TurnMessage<string> => ({ turn, commands: [`${turn}`], wishMs });

describe("the table of turns", () => {
  test("accepts one message per player for each of the next sixteen turns", () => {
    const table = new TurnTable<string>([1, 2], 1);
    const taken = [9, 10, 11, 26, 27].map((turn) => table.put(1, message(turn), 10));
    expect(taken).toEqual([false, false, true, true, false]);
    expect(table.put(1, message(11), 10)).toBe(false);
    expect(table.put(2, message(11), 10)).toBe(true);
    expect(table.put(3, message(12), 10)).toBe(false);
    expect(table.put(1, message(12.5), 10)).toBe(false);
  });

  test("waits for no player in the silent turns, then for all whose message is missing", () => {
    const table = new TurnTable<string>([7, 5], 2);
    expect([1, 2, 3].map((turn) => table.missing(turn))).toEqual([[], [], [5, 7]]);
    table.put(7, message(3), 0);
    expect(table.missing(3)).toEqual([5]);
  });

  test("counts a removed player's messages up to its last turn, which can only become earlier", () => {
    const table = new TurnTable<string>([1, 2], 0);
    for (const turn of [4, 5]) {
      table.put(1, message(turn), 3);
      table.put(2, message(turn), 3);
    }
    table.drop(2, 4);
    table.drop(2, 9);
    table.drop(3, 1);
    expect([4, 5].map((turn) => table.take(turn).commands.map(({ peer }) => peer))).toEqual([[1, 2], [1]]);
    expect([4, 5].map((turn) => table.missing(turn))).toEqual([[1, 2], [1]]);
  });

  test("skips a wish that is NaN, and keeps nothing of a taken turn", () => {
    const table = new TurnTable<string>([1, 2], 0);
    table.put(1, message(1, Number.NaN), 0);
    table.put(2, message(1, 80), 0);
    expect(table.take(1)).toEqual({
      commands: [
        { peer: 1, commands: ["1"] },
        { peer: 2, commands: ["1"] },
      ],
      wishes: [80],
    });
    expect(table.take(1)).toEqual({ commands: [], wishes: [] });
  });

  test("keeps at most 256 hashes of later turns, until one of their turns is taken", () => {
    const table = new TurnTable<string>([1, 2], 0);
    for (const turn of [10, 11, 26, 27]) table.keepHash(1, turn, turn * 100, 10);
    expect(table.takeHashes(11)).toEqual([{ peer: 1, turn: 11, hash: 1100 }]);
    expect(table.takeHashes(11)).toEqual([]);
    expect([26, 27].map((turn) => table.takeHashes(turn))).toEqual([[{ peer: 1, turn: 26, hash: 2600 }], []]);
    table.keepHash(1, 30, 1, 28);
    expect([table.takeHashes(31), table.takeHashes(30)]).toEqual([[], []]);
    for (let each = 0; each < 300; each++) table.keepHash(1, 40, each, 39);
    expect(table.takeHashes(40)).toHaveLength(256);
  });
});
