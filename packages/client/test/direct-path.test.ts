import { VirtualScheduler } from "@paceline/testkit";
import {
  newLinkCounters,
  type Link,
  type LinkRoute,
  type LinkState,
  type SignalledLink,
  type WebRtcLinkOptions,
} from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { DirectPath } from "../src/peers/direct-path.js";

/** A path whose links open, fail and signal only when the test makes them. */
class Scene {
  readonly scheduler = new VirtualScheduler();
  readonly links: Link[] = [];
  readonly path: DirectPath;

  constructor(isInitiator: boolean) {
    this.path = new DirectPath({
      scheduler: this.scheduler,
      iceServers: () => [],
      isInitiator,
      eventLifetimeMs: () => 1500,
      random: () => 0.5,
      sendSignal: () => undefined,
      attach: (link) => this.links.push(link),
    });
  }

  fail(reason = "no proof"): void {
    this.path.linkDown(this.links.at(-1)!, { code: 4002, reason });
  }

  /** Returns the time until the next attempt, ms; undefined if there is none. */
  untilNextAttempt(): number | undefined {
    const [startMs, before] = [this.scheduler.nowMs(), this.links.length];
    for (let waitedMs = 0; waitedMs < 120_000 && this.links.length === before; waitedMs += 100) {
      this.scheduler.advance(100);
    }
    return this.links.length === before ? undefined : this.scheduler.nowMs() - startMs;
  }
}

describe("the side that makes the offers", () => {
  test("does not start before it is allowed", () => {
    const scene = new Scene(true);
    scene.path.signal(1, { type: "answer" });
    scene.path.allow(false);
    expect(scene.untilNextAttempt()).toBeUndefined();
    scene.path.allow(true);
    scene.path.allow(true);
    expect(scene.links).toHaveLength(1);
    expect(scene.links[0]).toMatchObject({ kind: "webrtc", state: "connecting" });
  });

  test("tries again, later after every failure, up to half a minute", () => {
    const scene = new Scene(true);
    scene.path.allow(true);
    const waits: (number | undefined)[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      scene.fail();
      waits.push(scene.untilNextAttempt());
    }
    expect(waits).toEqual([1000, 3000, 10_000, 30_000, 30_000, 30_000]);
    expect(scene.path.lastFailure).toBe("no proof");
  });

  test("tries again soon if the link had held", () => {
    const scene = new Scene(true);
    scene.path.allow(true);
    for (let attempt = 0; attempt < 3; attempt++) {
      scene.fail();
      scene.untilNextAttempt();
    }
    scene.scheduler.advance(16_000);
    scene.fail("");
    expect(scene.path.lastFailure).toBe("closed with code 4002");
    expect(scene.untilNextAttempt()).toBe(1000);
  });

  test("stops when it is not wanted any more, and starts from the beginning when it is wanted again", () => {
    const scene = new Scene(true);
    scene.path.allow(true);
    scene.fail();
    scene.path.allow(false);
    expect(scene.untilNextAttempt()).toBeUndefined();
    scene.path.allow(true);
    expect(scene.links).toHaveLength(2);
    scene.path.end("the peer has left");
    expect(scene.links[1]!.state).toBe("closed");
    scene.fail();
    expect(scene.untilNextAttempt()).toBeUndefined();
  });

  test("ignores links that are not its own, or not its newest", () => {
    const scene = new Scene(true);
    scene.path.allow(true);
    const [first] = scene.links;
    scene.path.linkDown({} as Link, { code: 1006, reason: "the relay is down" });
    expect(scene.path.lastFailure).toBeUndefined();
    scene.fail();
    scene.untilNextAttempt();
    scene.path.linkDown(first!, { code: 4002, reason: "old" });
    expect(scene.path.lastFailure).toBe("no proof");
    expect(scene.untilNextAttempt()).toBeUndefined();
  });

  test("breaks its link without notice when it is killed", () => {
    const scene = new Scene(true);
    scene.path.kill();
    scene.path.allow(true);
    scene.path.kill();
    expect(scene.links[0]!.state).toBe("closed");
  });
});

describe("the side that answers", () => {
  test("waits for the other's first signal, and never starts by itself", () => {
    const scene = new Scene(false);
    scene.path.signal(1, { type: "offer" });
    scene.path.allow(true);
    expect(scene.untilNextAttempt()).toBeUndefined();
    scene.path.signal(2, { type: "offer" });
    scene.path.signal(2, { candidate: {} });
    expect(scene.links).toHaveLength(1);
    scene.fail();
    expect(scene.untilNextAttempt()).toBeUndefined();
  });

  test("follows the other into a new attempt and ignores signals of old ones", () => {
    const scene = new Scene(false);
    scene.path.allow(true);
    scene.path.signal(65_535, { type: "offer" });
    scene.path.signal(65_534, { type: "offer" });
    expect(scene.links).toHaveLength(1);
    // The numbers are circular.
    scene.path.signal(1, { type: "offer" });
    expect(scene.links.map(({ state }) => state)).toEqual(["closed", "connecting"]);
    scene.fail();
    // Late candidates of the failed attempt open nothing.
    scene.path.signal(1, { candidate: {} });
    expect(scene.links).toHaveLength(2);
    scene.path.signal(2, { type: "offer" });
    expect(scene.links).toHaveLength(3);
  });

  test("opens nothing for the signals of an unwanted peer", () => {
    const scene = new Scene(false);
    scene.path.allow(true);
    scene.path.allow(false);
    scene.path.signal(1, { type: "offer" });
    expect(scene.links).toEqual([]);
  });
});

