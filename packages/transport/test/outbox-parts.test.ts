import { MessageKind } from "@paceline/protocol";
import { VirtualScheduler } from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import { ByteBudget } from "../src/session/outbox/byte-budget.js";
import { ClassQueue, type Waiting } from "../src/session/outbox/class-queue.js";
import { PathDelay } from "../src/session/outbox/path-delay.js";

// Parts of an outbox at their limits, which a simulated network reaches only by chance.

describe("the delay of a path", () => {
  /** Returns a path whose quickest state took 40 ms. */
  function known(): PathDelay {
    const path = new PathDelay();
    path.sent(1, true, 0);
    expect(path.acknowledged(1, 40)).toBe(true);
    return path;
  }

  test("shows a queue from 250 ms above the quickest state, or above 500 ms before the first ack", () => {
    const path = new PathDelay();
    path.sent(1, true, 0);
    expect([path.isSlow(750), path.isSlow(751)]).toEqual([false, true]);
    expect(path.acknowledged(1, 40)).toBe(true);
    path.sent(2, true, 100);
    expect([path.isSlow(390), path.isSlow(391)]).toEqual([false, true]);
    expect(path.acknowledged(2, 390)).toBe(true);
    path.sent(3, true, 1000);
    expect([path.isSlow(1290), path.isSlow(1291)]).toEqual([false, true]);
    expect(path.acknowledged(3, 1291)).toBe(false);
  });

  test("allows half as many states as arrive late and 1.25 times as many as arrive in time, until it has recovered", () => {
    const path = known();
    for (let sequence = 2; sequence <= 11; sequence++) path.sent(sequence, true, 1000);
    path.sent(12, true, 1200);
    expect(path.maySend(1290)).toBe(true);
    expect(path.maySend(1291)).toBe(false);
    expect(path.acknowledged(2, 1400)).toBe(false);
    expect(path.maySend(1400)).toBe(false);
    expect(path.acknowledged(3, 1400)).toBe(false);
    expect(path.maySend(1400)).toBe(true);
    // A state without `maySend` uses no credit.
    path.sent(13, false, 1400);
    expect(path.maySend(1400)).toBe(true);
    path.sent(14, true, 1400);
    expect(path.maySend(1400)).toBe(false);
    // Earlier states have arrived too: two more may leave.
    path.acknowledged(7, 1400);
    for (const sequence of [15, 16]) {
      expect(path.maySend(1400)).toBe(true);
      path.sent(sequence, true, 1400);
    }
    expect(path.maySend(1400)).toBe(false);
    expect(path.acknowledged(16, 1440)).toBe(true);
    // Nine states count as in time: 1.25 new ones may leave for each.
    let gone = 0;
    for (; path.maySend(1440); gone++) path.sent(17 + gone, true, 1440);
    expect(gone).toBe(Math.floor(9 * 1.25));
    expect(path.isSlow(1440)).toBe(true);
    path.recovered();
    expect([path.isSlow(1440), path.maySend(1440)]).toEqual([false, true]);
  });

  test("allows one state every 250 ms if no acks arrive, and forgets states on their way after 2 s", () => {
    const path = known();
    path.sent(2, true, 1000);
    path.sent(3, true, 1200);
    expect([path.maySend(1449), path.maySend(1450)]).toEqual([false, true]);
    path.sent(4, true, 1450);
    expect([path.maySend(1699), path.maySend(1700)]).toEqual([false, true]);
    expect(path.maySend(3450)).toBe(true);
    expect(path.isSlow(3450)).toBe(true);
    expect(path.maySend(3451)).toBe(true);
    expect(path.isSlow(3451)).toBe(false);
    expect(path.acknowledged(4, 3460)).toBe(false);
    path.sent(5, true, 3500);
    expect(path.maySend(3501)).toBe(true);
  });

  test("is forgotten when the path changes", () => {
    const path = known();
    path.sent(2, true, 100);
    expect(path.maySend(400)).toBe(true);
    path.reset();
    expect(path.isSlow(400)).toBe(false);
    expect(path.acknowledged(2, 500)).toBe(false);
    path.sent(3, true, 1000);
    expect([path.isSlow(1750), path.isSlow(1751)]).toEqual([false, true]);
  });

  test("remembers as many states as a quarter of the sequences", () => {
    const path = new PathDelay();
    for (let sequence = 0; sequence < 16_385; sequence++) path.sent(sequence, true, 0);
    expect(path.acknowledged(0, 10)).toBe(false);
    expect(path.acknowledged(1, 10)).toBe(true);
    for (let sequence = 0; sequence < 15_999; sequence++) path.acknowledged(sequence + 2, 10);
    const full = new PathDelay();
    for (let sequence = 0; sequence < 16_384; sequence++) full.sent(sequence, true, 0);
    expect(full.acknowledged(0, 10)).toBe(true);
  });
});

