import {
  memoryLinkPair,
  outboxOver,
  seededRandom,
  VirtualScheduler,
  type MemoryLink,
  type NetworkSettings,
} from "@paceline/testkit";
import { Session, StallMeter, StripeFilter } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { seeds, someOf } from "../../testkit/test/some-of.js";
import { BusyLoop } from "./busy-loop.js";

const lossy = { delayMs: 25, loss: { kind: "uniform", ratio: 0.05 } } as const;
const INTERVAL_MS = 1000 / 30;
const lasting = { needsProof: false, connectTimeoutMs: 5000, timeoutMs: 60_000, heartbeatMs: 1000 };

/** Two ends with `width` ordered links between them, striped. */
function stripedEnds(scheduler: VirtualScheduler, width: number, settings: Partial<NetworkSettings>) {
  const random = seededRandom(7);
  const pairs = Array.from({ length: width }, () =>
    memoryLinkPair({ scheduler, random: random.fork(), settings, isUnreliable: false }),
  );
  const striped = (end: "a" | "b"): MemoryLink => {
    const first = pairs[0]![end];
    const stripes = new StripeFilter({ scheduler, first });
    for (const pair of pairs.slice(1)) stripes.add(pair[end]);
    return first;
  };
  const [a, b] = [striped("a"), striped("b")];
  return { a, b, pairs, out: outboxOver(a, scheduler) };
}

const listener = { onOpen: () => undefined, onPacket: () => undefined, onClose: () => undefined };

function numbered(number: number, bytes = 60): Uint8Array {
  const packet = new Uint8Array(bytes);
  new DataView(packet.buffer).setUint32(0, number);
  return packet;
}

/** Returns the 99th percentile of the age of the newest state, sampled every 5 ms of a minute. */
function ageP99(width: number, settings: Partial<NetworkSettings>): number {
  const scheduler = new VirtualScheduler();
  const { a, b, out } = stripedEnds(scheduler, width, settings);
  const sentAtMs: number[] = [];
  let newest = -1;
  a.start(listener);
  b.start({
    ...listener,
    onPacket: (packet) => (newest = Math.max(newest, new DataView(packet.buffer).getUint32(0))),
  });
  scheduler.advance(100);
  scheduler.every(INTERVAL_MS, () => {
    out.forward("state", numbered(sentAtMs.length), 1);
    sentAtMs.push(scheduler.nowMs());
  });
  scheduler.advance(1000);
  const ages: number[] = [];
  for (let sample = 0; sample < 12_000; sample++) {
    scheduler.advance(5);
    ages.push(scheduler.nowMs() - sentAtMs[newest]!);
  }
  return ages.toSorted((x, y) => x - y)[Math.floor(ages.length * 0.99)]!;
}

