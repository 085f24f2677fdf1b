import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { Session, StallMeter, type Link, type Scheduler } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { BusyLoop } from "./busy-loop.js";

const relayed = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: Infinity,
  timeoutMs: Infinity,
  heartbeatMs: 1000,
};
const direct = {
  preference: 10,
  needsProof: true,
  connectTimeoutMs: 5000,
  timeoutMs: 1000,
  heartbeatMs: 250,
};

/** Two players with a relay and a direct link between them. The loop of the first may be busy. */
function scene({ relayMs = 25 } = {}) {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(4);
  const loop = new BusyLoop(scheduler);
  const paths = {
    direct: memoryLinkPair({ scheduler, random, settings: { delayMs: 10, jitterMs: 2 } }),
    relay: memoryLinkPair({ scheduler, random, settings: { delayMs: relayMs }, isUnreliable: false }),
  };
  const lost: string[] = [];
  const side = (page: Scheduler, relayLink: Link, directLink: Link): Session => {
    const session = new Session({
      scheduler: page,
      handlers: { onReliable: () => undefined, onLinkDown: (_link, { reason }) => lost.push(reason) },
    });
    session.attach(relayLink, relayed);
    session.attach(directLink, direct);
    page.every(50, () => session.sendState(new Uint8Array(40), 1));
    return session;
  };
  const a = side(loop, loop.link(paths.relay.a), loop.link(paths.direct.a));
  const b = side(scheduler, paths.relay.b, paths.direct.b);
  scheduler.advance(10_000);
  const areDirect = () => [a, b].map(({ activeLink }) => activeLink?.isUnreliable === true);
  expect(areDirect()).toEqual([true, true]);
  return { scheduler, loop, paths, lost, areDirect };
}

describe("a page whose loop is busy for 1.2 s", () => {
  test("keeps its direct link, and so does the other page", () => {
    const { scheduler, loop, lost, areDirect } = scene();
    for (let round = 0; round < 20; round++) {
      loop.stall(1200);
      scheduler.advance(1500 + 137 * round);
    }
    expect(lost).toEqual([]);
    expect(areDirect()).toEqual([true, true]);
  });

  test("keeps its direct link if packets arrive a little after its timers have run", () => {
    const { scheduler, loop, paths, lost } = scene();
    for (let round = 0; round < 5; round++) {
      // Packets of the last 300 ms before the stall are lost too.
      paths.direct.change({ loss: { kind: "uniform", ratio: 1 } });
      scheduler.advance(300);
      loop.stall(1200);
      paths.direct.change({ loss: { kind: "none" } });
      scheduler.advance(4000);
    }
    expect(lost).toEqual([]);
  });
});

describe("a direct link that has died", () => {
  test.each([5, 25, 100])("is noticed within 1.1 s by both sides, over a relay of %d ms", (relayMs) => {
    const { scheduler, paths, areDirect } = scene({ relayMs });
    paths.direct.cut();
    scheduler.advance(1100);
    expect(areDirect()).toEqual([false, false]);
  });

  test("is noticed 1.1 s after this page's loop runs again", () => {
    const { scheduler, loop, paths, areDirect } = scene();
    scheduler.advance(500);
    paths.direct.cut();
    loop.stall(1200);
    scheduler.advance(1200 + 1100);
    expect(areDirect()[0]).toBe(false);
  });

  test("is noticed even if the loop is always late", () => {
    const { scheduler, loop, paths, areDirect } = scene();
    paths.direct.cut();
    for (let round = 0; round < 12; round++) {
      loop.stall(400);
      scheduler.advance(500);
    }
    expect(areDirect()[0]).toBe(false);
  });

  test("is given up within 3.2 s if the relay is dead too", () => {
    const { scheduler, paths, lost } = scene();
    paths.direct.cut();
    paths.relay.cut();
    scheduler.advance(3200);
    expect(lost).toHaveLength(2);
  });
});

test("round trips that waited for the page's own loop count neither as stalls nor as round trips", () => {
  const scheduler = new VirtualScheduler();
  const loop = new BusyLoop(scheduler);
  const stalls = new StallMeter();
  const settings = { delayMs: 25, jitterMs: 3 };
  const pair = memoryLinkPair({ scheduler, random: seededRandom(3), settings, isUnreliable: false });
  const options = { ...relayed, timeoutMs: 60_000 };
  const a = new Session({
    scheduler: loop,
    handlers: { onReliable: () => undefined, onPong: (times) => stalls.observe(times) },
  });
  const b = new Session({ scheduler, handlers: { onReliable: () => undefined } });
  a.attach(loop.link(pair.a), options);
  b.attach(pair.b, options);
  loop.every(250, () => a.ping());
  scheduler.advance(10_000);
  for (let round = 0; round < 60; round++) {
    loop.stall(300);
    scheduler.advance(500);
    expect(stalls.ratio).toBe(0);
    expect(stalls.isSuspicious).toBe(false);
    expect(a.rttMs).toBeLessThan(60);
  }
});

describe("a page whose loop is busy when its first round trip is measured", () => {
  /** A page whose loop is busy for 500 ms as its link, with a round trip of 50 ms, opens. */
  function beginning() {
    const scheduler = new VirtualScheduler();
    const loop = new BusyLoop(scheduler);
    const pair = memoryLinkPair({ scheduler, random: seededRandom(3), settings: { delayMs: 25 } });
    const [a, b] = [loop, scheduler].map(
      (clock) => new Session({ scheduler: clock, handlers: { onReliable: () => undefined } }),
    ) as [Session, Session];
    a.attach(loop.link(pair.a), { ...direct, timeoutMs: 60_000 });
    b.attach(pair.b, { ...direct, timeoutMs: 60_000 });
    for (const session of [a, b]) scheduler.every(50, () => session.sendState(new Uint8Array(40), 1));
    while (a.activeLink === undefined) {
      loop.stall(500);
      scheduler.advance(501);
    }
    return { scheduler, loop, a };
  }

  test("forgets it when the next one did not wait", () => {
    const { scheduler, a } = beginning();
    expect(a.rttMs).toBeGreaterThan(300);
    scheduler.advance(600);
    expect(a.rttMs).toBeCloseTo(50, 0);
    expect(a.jitterMs).toBeLessThan(5);
  });

  test("takes the shortest while all of them wait", () => {
    const { scheduler, loop, a } = beginning();
    for (let round = 0; round < 40; round++) {
      loop.stall(90);
      scheduler.advance(95);
    }
    expect(a.rttMs).toBeLessThan(50 + 95 + 1);
    expect(a.jitterMs).toBe(0);
  });
});
