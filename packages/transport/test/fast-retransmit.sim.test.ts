import { MemoryLink, VirtualScheduler, seededRandom, simulatedPair } from "@paceline/testkit";
import { AnswerBudget, Session, type LinkMonitorOptions } from "@paceline/transport";
import { expect, test } from "vitest";

const LINK: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 5000,
  timeoutMs: 60_000,
  heartbeatMs: 1000,
};
const SECONDS = 60;
const PERIOD_MS = 50;
/** Time without news after which the writer repeats messages without a receipt. */
const TIME_OUT_MS = 1500;

interface Path {
  readonly loss: number;
  readonly oneWayMs: number;
  readonly bytes: number;
}

/** Returns the sorted delays of commands, ms, over a path that loses packets each way, receipts too. */
function delaysMs(seed: number, { loss, oneWayMs, bytes }: Path, isShared = false): number[] {
  const scheduler = new VirtualScheduler();
  const answers = isShared ? new AnswerBudget(scheduler) : undefined;
  const settings = { delayMs: oneWayMs, loss: { kind: "uniform", ratio: loss } } as const;
  const path = simulatedPair({ scheduler, random: seededRandom(seed), settings });
  const sentAtMs: number[] = [];
  const tookMs: number[] = [];
  const sessions = (["a", "b"] as const).map((end) => {
    const { outgoing } = path[end];
    // Another object than `reliable`, so that the link counts as unreliable.
    const unreliable = { queuedBytes: 0, send: (packet: Uint8Array) => outgoing.send(packet) };
    const link = new MemoryLink({ scheduler, reliable: outgoing, unreliable });
    path[end].onPacket((packet) => link.received(packet));
    const handlers = { onReliable: () => tookMs.push(scheduler.nowMs() - sentAtMs[tookMs.length]!) };
    const session = new Session({ scheduler, handlers, ...(answers && { answers }) });
    session.attach(link, LINK);
    return session;
  });
  scheduler.advance(100);
  for (let count = 0; count < (SECONDS * 1000) / PERIOD_MS; count++) {
    sentAtMs.push(scheduler.nowMs());
    sessions[0]!.sendReliable(new Uint8Array(bytes));
    scheduler.advance(PERIOD_MS);
  }
  scheduler.advance(10 * TIME_OUT_MS);
  expect(tookMs).toHaveLength(sentAtMs.length);
  return tookMs.toSorted((one, other) => one - other);
}

test("[WF38] at 5 % loss and a round trip of 50 ms a lost command is repeated before its timeout", () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const delays = delaysMs(seed, { loss: 0.05, oneWayMs: 25, bytes: 20 });
    expect(delays[Math.floor(0.99 * delays.length)]).toBeLessThan(200);
    expect(delays.at(-1)).toBeLessThan(TIME_OUT_MS / 3);
  }
});

/** 99th percentile of the delays of 500-byte commands before repetitions had a budget, ms, by loss and delay one way. */
const unlimited = [
  [0.05, 25, 175],
  [0.05, 75, 275],
  [0.05, 150, 550],
  [0.1, 25, 175],
  [0.1, 75, 425],
  [0.1, 150, 800],
  [0.2, 25, 325],
  [0.2, 75, 525],
  [0.2, 150, 1200],
] as const;

test.each(unlimited)(
  "at a loss of %f and %i ms one way a lost command arrives as soon as without a budget of repetitions",
  (loss, oneWayMs, wasMs) => {
    for (const isShared of [false, true]) {
      const path = { loss, oneWayMs, bytes: 500 };
      const delays = [1, 2].flatMap((seed) => delaysMs(seed, path, isShared)).sort((a, b) => a - b);
      expect(delays[Math.floor(0.99 * delays.length)]).toBeLessThanOrEqual(wasMs);
    }
  },
);