describe("states over several ordered links", () => {
  test("[WF47] are as fresh as on one link without loss, and much fresher with it", () => {
    expect(ageP99(3, { delayMs: 25 })).toBeCloseTo(ageP99(1, { delayMs: 25 }), 0);
    expect(ageP99(3, lossy) / ageP99(1, lossy)).toBeLessThan(0.6);
  });

  test("[WF47] alternate, each over one of them; all else stays on the first", () => {
    const scheduler = new VirtualScheduler();
    const { a, b, pairs } = stripedEnds(scheduler, 3, { delayMs: 5 });
    a.start(listener);
    b.start(listener);
    scheduler.advance(100);
    for (let sent = 0; sent < 30; sent++) {
      a.send("state", numbered(sent), 1);
      a.send("command", numbered(sent));
      scheduler.advance(20);
    }
    expect(pairs.map((pair) => pair.a.counters.packetsSent)).toEqual([60, 10, 10]);
    expect([a.width, b.counters.packetsReceived]).toEqual([3, 60]);
  });

  test("[WF47] make no more packets than on one link if the path is too narrow, and stay as fresh", () => {
    const sent = [1, 3].map((width) => {
      const scheduler = new VirtualScheduler();
      const { a, b, out } = stripedEnds(scheduler, width, { delayMs: 25, rateBps: 64_000 / width });
      a.start(listener);
      b.start(listener);
      scheduler.advance(100);
      for (let tick = 0; tick < 600; tick++) {
        for (let key = 1; key <= 10; key++) out.forward("state", numbered(tick, 100), key);
        scheduler.advance(INTERVAL_MS);
      }
      expect(a.queuedBytes + out.queuedBytes).toBeLessThan(4096 + 1000 + 200);
      return a.counters.packetsSent;
    });
    expect(sent[1]!).toBeLessThanOrEqual(sent[0]! * 1.02);
  });

  test("end with the first link; a further one may end alone", () => {
    const scheduler = new VirtualScheduler();
    const { a, b, pairs } = stripedEnds(scheduler, 3, {});
    const closes: number[] = [];
    a.start({ ...listener, onClose: ({ code }) => closes.push(code) });
    b.start(listener);
    scheduler.advance(10);
    pairs[2]!.b.close(4000, "enough");
    scheduler.advance(10);
    expect([a.width, a.state]).toEqual([2, "open"]);
    pairs[0]!.b.close(4001, "bye");
    scheduler.advance(10);
    expect([closes, a.state, pairs[1]!.a.state]).toEqual([[4001], "closed", "closed"]);
  });

  test("a first link that is silent while another receives packets is given up", () => {
    const scheduler = new VirtualScheduler();
    const { a, b, pairs } = stripedEnds(scheduler, 2, {});
    a.start(listener);
    b.start(listener);
    scheduler.advance(10);
    pairs[0]!.cut();
    for (let sent = 0; sent < 300; sent++) {
      b.send("state", numbered(sent), 1);
      scheduler.advance(20);
    }
    expect(a.state).toBe("closed");
  });
});

const SEEDS = someOf(seeds(24), 6);

interface Scene {
  readonly settings: Partial<NetworkSettings>;
  readonly seconds: number;
  readonly seed: number;
  /** Bytes of the states of each tick. */
  readonly stateBytes?: number;
  /** Time before with a clean line. */
  readonly cleanMs?: number;
  /** Most lateness of this page's loop. It is late most of the time. */
  readonly lateMs?: number;
}

/** States go both ways over a WebSocket. Returns the meter, and its ratio twice a second. */
function measured({ settings, seconds, seed, stateBytes = 100, cleanMs = 0, lateMs = 0 }: Scene) {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(seed);
  const page = new BusyLoop(scheduler);
  const stalls = new StallMeter();
  const pair = memoryLinkPair({
    scheduler,
    random,
    settings: { delayMs: 25, ...(cleanMs === 0 && settings) },
    isUnreliable: false,
  });
  const link = { ...lasting, preference: 1 };
  const onReliable = () => undefined;
  const a = new Session({
    scheduler: page,
    handlers: { onReliable, onPong: (times) => stalls.observe(times) },
  });
  const b = new Session({ scheduler, handlers: { onReliable } });
  a.attach(page.link(pair.a), link);
  b.attach(pair.b, link);
  scheduler.advance(cleanMs);
  pair.change(settings);
  page.every(100, () => {
    const { pingsSentMs, silentMs, acknowledgedAtMs } = a.unanswered;
    stalls.observeOpen(pingsSentMs, silentMs, scheduler.nowMs(), acknowledgedAtMs);
    if (stalls.isSuspicious && pair.a.queuedBytes === 0 && pingsSentMs.length < 8) a.ping();
  });
  for (const [loop, session] of [
    [page, a],
    [scheduler, b],
  ] as const)
    loop.every(INTERVAL_MS, () => {
      for (let left = stateBytes; left > 0; left -= 500)
        session.sendState(numbered(0, Math.min(500, left)), left);
    });
  const ratios: (number | undefined)[] = [];
  for (let half = 0; half < seconds * 2; half++) {
    if (lateMs > 0) page.stall(lateMs * random.next());
    scheduler.advance(500);
    ratios.push(stalls.ratio);
  }
  return { ratios, stalls };
}

