import { CloseCode, NetError, limits } from "@paceline/protocol";
import {
  memoryLinkPair,
  seededRandom,
  VirtualScheduler,
  type MemoryLinkPair,
  type NetworkSettings,
} from "@paceline/testkit";
import { Session, type LinkClose, type LinkMonitorOptions } from "@paceline/transport";
import { describe, expect, test } from "vitest";

const relayed: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: Number.POSITIVE_INFINITY,
  timeoutMs: Number.POSITIVE_INFINITY,
  heartbeatMs: 1000,
};
const direct: LinkMonitorOptions = {
  preference: 10,
  needsProof: true,
  connectTimeoutMs: 5000,
  timeoutMs: 1000,
  heartbeatMs: 250,
};

interface End {
  readonly session: Session;
  readonly messages: number[];
  readonly events: number[];
  readonly paths: string[];
  closed: LinkClose | undefined;
}

class Scene {
  readonly scheduler = new VirtualScheduler();
  readonly random;
  readonly a: End;
  readonly b: End;

  constructor(seed = 1) {
    this.random = seededRandom(seed);
    this.a = this.#newEnd();
    this.b = this.#newEnd();
  }

  link(options: LinkMonitorOptions, settings: Partial<NetworkSettings>, isUnreliable = true): MemoryLinkPair {
    const pair = memoryLinkPair({ scheduler: this.scheduler, random: this.random, settings, isUnreliable });
    this.a.session.attach(pair.a, options);
    this.b.session.attach(pair.b, options);
    return pair;
  }

  #newEnd(): End {
    const end: Partial<End> & { messages: number[]; events: number[]; paths: string[] } = {
      messages: [],
      events: [],
      paths: [],
      closed: undefined,
    };
    const session = new Session({
      scheduler: this.scheduler,
      handlers: {
        onReliable: (payload) => end.messages.push(numberIn(payload)),
        onEvent: (body) => end.events.push(numberIn(body)),
        onActiveLink: (link, reason) => end.paths.push(`${link?.isUnreliable ?? "none"}: ${reason}`),
        onClosed: (close) => (end.closed = close),
      },
    });
    return Object.assign(end, { session }) as End;
  }
}

