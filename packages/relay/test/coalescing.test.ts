import { systemScheduler, type Scheduler } from "@paceline/transport";
import { afterEach, beforeEach, describe, expect, it, test, vi, type MockInstance } from "vitest";
import type { RelayOptions } from "../src/index.js";
import type { Player } from "./player.js";
import { RealRelay, eventually } from "./real-relay.js";

const WINDOW_MS = 5;
const generous = { packetsPerSecond: 100_000, packetBurst: 100_000, bytesPerSecond: 1e9, byteBurst: 1e9 };
const limits = {
  ...generous,
  bytesPerSecondPerRoom: 1e9,
  byteBurstPerRoom: 1e9,
  egressBytesPerSecondPerRoom: 1e9,
  egressBurstPerRoom: 1e9,
  egressBytesPerSecondPerAddress: 1e9,
  egressBurstPerAddress: 1e9,
};

/** The machine's timers, except that the test ends the windows, and the clock stands still. */
class HeldWindows {
  readonly #ends = new Set<() => void>();
  readonly scheduler: Scheduler = {
    ...systemScheduler,
    nowMs: () => 0,
    after: (delayMs, fn) => {
      if (delayMs <= 0 || delayMs > WINDOW_MS) return systemScheduler.after(delayMs, fn);
      this.#ends.add(fn);
      return () => void this.#ends.delete(fn);
    },
  };

  get open(): number {
    return this.#ends.size;
  }

