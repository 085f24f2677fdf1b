import { existsSync } from "node:fs";
import path from "node:path";

const TOOLS: Readonly<Record<string, string>> = {
  ip: "iproute2",
  nft: "nftables",
  python3: "python3",
  chrt: "util-linux",
  turnserver: "coturn",
};

/** Returns the reason why this machine cannot create networks; undefined if it can. */
export function whyNoNetworks({ needsTurn = true } = {}): string | undefined {
  if (process.platform !== "linux") return "network namespaces exist on Linux only";
  if (process.getuid?.() !== 0) return "network namespaces need root";
  if (!existsSync("/dev/net/tun")) return "there is no /dev/net/tun";
  const missing = Object.entries(TOOLS).filter(([tool]) => {
    return (needsTurn || tool !== "turnserver") && !isInstalled(tool);
  });
  if (missing.length === 0) return undefined;
  const [tools, packages] = [0, 1].map((at) => missing.map((entry) => entry[at]).join(" "));
  return `not installed: ${tools}. On Debian or Ubuntu: apt-get install ${packages}`;
}

export function isInstalled(tool: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return [...folders, "/usr/sbin", "/sbin"].some((folder) => existsSync(path.join(folder, tool)));
}
