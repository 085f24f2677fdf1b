import { memoryLinkPair, seededRandom, VirtualScheduler, type NetworkSettings } from "@paceline/testkit";
import { Session, type LinkMonitorOptions } from "@paceline/transport";
import { describe, expect, test } from "vitest";

const options: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 60_000,
  timeoutMs: 60_000,
  heartbeatMs: 1000,
};
const PERIOD_MS = 33;

/** Two sessions over a link whose path takes everything at once and hides its queue. */
class Stream {
  readonly scheduler = new VirtualScheduler();
  /** Age of each state when it arrived, ms. */
  readonly ages: number[] = [];
  readonly #sender: Session;
  /** Changes the network in the direction of the acknowledgements. */
  readonly changeBack: (changes: Partial<NetworkSettings>) => void;

  constructor(settings: Partial<NetworkSettings>, isUnreliable: boolean) {
    const { scheduler } = this;
    const random = seededRandom(7);
    const { a, b, change } = memoryLinkPair({ scheduler, random, settings, isUnreliable });
    this.changeBack = (changes) => change(changes, "b");
    this.#sender = new Session({ scheduler, handlers: { onReliable: () => undefined } });
    const receiver = new Session({
      scheduler,
      handlers: {
        onReliable: () => undefined,
        onState: (body) =>
          this.ages.push(scheduler.nowMs() - new DataView(body.buffer, body.byteOffset).getFloat64(0)),
      },
    });
    this.#sender.attach(a, options);
    receiver.attach(b, options);
    scheduler.advance(100);
  }

  /** Writes `count` states of each key at the usual rate. */
  write(count: number, keys: number): void {
    for (let written = 0; written < count; written++) {
      for (let key = 1; key <= keys; key++) this.#sender.sendState(this.#state(), key);
      this.scheduler.advance(PERIOD_MS);
    }
  }

  #state(): Uint8Array {
    const body = new Uint8Array(60);
    new DataView(body.buffer).setFloat64(0, this.scheduler.nowMs());
    return body;
  }
}

describe("states on a path that has room", () => {
  test("all leave at once, with and without loss", () => {
    for (const ratio of [0, 0.05]) {
      const stream = new Stream({ delayMs: 25, loss: { kind: "uniform", ratio } }, true);
      stream.write(600, 2);
      stream.scheduler.advance(1000);
      expect(stream.ages.length).toBeGreaterThan(1200 * (1 - ratio) * 0.97);
      // If several acknowledgements in a row are lost, a state waits for the next one.
      expect(stream.ages.filter((ageMs) => ageMs > 26).length).toBeLessThan(1200 * 0.01);
      expect(Math.max(...stream.ages)).toBeLessThan(100);
    }
  });

  test("continue after a time without acknowledgements", () => {
    const stream = new Stream({ delayMs: 25, loss: { kind: "uniform", ratio: 0.6 } }, true);
    stream.write(600, 1);
    expect(stream.ages.length).toBeGreaterThan(40);
    expect(Math.max(...stream.ages)).toBeLessThan(400);
  });
});

describe.each([true, false])(
  "states whose acknowledgements wait in a queue; unreliable: %s",
  (isUnreliable) => {
    test("do not wait themselves", () => {
      const stream = new Stream({ delayMs: 25 }, isUnreliable);
      stream.write(300, 1);
      stream.changeBack({ delayMs: 625 });
      // The first pongs that show the direction of the queue take a while.
      stream.write(60, 1);
      const before = stream.ages.length;
      stream.write(300, 1);
      expect(stream.ages.length - before).toBeGreaterThanOrEqual(299);
    });

    test("wait again when they are late themselves", () => {
      const stream = new Stream({ delayMs: 25, rateBps: 64_000, queueBytes: 64_000 }, isUnreliable);
      stream.changeBack({ delayMs: 625, rateBps: Infinity });
      stream.write(600, 8);
      const late = stream.ages.slice(stream.ages.length / 2).toSorted((a, b) => a - b);
      expect(late.length).toBeGreaterThan(300);
      expect(late[Math.floor(late.length * 0.99)]).toBeLessThan(900);
    });
  },
);

describe("states on a path that hides its queue", () => {
  test.each([true, false])("wait at the sender and are replaced there; unreliable: %s", (isUnreliable) => {
    // Half of the states fit. Eight seconds of states would wait in the path.
    const stream = new Stream({ delayMs: 25, rateBps: 64_000, queueBytes: 64_000 }, isUnreliable);
    stream.write(600, 8);
    const late = stream.ages.slice(stream.ages.length / 2).toSorted((a, b) => a - b);
    expect(late.length).toBeGreaterThan(300);
    expect(late[Math.floor(late.length * 0.99)]).toBeLessThan(800);
  });
});
