import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";

/** Runs `npm install` in a folder. Resolves with the fault as a sentence, or with undefined. */
export async function npmInstall(folder: string): Promise<string | undefined> {
  // npm names its own script to what it starts; elsewhere it is a command.
  const script = process.env["npm_execpath"];
  const [command, first] = script?.endsWith("npm-cli.js") ? [process.execPath, [script]] : ["npm", []];
  const args = [...first, "install", "--no-audit", "--no-fund"];
  // npm is a batch file on Windows.
  const shell = process.platform === "win32" && command === "npm";
  const child = spawn(command, args, { cwd: folder, shell, stdio: ["ignore", "inherit", "pipe"] });
  let text = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => (text += part));
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code === 0 ? undefined : faultIn(text);
  } catch (error) {
    return `npm cannot be started: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Names the package that npm could not get, and npm's reason. */
function faultIn(text: string): string {
  const request = /request to (\S+) failed, reason: (.*)/.exec(text);
  const named =
    /404 .*'([^']+)'/.exec(text)?.[1] ??
    /No matching version found for (\S+?)\.?\s/.exec(text)?.[1] ??
    (request && packageIn(request[1] ?? ""));
  const lines = text.split("\n").filter((line) => line.startsWith("npm error"));
  const reason = request?.[2] ?? (lines[0] ?? text.trim()).replace(/^npm error\s*/, "");
  const what = named ? `could not get the package ${named}` : "failed";
  return `npm install ${what} (${reason}). The game is written; run npm install there again.`;
}

/**
 * Both forms of address: `/vite`, and `/vite/-/vite-8.0.0.tgz`; a scope's slash may be encoded. Returns undefined
 * for text that is no address.
 */
function packageIn(url: string): string | undefined {
  const [first = ""] = decodedPath(url)?.slice(1).split("/-/") ?? [];
  if (first === "") return undefined;
  const parts = first.split("/");
  return parts.slice(parts.at(-2)?.startsWith("@") ? -2 : -1).join("/");
}

function decodedPath(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return undefined;
  }
}
