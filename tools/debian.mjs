/** The system's programs that tests use. */
import { existsSync } from "node:fs";
import { runChild } from "./children.mjs";

/** @type {readonly { files: string[], debianPackage: string, for: string }[]} */
const PROGRAMS = [
  { files: ["/usr/sbin/nginx", "/usr/bin/nginx"], debianPackage: "nginx", for: "its example as a proxy" },
  { files: ["/usr/bin/caddy"], debianPackage: "caddy", for: "its example as a proxy" },
  { files: ["/usr/bin/turnserver"], debianPackage: "coturn", for: "paths through a TURN server" },
  { files: ["/usr/bin/tshark"], debianPackage: "tshark", for: "the dissector" },
  {
    files: ["/usr/bin/python3", "/usr/local/bin/python3"],
    debianPackage: "python3",
    for: "the second reader",
  },
  { files: ["/usr/bin/openssl"], debianPackage: "openssl", for: "certificates of tests" },
];

const missing = () => PROGRAMS.filter(({ files }) => !files.some((file) => existsSync(file)));

/**
 * Installs Debian packages if this process may: as root, with apt. Prints the output of a failure.
 * @param {readonly string[]} packages
 */
export async function installDebianPackages(packages) {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  console.log(`Installing ${packages.join(", ")} ...`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...packages]]) {
    const result = await runChild("apt-get", args, { env, timeoutMs: 300_000 });
    if (result.code !== 0) console.error(result.output);
  }
}

/**
 * Installs missing programs if possible; otherwise prints which ones are missing. Their tests are skipped.
 */
export async function ensurePrograms() {
  if (missing().length > 0) await installDebianPackages(missing().map((program) => program.debianPackage));
  const still = missing();
  if (still.length === 0) return;
  const what = still.map((program) => `${program.debianPackage} (${program.for})`).join(", ");
  console.log(`Tests skipped because it is not installed: ${what}.`);
}
