import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

/** Serves the scripts of a folder, and for each script a page with its name without `.js`. */
export async function servePages(folder: string): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, "http://127.0.0.1");
    const name = path.basename(pathname);
    if (!name.includes(".")) return void response.setHeader("content-type", "text/html").end(htmlOf(name));
    readFile(path.join(folder, name)).then(
      (script) => response.setHeader("content-type", "text/javascript").end(script),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

function htmlOf(name: string): string {
  const sdk = name === "colyseus-page" ? `<script src="/colyseus-sdk.js"></script>` : "";
  return `<!doctype html><title>${name}</title><link rel="icon" href="data:,">${sdk}<script type="module" src="/${name}.js"></script>`;
}
