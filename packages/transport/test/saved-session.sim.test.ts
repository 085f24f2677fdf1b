/** A session that goes on in another process, over networks that lose packets, with messages on their way. */
import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { Session, type SavedSession } from "@paceline/transport";
import { expect, test } from "vitest";

const RESTARTS = 60;
const LONG_BYTES = 40_000;
const options = { needsProof: false, connectTimeoutMs: 5000, timeoutMs: 5000, heartbeatMs: 1000 };

function numbered(number: number, bytes = 4): Uint8Array {
  const payload = new Uint8Array(bytes).fill(number & 0xff);
  new DataView(payload.buffer).setUint32(0, number);
  return payload;
}

test(`each of many messages arrives once and in order, over ${RESTARTS} restarts of one side`, () => {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(5);
  const heard = { a: [] as number[], b: [] as number[], bulkA: [] as number[], bulkB: [] as number[] };
  const numberOf = (payload: Uint8Array): number =>
    new DataView(payload.buffer, payload.byteOffset).getUint32(0);
  const session = (end: "a" | "b", saved?: SavedSession): Session =>
    new Session({
      scheduler,
      saved,
      bulkBytes: () => 1_000_000,
      handlers: {
        onReliable: (payload) => heard[end].push(numberOf(payload)),
        onBulk: (payload) => {
          expect(payload.length).toBe(LONG_BYTES);
          heard[end === "a" ? "bulkA" : "bulkB"].push(numberOf(payload));
        },
      },
    });
  const a = session("a");
  let b = session("b");
  let preference = 0;
  const connect = (): void => {
    const settings = { delayMs: random.int(5, 60), loss: { kind: "uniform", ratio: 0.02 } } as const;
    const pair = memoryLinkPair({
      scheduler,
      random: random.fork(),
      settings,
      isUnreliable: random.next() < 0.3,
    });
    preference += 1;
    a.attach(pair.a, { ...options, preference });
    b.attach(pair.b, { ...options, preference });
  };
  connect();
  let [sent, long] = [0, 0];
  for (let restart = 0; restart < RESTARTS; restart++) {
    for (let turn = 0; turn < 10; turn++) {
      a.sendReliable(numbered(sent));
      b.sendReliable(numbered(sent));
      sent += 1;
      if (turn === 5) {
        a.sendBulk(numbered(long, LONG_BYTES));
        b.sendBulk(numbered(long, LONG_BYTES));
        long += 1;
      }
      scheduler.advance(random.int(0, 40));
    }
    const saved = b.save();
    for (const link of b.release()) link.close(4001, "moving");
    scheduler.advance(random.int(0, 500));
    b = session("b", saved);
    connect();
  }
  scheduler.advance(60_000);
  const all = (count: number): number[] => Array.from({ length: count }, (_, number) => number);
  expect(heard.a).toEqual(all(sent));
  expect(heard.b).toEqual(all(sent));
  expect(heard.bulkA).toEqual(all(long));
  expect(heard.bulkB).toEqual(all(long));
  expect(a.isClosed || b.isClosed).toBe(false);
  expect(a.drops.of("bad-message") + b.drops.of("bad-message")).toBe(0);
});
