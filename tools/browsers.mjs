/** The browsers that the end-to-end tests drive: those of the system, not downloads of a test tool. */
import { existsSync } from "node:fs";
import { runChild } from "./children.mjs";

/** @type {{ name: string, files: string[], debianPackages: string[] }[]} */
export const BROWSERS = [
  { name: "Chromium", files: ["/usr/bin/chromium"], debianPackages: ["chromium"] },
  { name: "Firefox", files: ["/usr/bin/firefox-esr"], debianPackages: ["firefox-esr"] },
  {
    name: "WebKitGTK",
    files: ["/usr/bin/WebKitWebDriver", "/usr/bin/Xvfb"],
    debianPackages: ["webkit2gtk-driver", "xvfb"],
  },
];

/** @returns {typeof BROWSERS} */
export function missingBrowsers() {
  return BROWSERS.filter((browser) => !browser.files.every((file) => existsSync(file)));
}

/** @param {typeof BROWSERS} missing */
const packagesOf = (missing) => missing.flatMap((browser) => browser.debianPackages);

/** Tries to install what is missing, where that needs no question: as root, with apt. */
async function installBrowsers() {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync("/usr/bin/apt-get")) return;
  const wanted = packagesOf(missingBrowsers());
  console.log(`Installing ${wanted.join(", ")} ...`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...wanted]]) {
    const result = await runChild("apt-get", args, { env, timeoutMs: 300_000 });
    if (result.code !== 0) console.error(result.output);
  }
}

/**
 * On CI a browser that is missing fails the run; on a user's machine it is skipped, and this says how to get it.
 * @returns {Promise<boolean>} whether the end-to-end tests may run
 */
export async function ensureBrowsers() {
  const isCi = process.env.CI !== undefined && process.env.CI !== "" && process.env.CI !== "false";
  if (missingBrowsers().length > 0) await installBrowsers();
  const missing = missingBrowsers();
  if (missing.length === 0) return true;
  const names = missing.map((browser) => browser.name).join(", ");
  const how = `On Debian or Ubuntu: sudo apt-get install ${packagesOf(missing).join(" ")}`;
  if (isCi) {
    console.error(`Missing after trying to install: ${names}. ${how}`);
    return false;
  }
  console.log(`Skipped in the end-to-end tests, because it is not installed: ${names}. ${how}`);
  return true;
}
