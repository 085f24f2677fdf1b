import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { PathChoice, Session, type Link, type LinkMonitorOptions } from "@paceline/transport";
import { describe, expect, test } from "vitest";

const relayed: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: Infinity,
  timeoutMs: Infinity,
  heartbeatMs: 1000,
};

/** One side of a pair with both paths. It chooses by its own measurements. */
class Side {
  readonly choice = new PathChoice();
  readonly messages: number[] = [];
  readonly session: Session;

  constructor(scheduler: VirtualScheduler, direct: Link, relay: Link) {
    this.session = new Session({
      scheduler,
      handlers: { onReliable: (payload) => this.messages.push(payload[0]! + payload[1]! * 256) },
    });
    const isWorse = (): boolean => this.choice.choice === "relay";
    const isInDoubt = (): boolean => this.choice.isInDoubt;
    this.session.attach(relay, {
      ...relayed,
      get isMeasuredIdle() {
        return isInDoubt();
      },
    });
    this.session.attach(direct, {
      ...{ needsProof: true, connectTimeoutMs: 5000, timeoutMs: 1000, heartbeatMs: 250 },
      get preference() {
        return isWorse() ? 0 : 10;
      },
    });
    scheduler.every(1000, () => {
      const { session } = this;
      const [forDirect, forRelay] = [session.readingOf(direct), session.readingOf(relay)];
      if (this.choice.observe(forDirect, forRelay, scheduler.nowMs())) session.reconsider(this.choice.reason);
    });
  }
}

test("traffic leaves a bad direct path for the relay and returns, and no message is lost", () => {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(11);
  const direct = memoryLinkPair({ scheduler, random, settings: { delayMs: 10 } });
  const relay = memoryLinkPair({ scheduler, random, settings: { delayMs: 25 }, isUnreliable: false });
  const a = new Side(scheduler, direct.a, relay.a);
  const b = new Side(scheduler, direct.b, relay.b);
  let sent = 0;
  const talk = (seconds: number): void => {
    const end = sent + seconds * 10;
    for (; sent < end; sent += 1) {
      const payload = Uint8Array.of(sent & 0xff, sent >> 8);
      a.session.sendReliable(payload);
      b.session.sendReliable(payload);
      scheduler.advance(100);
    }
  };
  talk(10);
  expect(a.session.activeLink).toBe(direct.a);
  direct.change({ loss: { kind: "uniform", ratio: 0.15 } });
  talk(15);
  expect([a.choice.choice, b.choice.choice]).toEqual(["relay", "relay"]);
  expect([a.session.activeLink, b.session.activeLink]).toEqual([relay.a, relay.b]);
  expect(a.choice.reason).toMatch(/^the direct path is worse than the relay/);
  direct.change({ loss: { kind: "none" } });
  talk(150);
  expect([a.session.activeLink, b.session.activeLink]).toEqual([direct.a, direct.b]);
  scheduler.advance(5000);
  const all = Array.from({ length: sent }, (_, number) => number);
  expect(a.messages).toEqual(all);
  expect(b.messages).toEqual(all);
});

/** A pair with both paths, whose direct path can be made bad. */
function paths(seed: number, lossRatio = 0) {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(seed);
  const good = { delayMs: 10, jitterMs: 2, loss: { kind: "uniform", ratio: lossRatio } } as const;
  const bad = { delayMs: 410, jitterMs: 2, loss: { kind: "uniform", ratio: 0.2 } } as const;
  const direct = memoryLinkPair({ scheduler, random, settings: good });
  const relay = memoryLinkPair({ scheduler, random, settings: { delayMs: 25 }, isUnreliable: false });
  const sides = [new Side(scheduler, direct.a, relay.a), new Side(scheduler, direct.b, relay.b)] as const;
  const isDirect = (): boolean =>
    sides[0].session.activeLink === direct.a && sides[1].session.activeLink === direct.b;
  return {
    sides,
    isDirect,
    /**
     * Runs some seconds on such a direct path. Returns the seconds after which the pair was direct, and the
     * number of moves.
     */
    pass(line: "good" | "bad", seconds: number) {
      direct.change(line === "good" ? good : bad);
      const directAfterS: number[] = [];
      let moves = 0;
      for (let step = 1; step <= seconds * 10; step++) {
        const before = isDirect();
        for (const { session } of sides) session.sendState(new Uint8Array(40), 1);
        scheduler.advance(100);
        if (isDirect()) directAfterS.push(step / 10);
        if (isDirect() !== before) moves += 1;
      }
      return { directAfterS, moves };
    },
  };
}

test("traffic does not leave a direct path with a few per cent of loss for a slower relay", () => {
  // A state takes 12 ms there or 37 by the relay, and 3 % of loss count as 30 ms: less than 1.3 times the
  // relay's cost and 30 ms.
  const directS = [1, 2, 3, 4, 5, 6].map(
    (seed) => paths(seed, 0.03).pass("good", 120).directAfterS.length / 10,
  );
  expect(directS.filter((seconds) => seconds > 100).length).toBeGreaterThanOrEqual(5);
});

test("traffic stays where it is if a queue stands before both paths", () => {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(5);
  const direct = memoryLinkPair({ scheduler, random, settings: { delayMs: 10 } });
  const relay = memoryLinkPair({ scheduler, random, settings: { delayMs: 25 }, isUnreliable: false });
  const sides = [new Side(scheduler, direct.a, relay.a), new Side(scheduler, direct.b, relay.b)];
  const moves: string[] = [];
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second++) {
      scheduler.advance(1000);
      moves.push(...sides.map(({ choice }) => choice.choice));
    }
  };
  pass(30);
  for (let round = 0; round < 5; round++) {
    for (const queueMs of [300, 0]) {
      direct.change({ delayMs: 10 + queueMs });
      relay.change({ delayMs: 25 + queueMs });
      pass(20);
    }
  }
  expect(new Set(moves)).toEqual(new Set(["direct"]));
});

describe("a direct path that was bad for a while", () => {
  test.each([1, 2, 3, 4, 5, 6])("carries the traffic again within 10 s (chance %d)", (seed) => {
    const { sides, isDirect, pass } = paths(seed);
    pass("good", 10);
    expect(isDirect()).toBe(true);
    pass("bad", 20);
    expect(sides.map(({ choice }) => choice.choice)).toEqual(["relay", "relay"]);
    const { directAfterS } = pass("good", 30);
    expect(directAfterS[0]).toBeLessThanOrEqual(10);
    expect(directAfterS.at(-1)).toBe(30);
  });

  test("carries it again just as soon after a second bad time, if it was good for minutes in between", () => {
    const { pass } = paths(7);
    for (let round = 0; round < 3; round++) {
      pass("good", 200);
      pass("bad", 20);
      expect(pass("good", 20).directAfterS[0]).toBeLessThanOrEqual(10);
    }
  });

  test("gets no traffic while it stays bad", () => {
    const { pass } = paths(8);
    pass("good", 10);
    pass("bad", 20);
    expect(pass("bad", 300).moves).toBeLessThanOrEqual(2);
  });

  test("has to be good for longer each time if it alternates", () => {
    const { pass } = paths(9);
    pass("good", 10);
    const moves = Array.from({ length: 8 }, () => pass("bad", 20).moves + pass("good", 20).moves);
    expect(moves[0]).toBe(2);
    // Once the wait has doubled twice, it takes longer than the 20 good seconds.
    expect(moves.slice(4)).toEqual([0, 0, 0, 0]);
  });
});
