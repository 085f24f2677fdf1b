import type { TrafficClassName } from "@paceline/protocol";
import { memoryLinkPair, seededRandom, VirtualScheduler, type MemoryLinkPair } from "@paceline/testkit";
import {
  ByteBudget,
  newLinkCounters,
  Sender,
  Session,
  type Link,
  type LinkMonitorOptions,
} from "@paceline/transport";
import { ordinaryTraffic } from "../src/profiles/profile.js";
import { array, assert, boolean, integer, property, record, constantFrom, subarray } from "fast-check";
import { expect, test } from "vitest";

const LINK: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 60_000,
  timeoutMs: 60_000,
  heartbeatMs: 1000,
};
const DELAY_MS = 30;
const RATE_BPS = 128_000;
const EVENT_LIFETIME_MS = 300;
/**
 * Time for the bytes that a path holds before it makes messages wait: a few kilobytes, and two packets with
 * the network's headers.
 */
const PATH_MS = (2 * (4096 + 2 * 1200) * 8000) / RATE_BPS + DELAY_MS;
const KEYS = 3;

/** Two sessions over one link at a time, and all messages that b received, in their order. */
class Run {
  readonly scheduler = new VirtualScheduler();
  readonly #random;
  readonly #isUnreliable: boolean;
  readonly commands: number[] = [];
  readonly bulk: number[] = [];
  readonly states: { readonly key: number; readonly number: number }[] = [];
  readonly eventAgesMs: number[] = [];
  readonly sent = { commands: 0, bulk: 0, states: 0 };
  readonly #a: Session;
  readonly #b: Session;
  #pair: MemoryLinkPair | undefined;

  constructor(seed: number, isUnreliable: boolean) {
    this.#random = seededRandom(seed);
    this.#isUnreliable = isUnreliable;
    this.#a = new Session({ scheduler: this.scheduler, handlers: { onReliable: () => undefined } });
    this.#b = new Session({
      scheduler: this.scheduler,
      bulkBytes: () => 1_000_000,
      handlers: {
        onReliable: (payload) => this.commands.push(numberOf(payload)),
        onBulk: (payload) => this.bulk.push(numberOf(payload)),
        onEvent: (body) => this.eventAgesMs.push(this.scheduler.nowMs() - numberOf(body)),
        onState: (body) => this.states.push({ key: body[4]!, number: numberOf(body) }),
      },
    });
    this.link();
  }

  link(): void {
    const settings = { delayMs: DELAY_MS, rateBps: RATE_BPS };
    const { scheduler } = this;
    const random = this.#random.fork();
    this.#pair = memoryLinkPair({ scheduler, random, settings, isUnreliable: this.#isUnreliable });
    this.#a.attach(this.#pair.a, LINK);
    this.#b.attach(this.#pair.b, LINK);
  }

  /** Cuts the network with all packets on their way, and connects another one. */
  cut(): void {
    const pair = this.#pair!;
    pair.cut();
    pair.a.closeFromRemote(1006, "cut");
    pair.b.closeFromRemote(1006, "cut");
    this.scheduler.advance(this.#random.int(0, 200));
    this.link();
    this.scheduler.advance(1);
  }

  send(kind: "command" | "bulk" | "event" | "state", bytes: number): void {
    if (kind === "command") this.#a.sendReliable(numbered(this.sent.commands++, bytes));
    else if (kind === "bulk") this.#a.sendBulk(numbered(this.sent.bulk++, 8 * bytes));
    else if (kind === "event") this.#a.sendEvent(numbered(this.scheduler.nowMs(), bytes), EVENT_LIFETIME_MS);
    else {
      const number = this.sent.states++;
      const body = numbered(number, Math.max(5, bytes));
      body[4] = 1 + (number % KEYS);
      this.#a.sendState(body, body[4]);
    }
  }
}

function numbered(number: number, bytes: number): Uint8Array {
  const payload = new Uint8Array(Math.max(4, bytes));
  new DataView(payload.buffer).setUint32(0, number);
  return payload;
}

function numberOf(body: Uint8Array): number {
  return new DataView(body.buffer, body.byteOffset).getUint32(0);
}

const step = record({
  kind: constantFrom("command", "bulk", "event", "state", "state", "cut", "wait"),
  bytes: integer({ min: 0, max: 1000 }),
  times: integer({ min: 1, max: 20 }),
  waitMs: integer({ min: 0, max: 120 }),
});

test("messages of each class keep its delivery over links that come and go", () => {
  assert(
    property(
      integer(),
      boolean(),
      array(step, { minLength: 5, maxLength: 40 }),
      (seed, isUnreliable, steps) => {
        const run = new Run(seed, isUnreliable);
        run.scheduler.advance(1);
        for (const { kind, bytes, times, waitMs } of steps) {
          if (kind === "cut") run.cut();
          else if (kind !== "wait") for (let count = 0; count < times; count++) run.send(kind, bytes);
          run.scheduler.advance(waitMs);
        }
        run.scheduler.advance(60_000);
        const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
        expect(run.commands).toEqual(upTo(run.sent.commands));
        expect(run.bulk).toEqual(upTo(run.sent.bulk));
        for (const ageMs of run.eventAgesMs) expect(ageMs).toBeLessThanOrEqual(EVENT_LIFETIME_MS + PATH_MS);
        for (let key = 1; key <= KEYS; key++) {
          const numbers = run.states.filter((state) => state.key === key).map(({ number }) => number);
          expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
          const isWhole = steps.every(({ kind }) => kind !== "cut") && run.sent.states >= KEYS;
          // The newest state of each key arrives unless it was on its way at a cut.
          expect(isWhole ? numbers.at(-1) : 0).toBe(isWhole ? newestOf(run.sent.states, key) : 0);
        }
      },
    ),
    { numRuns: 30 },
  );
});

