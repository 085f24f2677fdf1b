import { expect, test } from "vitest";
import { ResponseCues } from "../src/index.js";

function recorded(timeoutMs = 1000): { cues: ResponseCues<string>; log: string[] } {
  const log: string[] = [];
  const cues = new ResponseCues<string>(
    {
      onTaken: (input, id) => log.push(`taken ${id} ${input}`),
      onSent: (_, id) => log.push(`sent ${id}`),
      onConfirmed: (_, id, afterMs) => log.push(`confirmed ${id} after ${afterMs}`),
      onRefused: (_, id, reason) => log.push(`refused ${id}: ${reason}`),
    },
    timeoutMs,
  );
  return { cues, log };
}

test("every step of an input is told once", () => {
  const { cues, log } = recorded();
  cues.taken(1, "jump", 0);
  cues.taken(1, "jump", 5);
  cues.sent(1);
  cues.sent(1);
  cues.confirmed(1, 80);
  cues.confirmed(1, 90);
  cues.refused(1, "late");
  cues.sent(7);
  expect(log).toEqual(["taken 1 jump", "sent 1", "confirmed 1 after 80"]);
});

test("a tick confirms all inputs up to it; what goes unanswered is refused", () => {
  const { cues, log } = recorded();
  for (const id of [1, 2, 3, 4]) cues.taken(id, "x", 0);
  log.length = 0;
  cues.confirmedUpTo(2, 50);
  cues.refused(3, "no ammunition");
  cues.update(1001);
  expect(log).toEqual([
    "confirmed 1 after 50",
    "confirmed 2 after 50",
    "refused 3: no ammunition",
    "refused 4: timeout",
  ]);
  expect(cues.openCount).toBe(0);
});

test("too many open inputs push out the oldest, and a hook that throws stops nothing", () => {
  const { cues, log } = recorded();
  for (let id = 0; id < 600; id++) cues.taken(id, "x", 0);
  expect(cues.openCount).toBe(512);
  expect(log.filter((line) => line.includes("too many"))).toHaveLength(88);
  const errors: unknown[] = [];
  const fragile = new ResponseCues<string>({
    onTaken: () => {
      throw new Error("the game's own");
    },
    onHookError: (error) => errors.push(error),
  });
  fragile.taken(1, "x", 0);
  fragile.confirmed(1, 1);
  expect(errors).toHaveLength(1);
});
