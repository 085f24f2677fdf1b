import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import {
  Sender,
  systemScheduler,
  type Link,
  type LinkClose,
  type Outbox,
  type OutboxCounters,
  type Scheduler,
} from "@paceline/transport";
import { check, hex, pattern, same } from "./checks.js";

/** Two connected links to test, and a way to let time pass. */
export interface LinkPair {
  readonly a: Link;
  readonly b: Link;
  /** Lets this many milliseconds pass, virtual or real. */
  pass(ms: number): Promise<void>;
  /** Makes the path from a so slow that packets wait, or fast again; absent if the pair cannot do that. */
  congest?(isSlow: boolean): void | Promise<void>;
  /** Clock of both links; default: the machine's. */
  readonly scheduler?: Scheduler;
  /**
   * Counters of the queue below a, if there is one: a relayed link uses the queue of its session with the
   * relay.
   */
  readonly queueCounters?: () => Readonly<OutboxCounters>;
  /** Close of the link that owns the queue, if it is not a. */
  readonly queueClose?: () => LinkClose | undefined;
  dispose(): Promise<void>;
}

/** One rule that every link keeps. `run` rejects if the link breaks it. */
export interface ContractCase {
  readonly title: string;
  /**
   * Skips the case for a pair that lacks this ability. `congest`: its path can be made slow. `farewell`: a
   * close reaches the other
   * side (a relayed link ends with the link below it, and its owner tells the peer by other means).
   */
  readonly needs?: "congest" | "farewell";
  run(pair: LinkPair): Promise<void>;
}

/** One link of a pair with its reported events. */
interface Observed {
  readonly link: Link;
  readonly packets: Uint8Array[];
  readonly calls: string[];
  close: LinkClose | undefined;
}

const DEADLINE_MS = 10_000;
const STEP_MS = 10;
/** Limit of replaceable packets that wait in front of a busy path, and one or two more: near zero. */
const NEAR_ZERO_BYTES = 8192;
/** Limit of waiting commands: a megabyte by default, plus the bytes in sockets. */
const BOUNDED_BYTES = 1_500_000;
const everyClass: readonly TrafficClassName[] = ["state", "reference", "event", "command", "input", "bulk"];

/** The queue in front of a link: an outbox, or the queue below the link if it has one. */
interface Queue {
  readonly counters: Readonly<OutboxCounters>;
  /** Bytes that wait here and in the path. */
  readonly bytes: number;
  send(trafficClass: TrafficClassName, packet: Uint8Array, key?: number): void;
}

/**
 * The rules of `Link`, with an `Outbox` in front of it where the path is busy. Run each rule with a fresh pair
 * of every kind of link.
 */