const roundTrip = (rttMs: number, atMs: number) => ({
  sentMs: atMs - rttMs,
  receivedMs: atMs,
  wasLate: false,
});

describe("stalls for lost segments", () => {
  test.each([
    { ratio: 0.2, cleanMs: 0, seconds: 4 },
    { ratio: 0.2, cleanMs: 10_000, seconds: 4 },
    { ratio: 0.1, cleanMs: 0, seconds: 7 },
    { ratio: 0.05, cleanMs: 10_000, seconds: 11 },
  ])("are found with $ratio of the segments lost after $cleanMs clean ms, within $seconds s", (cell) => {
    const { ratio, cleanMs, seconds } = cell;
    const settings = { loss: { kind: "uniform", ratio } } as const;
    for (const seed of SEEDS) {
      const { ratios } = measured({ settings, seconds, seed, cleanMs });
      expect([seed, ratios.some((stalled) => (stalled ?? 0) >= 0.15)]).toEqual([seed, true]);
    }
  });

  test.each([
    ["a clean path", {}, {}],
    ["a jittery path", { jitterMs: 8 }, {}],
    ["a rare loss", { loss: { kind: "uniform", ratio: 0.001 } }, {}],
    ["a loop that is late now and then", { jitterMs: 3 }, { lateMs: 400 }],
    ["a loop that is a little late", { jitterMs: 3 }, { lateMs: 40 }],
    ["a path too narrow for what is sent", { rateBps: 64_000 }, { stateBytes: 1000 }],
    ["one that becomes too narrow", { rateBps: 64_000 }, { stateBytes: 1000, cleanMs: 10_000 }],
    ["one just wide enough", { rateBps: 64_000 }, { stateBytes: 200 }],
    ["a narrow and jittery one", { rateBps: 64_000, jitterMs: 10 }, { stateBytes: 1000 }],
  ] as const)("are none on %s", (_, settings, more) => {
    for (const seed of SEEDS) {
      const { ratios } = measured({ settings, seconds: 30, seed, ...more });
      expect([seed, Math.max(...ratios.map((ratio) => ratio ?? 0))]).toEqual([seed, 0]);
    }
  });

  test("a queue's round trips end one after another, those that waited for a lost segment together", () => {
    const [queue, holes] = [new StallMeter(), new StallMeter()];
    for (let nowMs = 0; nowMs < 10_000; nowMs += 250)
      for (const meter of [queue, holes]) meter.observe(roundTrip(50, nowMs));
    for (let index = 0; index < 30; index++) {
      const nowMs = 10_000 + index * 250;
      queue.observe(roundTrip(400 + (index % 3) * 60, nowMs));
      // In pairs: the later answer's ping was sent 250 ms after the other, and both arrive together.
      holes.observe(roundTrip(index % 2 === 0 ? 600 : 350, nowMs - (index % 2) * 250 + (index % 2)));
    }
    expect(queue.ratio).toBe(0);
    expect(holes.ratio).toBeGreaterThan(0.5);
  });

  test("are forgotten after five seconds; stalls at only two moments do not count", () => {
    const stalls = new StallMeter();
    let nowMs = 0;
    const observe = (times: number) => {
      for (let time = 0; time < times; time++) stalls.observe(roundTrip(50, (nowMs += 250)));
    };
    /** Two answers that wait for one segment. */
    const stall = () => {
      nowMs += 500;
      stalls.observe(roundTrip(450, nowMs));
      stalls.observe(roundTrip(250, nowMs + 1));
    };
    observe(20);
    stall();
    expect(stalls.ratio).toBe(0);
    expect(stalls.isSuspicious).toBe(true);
    stall();
    expect(stalls.ratio).toBe(0);
    stall();
    observe(1);
    expect(stalls.ratio).toBeCloseTo(0.3, 1);
    observe(22);
    expect(stalls.ratio).toBe(0);
    expect(stalls.isSuspicious).toBe(false);
  });

  test("are found before their answers come, and if nothing arrives at all", () => {
    const stalls = new StallMeter();
    for (let nowMs = 0; nowMs <= 5000; nowMs += 500) stalls.observe(roundTrip(50, nowMs));
    expect(stalls.ratio).toBe(0);
    stalls.observeOpen([5100, 5200, 5300], 350, 5400);
    expect(stalls.reading).toEqual({ stalled: 2, roundTrips: 12 });
    stalls.observeOpen([5100, 5200, 5300], 350, 5450);
    expect(stalls.ratio).toBeCloseTo(3 / 13);
    stalls.observe({ sentMs: 5100, receivedMs: 5480, wasLate: false });
    expect(stalls.reading).toEqual({ stalled: 3, roundTrips: 13 });
  });

  test("are found if packets arrive without acknowledging anything for a second", () => {
    const stalls = new StallMeter();
    for (let nowMs = 0; nowMs <= 5000; nowMs += 500) stalls.observe(roundTrip(50, nowMs));
    stalls.observeOpen([5100, 5200, 5300], 20, 6000);
    expect(stalls.ratio).toBe(0);
    // A queue may be long, but it moves: packets sent before the pings arrive.
    stalls.observeOpen([5100, 5200, 5300], 20, 6200, 6150);
    expect(stalls.ratio).toBe(0);
    stalls.observeOpen([5100, 5200, 5300], 20, 6200, 5150);
    expect(stalls.ratio).toBeCloseTo(3 / 11);
  });

  test("do not include pings before an answered one: the link keeps the order, so that they were dropped", () => {
    const stalls = new StallMeter();
    for (let nowMs = 0; nowMs <= 5000; nowMs += 500) stalls.observe(roundTrip(50, nowMs));
    stalls.observeOpen([5100, 5200, 5300, 5400], 350, 6500);
    expect(stalls.reading.stalled).toBe(4);
    stalls.observe({ sentMs: 5300, receivedMs: 6510, wasLate: false });
    expect(stalls.reading.stalled).toBe(2);
    stalls.observeOpen([5100, 5200, 5400], 20, 6520);
    expect(stalls.reading.stalled).toBe(2);
  });

  test("are none where TCP begins slowly on a long path, and are some where it holds back later", () => {
    const stalls = new StallMeter();
    // Linux, 300 ms and no loss: ten packets leave, and those of the next 250 ms leave when the first is
    // acknowledged.
    const begin = (atMs: number) => {
      for (const sentMs of [0, 7, 36])
        stalls.observe({ sentMs: atMs + sentMs, receivedMs: atMs + sentMs + 301, wasLate: false });
      for (const sentMs of [64, 90, 119, 148, 177, 205, 234, 258, 286])
        stalls.observe({ sentMs: atMs + sentMs, receivedMs: atMs + 602, wasLate: false });
    };
    begin(0);
    expect(stalls.reading).toEqual({ stalled: 0, roundTrips: 12 });
    begin(2000);
    expect(stalls.ratio).toBeCloseTo(4 / 24);
    stalls.begin();
    begin(60_000);
    expect(stalls.reading).toEqual({ stalled: 0, roundTrips: 12 });
  });

  test("are unknown with too few round trips", () => {
    const stalls = new StallMeter();
    expect(stalls.ratio).toBeUndefined();
    for (let nowMs = 0; nowMs < 3500; nowMs += 500) stalls.observe(roundTrip(50, nowMs));
    expect(stalls.ratio).toBeUndefined();
    stalls.observe(roundTrip(50, 3500));
    expect(stalls.ratio).toBe(0);
  });
});