/** A link that opens only by the test. It exposes the path's options. */
class HandLink implements SignalledLink {
  readonly kind = "webrtc";
  readonly isUnreliable = true;
  readonly counters = newLinkCounters();
  readonly queuedBytes = 0;
  readonly hint = undefined;
  readonly options: WebRtcLinkOptions;
  state: LinkState = "connecting";
  signals = 0;
  route: LinkRoute | undefined;

  constructor(options: WebRtcLinkOptions) {
    this.options = options;
  }

  start(): void {}
  send(): void {}

  signal(): void {
    this.signals += 1;
  }

  hasRoom(): boolean {
    return true;
  }

  close(): void {
    this.state = "closed";
  }
}

/** A path with a TURN server. The test opens and ends its links. */
class RungScene {
  readonly scheduler = new VirtualScheduler();
  readonly links: HandLink[] = [];
  readonly deadlinesMs: number[] = [];
  readonly path: DirectPath;
  chance = 0.5;

  constructor({ isInitiator = true, hasTurn = true, hedgeAfterMs = 0 } = {}) {
    this.path = new DirectPath({
      scheduler: this.scheduler,
      iceServers: () => (hasTurn ? [{ urls: "turn:turn.example", username: "me", credential: "word" }] : []),
      isInitiator,
      eventLifetimeMs: () => 1500,
      random: () => this.chance,
      ...(hedgeAfterMs > 0 && { hedgeAfterMs }),
      newLink: (options) => new HandLink(options),
      sendSignal: () => undefined,
      attach: (link, { deadlineMs }) => {
        this.links.push(link as HandLink);
        this.deadlinesMs.push(deadlineMs);
      },
    });
  }

  get newest(): HandLink {
    return this.links.at(-1)!;
  }

  get policies(): (string | undefined)[] {
    return this.links.map(({ options }) => options.iceTransportPolicy);
  }

  fail(link = this.newest): void {
    link.state = "closed";
    this.path.linkDown(link, { code: 4002, reason: "no proof" });
  }

  /** Marks the link as proven, by this route. */
  use(isTurn: boolean, link = this.newest): void {
    link.state = "open";
    link.route = { isTurn, protocol: "udp" };
    link.counters.packetsReceived += 1;
    this.path.linkActive(link);
  }
}

describe("a path whose handshake may wait for lost packets", () => {
  const hedged = () => {
    const scene = new RungScene({ hasTurn: false, hedgeAfterMs: 1200 });
    scene.path.allow(true);
    return scene;
  };
  const states = ({ links }: RungScene) => links.map(({ state }) => state);

  test("starts a second attempt beside a slow one, and uses the first that opens", () => {
    for (const winner of [0, 1]) {
      const scene = hedged();
      scene.scheduler.advance(1100);
      expect(states(scene)).toEqual(["connecting"]);
      scene.scheduler.advance(200);
      expect(states(scene)).toEqual(["connecting", "connecting"]);
      for (const attempt of [1, 2]) scene.path.signal(attempt, { type: "answer" });
      expect(scene.links.map(({ signals }) => signals)).toEqual([1, 1]);
      scene.use(false, scene.links[winner]);
      expect(states(scene)).toEqual(winner === 0 ? ["open", "closed"] : ["closed", "open"]);
      scene.scheduler.advance(600_000);
      expect(scene.links).toHaveLength(2);
      scene.fail(scene.links[winner]);
      scene.scheduler.advance(1001);
      expect(scene.links).toHaveLength(3);
    }
  });

  test("starts none beside a quick attempt, after a failure, or if it is unwanted", () => {
    const quick = hedged();
    quick.use(false);
    quick.scheduler.advance(5000);
    expect(quick.links).toHaveLength(1);
    const dead = hedged();
    dead.scheduler.advance(1300);
    dead.fail(dead.links[0]);
    expect(states(dead)).toEqual(["closed", "connecting"]);
    dead.fail(dead.links[1]);
    dead.scheduler.advance(1001);
    expect(dead.links).toHaveLength(3);
    dead.scheduler.advance(5000);
    expect(dead.links).toHaveLength(3);
    const unwanted = hedged();
    unwanted.path.allow(false);
    unwanted.scheduler.advance(5000);
    expect(unwanted.links).toHaveLength(1);
  });
});