export const linkContract: readonly ContractCase[] = [
  {
    title: "opens once on both sides, after start has returned",
    async run(pair) {
      const a = observe(pair.a);
      const b = observe(pair.b);
      check(a.calls.length === 0 && b.calls.length === 0, "a handler was called from inside start");
      await opened(pair, a, b);
      await pair.pass(50);
      same(a.calls.join(), "open", "calls at a");
      same(b.calls.join(), "open", "calls at b");
    },
  },
  {
    title: "carries every class of traffic both ways, byte for byte",
    async run(pair) {
      const { a, b } = await start(pair);
      const sent = everyClass.map((_, index) => pattern(1 + index * 239, index));
      everyClass.forEach((trafficClass, index) => {
        pair.a.send(trafficClass, sent[index]!.slice());
        pair.b.send(trafficClass, sent[index]!.slice());
      });
      await until(
        pair,
        () => a.packets.length >= sent.length && b.packets.length >= sent.length,
        "packets arrive",
      );
      same(hexSet(a.packets), hexSet(sent), "packets at a");
      same(hexSet(b.packets), hexSet(sent), "packets at b");
    },
  },
  {
    title: "carries commands of the largest size",
    async run(pair) {
      const { b } = await start(pair);
      const large = pattern(16_384, 7);
      pair.a.send("command", large.slice());
      await until(pair, () => b.packets.length > 0, "it arrives");
      same(hex(b.packets[0]!), hex(large), "the packet");
    },
  },
  {
    title: "delivers commands completely and in order",
    async run(pair) {
      const { b, queue } = await start(pair);
      const count = 1000;
      for (let index = 0; index < count; index++) queue.send("command", numbered(index, 60));
      await until(pair, () => b.packets.length >= count, "all arrive");
      const order = b.packets.map(numberOf);
      check(
        order.length === count && order.every((value, index) => value === index),
        `order broken: ${order.slice(0, 20).join()}`,
      );
    },
  },
  {
    title: "never calls back from inside send or close",
    async run(pair) {
      const { a } = await start(pair);
      const callsBefore = a.calls.length;
      pair.a.send("command", pattern(10, 1));
      pair.a.send("state", pattern(10, 2), 1);
      pair.a.close(4000, "done");
      same(a.calls.length, callsBefore, "calls at a when close returned");
      await until(pair, () => a.close !== undefined, "the close is reported");
    },
  },
  {
    title: "reports its own close once, and last",
    async run(pair) {
      const { a } = await start(pair);
      pair.b.send("command", pattern(10, 1));
      pair.a.close(4000, "enough");
      pair.a.close(4001, "again");
      await until(pair, () => a.close !== undefined, "it is reported");
      await pair.pass(100);
      same(a.close?.code, 4000, "code");
      same(a.close?.reason, "enough", "reason");
      same(a.calls.filter((call) => call === "close").length, 1, "closes");
      same(a.calls.at(-1), "close", "last call");
      same(pair.a.state, "closed", "state");
    },
  },
  {
    title: "tells the other side of a close, once, and last",
    needs: "farewell",
    async run(pair) {
      const { b } = await start(pair);
      pair.a.send("command", pattern(10, 1));
      pair.a.close(4000, "enough");
      await until(pair, () => b.close !== undefined, "the other side hears of it");
      await pair.pass(100);
      same(b.calls.filter((call) => call === "close").length, 1, "closes");
      same(b.calls.at(-1), "close", "last call");
      same(pair.b.state, "closed", "state");
    },
  },
  {
    title: "drops and counts what is sent after the close, without throwing",
    async run(pair) {
      const { b } = await start(pair);
      pair.a.close(4000, "enough");
      const before = pair.a.counters.packetsDropped;
      for (const trafficClass of everyClass) pair.a.send(trafficClass, pattern(10, 1));
      same(pair.a.counters.packetsDropped - before, everyClass.length, "dropped");
      await pair.pass(100);
      same(b.packets.length, 0, "packets at b");
    },
  },
  {
    title: "counts what it carries",
    async run(pair) {
      const { b } = await start(pair);
      for (let index = 0; index < 10; index++) pair.a.send("command", pattern(100, index));
      await until(pair, () => b.packets.length === 10, "all arrive");
      same(pair.a.counters.packetsSent, 10, "packets sent");
      same(pair.a.counters.bytesSent, 1000, "bytes sent");
      same(pair.b.counters.packetsReceived, 10, "packets received");
      same(pair.b.counters.bytesReceived, 1000, "bytes received");
    },
  },
  {
    title: "gives each packet away: a receiver may keep and change it",
    async run(pair) {
      const { b } = await start(pair);
      pair.a.send("command", pattern(64, 1));
      pair.a.send("command", pattern(64, 2));
      await until(pair, () => b.packets.length === 2, "both arrive");
      b.packets[0]!.fill(0);
      same(hex(b.packets[1]!), hex(pattern(64, 2)), "the second packet");
    },
  },
  {
    title: "lets everything else pass bulk that waits, and loses none of it",
    needs: "congest",
    async run(pair) {
      const { b, queue } = await start(pair);
      await pair.congest?.(true);
      const count = 100;
      for (let index = 0; index < count; index++) queue.send("bulk", numbered(index, 1000));
      queue.send("command", numbered(1000, 60));
      await pair.congest?.(false);
      await until(pair, () => b.packets.length > count, "all arrive");
      const order = b.packets.map(numberOf);
      check(order.indexOf(1000) < count / 2, `the command came as number ${order.indexOf(1000)}`);
      const bulk = order.filter((number) => number < 1000);
      check(
        bulk.length === count && bulk.every((number, index) => number === index),
        `bulk is incomplete or out of order: ${bulk.slice(0, 20).join()}`,
      );
    },
  },
  {
    title: "drops events that could not be sent within their lifetime",
    needs: "congest",
    async run(pair) {
      const { b, queue } = await start(pair);
      await pair.congest?.(true);
      const before = queue.counters.packetsDropped;
      for (let index = 0; index < 100; index++) queue.send("event", numbered(index, 1000));
      await pair.pass(1600);
      const inTime = b.packets.length;
      await pair.congest?.(false);
      await pair.pass(500);
      check(inTime < 30, `${inTime} events passed a path that is too slow for them`);
      const dropped = queue.counters.packetsDropped - before;
      check(dropped > 20, `only ${dropped} were dropped`);
    },
  },
  {
    title: "replaces a state that waits by the newer one of the same key, and loses no command",
    needs: "congest",
    async run(pair) {
      const { b, queue } = await start(pair);
      await pair.congest?.(true);
      const before = queue.counters.statesReplaced;
      const rounds = 200;
      for (let index = 0; index < rounds; index++) {
        queue.send("state", numbered(index, 600), 1);
        queue.send("state", numbered(index + 100_000, 600), 2);
        queue.send("command", numbered(index + 200_000, 60));
      }
      const replaced = queue.counters.statesReplaced - before;
      check(replaced > rounds, `only ${replaced} states were replaced`);
      await pair.congest?.(false);
      const newest = [rounds - 1, 100_000 + rounds - 1, 200_000 + rounds - 1];
      const arrived = () => new Set(b.packets.map(numberOf));
      await until(pair, () => newest.every((number) => arrived().has(number)), "the newest of each arrive");
      const numbers = b.packets.map(numberOf);
      const commands = numbers.filter((number) => number >= 200_000);
      same(commands.length, rounds, "commands");
      check(
        commands.every((number, index) => number === 200_000 + index),
        "commands out of order",
      );
    },
  },
  {
    title: "gives a busy path so little that hardly a state of a busy time comes late",
    needs: "congest",
    async run(pair) {
      const { b, queue } = await start(pair);
      await pair.congest?.(true);
      const waitingBefore = queue.bytes;
      let most = 0;
      const count = 200;
      for (let index = 0; index < count; index++) {
        queue.send("state", numbered(index, 600), 1);
        most = Math.max(most, queue.bytes - waitingBefore);
        await pair.pass(STEP_MS);
      }
      const inTime = b.packets.length;
      await pair.congest?.(false);
      // The newest state of the busy time may be lost like any other: a game goes on sending.
      let next = count;
      const isFresh = (): boolean => {
        queue.send("state", numbered(next++, 600), 1);
        return b.packets.some((packet) => numberOf(packet) >= count - 1);
      };
      await until(pair, isFresh, "a state as new as the last one arrives");
      await pair.pass(300);
      const late = b.packets.slice(inTime).filter((packet) => numberOf(packet) < count).length;
      check(most <= NEAR_ZERO_BYTES, `${most} bytes of states waited`);
      check(late < count / 3, `${late} of ${count} states came after the busy time`);
    },
  },
  {
    title: "ends with tooSlow rather than to keep commands without bounds",
    needs: "congest",
    async run(pair) {
      const { a, queue } = await start(pair);
      await pair.congest?.(true);
      const waitingBefore = queue.bytes;
      let most = 0;
      for (let sent = 0; sent < 300; sent++) {
        queue.send("command", pattern(16_384, sent));
        most = Math.max(most, queue.bytes - waitingBefore);
      }
      check(most <= BOUNDED_BYTES, `${most} bytes of commands waited`);
      const close = (): LinkClose | undefined => (pair.queueClose ? pair.queueClose() : a.close);
      await until(pair, () => close() !== undefined, "the link ends");
      await pair.congest?.(false);
      same(close()?.code, CloseCode.tooSlow, "code");
    },
  },
];