  end(): void {
    const ends = [...this.#ends];
    this.#ends.clear();
    for (const end of ends) end();
  }
}

let real: RealRelay;
let windows: HeldWindows;

async function restart(options: Partial<RelayOptions> = { coalesceMs: WINDOW_MS }): Promise<void> {
  await real.stop();
  windows = new HeldWindows();
  real = await RealRelay.start({
    scheduler: windows.scheduler,
    limits,
    rooms: { race: { maxPlayers: 32 } },
    ...options,
  });
}

/** Joins players that know each other, and sends the room's first packet, which waits for nothing. */
async function players(count: number): Promise<Player[]> {
  const joined: Player[] = [];
  for (let index = 0; index < count; index++) joined.push(await real.join());
  await eventually(() => expect(joined[0]!.of("joined")).toHaveLength(count - 1));
  const [first, ...others] = joined;
  first!.forward(others, Uint8Array.of(0xff));
  await eventually(() =>
    expect(others.map(({ firstBytes }) => firstBytes)).toEqual(others.map(() => [0xff])),
  );
  return joined;
}

/** Spies on the writes to a player's socket. `place`: its place in the order of joining. */
function writesTo(place: number): MockInstance<(bytes: Uint8Array) => boolean> {
  return vi.spyOn(real.streams[place]! as { write(bytes: Uint8Array): boolean }, "write");
}

/**
 * Resolves when the relay has read all packets of the senders: each sends another one to nobody, which the
 * relay counts.
 */
async function isRead(...senders: readonly Player[]): Promise<void> {
  const unroutable = (): number => real.relay.health().drops["not-routable"] ?? 0;
  const before = unroutable();
  for (const sender of senders) sender.forward([], Uint8Array.of(0), { peers: [9999] });
  await eventually(() => expect(unroutable()).toBe(before + senders.length));
  // The packets of a round of the event loop leave at its end.
  await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(async () => {
  real = await RealRelay.start();
  await restart();
});
afterEach(() => real.stop());

describe("packets of a room", () => {
  it("wait for the end of the window, then leave in order in one write per receiver", async () => {
    const [a, b, c] = (await players(3)) as [Player, Player, Player];
    const writes = writesTo(2);
    for (let mark = 1; mark <= 4; mark++) a.forward([b, c], Uint8Array.of(mark), { trafficClass: "state" });
    b.forward([a, c], Uint8Array.of(5));
    await isRead(a, b);
    expect(writes).not.toHaveBeenCalled();
    expect(c.firstBytes).toEqual([0xff]);
    windows.end();
    expect(writes).toHaveBeenCalledOnce();
    await eventually(() => expect(c.forwarded).toHaveLength(6));
    expect(c.firstBytes.filter((mark) => mark !== 5)).toEqual([0xff, 1, 2, 3, 4]);
    expect(c.forwarded[1]).toEqual({
      trafficClass: "state",
      key: 0,
      peers: [a.number],
      packet: Uint8Array.of(1),
    });
    await eventually(() => expect(b.firstBytes).toEqual([0xff, 1, 2, 3, 4]));
    expect(a.firstBytes).toEqual([5]);
  });

  it("are copied once for all receivers of the same packets", async () => {
    const [a, ...others] = await players(4);
    const spies = [1, 2, 3].map(writesTo);
    for (let mark = 1; mark <= 3; mark++) a!.forward(others, new Uint8Array(200).fill(mark));
    await isRead(a!);
    windows.end();
    const written = spies.map((spy) => spy.mock.calls[0]![0]);
    expect(new Set(written.map(({ buffer }) => buffer)).size).toBe(1);
    expect(new Set(written.map(({ byteOffset }) => byteOffset)).size).toBe(1);
    await eventually(() => expect(others.map(({ firstBytes }) => firstBytes.length)).toEqual([4, 4, 4]));
  });

  it("leave before a later message of the relay to the same receiver", async () => {
    const [a, b] = (await players(2)) as [Player, Player];
    const order: string[] = [];
    b.onForwarded = ({ packet }) => order.push(`packet ${packet[0]}`);
    a.forward([b], Uint8Array.of(1));
    await isRead(a);
    const joining = real.join();
    await eventually(() => expect(b.of("joined")).toHaveLength(1));
    expect(order).toEqual(["packet 1"]);
    await joining;
  });

  it("leave early when they fill the window", async () => {
    const [a, b] = (await players(2)) as [Player, Player];
    for (let mark = 1; mark <= 5; mark++) a.forward([b], new Uint8Array(4000).fill(mark));
    await eventually(() => expect(b.firstBytes).toEqual([0xff, 1, 2, 3, 4, 5]));
    expect(windows.open).toBe(0);
  });

  it("are counted one by one, by class, even if they leave in one write", async () => {
    const [a, b, c] = (await players(3)) as [Player, Player, Player];
    const sent = () => real.relay.counts.sent.websocket?.state ?? { packets: 0, bytes: 0 };
    const before = { ...sent() };
    for (let mark = 1; mark <= 3; mark++) a.forward([b, c], new Uint8Array(10), { trafficClass: "state" });
    await isRead(a);
    windows.end();
    // An envelope adds two bytes to each packet. The frame around it is not counted.
    expect(sent()).toEqual({ packets: before.packets + 6, bytes: before.bytes + 6 * 12 });
  });
});

describe("the window", () => {
  it("is 5 ms long by default, and absent in rooms of fewer than 16", async () => {
    await restart({});
    const few = await players(15);
    few[0]!.forward([few[1]!], Uint8Array.of(1));
    await eventually(() => expect(few[1]!.firstBytes).toEqual([0xff, 1]));
    expect(windows.open).toBe(0);
    await real.join();
    // The sixteenth player's `joined` message does not wait, and would take the packet along.
    await eventually(() => expect(few[1]!.of("joined")).toHaveLength(14));
    few[0]!.forward([few[1]!], Uint8Array.of(2));
    await isRead(few[0]!);
    expect([windows.open, few[1]!.firstBytes]).toEqual([1, [0xff, 1]]);
    windows.end();
    await eventually(() => expect(few[1]!.firstBytes).toEqual([0xff, 1, 2]));
  });

  it("can be turned off", async () => {
    await restart({ coalesceMs: 0 });
    const many = await players(16);
    many[0]!.forward([many[1]!], Uint8Array.of(1));
    await eventually(() => expect(many[1]!.firstBytes).toEqual([0xff, 1]));
    expect(windows.open).toBe(0);
  });
});

test("[WF24] a prompt packet takes along the packets that wait for its receivers, and no others", async () => {
  const [a, b, c] = (await players(3)) as [Player, Player, Player];
  a.forward([b, c], Uint8Array.of(1));
  a.forward([b], Uint8Array.of(2), { isPrompt: true });
  await eventually(() => expect(b.firstBytes).toEqual([0xff, 1, 2]));
  expect(b.forwarded[2]).toEqual({
    trafficClass: "command",
    key: 0,
    peers: [a.number],
    packet: Uint8Array.of(2),
  });
  expect(c.firstBytes).toEqual([0xff]);
  a.forward([b, c], Uint8Array.of(3));
  await isRead(a);
  expect(b.forwarded).toHaveLength(3);
  windows.end();
  await eventually(() => expect(c.firstBytes).toEqual([0xff, 1, 3]));
  expect(b.firstBytes).toEqual([0xff, 1, 2, 3]);
});

test("[WF24] too many prompt packets in a room wait for the window like others", async () => {
  const [a, b] = (await players(2)) as [Player, Player];
  for (let mark = 1; mark <= 30; mark++) a.forward([b], Uint8Array.of(mark), { isPrompt: true });
  await isRead(a);
  a.forward([b], Uint8Array.of(31), { isPrompt: true });
  await isRead(a);
  expect(b.forwarded.length).toBeLessThan(32);
  windows.end();
  await eventually(() => expect(b.forwarded).toHaveLength(32));
});

test("a receiver that never reads delays the others by no more than the window", async () => {
  const [a, b, c] = (await players(3)) as [Player, Player, Player];
  const deaf = await real.rawParticipant();
  deaf.socket.pause();
  await eventually(() => expect(a.of("joined")).toHaveLength(3));
  const all = [b.number, c.number, Math.max(a.number, b.number, c.number) + 1];
  const packet = new Uint8Array(15_000);
  const isStuck = (): boolean =>
    real.relay.rooms()[0]!.sessions.some(({ queuedBytes }) => queuedBytes > 15_000);
  let sent = 1;
  for (let round = 0; round < 100 && !isStuck(); round++) {
    for (let each = 0; each < 20; each++, sent++) {
      a.forward([], packet, { trafficClass: "state", key: 1, peers: all });
    }
    await isRead(a);
    windows.end();
    await eventually(() => expect([b, c].map(({ forwarded }) => forwarded.length)).toEqual([sent, sent]));
  }
  expect(isStuck()).toBe(true);
  const before = b.forwarded.length;
  for (let mark = 1; mark <= 50; mark++) {
    a.forward([], Uint8Array.of(mark), { trafficClass: "state", key: 1, peers: all });
    await isRead(a);
    windows.end();
    await eventually(() =>
      expect([b, c].map(({ forwarded }) => forwarded.length)).toEqual([before + mark, before + mark]),
    );
  }
  // The receiver that does not read keeps only the newest of these states waiting.
  const [slow] = real.relay.rooms()[0]!.sessions.filter(({ queuedBytes }) => queuedBytes > 0);
  expect(slow!.queuedBytes).toBeLessThan(100_000);
});