describe("a budget of bytes that sessions share", () => {
  const BYTES_PER_SECOND = 10_000;

  function scene() {
    const scheduler = new VirtualScheduler();
    const budget = new ByteBudget(scheduler, () => BYTES_PER_SECOND);
    return { scheduler, budget };
  }

  test("is open until more than a tenth of a second's bytes have left at once", () => {
    const { scheduler, budget } = scene();
    expect(budget.isOpen()).toBe(true);
    budget.countSent(1000);
    expect(budget.isOpen()).toBe(true);
    budget.countSent(1);
    expect(budget.isOpen()).toBe(false);
    scheduler.advance(1);
    expect(budget.isOpen()).toBe(true);
    // A longer rest allows no more.
    scheduler.advance(60_000);
    budget.countSent(1000);
    expect(budget.isOpen()).toBe(true);
    budget.countSent(1);
    expect(budget.isOpen()).toBe(false);
  });

  test("gives turns in the order of the requests, exactly when a packet may leave", () => {
    const { scheduler, budget } = scene();
    const turns: string[] = [];
    const turnOf = (name: string, bytes: number) => {
      const onTurn = (): void => {
        expect(budget.admits(onTurn)).toBe(true);
        turns.push(`${name} ${scheduler.nowMs()}`);
        budget.countSent(bytes);
      };
      return onTurn;
    };
    const [first, second, third] = [turnOf("first", 900), turnOf("second", 450), turnOf("third", 1)];
    budget.countSent(1900);
    expect(budget.admits(first)).toBe(false);
    expect(budget.admits(second)).toBe(false);
    // A later session waits for the others, even at the moment when a packet may leave.
    scheduler.after(200, () => {
      expect(budget.isOpen()).toBe(false);
      expect(budget.admits(first)).toBe(false);
    });
    scheduler.advance(99.9);
    expect(turns).toEqual([]);
    scheduler.advance(0.1);
    expect(turns).toEqual(["first 100"]);
    expect(budget.admits(third)).toBe(false);
    scheduler.advance(100);
    expect(turns).toEqual(["first 100", "second 200"]);
    scheduler.advance(50);
    expect(turns.slice(0, 3)).toEqual(["first 100", "second 200", "third 250"]);
  });

  test("gives the turn to the session that has sent the fewest bytes since it began to wait, for all sizes of packets", () => {
    const { scheduler, budget } = scene();
    const sent = { large: 0, small: 0 };
    const flood = (name: "large" | "small", bytes: number): void => {
      const onTurn = (): void => {
        while (budget.admits(onTurn)) {
          budget.countSent(bytes, onTurn);
          sent[name] += bytes;
        }
      };
      onTurn();
    };
    flood("large", 1000);
    flood("small", 50);
    scheduler.advance(20_000);
    expect(sent.large + sent.small).toBeGreaterThan(20 * 0.85 * BYTES_PER_SECOND);
    expect(Math.abs(sent.large - sent.small)).toBeLessThanOrEqual(3 * 1000);
  });

  test("belongs to the others if a waiting session leaves, and has no timer after the last one left", () => {
    const { scheduler, budget } = scene();
    const turns: string[] = [];
    const [first, second] = ["first", "second"].map((name) => () => void turns.push(name));
    budget.countSent(1900);
    expect([budget.admits(first!), budget.admits(second!)]).toEqual([false, false]);
    budget.cancel(first!);
    scheduler.advance(100);
    expect(turns).toEqual(["second"]);
    budget.countSent(900);
    expect(budget.admits(first!)).toBe(false);
    budget.cancel(first!);
    expect(scheduler.nextAtMs).toBeUndefined();
    expect(budget.admits(first!)).toBe(false);
    scheduler.advance(100);
    expect(turns).toEqual(["second", "first"]);
  });

  test("gives a turn for one call only", () => {
    const { scheduler, budget } = scene();
    const [first, second] = [(): void => budget.countSent(900), (): void => undefined];
    budget.countSent(1900);
    // Set before the timer of the budget, and so called before it.
    scheduler.after(200, () => {
      expect(budget.isOpen()).toBe(false);
      expect(budget.admits(first)).toBe(false);
    });
    expect([budget.admits(first), budget.admits(second)]).toEqual([false, false]);
    scheduler.advance(200);
    expect(budget.admits(second)).toBe(false);
  });
});

describe("a queue of one class", () => {
  const waiting = (bytes: number, key = 0): Waiting => ({
    trafficClass: "event",
    kind: MessageKind.event,
    bytes: new Uint8Array(bytes),
    key,
    expiresAtMs: Infinity,
    number: 0,
    tick: undefined,
  });

  test("counts its bytes while newer messages of a key replace older ones", () => {
    const queue = new ClassQueue();
    expect(queue.put(waiting(10, 1))).toBe(false);
    expect(queue.put(waiting(7))).toBe(false);
    expect(queue.put(waiting(4, 1))).toBe(true);
    expect([queue.length, queue.bytes, queue.first?.bytes.length]).toEqual([2, 11, 4]);
    queue.shift();
    expect([queue.length, queue.bytes, queue.first?.bytes.length]).toEqual([1, 7, 7]);
    queue.shift();
    expect([queue.length, queue.bytes, queue.first]).toEqual([0, 0, undefined]);
  });

  test("drops its oldest messages without a key beyond 76,800 bytes, and keeps those with a key", () => {
    const queue = new ClassQueue();
    queue.put(waiting(50_000, 1));
    for (let count = 0; count < 76; count++) queue.put(waiting(1000));
    queue.put(waiting(800));
    expect(queue.trim()).toBe(0);
    queue.put(waiting(1));
    expect(queue.trim()).toBe(1);
    for (let count = 0; count < 10; count++) queue.put(waiting(1000));
    expect(queue.trim()).toBe(10);
    expect([queue.length, queue.bytes]).toEqual([78, 50_000 + 66_000 + 801 + 10_000 - 1000]);
    expect(queue.first?.key).toBe(1);
    expect(queue.trim()).toBe(0);
    queue.clear();
    queue.put(waiting(76_800));
    expect(queue.trim()).toBe(0);
    expect([queue.length, queue.bytes]).toEqual([1, 76_800]);
  });
});