async function start(pair: LinkPair): Promise<{ a: Observed; b: Observed; queue: Queue }> {
  const outbox = outboxOver(pair.a, pair.scheduler ?? systemScheduler);
  const a = observe(pair.a, () => outbox.pump());
  const b = observe(pair.b);
  await opened(pair, a, b);
  return { a, b, queue: pair.queueCounters ? queueBelow(pair, pair.queueCounters) : queueOf(outbox, pair.a) };
}

function queueOf(outbox: Outbox, link: Link): Queue {
  return {
    counters: outbox.counters,
    get bytes() {
      return outbox.queuedBytes + link.queuedBytes;
    },
    send: (trafficClass, packet, key) => outbox.forward(trafficClass, packet, key),
  };
}

function queueBelow({ a }: LinkPair, counters: () => Readonly<OutboxCounters>): Queue {
  return {
    get counters() {
      return counters();
    },
    get bytes() {
      return a.queuedBytes;
    },
    send: (trafficClass, packet, key) => a.send(trafficClass, packet, key),
  };
}

function observe(link: Link, onRoom: () => void = () => undefined): Observed {
  const observed: Observed = { link, packets: [], calls: [], close: undefined };
  link.start({
    onOpen: () => observed.calls.push("open"),
    onPacket: (packet) => {
      observed.calls.push("packet");
      observed.packets.push(packet);
    },
    onClose: (close) => {
      observed.calls.push("close");
      observed.close = close;
    },
    onRoom,
  });
  return observed;
}

async function opened(pair: LinkPair, a: Observed, b: Observed): Promise<void> {
  await until(pair, () => a.link.state === "open" && b.link.state === "open", "both sides open");
}

async function until(pair: LinkPair, isReached: () => boolean, what: string): Promise<void> {
  for (let waitedMs = 0; !isReached(); waitedMs += STEP_MS) {
    check(waitedMs < DEADLINE_MS, `waited ${DEADLINE_MS} ms in vain: ${what}`);
    await pair.pass(STEP_MS);
  }
}

function numbered(number: number, bytes: number): Uint8Array {
  const packet = new Uint8Array(bytes);
  new DataView(packet.buffer).setUint32(0, number);
  return packet;
}

function numberOf(packet: Uint8Array): number {
  return new DataView(packet.buffer, packet.byteOffset).getUint32(0);
}

/** Returns the packets sorted: their order between classes is undefined. */
function hexSet(packets: readonly Uint8Array[]): string {
  return packets.map(hex).sort().join("\n");
}

/** An outbox in front of one link, for whole packets; its owner calls `pump` when the link has room. */
export function outboxOver(link: Link, scheduler: Scheduler): Outbox {
  return new Sender({
    scheduler,
    linkFor: () => link,
    currentTick: () => 0,
    takeAcks: () => ({}),
  }).outbox;
}
