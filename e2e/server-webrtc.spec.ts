import { expect } from "@playwright/test";
import { withoutWebRtc } from "./peer-connections.js";
import { RacePage, type PageWindow } from "./race-page.js";
import { test } from "./scenario.js";

/** Time for one attempt with its deadline, and for the proof. */
const LIMIT_MS = 15_000;

test("Chromium has WebRTC to the server for who is reached through the relay", async ({
  startServer,
  enter,
  report,
}) => {
  const server = await startServer(0, ["--webrtc", "0"]);
  const chromium = new RacePage(await enter("chromium", { framesPerDraw: 2 }));
  const plain = new RacePage(await enter("chromium", { beforeLoad: [withoutWebRtc], framesPerDraw: 2 }));
  for (const page of [chromium, plain]) await page.join(server.url);
  const row = await chromium.waitFor(
    "states to go to the server over WebRTC",
    () => {
      const { serverPath } = (window as unknown as PageWindow).paceline.room.transport;
      return serverPath.choice.startsWith("states on webrtc") && serverPath;
    },
    { argument: undefined, timeoutMs: LIMIT_MS },
  );
  await chromium.sees(plain);
  await plain.sees(chromium);
  expect(row.reason).toMatch(/a probe went both ways over WebRTC/);
  report({
    scenario: "WebRTC to the server, the other on WebSockets",
    browsers: "chromium sees chromium",
    path: `relay: ${row.choice}`,
    ...(await chromium.connectTimes(plain)),
  });
  for (const page of [chromium, plain]) expect(page.browser.complaints).toEqual([]);
});

test("K kills the WebRTC link to a server that decides, and the page says what was seen of it", async ({
  startServer,
  enter,
}) => {
  const server = await startServer(0, ["--webrtc", "0"]);
  const page = new RacePage(await enter("chromium"));
  await page.join(server.url, { mode: "server" });
  await page.waitFor(
    "states from the server over WebRTC",
    () => (window as unknown as PageWindow).paceline.room.transport.server.stateLink === "webrtc",
    { argument: undefined, timeoutMs: LIMIT_MS },
  );
  await page.press("KeyK");
  const said = await page.waitFor(
    "the figures of the dead link",
    () => {
      const text = document.querySelector("[data-toast=kill]")?.textContent ?? "";
      return text.includes("Measuring") ? undefined : text;
    },
    { argument: undefined, timeoutMs: LIMIT_MS },
  );
  expect(said).toMatch(
    /^The server's WebRTC link died.*took over\. (?:Largest step of any car that you saw: [\d.]+ m|No step was measured)/,
  );
  const { history } = await page.browser.evaluate(() => {
    const { transport } = (window as unknown as PageWindow).paceline.room;
    return { history: transport.history };
  });
  expect(history.map(({ reason }) => reason).join()).toContain("killed on purpose");
  expect(page.browser.complaints).toEqual([]);
});