describe("the attempts above the relay", () => {
  test("go by any path first, and at once by TURN alone if that fails, each with a deadline", () => {
    const scene = new RungScene();
    scene.path.allow(true);
    scene.fail();
    expect(scene.policies).toEqual(["all", "relay"]);
    expect(scene.deadlinesMs).toEqual([8000, 6000]);
    scene.fail();
    expect(scene.links).toHaveLength(2);
    scene.scheduler.advance(1001);
    expect(scene.policies).toEqual(["all", "relay", "all"]);
  });

  test("skip TURN if there is no server for it, or if a packet had come through", () => {
    const without = new RungScene({ hasTurn: false });
    without.path.allow(true);
    without.fail();
    expect(without.policies).toEqual(["all"]);
    const worked = new RungScene();
    worked.path.allow(true);
    worked.use(false);
    worked.fail();
    expect(worked.policies).toEqual(["all"]);
  });

  test("start again after two minutes on TURN, beside the working link, which ends when the new one is used", () => {
    const scene = new RungScene();
    scene.path.allow(true);
    scene.use(true);
    scene.scheduler.advance(119_000);
    expect(scene.links).toHaveLength(1);
    scene.scheduler.advance(2000);
    expect(scene.policies).toEqual(["all", "all"]);
    expect(scene.links.map(({ state }) => state)).toEqual(["open", "connecting"]);
    expect(scene.path.route?.isTurn).toBe(true);
    scene.use(false);
    expect(scene.links.map(({ state }) => state)).toEqual(["closed", "open"]);
    scene.path.linkDown(scene.links[0]!, { code: 4003, reason: "replaced" });
    expect(scene.path.route?.isTurn).toBe(false);
    scene.scheduler.advance(600_000);
    expect(scene.links).toHaveLength(2);
  });

  test("that fail leave the link through TURN as it is, for two more minutes", () => {
    const scene = new RungScene();
    scene.path.allow(true);
    scene.use(true);
    const works = scene.newest;
    for (const attempts of [2, 3]) {
      scene.scheduler.advance(121_000);
      expect(scene.links).toHaveLength(attempts);
      scene.fail();
      expect([works.state, scene.path.route?.isTurn]).toEqual(["open", true]);
    }
  });

  test("do not start again from a direct link, nor on the side that answers", () => {
    const direct = new RungScene();
    direct.path.allow(true);
    direct.use(false);
    const answering = new RungScene({ isInitiator: false });
    answering.path.allow(true);
    answering.path.signal(1, { type: "offer" });
    answering.use(true);
    for (const scene of [direct, answering]) {
      scene.scheduler.advance(600_000);
      expect(scene.links).toHaveLength(1);
    }
  });
});

describe("chance", () => {
  test.each([
    [0, 750],
    [0.5, 1000],
    [0.999_999, 1250],
  ])("%d spreads the wait to %d ms, so that many do not come back together", (chance, waitMs) => {
    const scene = new RungScene({ hasTurn: false });
    scene.chance = chance;
    scene.path.allow(true);
    scene.fail();
    scene.scheduler.advance(waitMs - 1);
    expect(scene.links).toHaveLength(1);
    scene.scheduler.advance(2);
    expect(scene.links).toHaveLength(2);
  });
});

describe("a peer that starts again all the time", () => {
  test("is answered six times in ten seconds, and again afterwards", () => {
    const scene = new RungScene({ isInitiator: false });
    scene.path.allow(true);
    for (let attempt = 1; attempt <= 20; attempt++) {
      scene.path.signal(attempt, { type: "offer" });
      scene.scheduler.advance(100);
    }
    expect(scene.links).toHaveLength(6);
    expect(scene.links.filter(({ state }) => state !== "closed")).toHaveLength(1);
    scene.scheduler.advance(10_000);
    scene.path.signal(21, { type: "offer" });
    expect(scene.links).toHaveLength(7);
  });
});

describe("another network", () => {
  test("makes a failed path start at once, and one through TURN", () => {
    const failed = new RungScene({ hasTurn: false });
    failed.path.allow(true);
    failed.fail();
    failed.path.networkChanged();
    expect(failed.links).toHaveLength(2);
    const turn = new RungScene();
    turn.path.allow(true);
    turn.use(true);
    turn.path.networkChanged();
    expect(turn.links.map(({ state }) => state)).toEqual(["open", "connecting"]);
  });

  test("leaves a direct link, a running attempt and an unwanted path as they are", () => {
    const direct = new RungScene();
    direct.path.allow(true);
    direct.use(false);
    direct.path.networkChanged();
    const trying = new RungScene();
    trying.path.allow(true);
    trying.path.networkChanged();
    const unwanted = new RungScene();
    unwanted.path.networkChanged();
    expect([direct, trying, unwanted].map(({ links }) => links.length)).toEqual([1, 1, 0]);
  });
});
