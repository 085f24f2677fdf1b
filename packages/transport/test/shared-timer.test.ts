import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { Session, type Scheduler } from "@paceline/transport";
import { expect, test } from "vitest";
import { GuardedScheduler } from "../src/guarded-scheduler.js";
import { SharedInterval } from "../src/session/shared-timer.js";

function everyShared(scheduler: Scheduler, periodMs: number, fn: () => void): SharedInterval {
  const interval = new SharedInterval(scheduler, fn);
  interval.every(periodMs);
  return interval;
}

/** Returns the scheduler with another `every`. */
function withEvery(base: VirtualScheduler, every: Scheduler["every"]): Scheduler {
  return { nowMs: () => base.nowMs(), after: base.after.bind(base), every };
}

test("an error of one function does not stop the others that share its timer, then or later", () => {
  const scheduler = new VirtualScheduler();
  const turns = { first: 0, last: 0 };
  everyShared(scheduler, 50, () => (turns.first += 1));
  everyShared(scheduler, 50, () => {
    throw new Error("broken");
  });
  everyShared(scheduler, 50, () => (turns.last += 1));
  for (let period = 0; period < 3; period++) expect(() => scheduler.advance(50)).toThrow("broken");
  expect(turns).toEqual({ first: 3, last: 3 });
});

test("owners of one clock share its timer, and each gets only its own errors", () => {
  const base = new VirtualScheduler();
  let timers = 0;
  const counted = withEvery(base, (periodMs, fn) => {
    timers += 1;
    return base.every(periodMs, fn);
  });
  const faults: string[] = [];
  let turns = 0;
  const owner = (name: string) => new GuardedScheduler(counted, () => faults.push(name));
  everyShared(owner("A"), 50, () => {
    throw new Error("broken");
  });
  everyShared(new GuardedScheduler(owner("B"), () => faults.push("inner")), 50, () => {
    throw new Error("broken too");
  });
  const last = everyShared(owner("C"), 50, () => (turns += 1));
  base.advance(100);
  expect({ timers, turns, faults }).toEqual({ timers: 1, turns: 2, faults: ["A", "inner", "A", "inner"] });
  last.every(0);
  base.advance(50);
  expect(turns).toBe(2);
  last.every(100);
  last.every(200);
  base.advance(400);
  expect({ timers, turns }).toEqual({ timers: 3, turns: 4 });
});

test("a session of a server that plays is looked after four times a second, and sooner once a command waits", () => {
  const scheduler = new VirtualScheduler();
  let updates = 0;
  const counted = withEvery(scheduler, (periodMs, fn) =>
    scheduler.every(periodMs, () => {
      updates += 1;
      fn();
    }),
  );
  const pair = memoryLinkPair({
    scheduler,
    random: seededRandom(1),
    settings: { delayMs: 20 },
    isUnreliable: false,
  });
  const handlers = { onReliable: () => undefined };
  const server = new Session({ scheduler: counted, handlers });
  const client = new Session({ scheduler, handlers });
  const options = { preference: 1, needsProof: false, connectTimeoutMs: 5000, timeoutMs: 15_000 };
  server.attach(pair.a, { ...options, heartbeatMs: Infinity });
  client.attach(pair.b, { ...options, heartbeatMs: 1000 });
  const play = (ms: number): number => {
    const before = updates;
    const ends = [server, client].map((session) =>
      scheduler.every(50, () => session.sendState(new Uint8Array(20), 1)),
    );
    scheduler.advance(ms);
    for (const end of ends) end();
    return updates - before;
  };
  play(2000);
  expect(play(10_000)).toBeLessThanOrEqual(41);
  server.sendReliable(new Uint8Array(3));
  pair.change({ delayMs: 2000 });
  expect(play(2000)).toBeGreaterThan(30);
});
