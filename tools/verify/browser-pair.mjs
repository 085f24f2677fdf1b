/** A page in Chromium and one in Firefox, driven by the Playwright of the end-to-end tests. */
import { chromium, firefox } from "@playwright/test";
import { executableOf } from "../browsers.mjs";

/** @returns {Promise<{ browsers: import("@playwright/test").Browser[], pages: import("@playwright/test").Page[] }>} */
export async function openBrowsers() {
  const browsers = await Promise.all([
    chromium.launch({
      executablePath: executableOf("chromium") ?? "",
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    }),
    firefox.launch({ executablePath: executableOf("firefox") ?? "", channel: "moz-firefox" }),
  ]);
  const pages = await Promise.all(browsers.map((browser) => browser.newPage()));
  return { browsers, pages };
}

/** @param {{ browsers: import("@playwright/test").Browser[] }} opened */
export async function closeBrowsers({ browsers }) {
  await Promise.all(browsers.map((browser) => browser.close()));
}