function newestOf(sent: number, key: number): number {
  for (let number = sent - 1; ; number--) if (1 + (number % KEYS) === key) return number;
}

/** A path that sends `pathBytesPerMs`, and has room while it holds about a packet. */
class NarrowPath implements Link {
  readonly kind = "memory";
  readonly state = "open";
  readonly isUnreliable = false;
  readonly counters = newLinkCounters();
  readonly sent: { readonly atMs: number; readonly bytes: number }[] = [];
  queuedBytes = 0;
  readonly #bytes = new Map<TrafficClassName, number>();
  readonly #scheduler: VirtualScheduler;

  constructor(scheduler: VirtualScheduler, bytesPerMs: number) {
    this.#scheduler = scheduler;
    scheduler.every(1, () => (this.queuedBytes = Math.max(0, this.queuedBytes - bytesPerMs)));
  }

  start(): void {}
  close(): void {}

  hasRoom(): boolean {
    return this.queuedBytes < 1000;
  }

  send(trafficClass: TrafficClassName, { length: bytes }: Uint8Array): void {
    this.sent.push({ atMs: this.#scheduler.nowMs(), bytes });
    this.#bytes.set(trafficClass, this.bytesOf(trafficClass) + bytes);
    this.queuedBytes += bytes;
  }

  bytesOf(trafficClass: TrafficClassName): number {
    return this.#bytes.get(trafficClass) ?? 0;
  }
}

const SECONDS = 10;
const MAX_PACKET_BYTES = 1200;
const classes = Object.keys(ordinaryTraffic) as (keyof typeof ordinaryTraffic)[];

/** Keeps packets of each of these classes waiting in outboxes, with random sizes. Returns the paths. */
function flooded(
  seed: number,
  flooding: readonly (keyof typeof ordinaryTraffic)[],
  { pathBytesPerMs = 1000, budgetBytes = Infinity, boxes = 1 },
): NarrowPath[] {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(seed);
  const budget = budgetBytes === Infinity ? undefined : new ByteBudget(scheduler, () => budgetBytes);
  return Array.from({ length: boxes }, () => {
    const path = new NarrowPath(scheduler, pathBytesPerMs);
    const news = { currentTick: () => 0, takeAcks: () => ({}) };
    const outbox = new Sender({ scheduler, linkFor: () => path, ...news, budget }).outbox;
    const given = new Map(flooding.map((name) => [name, 0]));
    scheduler.every(10, () => {
      for (const name of flooding)
        while (given.get(name)! - path.bytesOf(name) < 20_000) {
          const packet = new Uint8Array(random.int(20, MAX_PACKET_BYTES));
          given.set(name, given.get(name)! + packet.length);
          // No packet expires: all unsent ones wait.
          outbox.forward(name, packet, 0, Infinity);
        }
    });
    return path;
  }).map((path, index) => {
    if (index === 0) scheduler.advance(SECONDS * 1000);
    return path;
  });
}

const someClasses = subarray(classes, { minLength: 1 });

test("each waiting class gets its share of a narrow path, and together they use all of it", () => {
  assert(
    property(integer(), someClasses, (seed, flooding) => {
      const [path] = flooded(seed, flooding, { pathBytesPerMs: 8 });
      const bytes = path!.sent.reduce((sum, one) => sum + one.bytes, 0);
      expect(bytes).toBeGreaterThan(SECONDS * 8000 * 0.9);
      for (const name of flooding) {
        // Credit must pay for a whole packet, of this class and of those before it.
        const least = ordinaryTraffic[name].share * bytes - 3 * MAX_PACKET_BYTES;
        expect(path!.bytesOf(name)).toBeGreaterThanOrEqual(least);
      }
    }),
    { numRuns: 25 },
  );
});

test("one or several outboxes never send more than the budget and one packet per second", () => {
  const budgets = integer({ min: 2000, max: 100_000 });
  assert(
    property(
      integer(),
      someClasses,
      budgets,
      integer({ min: 1, max: 4 }),
      (seed, flooding, budgetBytes, boxes) => {
        const paths = flooded(seed, flooding, { budgetBytes, boxes });
        const sent = paths.flatMap((path) => path.sent).toSorted((one, other) => one.atMs - other.atMs);
        let [first, inSecond, most] = [0, 0, 0];
        for (const { atMs, bytes } of sent) {
          inSecond += bytes;
          while (atMs - sent[first]!.atMs >= 1000) inSecond -= sent[first++]!.bytes;
          most = Math.max(most, inSecond);
        }
        expect(most).toBeLessThanOrEqual(budgetBytes + MAX_PACKET_BYTES);
        const all = sent.reduce((sum, { bytes }) => sum + bytes, 0);
        expect(all).toBeGreaterThan(0.8 * budgetBytes * SECONDS);
        // All outboxes that share the budget send equal bytes, within a few packets.
        const each = paths.map((path) => path.sent.reduce((sum, { bytes }) => sum + bytes, 0));
        expect(Math.min(...each)).toBeGreaterThan((0.8 * all) / boxes - 4 * MAX_PACKET_BYTES);
      },
    ),
    { numRuns: 25 },
  );
});
