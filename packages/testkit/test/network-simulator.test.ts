import { describe, expect, test } from "vitest";
import {
  type NetworkSettings,
  NetworkSimulator,
  type NetworkSimulatorOptions,
  seededRandom,
  VirtualScheduler,
} from "../src/index.js";
import { simulate } from "./simulated-run.js";

type Mode = Pick<NetworkSimulatorOptions, "ordered" | "reliable" | "retransmitMs">;

function pathThatNotes(settings: Partial<NetworkSettings>, mode: Mode = {}) {
  const scheduler = new VirtualScheduler();
  const arrived: Uint8Array[] = [];
  const path = new NetworkSimulator({
    ...mode,
    scheduler,
    random: seededRandom(1),
    settings,
    deliver: (packet) => arrived.push(packet),
  });
  return { scheduler, arrived, path };
}

test("a packet arrives after the delay, never inside the call that sends it", () => {
  const { scheduler, arrived, path } = pathThatNotes({ delayMs: 30 });
  path.send(Uint8Array.of(1));
  scheduler.advance(29.9);
  expect(arrived).toEqual([]);
  scheduler.advance(0.1);
  expect(arrived).toEqual([Uint8Array.of(1)]);

  const direct = pathThatNotes({});
  direct.path.send(Uint8Array.of(2));
  expect(direct.arrived).toEqual([]);
  direct.scheduler.advance(0);
  expect(direct.arrived).toEqual([Uint8Array.of(2)]);
});

test("the bytes are copied when sent, and a second copy is not the memory of the first", () => {
  const { scheduler, arrived, path } = pathThatNotes({ delayMs: 10, duplicateRatio: 1 });
  const packet = Uint8Array.of(1, 2, 3);
  path.send(packet);
  packet.fill(9);
  scheduler.advance(10);
  expect(arrived).toEqual([Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 3)]);
  expect(arrived[0]?.buffer).not.toBe(arrived[1]?.buffer);
  expect(path.counters).toMatchObject({ sent: 1, delivered: 2, duplicated: 1, reordered: 0 });
});

test("a packet over the MTU is dropped and counted, one of exactly the MTU passes", () => {
  const { scheduler, arrived, path } = pathThatNotes({ mtuBytes: 1200 });
  path.send(new Uint8Array(1201));
  path.send(new Uint8Array(1200));
  scheduler.advance(1);
  expect(arrived.map((packet) => packet.length)).toEqual([1200]);
  expect(path.counters).toMatchObject({ sent: 2, delivered: 1, droppedMtu: 1 });
});

describe("a bottleneck", () => {
  test("sends packets one after another at its rate", () => {
    // 1000 bytes at 80 000 bit/s take 100 ms.
    const { arrivals } = simulate({
      packets: 3,
      intervalMs: 0,
      packetBytes: 1000,
      settings: { rateBps: 80_000, delayMs: 5 },
    });
    expect(arrivals.map((arrival) => arrival.atMs)).toEqual([105, 205, 305]);
  });

  test("drops the packet that its queue cannot hold, and takes the next once there is room", () => {
    const { scheduler, arrived, path } = pathThatNotes({ rateBps: 80_000, queueBytes: 2000 });
    for (let size = 1000; size < 1003; size += 1) path.send(new Uint8Array(size));
    expect(path.counters.droppedQueue).toBe(2);
    expect(path.queuedBytes).toBe(1000);
    path.send(new Uint8Array(1000));
    expect(path.queuedBytes).toBe(2000);
    scheduler.advance(100);
    path.send(new Uint8Array(999));
    scheduler.advance(1000);
    expect(arrived.map((packet) => packet.length)).toEqual([1000, 1000, 999]);
    expect(path.queuedBytes).toBe(0);
  });

  test("takes a new rate with the next packet and is gone with an infinite one", () => {
    const { scheduler, arrived, path } = pathThatNotes({ rateBps: 80_000 });
    for (let i = 0; i < 4; i += 1) path.send(new Uint8Array(1000));
    scheduler.advance(50);
    path.change({ rateBps: 800_000 });
    scheduler.advance(50 + 10);
    expect(arrived).toHaveLength(2);
    path.change({ rateBps: Infinity });
    scheduler.advance(10);
    expect(arrived).toHaveLength(4);
  });
});

test("settings change for what is sent from now on, and a refused change changes nothing", () => {
  const { scheduler, arrived, path } = pathThatNotes({ delayMs: 100 });
  path.send(Uint8Array.of(1));
  path.change({ delayMs: 10 });
  path.send(Uint8Array.of(2));
  expect(() => path.change({ delayMs: 20, jitterMs: -1 })).toThrow("jitterMs");
  expect(path.settings.delayMs).toBe(10);
  scheduler.advance(100);
  expect(arrived).toEqual([Uint8Array.of(2), Uint8Array.of(1)]);
  expect(path.counters.reordered).toBe(1);
});

test("a path that loses everything is an outage that ends when the setting does", () => {
  const { scheduler, arrived, path } = pathThatNotes({ loss: { kind: "uniform", ratio: 1 } });
  path.send(Uint8Array.of(1));
  scheduler.advance(10);
  path.change({ loss: { kind: "none" } });
  path.send(Uint8Array.of(2));
  scheduler.advance(10);
  expect(arrived).toEqual([Uint8Array.of(2)]);
  expect(path.counters.lost).toBe(1);
});

