import { writeFileSync } from "node:fs";
import { RacePage, type PageWindow } from "./race-page.js";
import { test } from "./scenario.js";
test("dump", async ({ startServer, enter }) => {
  const server = await startServer();
  const names = (process.env["WHO"] ?? "chromium,firefox,webkitgtk").split(",") as "webkitgtk"[];
  const pages = [];
  for (const n of names) pages.push(new RacePage(await enter(n)));
  for (const p of pages) await p.join(server.url);
  for (const p of pages) await p.waitForPhase("racing", 30_000);
  for (const p of pages) await p.browser.evaluate(() => {
    const w = window as unknown as PageWindow & { ages: unknown[]; paceline: any };
    w.ages = [];
    const def = (w as any).paceline.room;
    const tick = () => { w.ages.push([performance.timeOrigin + performance.now(), def.peers.map((p: any) => [p.id, p.stats.updatesInPerSecond, p.rttMs])]); requestAnimationFrame(tick); };
    tick();
  });
  for (const p of pages) await p.startRecording();
  await Promise.all(pages.map((p) => p.drive(8000)));
  const out = [];
  for (const p of pages) out.push({ name: p.name, id: p.sessionId, frames: await p.browser.evaluate(() => (window as unknown as PageWindow).paceline.game.recording()), ages: await p.browser.evaluate(() => (window as any).ages) });
  writeFileSync("/tmp/dump.json", JSON.stringify(out));
});