function payload(number: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

function numberIn(bytes: Uint8Array): number {
  return bytes.length < 4 ? -1 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe("a session over one link", () => {
  test("delivers reliable messages once and in order, both ways", () => {
    const { a, b, scheduler } = at(new Scene(), { delayMs: 40, jitterMs: 10 });
    for (const number of upTo(500)) {
      a.session.sendReliable(payload(number));
      b.session.sendReliable(payload(number));
    }
    scheduler.advance(2000);
    expect(b.messages).toEqual(upTo(500));
    expect(a.messages).toEqual(upTo(500));
    expect(a.session.commands.length).toBe(0);
  });

  test("keeps numbering right across the wrap of 16 bits", () => {
    const { a, b, scheduler } = at(new Scene(), { delayMs: 5 });
    for (let sent = 0; sent < 70_000; sent += 500) {
      for (let number = sent; number < sent + 500; number++) a.session.sendReliable(payload(number));
      scheduler.advance(100);
    }
    expect(b.messages).toEqual(upTo(70_000));
  });

  test("refuses reliable messages beyond the limit, and loses none of the accepted ones", () => {
    const { a, b, scheduler } = new Scene();
    const most = limits.unacknowledgedMessages;
    for (const number of upTo(most)) a.session.sendReliable(payload(number));
    expect(() => a.session.sendReliable(payload(most))).toThrow(NetError);
    expect(() => a.session.sendReliable(payload(most))).toThrow("limit/queue");
    const pair = memoryLinkPair({ scheduler, random: seededRandom(3) });
    a.session.attach(pair.a, relayed);
    b.session.attach(pair.b, relayed);
    scheduler.advance(100);
    expect(b.messages).toEqual(upTo(most));
  });

  test("refuses a message that is too long for a packet", () => {
    const { a } = new Scene();
    expect(() => a.session.sendReliable(new Uint8Array(16_384))).toThrow(
      /message: expected at most \d+ bytes/,
    );
    expect(() => a.session.sendEvent(new Uint8Array(1200))).toThrow(/event: expected at most \d+ bytes/);
  });

  test("measures the round trip", () => {
    const { a, scheduler } = at(new Scene(), { delayMs: 35 });
    scheduler.advance(5000);
    expect(a.session.rttMs).toBeCloseTo(70, 0);
  });

  test("tells the other side that it ends, and why", () => {
    const { a, b, scheduler } = at(new Scene(), { delayMs: 10 });
    a.session.close(CloseCode.kicked, "no manners");
    scheduler.advance(100);
    expect(b.closed).toEqual({ code: CloseCode.kicked, reason: "no manners" });
    expect(() => b.session.sendReliable(payload(1))).toThrow("session/ended");
  });

  test("delivers every event once over a path that loses, repeats and reorders", () => {
    const settings = {
      delayMs: 30,
      jitterMs: 15,
      loss: { kind: "uniform", ratio: 0.1 },
      duplicateRatio: 0.2,
    } as const;
    const { a, b, scheduler } = at(new Scene(), settings);
    for (const number of upTo(400)) {
      a.session.sendEvent(payload(number));
      scheduler.advance(20);
    }
    scheduler.advance(500);
    expect(new Set(b.events).size).toBe(b.events.length);
    // The path repeats an event within its lifetime: none is lost because it arrives late.
    expect(b.events.length).toBe(400);
  });
});

describe("a session with a better link", () => {
  test("uses it only after a probe was answered", () => {
    const scene = at(new Scene(), { delayMs: 50 });
    expect(scene.a.session.activeLink?.isUnreliable).toBe(false);
    scene.link(direct, { delayMs: 100 });
    scene.scheduler.advance(150);
    expect(scene.a.session.activeLink?.isUnreliable).toBe(false);
    scene.scheduler.advance(150);
    expect(scene.a.session.activeLink?.isUnreliable).toBe(true);
    expect(scene.b.session.activeLink?.isUnreliable).toBe(true);
  });

  test("gives it up at its own deadline when no probe comes back", () => {
    const scene = at(new Scene(), { delayMs: 10 });
    const pair = scene.link(direct, {});
    pair.cut();
    scene.scheduler.advance(5200);
    expect(pair.a.state).toBe("closed");
    expect(scene.a.session.activeLink?.isUnreliable).toBe(false);
  });

  test("falls back within its deadline when it falls silent without a close", () => {
    const scene = at(new Scene(), { delayMs: 10 });
    const pair = scene.link(direct, { delayMs: 10 });
    scene.scheduler.advance(1000);
    expect(scene.a.session.activeLink).toBe(pair.a);
    pair.cut();
    for (const number of upTo(20)) scene.a.session.sendReliable(payload(number));
    scene.scheduler.advance(1000 + 2 * 250 + 100);
    expect(scene.a.session.activeLink?.isUnreliable).toBe(false);
    scene.scheduler.advance(100);
    expect(scene.b.messages).toEqual(upTo(20));
  });

  test("survives a sudden long delay: late answers count", () => {
    const scene = at(new Scene(), { delayMs: 10 });
    const pair = scene.link({ ...direct, timeoutMs: 300 }, { delayMs: 10 });
    scene.scheduler.advance(1000);
    pair.change({ delayMs: 290 });
    scene.scheduler.advance(3000);
    expect(pair.a.state).toBe("open");
  });

  test.each([1, 2, 3, 4])("loses, repeats and reorders nothing in 100 migrations (seed %i)", (seed) => {
    const scene = at(new Scene(seed), { delayMs: 60, jitterMs: 20 });
    const { a, b, scheduler, random } = scene;
    let sent = 0;
    const talk = (ms: number): void => {
      for (let passed = 0; passed < ms; passed += 10) {
        a.session.sendReliable(payload(sent));
        b.session.sendReliable(payload(sent));
        sent += 1;
        scheduler.advance(10);
      }
    };
    for (let migration = 0; migration < 50; migration++) {
      const pair = scene.link(direct, { delayMs: random.int(5, 40), loss: { kind: "uniform", ratio: 0.05 } });
      talk(random.int(200, 800));
      if (random.bool(0.5)) pair.cut();
      else (random.bool(0.5) ? pair.a : pair.b).close(CloseCode.left, "moved");
      talk(random.int(100, 600));
    }
    scheduler.advance(20_000);
    expect(b.messages).toEqual(upTo(sent));
    expect(a.messages).toEqual(upTo(sent));
  });
});

describe("a session whose every link dies", () => {
  test("continues when a new one opens, seconds later", () => {
    const scene = new Scene();
    const first = scene.link(relayed, { delayMs: 20 }, false);
    scene.scheduler.advance(100);
    for (const number of upTo(50)) scene.a.session.sendReliable(payload(number));
    first.cut();
    scene.scheduler.advance(500);
    first.a.close(CloseCode.timeout, "cut");
    first.b.close(CloseCode.timeout, "cut");
    for (let number = 50; number < 80; number++) scene.a.session.sendReliable(payload(number));
    scene.scheduler.advance(7000);
    expect(scene.a.session.activeLink).toBeUndefined();
    scene.link(relayed, { delayMs: 20 }, false);
    scene.scheduler.advance(1000);
    expect(scene.b.messages).toEqual(upTo(80));
  });
});

describe("a session under attack", () => {
  test("counts random bytes, survives a few, and ends after many", () => {
    const scene = new Scene();
    const pair = memoryLinkPair({ scheduler: scene.scheduler, random: seededRandom(9) });
    scene.b.session.attach(pair.b, relayed);
    pair.a.start({ onOpen: () => undefined, onPacket: () => undefined, onClose: () => undefined });
    scene.scheduler.advance(1);
    for (const size of upTo(40)) pair.a.send("command", scene.random.bytes(size));
    scene.scheduler.advance(10);
    expect(scene.b.session.drops.total).toBeGreaterThan(20);
    expect(scene.b.session.isClosed).toBe(false);
    for (const size of upTo(200)) pair.a.send("command", scene.random.bytes(size % 64));
    scene.scheduler.advance(10);
    expect(scene.b.closed?.code).toBe(CloseCode.protocolViolation);
    expect(pair.a.state).toBe("closed");
  });

  test("drops a replayed packet", () => {
    const settings = { duplicateRatio: 1, delayMs: 5 };
    const { a, b, scheduler } = at(new Scene(), settings);
    for (const number of upTo(10)) a.session.sendState(payload(number));
    scheduler.advance(100);
    expect(b.session.drops.of("duplicate")).toBeGreaterThanOrEqual(10);
  });
});

/** Connects both ends by an open link that needs no proof. */
function at(scene: Scene, settings: Partial<NetworkSettings>): Scene {
  const isLossy = settings.loss !== undefined || settings.duplicateRatio !== undefined;
  scene.link(relayed, settings, isLossy);
  scene.scheduler.advance(1);
  return scene;
}

test("of two links with equal preference, the first that works carries the traffic, and keeps it", () => {
  const scheduler = new VirtualScheduler();
  const pairs = [1, 2].map((seed) =>
    memoryLinkPair({ scheduler, random: seededRandom(seed), settings: { delayMs: 20 } }),
  );
  const moves: string[] = [];
  const [here, there] = [0, 1].map((side) => {
    const handlers = {
      onReliable: () => undefined,
      onActiveLink: () => void (side === 0 && moves.push("moved")),
    };
    return new Session({ scheduler, handlers });
  });
  const options = {
    preference: 1,
    needsProof: true,
    connectTimeoutMs: 5000,
    timeoutMs: 1000,
    heartbeatMs: 250,
  };
  for (const { a, b } of pairs) {
    here!.attach(a, options);
    there!.attach(b, options);
    scheduler.advance(1000);
  }
  scheduler.advance(5000);
  expect(here!.activeLink).toBe(pairs[0]!.a);
  here!.reconsider("asked");
  expect(here!.activeLink).toBe(pairs[0]!.a);
  expect(moves.length).toBeLessThanOrEqual(1);
  pairs[0]!.b.close(1000, "gone");
  scheduler.advance(100);
  expect(here!.activeLink).toBe(pairs[1]!.a);
});
