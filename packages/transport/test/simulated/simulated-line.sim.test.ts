import { ConfigError } from "@paceline/protocol";
import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { Session, type Link, type LinkMonitorOptions } from "@paceline/transport";
import { linePresets, SimulatedLine } from "@paceline/transport/simulated";
import { describe, expect, test } from "vitest";

const monitored: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 5000,
  timeoutMs: 5000,
  heartbeatMs: 250,
};

/** Two sessions over one link. The near side's link is on a line that can be made worse. */
class Scene {
  readonly scheduler = new VirtualScheduler();
  readonly line: SimulatedLine;
  readonly link: Link;
  readonly near: Session;
  readonly far: Session;
  readonly messages: number[] = [];
  readonly answers: number[] = [];
  readonly events: number[] = [];
  readonly statesMs: number[] = [];
  readonly arrivedMs: number[] = [];
  readonly closes: string[] = [];

  constructor(isUnreliable: boolean) {
    const { scheduler } = this;
    const random = seededRandom(3);
    const pair = memoryLinkPair({ scheduler, random, settings: { delayMs: 10 }, isUnreliable });
    this.line = new SimulatedLine({ scheduler, random });
    this.link = pair.a;
    this.near = this.#session(this.answers, this.link);
    this.far = this.#session(this.messages, pair.b);
    scheduler.advance(1000);
  }

  /** Sends a numbered message and a state every 20 ms. */
  talk(count: number, first = 0): void {
    for (let number = first; number < first + count; number += 1) {
      this.near.sendReliable(Uint8Array.of(number & 0xff, number >> 8));
      this.far.sendReliable(Uint8Array.of(number & 0xff, number >> 8));
      // Without a key, so that none is replaced.
      this.near.sendState(Uint8Array.of(1));
      this.scheduler.advance(20);
    }
  }

