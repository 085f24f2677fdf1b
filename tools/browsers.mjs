/** The browsers for the end-to-end tests: the system's, not downloads of a test tool. */
import { existsSync } from "node:fs";
import { installDebianPackages } from "./debian.mjs";

/**
 * @typedef {"chromium" | "firefox" | "webkitgtk"} BrowserName
 * @typedef {{ name: BrowserName, title: string, needs: string[][], debianPackages: string[] }} SystemBrowser
 * needs: one file of each list must exist; the first list is the browser itself
 */

/** @type {SystemBrowser[]} */
const BROWSERS = [
  {
    name: "chromium",
    title: "Chromium",
    needs: [
      [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      ],
    ],
    debianPackages: ["chromium"],
  },
  {
    name: "firefox",
    title: "Firefox",
    needs: [["/usr/bin/firefox-esr", "/usr/bin/firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"]],
    debianPackages: ["firefox-esr"],
  },
  {
    name: "webkitgtk",
    title: "WebKitGTK",
    needs: [["/usr/bin/WebKitWebDriver"], ["/usr/bin/Xvfb"]],
    debianPackages: ["webkit2gtk-driver", "xvfb"],
  },
];

/** @param {BrowserName} name @returns {string | undefined} its path, or undefined if it cannot be driven */
export function executableOf(name) {
  const found = BROWSERS.find((browser) => browser.name === name)?.needs.map((files) =>
    files.find((file) => existsSync(file)),
  );
  return found?.includes(undefined) ? undefined : found?.[0];
}

function missingBrowsers() {
  return BROWSERS.filter((browser) => executableOf(browser.name) === undefined);
}

/** @param {SystemBrowser[]} missing */
const packagesOf = (missing) => missing.flatMap((browser) => browser.debianPackages);

/**
 * Checks the browsers, and says how to install missing ones. A missing browser fails the run on CI; elsewhere
 * it is skipped.
 * @returns {Promise<boolean>} whether the end-to-end tests may run
 */
export async function ensureBrowsers() {
  const isCi = !["", "0", "false"].includes(process.env.CI ?? "");
  if (missingBrowsers().length > 0) await installDebianPackages(packagesOf(missingBrowsers()));
  const missing = missingBrowsers();
  if (missing.length === 0) return true;
  const titles = missing.map((browser) => browser.title).join(", ");
  const how = `On Debian or Ubuntu: sudo apt-get install ${packagesOf(missing).join(" ")}`;
  if (isCi) {
    console.error(`Missing after trying to install: ${titles}. ${how}`);
    return false;
  }
  console.log(`Skipped in the end-to-end tests, because it is not installed: ${titles}. ${how}`);
  return true;
}
