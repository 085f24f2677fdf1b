import { MemoryLink, VirtualScheduler, seededRandom, simulatedPair } from "@paceline/testkit";
import { Session, type LinkMonitorOptions } from "@paceline/transport";
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
const ONE_WAY_MS = 25;
/** Time without news after which the writer repeats messages without a receipt. */
const TIME_OUT_MS = 1500;

/**
 * Returns the sorted delays of commands, ms, over a path that loses one of twenty packets each way, receipts
 * too.
 */
function delaysMs(seed: number): number[] {
  const scheduler = new VirtualScheduler();
  const settings = { delayMs: ONE_WAY_MS, loss: { kind: "uniform", ratio: 0.05 } } as const;
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
    const session = new Session({ scheduler, handlers });
    session.attach(link, LINK);
    return session;
  });
  scheduler.advance(100);
  for (let count = 0; count < (SECONDS * 1000) / PERIOD_MS; count++) {
    sentAtMs.push(scheduler.nowMs());
    sessions[0]!.sendReliable(new Uint8Array(20));
    scheduler.advance(PERIOD_MS);
  }
  scheduler.advance(10 * TIME_OUT_MS);
  expect(tookMs).toHaveLength(sentAtMs.length);
  return tookMs.toSorted((one, other) => one - other);
}

test("[WF38] at 5 % loss and a round trip of 50 ms a lost command is repeated before its timeout", () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const delays = delaysMs(seed);
    expect(delays[Math.floor(0.99 * delays.length)]).toBeLessThan(200);
    expect(delays.at(-1)).toBeLessThan(TIME_OUT_MS / 3);
  }
});
