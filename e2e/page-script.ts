import { createServer, type Server } from "node:http";
import path from "node:path";
import { build } from "esbuild";

const PLAYER_PAGE = path.resolve(import.meta.dirname, "../packages/client/test/browser/lifecycle-page.ts");

/** Bundles a test page's script with all its imports from source. */
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

/** Serves a player's page at any path. A page that Playwright makes up may not connect to this machine. */
export async function servePlayerPage(): Promise<Server> {
  const body = `<!doctype html><script type="module">${await pageScript(PLAYER_PAGE)}</script>`;
  const pages = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(body);
  });
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  return pages;
}
