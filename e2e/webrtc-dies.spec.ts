import { expect } from "@playwright/test";
import { everythingSaid, heardFrom, startTalking, stopTalking } from "./conversation.js";
import { killWebRtc, rememberWebRtc } from "./peer-connections.js";
import { BOUND_P95_M } from "./position-error.js";
import { RacePage } from "./race-page.js";
import { screenshotFile, test } from "./scenario.js";

const BEFORE_MS = 2000;
const ON_RELAY_MS = 500;
const AFTER_MS = 1500;
/** The SDK waits a second before it tries again, and connecting takes its time. */
const UPGRADE_LIMIT_MS = 20_000;

test("WebRTC dies in mid-race", async ({ startServer, enter, report }) => {
  const server = await startServer();
  const chromium = new RacePage(await enter("chromium", { beforeLoad: [rememberWebRtc] }));
  const firefox = new RacePage(await enter("firefox"));
  const pages = [chromium, firefox];
  for (const page of pages) await page.join(server.url);
  await chromium.reaches(firefox, "direct");
  await firefox.reaches(chromium, "direct");
  for (const page of pages) await page.waitForPhase("racing", 30_000);
  for (const page of pages) await page.startRecording();
  for (const page of pages) await startTalking(page);
  const driving = pages.map((page) => page.drive(BEFORE_MS + 8000));

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
  await Promise.all(driving);
  for (const page of pages) await page.fetchRecording();

  for (const [speaker, listener] of [pages, pages.toReversed()] as [RacePage, RacePage][]) {
    const sent = await stopTalking(speaker);
    expect(sent).toBeGreaterThan(50);
    expect(await heardFrom(listener, speaker, sent)).toEqual(everythingSaid(sent));
    const error = listener.errorOf(speaker);
    report({
      scenario: "WebRTC dies in mid-race",
      browsers: `${listener.name} sees ${speaker.name}`,
      path: `direct, relay after ${relayedMs} ms, direct after ${directMs} ms`,
      error,
      note: `${2 * sent} reliable messages, each once and in order`,
    });
    expect.soft(error.count).toBeGreaterThan(50);
    expect.soft(error.p95M).toBeLessThan(BOUND_P95_M);
  }
  for (const page of pages) expect(page.browser.complaints).toEqual([]);
});