test("a packet held back is overtaken by those sent within its hold", () => {
  const { arrivals, path } = simulate({
    packets: 300,
    intervalMs: 10,
    settings: { delayMs: 5, reorderRatio: 0.1, reorderHoldMs: 25 },
  });
  const held = arrivals.filter((arrival) => arrival.atMs - arrival.sentAtMs === 30);
  expect(arrivals).toHaveLength(300);
  expect(held.length).toBeGreaterThan(15);
  expect(path.counters.reordered).toBe(
    held.filter((packet) => arrivals.some((other) => other.index > packet.index && other.atMs < packet.atMs))
      .length,
  );
});

test("after a close nothing arrives and nothing is counted", () => {
  const { scheduler, arrived, path } = pathThatNotes({ delayMs: 10 });
  path.send(Uint8Array.of(1));
  path.close();
  path.send(Uint8Array.of(2));
  scheduler.advance(100);
  expect(arrived).toEqual([]);
  expect(path.counters).toMatchObject({ sent: 1, delivered: 0 });
});

describe("a reliable ordered path", () => {
  const stream = { ordered: true, reliable: true } as const;

  test("delays a lost message by max(RTT + detection, 1.25 RTT) and everything after it with it", () => {
    const scheduler = new VirtualScheduler();
    const arrivals: [number, number][] = [];
    const path = new NetworkSimulator({
      ...stream,
      scheduler,
      random: seededRandom(1),
      settings: { delayMs: 25 },
      retransmitMs: 100,
      deliver: (packet) => arrivals.push([packet[0] ?? -1, scheduler.nowMs()]),
    });
    path.send(Uint8Array.of(0));
    scheduler.runUntil(100);
    path.change({ loss: { kind: "uniform", ratio: 1 } });
    path.send(Uint8Array.of(1));
    path.change({ loss: { kind: "none" } });
    for (const index of [2, 3]) {
      scheduler.runUntil(index * 100);
      path.send(Uint8Array.of(index));
    }
    scheduler.advance(1000);
    // Sent at 100 ms; the loss is noticed 50 + 100 ms later, and the repetition takes 25 ms.
    expect(arrivals).toEqual([
      [0, 25],
      [1, 275],
      [2, 275],
      [3, 325],
    ]);
    expect(path.counters).toMatchObject({ sent: 4, delivered: 4, lost: 0, retransmitted: 1, reordered: 0 });
  });

  test("takes at least 1.25 RTT to notice a loss, however close together messages are", () => {
    const outage = { delayMs: 200, loss: { kind: "uniform", ratio: 1 } } as const;
    const { scheduler, arrived, path } = pathThatNotes(outage, { ...stream, retransmitMs: 10 });
    path.send(Uint8Array.of(1));
    path.change({ loss: { kind: "none" } });
    scheduler.advance(500 + 199);
    expect(arrived).toHaveLength(0);
    scheduler.advance(1);
    expect(arrived).toHaveLength(1);
  });

  test("waits twice as long after every further loss of the same message", () => {
    const outage = { loss: { kind: "uniform", ratio: 1 } } as const;
    const { scheduler, arrived, path } = pathThatNotes(outage, { ...stream, retransmitMs: 100 });
    path.send(Uint8Array.of(1));
    scheduler.advance(100 + 200 + 399);
    expect(path.counters.retransmitted).toBe(2);
    path.change({ loss: { kind: "none" } });
    scheduler.advance(1);
    expect(arrived).toHaveLength(1);
  });

  test("cuts a message over the MTU into segments, each of which can be lost", () => {
    const large = simulate({
      ...stream,
      packets: 2000,
      intervalMs: 1000,
      packetBytes: 5000,
      settings: { delayMs: 25, mtuBytes: 1000, loss: { kind: "uniform", ratio: 0.02 } },
    });
    const late = large.arrivals.filter((arrival) => arrival.atMs - arrival.sentAtMs > 26).length / 2000;
    // A loss of one of five segments: 1 - 0.98^5 = 9.6 %.
    expect(late).toBeGreaterThan(0.075);
    expect(late).toBeLessThan(0.12);
    expect(large.path.counters.droppedMtu).toBe(0);
  });

  test("keeps what its queue cannot hold in the sender's buffer instead of dropping it", () => {
    const { path, arrivals } = simulate({
      ...stream,
      packets: 20,
      intervalMs: 0,
      packetBytes: 1000,
      settings: { rateBps: 80_000, queueBytes: 2000 },
    });
    expect(arrivals).toHaveLength(20);
    expect(path.counters.droppedQueue).toBe(0);
    expect(arrivals.at(-1)?.atMs).toBe(2000);
  });
});

test("a reliable path without order stalls only the message that was lost", () => {
  const { arrivals, path } = simulate({
    reliable: true,
    packets: 2000,
    intervalMs: 20,
    settings: { delayMs: 25, loss: { kind: "uniform", ratio: 0.05 }, duplicateRatio: 0.5 },
  });
  expect(new Set(arrivals.map((arrival) => arrival.index)).size).toBe(2000);
  expect(arrivals).toHaveLength(2000);
  const late = arrivals.filter((arrival) => arrival.atMs - arrival.sentAtMs > 26).length / 2000;
  expect(late).toBeGreaterThan(0.035);
  expect(late).toBeLessThan(0.065);
  expect(path.counters.reordered).toBeGreaterThan(0);
});

test("a reliable path refuses a detection time of 0, with which an outage would repeat at one instant", () => {
  const make = (retransmitMs: number) => () =>
    new NetworkSimulator({
      scheduler: new VirtualScheduler(),
      random: seededRandom(1),
      deliver: () => {},
      retransmitMs,
    });
  expect(make(0)).toThrow(expect.objectContaining({ field: "retransmitMs", value: 0 }));
  expect(make(Number.NaN)).toThrow(expect.objectContaining({ field: "retransmitMs" }));
});
