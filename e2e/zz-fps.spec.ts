import { RacePage, type PageWindow } from "./race-page.js";
import { test } from "./scenario.js";
test("fps", async ({ startServer, enter }) => {
  const server = await startServer();
  const name = (process.env["WHO"] ?? "webkitgtk") as "webkitgtk";
  const page = new RacePage(await enter(name));
  await page.join(server.url);
  await page.waitForPhase("racing", 30_000);
  await page.startRecording();
  await page.drive(5000);
  const frames = await page.browser.evaluate(() => (window as unknown as PageWindow).paceline.game.recording().map((f) => f.atMs));
  const size = await page.browser.evaluate(() => [innerWidth, innerHeight, devicePixelRatio]);
  console.log("FPS", name, size, (frames.length / (frames.at(-1)! - frames[0]!)) * 1000);
});
