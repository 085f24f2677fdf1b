import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "@playwright/test";
import type { KeptRecord, KeptReturn } from "../packages/client/test/browser/kept-match-page.js";
import type { RaceBrowser } from "./browsers/race-browser.js";
import { KeptServer } from "./kept-server.js";
import { test } from "./scenario.js";

/** Limits after the next process has said that it listens, ms. */
const BACK_AFTER_CRASH_MS = 3000;
const PLAYING_AFTER_DEPLOY_MS = 2000;
/** Goals of one player in the second that a crash may cost, and half a second for its save. */
const LOST_GOALS = 30;

type Goal = readonly [player: number, number: number];
interface PlayerWindow {
  readonly player: {
    readonly record: KeptRecord;
    play(): Promise<void>;
    stop(): void;
    seat(): { readonly roomId: string; readonly number: number };
    goals(): Promise<Goal[]>;
  };
}

const recordOf = (page: RaceBrowser): Promise<KeptRecord> =>
  page.evaluate(() => (window as unknown as PlayerWindow).player.record);
const seatOf = (page: RaceBrowser): Promise<{ roomId: string; number: number }> =>
  page.evaluate(() => (window as unknown as PlayerWindow).player.seat());
const goalsOf = (page: RaceBrowser): Promise<Goal[]> =>
  page.evaluate(() => (window as unknown as PlayerWindow).player.goals());

/** Resolves with a page's return of that number, once the server has answered a goal after it. */
async function returnOf(page: RaceBrowser, count: number): Promise<KeptReturn> {
  const find = async (): Promise<KeptReturn | undefined> => (await recordOf(page)).returns[count - 1];
  await expect
    .poll(async () => (await find())?.playedAtMs ?? 0, { timeout: 15_000, intervals: [100] })
    .toBeGreaterThan(0);
  return (await find())!;
}

/** `npm test` plays the scenario in one browser only. */
for (const browsers of [["chromium"], ["chromium", "firefox"]] as const) {
  const title = `a match of ${browsers.join(" and ")} outlives a crash and a deploy of its server`;
  test(title, { tag: browsers.length > 1 ? "@slow" : [] }, async ({ enter, report }) => {
    const server = await KeptServer.start();
    const pages: RaceBrowser[] = [];
    try {
      for (const name of browsers) pages.push(await enter(name));
      for (const page of pages) {
        await page.open(server.url);
        await page.evaluate(() => (window as unknown as PlayerWindow).player.play());
      }
      const seats = await Promise.all(pages.map(seatOf));
      expect(new Set(seats.map(({ roomId }) => roomId)).size).toBe(1);
      await sleep(2000);

      const killed = await Promise.all(pages.map(recordOf));
      await server.kill();
      const restoredAtMs = await server.restart();
      const crashReturns = await Promise.all(pages.map((page) => returnOf(page, 1)));
      const crashMs = Math.max(...crashReturns.map(({ atMs }) => atMs)) - restoredAtMs;
      expect(crashReturns).toEqual(crashReturns.map((each) => ({ ...each, resumed: false, restored: true })));
      expect(crashMs).toBeLessThan(BACK_AFTER_CRASH_MS);
      expect(await Promise.all(pages.map(seatOf))).toEqual(seats);
      const afterCrash = await goalsOf(pages[0]!);
      expect(new Set(afterCrash.map(String)).size).toBe(afterCrash.length);
      for (const [index, { sent }] of killed.entries()) {
        const kept = afterCrash.filter(([player, goal]) => player === seats[index]!.number && goal <= sent);
        expect(kept.length).toBeGreaterThanOrEqual(Math.max(1, sent - LOST_GOALS));
      }

      const deployedAtMs = await server.terminate().then((code) => {
        expect(code).toBe(0);
        return server.restart();
      });
      const deployReturns = await Promise.all(pages.map((page) => returnOf(page, 2)));
      const deployMs = Math.max(...deployReturns.map(({ playedAtMs }) => playedAtMs)) - deployedAtMs;
      expect(deployReturns).toEqual(
        deployReturns.map((each) => ({ ...each, resumed: true, restored: false })),
      );
      expect(deployMs).toBeLessThan(PLAYING_AFTER_DEPLOY_MS);
      expect(await Promise.all(pages.map(seatOf))).toEqual(seats);

      for (const page of pages) await page.evaluate(() => (window as unknown as PlayerWindow).player.stop());
      const sent = (await Promise.all(pages.map(recordOf))).map((record) => record.sent);
      const last = async (): Promise<Goal[]> => {
        const goals = await goalsOf(pages[0]!);
        return seats
          .map(({ number }, index) => [number, sent[index]!] as const)
          .filter((wanted) => !goals.some((goal) => String(goal) === String(wanted)));
      };
      await expect.poll(last).toEqual([]);
      const goals = await goalsOf(pages[0]!);
      // From the crash on each goal arrived once, in order, over the deploy too.
      for (const [index, { number }] of seats.entries()) {
        const numbers = goals.filter(([player]) => player === number).map(([, goal]) => goal);
        const since = numbers.filter(
          (goal) => goal > afterCrash.findLast(([player]) => player === number)![1],
        );
        expect(since).toEqual(
          Array.from({ length: since.length }, (_, at) => sent[index]! - since.length + 1 + at),
        );
        expect(new Set(numbers).size).toBe(numbers.length);
      }
      for (const page of pages)
        await expect.poll(async () => (await recordOf(page)).score).toBe(goals.length);
      report({
        scenario: "a match outlives a crash and a deploy of its server",
        browsers: browsers.join(" "),
        path: "server",
        note: `back ${crashMs} ms after the next process listens, playing ${deployMs} ms after it at a deploy`,
      });
    } catch (error) {
      console.log(
        server.log,
        ...pages.map(({ complaints }) => complaints.slice(0, 6)),
        await Promise.all(pages.map(recordOf)),
      );
      throw error;
    } finally {
      await server.stop();
    }
  });
}