  #session(messages: number[], link: Link): Session {
    const session = new Session({
      scheduler: this.scheduler,
      handlers: {
        onReliable: (payload) => {
          messages.push(payload[0]! + payload[1]! * 256);
          this.arrivedMs.push(this.scheduler.nowMs());
        },
        onEvent: ([number]) => this.events.push(number!),
        onState: () => this.statesMs.push(this.scheduler.nowMs()),
        onLinkDown: (_, { reason }) => this.closes.push(reason),
      },
    });
    session.attach(link, monitored);
    return session;
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

describe.each([
  ["a link with channels of every kind", true],
  ["an ordered link", false],
])("%s on a simulated line", (_, isUnreliable) => {
  test("a delay each way shows in the round trip until it is removed", () => {
    const scene = new Scene(isUnreliable);
    expect(scene.near.rttMs).toBeCloseTo(20, 0);
    scene.line.take(scene.link);
    scene.line.change({ delayMs: 100 });
    scene.scheduler.advance(15_000);
    expect(scene.near.rttMs).toBeGreaterThan(215);
    expect(scene.far.rttMs).toBeGreaterThan(215);
    scene.line.release();
    scene.scheduler.advance(15_000);
    expect(scene.near.rttMs).toBeLessThan(25);
  });

  test.each(linePresets.map(({ name, settings }) => [name, settings] as const))(
    "%s: no message is lost, repeated or out of order, switched on and off in the middle",
    (_name, settings) => {
      const scene = new Scene(isUnreliable);
      scene.talk(100);
      scene.line.take(scene.link);
      scene.line.change(settings);
      scene.talk(200, 100);
      scene.line.release();
      scene.talk(100, 300);
      scene.scheduler.advance(20_000);
      expect(scene.messages).toEqual(upTo(400));
      expect(scene.answers).toEqual(upTo(400));
      expect(scene.closes).toEqual([]);
    },
  );

  test("a line that is switched off and on again at once stays on", () => {
    const scene = new Scene(isUnreliable);
    scene.line.take(scene.link);
    scene.line.change({ delayMs: 200 });
    scene.talk(5);
    scene.line.release();
    scene.line.take(scene.link);
    scene.line.change({ delayMs: 200 });
    scene.scheduler.advance(15_000);
    expect(scene.near.rttMs).toBeGreaterThan(400);
    expect(scene.messages).toEqual(upTo(5));
  });

  test("a line that loses everything for long ends the link, and no calls follow", () => {
    const scene = new Scene(isUnreliable);
    scene.line.take(scene.link);
    scene.line.change({ loss: { kind: "uniform", ratio: 1 } });
    scene.scheduler.advance(12_000);
    expect(scene.near.activeLink).toBeUndefined();
    expect(scene.closes[0]).toMatch(/^silent for/);
    scene.line.release();
    scene.scheduler.advance(60_000);
    expect(scene.messages).toEqual([]);
  });
});

test("lost packets of a stream arrive late, and later ones wait for them", () => {
  const scene = new Scene(false);
  scene.line.take(scene.link);
  scene.line.change({ delayMs: 50, loss: { kind: "uniform", ratio: 0.1 } });
  scene.talk(200);
  scene.scheduler.advance(5000);
  // All states arrive: none was dropped, at any loss.
  expect(scene.statesMs).toHaveLength(200);
  const gaps = scene.statesMs.slice(1).map((atMs, index) => atMs - scene.statesMs[index]!);
  expect(Math.max(...gaps)).toBeGreaterThan(150);
  // States after a late one arrive with it, at one instant.
  expect(gaps.filter((gapMs) => gapMs < 1).length).toBeGreaterThan(20);
});

test("loose states are lost for good, and delay nothing", () => {
  const scene = new Scene(true);
  scene.line.take(scene.link);
  scene.line.change({ delayMs: 50, loss: { kind: "uniform", ratio: 0.1 } });
  scene.talk(500);
  scene.scheduler.advance(5000);
  expect(scene.statesMs.length).toBeGreaterThan(420);
  expect(scene.statesMs.length).toBeLessThan(475);
  expect(scene.messages).toHaveLength(500);
});

test.each(["the near side", "the far side"])(
  "events of %s are repeated within their lifetime, as over a data channel",
  (side) => {
    const scene = new Scene(true);
    scene.line.take(scene.link);
    scene.line.change({ delayMs: 50, loss: { kind: "uniform", ratio: 0.2 } });
    const sender = side === "the near side" ? scene.near : scene.far;
    for (let number = 0; number < 177; number += 1) {
      sender.sendEvent(Uint8Array.of(number));
      scene.scheduler.advance(20);
    }
    scene.scheduler.advance(5000);
    // A packet that is lost four times in a row has outlived its events.
    expect(new Set(scene.events).size).toBeGreaterThanOrEqual(175);
    expect(scene.events).not.toEqual(scene.events.toSorted((one, other) => one - other));
  },
);

test("an event that a line loses for longer than its lifetime is given up, and a command is not", () => {
  const scene = new Scene(true);
  scene.line.take(scene.link);
  scene.line.change({ delayMs: 50, loss: { kind: "uniform", ratio: 1 } });
  scene.near.sendEvent(Uint8Array.of(7));
  scene.near.sendReliable(Uint8Array.of(8, 0));
  scene.scheduler.advance(3000);
  scene.line.change({ delayMs: 50 });
  scene.scheduler.advance(10_000);
  expect(scene.events).toEqual([]);
  expect(scene.messages).toEqual([8]);
});

test("all links share the line's rate, and waiting packets count as queued", () => {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(4);
  const line = new SimulatedLine({ scheduler, random });
  const arrivals: number[] = [];
  const links = [0, 1].map(() => {
    const { a: link, b } = memoryLinkPair({ scheduler, random, isUnreliable: false });
    link.start({ onOpen: () => undefined, onPacket: () => undefined, onClose: () => undefined });
    b.start({
      onOpen: () => undefined,
      onPacket: () => arrivals.push(scheduler.nowMs()),
      onClose: () => undefined,
    });
    line.take(link);
    return link;
  });
  scheduler.advance(10);
  line.change({ rateBps: 8000 });
  for (const link of links) for (let n = 0; n < 2; n += 1) link.send("command", new Uint8Array(100));
  expect(links.map(({ queuedBytes }) => queuedBytes)).toEqual([200, 200]);
  scheduler.advance(1000);
  expect(arrivals).toEqual([110, 210, 310, 410]);
  expect(links.map(({ queuedBytes }) => queuedBytes)).toEqual([0, 0]);
});

test("settings out of range are refused and change nothing", () => {
  const scene = new Scene(true);
  scene.line.take(scene.link);
  scene.line.change({ delayMs: 100 });
  expect(() => scene.line.change({ delayMs: -1 })).toThrow(ConfigError);
  expect(scene.line.settings.delayMs).toBe(100);
});
