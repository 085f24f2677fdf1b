import { expect } from "@playwright/test";
import { withoutWebRtc } from "./peer-connections.js";
import { driveTogether } from "./drive-together.js";
import { BOUND_P95_M } from "./position-error.js";
import { RacePage, type PageWindow } from "./race-page.js";
import { test } from "./scenario.js";

/** Includes the ten seconds after which the SDK abandons a negotiation. */
const GIVEN_UP_MS = 16_000;

test("a page without RTCPeerConnection races over the relay", async ({ startServer, enter, report }) => {
  const server = await startServer();
  const firefox = new RacePage(await enter("firefox", { framesPerDraw: 2 }));
  const chromium = new RacePage(await enter("chromium", { beforeLoad: [withoutWebRtc], framesPerDraw: 2 }));
  const pages = [firefox, chromium];
  for (const page of pages) await page.join(server.url);
  expect(await chromium.browser.evaluate(() => typeof RTCPeerConnection)).toBe("undefined");
  await firefox.sees(chromium);
  await chromium.sees(firefox);
  const reason = await chromium.reaches(firefox, "relay");
  expect(reason).toBe("this browser has no WebRTC");
  for (const page of pages) await page.waitForPhase("racing", 30_000);
  for (const page of pages) await page.startRecording();
  const [error] = await driveTogether(pages, [{ viewer: chromium, driver: firefox }]);
  report({
    scenario: "a page without RTCPeerConnection",
    browsers: "chromium sees firefox",
    path: `relay: ${reason}`,
    ...(await chromium.connectTimes(firefox)),
    error,
  });
  expect(firefox.drivenM).toBeGreaterThan(10);
  expect(error!.count).toBeGreaterThan(30);
  expect(error!.p95M).toBeLessThan(BOUND_P95_M);
  for (const page of pages) expect(page.browser.complaints).toEqual([]);
});

test(
  "WebRTC that never connects is given up, and the relay goes on",
  { tag: "@slow" },
  async ({ startServer, enter, report }) => {
    const server = await startServer();
    const firefox = new RacePage(await enter("firefox"));
    const chromium = new RacePage(await enter("chromium", { hasUdp: false }));
    for (const page of [firefox, chromium]) await page.join(server.url);
    await chromium.sees(firefox);
    const reason = await chromium.waitFor(
      "the direct path to be given up",
      (id) => {
        const { peers } = (window as unknown as PageWindow).paceline.room;
        return peers.find((peer) => peer.id === id && peer.path === "relay" && /failed/.test(peer.reason))
          ?.reason;
      },
      { argument: firefox.sessionId, timeoutMs: GIVEN_UP_MS },
    );
    await firefox.sees(chromium);
    report({
      scenario: "WebRTC that never connects",
      browsers: "chromium sees firefox",
      path: `relay: ${reason}`,
      ...(await chromium.connectTimes(firefox)),
    });
  },
);

const scriptsOf = (page: RacePage): string[] => page.browser.fetched.filter((url) => url.endsWith(".js"));

/** In the page: returns the scripts that contain simple-peer, recognised by an error code. */
async function holdsSimplePeer(urls: string[]): Promise<string[]> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
  return urls.filter((_, index) => texts[index]?.includes("ERR_WEBRTC_SUPPORT"));
}

test(
  "a page on WebSockets alone never downloads WebRTC",
  { tag: "@slow" },
  async ({ startServer, enter, report }) => {
    const server = await startServer();
    const first = new RacePage(await enter("chromium"));
    const second = new RacePage(await enter("chromium"));
    const plain = new RacePage(await enter("chromium"));
    const pages = [first, second, plain];
    await first.join(server.url, { name: "First" });
    await second.join(server.url, { name: "Second" });
    await plain.join(server.url, { name: "Plain", transports: "websocket" });
    await second.reaches(first, "direct");
    await plain.sees(first);
    const reason = await plain.reaches(first, "relay");
    expect(reason).toBe("WebRTC is switched off here");

    const fetched = { plain: scriptsOf(plain), second: scriptsOf(second) };
    expect(await plain.browser.evaluate(holdsSimplePeer, fetched.plain)).toEqual([]);
    expect(await second.browser.evaluate(holdsSimplePeer, fetched.second)).toHaveLength(1);
    for (const page of pages) expect(page.browser.complaints).toEqual([]);
    report({
      scenario: "a page on WebSockets alone",
      browsers: "chromium sees chromium",
      path: `relay: ${reason}`,
      ...(await plain.connectTimes(first)),
      note: `scripts fetched: ${fetched.plain.length}, by a page with WebRTC: ${fetched.second.length}`,
    });
  },
);
