import { expect, test } from "vitest";
import type { FailOver } from "../src/game/fail-over.js";
import {
  backInWords,
  failOverToast,
  goneInWords,
  noPathInWords,
  stepsInWords,
  toneOf,
} from "../src/game/path-words.js";

const failOver: FailOver = {
  rival: { id: "a", name: "Vela", isComputer: false },
  diedAtMs: 0,
  lost: "direct",
  took: "relay",
  tookMs: 41.6,
  steps: undefined,
  back: undefined,
};

test("a return of the server says that the place was given up only if the session was not resumed", () => {
  expect(backInWords(true)).toBe("The same race goes on.");
  expect(backInWords(false)).toBe("It had given up your place, and you joined again.");
  // The page cannot know of a restart.
  for (const resumed of [true, false]) expect(backInWords(resumed)).not.toMatch(/start/);
});

test.each([
  [0, 0, "No other car is on the track."],
  [0, 1, "1 car waits for it."],
  [0, 4, "4 cars wait for it."],
  [1, 0, "1 direct path goes on."],
  [2, 1, "2 direct paths go on; 1 car waits for it."],
])("with %i direct paths and %i cars that wait, a dead server leaves: %s", (direct, waiting, text) => {
  expect(goneInWords(direct, waiting)).toBe(text);
});

test("a step counts as seen only if a car was in the picture, and is named only if it was measured", () => {
  const seen = { largestM: 0.123, usualM: 0.05, wasSeen: true };
  expect(stepsInWords(seen)).toBe("Largest step that you saw: 0.12 m; 0.05 m in the 2 s before.");
  expect(stepsInWords(seen, " of any car")).toMatch(/^Largest step of any car that you saw: 0\.12 m/);
  expect(stepsInWords({ ...seen, wasSeen: false })).toBe(
    "Largest step outside your picture: 0.12 m; 0.05 m in the 2 s before.",
  );
  expect(stepsInWords({ ...seen, usualM: undefined })).toBe("Largest step that you saw: 0.12 m.");
  expect(stepsInWords({ largestM: undefined, usualM: 0.05, wasSeen: true })).not.toMatch(/\d m/);
});

test("a message is green only after a small step", () => {
  const steps = (largestM: number | undefined) => ({ largestM, usualM: 5, wasSeen: true });
  expect(toneOf(steps(0.3))).toBe("good");
  expect(toneOf(steps(1.2))).toBe("lost");
  expect(toneOf(steps(undefined))).toBe("plain");
  expect(toneOf(undefined)).toBe("plain");
  const back = { path: "direct", afterMs: 2500 } as const;
  expect(failOverToast({ ...failOver, back, steps: steps(13.79) }).tone).toBe("lost");
  expect(failOverToast({ ...failOver, back, steps: steps(0.1) })).toMatchObject({
    tone: "good",
    title: "Vela: direct path died and is back",
    text: "The relay took over in 42 ms. Largest step that you saw: 0.10 m; 5.00 m in the 2 s before. The direct path was back after 2.5 s.",
  });
  expect(failOverToast({ ...failOver, steps: steps(0.1) }).tone).toBe("lost");
});

test("that all goes through the relay is said only if there is somebody", () => {
  expect(noPathInWords(0)).toBe("Nobody else is in this race.");
  expect(noPathInWords(2)).toContain("through the relay now");
});
