import { expect, test } from "vitest";
import { errorMeaning, pathsInWords } from "../src/numbers.js";

const direct = { path: "direct", state: "connected" } as const;
const turn = { path: "turn", state: "connected" } as const;
const relayed = { path: "relay", state: "connected" } as const;
const away = { path: "direct", state: "away" } as const;

test.each([
  [[direct, direct], false, "2 of 2", "direct"],
  [[direct, relayed, relayed], false, "1 of 3", "direct, 2 relayed"],
  [[turn, relayed], false, "0 of 2", "direct, 1 through TURN, 1 relayed"],
  [[direct, away], false, "1 of 2", "direct, 1 away"],
  [[], false, "alone", "nobody else is in the room"],
  [[], true, "server", "a server decides"],
])("the panel says of the paths %o, decided %o: %s %s", (peers, isDecided, value, meaning) => {
  expect(pathsInWords(peers, isDecided)).toEqual({ value, meaning });
});

test("the error says that a server's states are its measure, and only in a room that a server decides", () => {
  expect(errorMeaning(true)).toContain("against the server's states");
  expect(errorMeaning(false)).not.toContain("server");
});
