import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { Session } from "@paceline/transport";
import { expect, test } from "vitest";
import { PingLoss } from "../src/session/links/ping-loss.js";

function lossAfter(isLost: (ping: number) => boolean, pings: number): number {
  const loss = new PingLoss();
  for (let ping = 0; ping < pings; ping += 1) {
    loss.pinged(ping, ping * 250);
    if (!isLost(ping)) loss.answered(ping);
  }
  loss.pinged(pings, pings * 250 + 10_000);
  return loss.ratio;
}

test("few pings and a single loss give a ratio of 0", () => {
  expect(lossAfter(() => true, 9)).toBe(0);
  expect(lossAfter((ping) => ping === 3, 40)).toBe(0);
});

test("a loss of every fifth ping gives a ratio of a fifth", () => {
  expect(lossAfter((ping) => ping % 5 === 0, 200)).toBeCloseTo(0.2, 1);
});

test("old pings are forgotten", () => {
  expect(lossAfter((ping) => ping < 50, 200)).toBe(0);
});

test("an answer to a lost or an unknown ping changes nothing", () => {
  const loss = new PingLoss();
  for (let ping = 0; ping < 20; ping += 1) loss.pinged(ping, ping * 3000);
  loss.answered(0);
  loss.answered(999);
  expect(loss.ratio).toBe(1);
});

test.each([0.1, 0.2])(
  "a link that repeats events measures a loss of %d each way correctly, although a ping may be lost on both ways",
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
