import { expect, test } from "vitest";
import { errorText } from "../src/dev/dev-game.js";

const stack = (...frames: string[]): string =>
  ["ConfigError: dot.hue: expected a whole number", ...frames.map((frame) => `    at ${frame}`)].join("\n");
const PACKAGE = "Room.spawn (file:///game/node_modules/@paceline/server/dist/room/room.js:1:2)";
const NODE = "process.processTicksAndRejections (node:internal/process/task_queues:95:5)";
const GAME = "Arena.onJoin (/game/src/rooms.ts:25:10)";

test("the error of a hook shows the lines of the game, without those of packages and of Node", () => {
  const text = errorText("a hook failed", { hook: "onJoin", error: stack(PACKAGE, GAME, NODE) });
  expect(text).toBe(`a hook failed hook=onJoin\n${stack(GAME)}`);
});

test("an error without a line of the game keeps its stack", () => {
  expect(errorText("failed", { error: stack(PACKAGE, NODE) })).toBe(`failed\n${stack(PACKAGE, NODE)}`);
});
