import { createServer, type Server } from "node:http";
import path from "node:path";
import { build } from "esbuild";

const PLAYER_PAGE = path.resolve(import.meta.dirname, "../packages/client/test/browser/lifecycle-page.ts");

/** A test's page script with all that it imports, from source, as one module. */
export async function pageScript(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["@paceline/source"],
  });
  return outputFiles[0]!.text;
}

/** Serves a player's page, whatever is asked for: one that Playwright makes up may not open connections to this machine. */
export async function servePlayerPage(): Promise<Server> {
  const body = `<!doctype html><script type="module">${await pageScript(PLAYER_PAGE)}</script>`;
  const pages = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(body);
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  return pages;
}
