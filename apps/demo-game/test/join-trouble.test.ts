import { NetError } from "@paceline/client";
import { expect, test } from "vitest";
import { ForbiddenServerError, joinUntilItWorks, troubleInWords } from "../src/net/join-race.js";

const SERVER = "https://eu.example.com";
const unreachable = new NetError("match/unreachable", "no answer", { retryable: true });

/** Returns the pauses that were announced for up to two failures. */
async function pausesOf(failure: Error): Promise<(number | undefined)[]> {
  const pauses: (number | undefined)[] = [];
  const stop = new AbortController();
  const join = async (): Promise<never> => {
    await Promise.resolve();
    throw failure;
  };
  await joinUntilItWorks(
    join,
    (_error, retryInMs) => {
      pauses.push(retryInMs);
      if (pauses.length === 2 || retryInMs !== undefined) stop.abort();
    },
    stop.signal,
  );
  return pauses;
}

test("another try is announced only if it can succeed", async () => {
  expect(await pausesOf(unreachable)).toEqual([1000]);
  expect(await pausesOf(new Error("a file could not be loaded"))).toEqual([1000]);
  const draining = new NetError("match/full", "the server takes nobody new", { retryable: true });
  expect(await pausesOf(draining)).toEqual([1000]);
  expect(await pausesOf(new NetError("match/full", "no place", { retryable: true }))).toEqual([undefined]);
  expect(await pausesOf(new ForbiddenServerError(SERVER))).toEqual([undefined]);
  expect(await pausesOf(new NetError("match/refused", "no name"))).toEqual([undefined]);
  expect(await pausesOf(new NetError("match/outdated", "another build"))).toEqual([undefined]);
});

test("the reason is the one that is known", () => {
  expect(troubleInWords(new ForbiddenServerError(SERVER), SERVER, true)).toContain(`--connect-to ${SERVER}`);
  expect(troubleInWords(unreachable, SERVER, true)).toBe(
    `The race server at ${SERVER} does not answer: it is down, or this device cannot reach it.`,
  );
  expect(troubleInWords(unreachable, SERVER, false)).toContain("this device is offline");
  // Chromium, Firefox and Safari, if the page's own server has gone before the code of the race was fetched.
  for (const words of [
    "Failed to fetch dynamically imported module: http://a.example/assets/race-game.js",
    "error loading dynamically imported module: http://a.example/assets/race-game.js",
    "Importing a module script failed.",
  ])
    expect(troubleInWords(new TypeError(words), SERVER, true)).toContain("does not answer");
  expect(troubleInWords(new TypeError("x is not a function"), SERVER, true)).toContain("x is not a function");
  // A server that refuses does answer.
  const refused = troubleInWords(new NetError("match/refused", "a driver needs a name"), SERVER, true);
  expect(refused).toContain("a driver needs a name");
  expect(refused).not.toContain("answer");
});
