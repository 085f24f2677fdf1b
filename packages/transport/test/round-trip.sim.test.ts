import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { Session, type LinkMonitorOptions } from "@paceline/transport";
import { describe, expect, test } from "vitest";

const common = { preference: 1, connectTimeoutMs: 5000, timeoutMs: 10_000 };
const links: readonly (readonly [string, isUnreliable: boolean, LinkMonitorOptions])[] = [
  ["a direct link", true, { ...common, needsProof: true, heartbeatMs: 250 }],
  ["WebRTC to the server", true, { ...common, needsProof: true, heartbeatMs: 250, measureMs: 1000 }],
  ["a WebSocket", false, { ...common, needsProof: false, heartbeatMs: 1000 }],
];

/** Two sessions over one link that exchange messages. */
function scene([, isUnreliable, options]: (typeof links)[number], seed = 3) {
  const scheduler = new VirtualScheduler();
  const settings = { delayMs: 20, jitterMs: 3 };
  const pair = memoryLinkPair({ scheduler, random: seededRandom(seed), settings, isUnreliable });
  const [a, b] = [pair.a, pair.b].map((link) => {
    const session = new Session({ scheduler, handlers: { onReliable: () => undefined } });
    session.attach(link, options);
    scheduler.every(50, () => session.sendState(new Uint8Array(40), 1));
    return session;
  }) as [Session, Session];
  scheduler.advance(15_000);
  /** Returns the measured round trips of both sides, every 100 ms for some seconds. */
  const shown = (seconds: number): number[] =>
    Array.from({ length: seconds * 10 }, () => {
      scheduler.advance(100);
      return [a.rttMs!, b.rttMs!];
    }).flat();
  return { pair, shown, setDelay: (delayMs: number) => pair.change({ delayMs }) };
}

describe.each(links)("the round trip over %s", (...link) => {
  test.each([1, 2, 4, 5])("follows a change of the delay to within a fifth in 3 s (chance %d)", (seed) => {
    const { shown, setDelay } = scene(link, seed);
    for (const oneWayMs of [100, 20]) {
      setDelay(oneWayMs);
      shown(3);
      for (const rttMs of shown(10)) {
        expect(rttMs).toBeGreaterThan(2 * oneWayMs * 0.8);
        expect(rttMs).toBeLessThan(2 * oneWayMs * 1.2);
      }
    }
  });

  test("does not change if packets are late now and then", () => {
    const { shown, setDelay } = scene(link);
    for (let round = 0; round < 20; round++) {
      setDelay(200);
      const late = shown(0.2);
      setDelay(20);
      for (const rttMs of [...late, ...shown(5)]) expect(Math.abs(rttMs - 40)).toBeLessThan(12);
    }
  });
});
