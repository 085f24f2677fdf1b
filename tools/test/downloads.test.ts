import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { authorityGame, authorityServer, FIRST_STATE, meshGame } from "../verify/documented-games.mjs";
import { ScriptRounds } from "../verify/script-rounds.mjs";

describe("a printed game", () => {
  test("is README's, with its default options and its motion, on the server of its page", () => {
    expect(meshGame()).toContain('new Client(location.origin, { profile: "racing" })');
    expect(meshGame()).toContain('motion: "velocity"');
    expect(meshGame()).toContain(`performance.mark("${FIRST_STATE}")`);
  });

  test("is the guide's, with its prediction, and without the server's code", () => {
    expect(authorityGame()).toContain("new Client(location.origin");
    expect(authorityGame()).toContain("room.predict(Car, Drive");
    expect(authorityGame()).toContain(`performance.mark("${FIRST_STATE}")`);
    expect(authorityGame()).not.toContain("@paceline/server");
    expect(authorityServer()).toContain("export const server = defineServer(");
  });
});

describe("rounds of scripts", () => {
  const QUIET_MS = 100;

  test("contain the requests that arrive before an answer, in one round however many, and their imports in the next", async () => {
    const rounds = new ScriptRounds(QUIET_MS);
    const slow = (async () => {
      await pause(QUIET_MS / 2);
      await rounds.admit("beside.js");
    })();
    await rounds.admit("entry.js");
    await slow;
    await rounds.admit("imported.js");
    expect(rounds.before(Infinity)).toEqual([["entry.js", "beside.js"], ["imported.js"]]);
  });

  test("that were not answered before a moment do not count for it", async () => {
    const rounds = new ScriptRounds(QUIET_MS);
    await rounds.admit("needed.js");
    await pause(2);
    const momentMs = Date.now();
    await rounds.admit("late.js");
    expect(rounds.before(momentMs)).toEqual([["needed.js"]]);
  });
});
