import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { Session } from "@paceline/transport";
import { expect, test } from "vitest";
import { PingLoss } from "../../src/session/links/ping-loss.js";

function lossAfter(isLost: (ping: number) => boolean, pings: number): number {
  const loss = new PingLoss();
  for (let ping = 0; ping < pings; ping += 1) {
    loss.pinged(ping, ping * 250);
    if (!isLost(ping)) loss.answered(ping);
  }
  loss.pinged(pings, pings * 250 + 10_000);
  return loss.ratio;
}

test("of few pings nothing is said, and a single loss is none", () => {
  expect(lossAfter(() => true, 9)).toBe(0);
  expect(lossAfter((ping) => ping === 3, 40)).toBe(0);
});

test("every fifth ping lost is a fifth", () => {
  expect(lossAfter((ping) => ping % 5 === 0, 200)).toBeCloseTo(0.2, 1);
});

test("what is past is forgotten", () => {
  expect(lossAfter((ping) => ping < 50, 200)).toBe(0);
});

test("an answer after the ping has counted as lost changes nothing, nor one to no ping", () => {
  const loss = new PingLoss();
  for (let ping = 0; ping < 20; ping += 1) loss.pinged(ping, ping * 3000);
  loss.answered(0);
  loss.answered(999);
  expect(loss.ratio).toBe(1);
});

test.each([0.1, 0.2])(
  "a link whose events are repeated reads a loss of %d each way as such, though its pings lose twice",
  (ratio) => {
    const measured: number[] = [];
    for (let seed = 1; seed <= 12; seed++) {
      const scheduler = new VirtualScheduler();
      const settings = { delayMs: 20, loss: { kind: "uniform", ratio } } as const;
      const pair = memoryLinkPair({ scheduler, random: seededRandom(seed), settings });
      const options = {
        preference: 1,
        needsProof: true,
        connectTimeoutMs: 5000,
        timeoutMs: 1000,
        heartbeatMs: 250,
      };
      const [a, b] = [pair.a, pair.b].map((link) => {
        const session = new Session({ scheduler, handlers: { onReliable: () => undefined } });
        session.attach(link, options);
        return session;
      });
      scheduler.every(50, () => [a, b].forEach((session) => session!.sendState(new Uint8Array(40), 1)));
      scheduler.advance(30_000);
      measured.push(a!.readingOf(pair.a)!.lossRatio);
      expect(Math.abs(a!.pathLoss!.ratio - ratio)).toBeLessThan(0.07);
    }
    const mean = measured.reduce((sum, loss) => sum + loss, 0) / measured.length;
    expect(Math.abs(mean - ratio)).toBeLessThan(0.03);
  },
);
