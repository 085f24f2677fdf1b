import { expect } from "@playwright/test";
import { everythingSaid, heardFrom, startTalking, stopTalking } from "./conversation.js";
import { countBytes, killWebRtc, rememberWebRtc } from "./peer-connections.js";
import { driveTogether } from "./drive-together.js";
import { BOUND_P95_M } from "./position-error.js";
import { RacePage } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

const BEFORE_MS = 2000;
/** Number of samples, one per second. */
const BYTE_SAMPLES = 4;
/**
 * One or two packets at both ends of four seconds with about 30 packets a second, and timers that are some ms
 * late.
 */
const BYTE_TOLERANCE = 0.08;
const ON_RELAY_MS = 500;
const AFTER_MS = 1500;
/** The SDK waits a second before it tries again, and then needs time to connect. */
const UPGRADE_LIMIT_MS = 20_000;

test("WebRTC dies in mid-race", async ({ startServer, enter, report }) => {
  const server = await startServer();
  const chromium = new RacePage(await enter("chromium", { beforeLoad: [rememberWebRtc], framesPerDraw: 2 }));
  const firefox = new RacePage(await enter("firefox", { beforeLoad: [rememberWebRtc], framesPerDraw: 2 }));
  const pages = [chromium, firefox];
  for (const page of pages) await page.join(server.url);
  await chromium.reaches(firefox, "direct");
  await firefox.reaches(chromium, "direct");
  for (const page of pages) await page.waitForPhase("racing", 30_000);
  for (const page of pages) await page.startRecording();
  for (const page of pages) await startTalking(page);
  await countsAsTheBrowserDoes(pages);
  const driving = pages.map((page) => page.drive(BEFORE_MS + 3000));

  await new Promise((resolve) => setTimeout(resolve, BEFORE_MS));
  const killedMs = Date.now();
  expect(await chromium.browser.evaluate(killWebRtc)).toBeGreaterThan(0);
  await Promise.all([chromium.reaches(firefox, "relay"), firefox.reaches(chromium, "relay")]);
  const relayedMs = Date.now() - killedMs;
  await chromium.browser.screenshot(screenshotFile("webrtc-dies-on-the-relay"));
  await new Promise((resolve) => setTimeout(resolve, ON_RELAY_MS));
  await Promise.all([
    chromium.reaches(firefox, "direct", UPGRADE_LIMIT_MS),
    firefox.reaches(chromium, "direct", UPGRADE_LIMIT_MS),
  ]);
  const directMs = Date.now() - killedMs;
  await new Promise((resolve) => setTimeout(resolve, AFTER_MS));
  const sentBy = new Map<RacePage, number>();
  for (const page of pages) sentBy.set(page, await stopTalking(page));
  await Promise.all(driving);
  const pairs = [
    { viewer: firefox, driver: chromium },
    { viewer: chromium, driver: firefox },
  ];
  const errors = await driveTogether(pages, pairs);

  for (const [index, { viewer: listener, driver: speaker }] of pairs.entries()) {
    const sent = sentBy.get(speaker) ?? 0;
    expect(sent).toBeGreaterThan(30);
    expect(await heardFrom(listener, speaker, sent)).toEqual(everythingSaid(sent));
    const error = errors[index]!;
    report({
      scenario: "WebRTC dies in mid-race",
      browsers: `${listener.name} sees ${speaker.name}`,
      path: `direct, relay after ${relayedMs} ms, direct after ${directMs} ms`,
      error,
      note: `${2 * sent} reliable messages, each once and in order`,
    });
    expect.soft(error.count).toBeGreaterThan(30);
    expect.soft(error.p95M).toBeLessThan(BOUND_P95_M);
  }
  for (const page of pages) expect(page.browser.complaints).toEqual([]);
});

/** Checks that the bytes which a page shows for its direct link equal the browser's statistics, both ways. */
async function countsAsTheBrowserDoes(pages: readonly RacePage[]): Promise<void> {
  await Promise.all(
    pages.map(async ({ browser, name }) => {
      const { shown, counted } = await browser.evaluate(countBytes, BYTE_SAMPLES);
      for (const way of ["received", "sent"] as const) {
        const about = `${name}, bytes ${way}: shown ${Math.round(shown[way])}, counted ${counted[way]}`;
        expect(counted[way], about).toBeGreaterThan(1000);
        expect(Math.abs(shown[way] / counted[way] - 1), about).toBeLessThan(BYTE_TOLERANCE);
      }
    }),
  );
}
