import path from "node:path";
import { expect, test, type Page } from "@playwright/test";
import { executableOf } from "../tools/browsers.mjs";
import { ownAddress, UdpBottleneck } from "../packages/transport/test/udp-bottleneck.js";
import { launchEngine } from "./browsers/playwright-browser.js";
import { pageScript } from "./page-script.js";

const PAGE = path.resolve(import.meta.dirname, "../packages/transport/test/browser/link-contract-page.ts");
/** No server has this address: the test itself answers the page's requests. Loopback is a secure context. */
const ORIGIN = "http://127.0.0.1:4173/";

const NARROW_BPS = 64_000;

/** Gives the page one path at a time between its links, whose rate the page can limit. */
async function offerNarrowPath(page: Page): Promise<void> {
  const address = ownAddress()!;
  let path: UdpBottleneck;
  await page.exposeFunction("openPath", async () => {
    path = await UdpBottleneck.open(address);
    return { address, ...path.ports };
  });
  await page.exposeFunction("narrowPathTo", (isNarrow: boolean) =>
    path.narrow(isNarrow ? NARROW_BPS : Number.POSITIVE_INFINITY),
  );
  await page.exposeFunction("closePath", () => path.close());
  await page.addInitScript(() => {
    const { openPath, narrowPathTo, closePath } = globalThis as unknown as Record<string, unknown>;
    Object.assign(globalThis, { narrowPath: { open: openPath, narrow: narrowPathTo, close: closePath } });
  });
}

for (const name of ["chromium", "firefox"] as const) {
  test(
    `a WebRTC link keeps the contract of links in ${name}`,
    { tag: name === "firefox" ? "@slow" : [] },
    async () => {
      test.skip(executableOf(name) === undefined, `${name} is not installed`);
      test.skip(ownAddress() === undefined, "browsers gather candidates for a network only");
      test.setTimeout(180_000);
      const engine = await launchEngine(name);
      try {
        const page = await engine.newPage();
        const script = await pageScript(PAGE);
        await offerNarrowPath(page);
        await page.route(`${ORIGIN}**`, (route) =>
          route.request().url().endsWith("page.js")
            ? route.fulfill({ contentType: "text/javascript", body: script })
            : route.fulfill({
                contentType: "text/html",
                body: '<script type="module" src="/page.js"></script>',
              }),
        );
        await page.goto(ORIGIN);
        const outcomes = await page.evaluate(
          () => (globalThis as unknown as { linkContractOutcomes: Promise<unknown> }).linkContractOutcomes,
        );
        const kept = (outcomes as { title: string; failure?: string }[]).map(
          ({ title, failure }) => `${title}: ${failure ?? "kept"}`,
        );
        expect(kept.length).toBeGreaterThanOrEqual(15);
        expect(kept.filter((line) => !line.endsWith(": kept"))).toEqual([]);
      } finally {
        await engine.close();
      }
    },
  );
}
