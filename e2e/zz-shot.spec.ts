import { chromium } from "@playwright/test";
import { executableOf } from "../tools/browsers.mjs";
import { test } from "./scenario.js";
test("shot", async ({ startServer, enter }) => {
  const server = await startServer(4);
  const b = await chromium.launch({ executablePath: executableOf("chromium")!, args: ["--no-sandbox", "--disable-gpu", "--disable-features=WebRtcHideLocalIpsWithMdns"] });
  const me = await b.newPage({ viewport: { width: 1280, height: 720 } });
  const other = await b.newPage({ viewport: { width: 400, height: 300 } });
  await me.goto(`${server.url}/?autostart=1&name=You&color=%23e5484d`);
  await other.goto(`${server.url}/?autostart=1&name=Friend&color=%232f80ed`);
  await me.waitForFunction(() => (window as any).paceline?.game.phase === "racing" && (window as any).paceline?.game.others.length === 5, undefined, { timeout: 60000 });
  await me.keyboard.down("ArrowUp"); await other.keyboard.down("ArrowUp");
  await me.keyboard.press("KeyP");
  for (let i = 0; i < 14; i++) { await me.waitForTimeout(350); await me.screenshot({ path: `/tmp/race-${i}.png` }); }
  await b.close();
});
