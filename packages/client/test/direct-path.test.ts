import { VirtualScheduler } from "@paceline/testkit";
import type { Link } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { DirectPath } from "../src/direct-path.js";

/** A path whose links are negotiated by nobody: the test says what becomes of them. */
class Scene {
  readonly scheduler = new VirtualScheduler();
  readonly links: Link[] = [];
  readonly path: DirectPath;

  constructor(isInitiator: boolean) {
    this.path = new DirectPath({
      scheduler: this.scheduler,
      iceServers: () => [],
      isInitiator,
      random: () => 0.5,
      sendSignal: () => undefined,
      attach: (link) => this.links.push(link),
    });
  }

  /** The session gives the newest link up. */
  fail(reason = "no proof"): void {
    this.path.linkDown(this.links.at(-1)!, { code: 4002, reason });
  }

  /** Time until the next attempt, ms; undefined where none comes. */
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

  test("tries again, later after every failure, and half a minute apart at most", () => {
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

  test("tries again soon when the link had held", () => {
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

  test("tries no more once that is not wanted, and begins anew when it is again", () => {
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

  test("does not care for links that are not its own, or not its newest", () => {
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

  test("breaks its link without a word when it is killed", () => {
    const scene = new Scene(true);
    scene.path.kill();
    scene.path.allow(true);
    scene.path.kill();
    expect(scene.links[0]!.state).toBe("closed");
  });
});

describe("the side that answers", () => {
  test("waits for the other's first signal, and never begins by itself", () => {
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
    // Late candidates of the attempt that failed open nothing.
    scene.path.signal(1, { candidate: {} });
    expect(scene.links).toHaveLength(2);
    scene.path.signal(2, { type: "offer" });
    expect(scene.links).toHaveLength(3);
  });

  test("opens nothing for a peer whose signals it does not want", () => {
    const scene = new Scene(false);
    scene.path.allow(true);
    scene.path.allow(false);
    scene.path.signal(1, { type: "offer" });
    expect(scene.links).toEqual([]);
  });
});
