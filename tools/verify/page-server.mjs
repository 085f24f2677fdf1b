/** A built page and a game's server at one address. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { gzipSync } from "node:zlib";

/** Round trip of every HTTP answer, ms. Opening the WebSocket takes two. */
const RTT_MS = 50;

/** @param {string | Uint8Array} code @returns {number} bytes of its gzip form, as the page server sends it */
export const compressed = (code) => gzipSync(code, { level: 9 }).byteLength;

/** @typedef {{ name: string, code: string, gzipBytes: number, askedAtMs: number }} ServedScript askedAtMs: by Date.now() */

/**
 * Serves built files with gzip, and everything else by the game's server.
 * @param {string} folder of the build
 * @param {Pick<import("../../packages/relay/dist/index.js").Relay, "handleRequest" | "handleUpgrade">} relay
 * @param {(script: string) => Promise<unknown>} [admitted] the answer of a script waits for it
 */
export async function servePage(folder, relay, admitted = async () => undefined) {
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(js|html)$/.test(name))
      .map((name) => {
        const code = readFileSync(path.join(folder, name), "utf8");
        return [`/${name.split(path.sep).join("/")}`, { code, body: gzipSync(code, { level: 9 }) }];
      }),
  );
  /** @type {ServedScript[]} in the order of their requests */
  const scripts = [];
  /**
   * @param {import("node:http").IncomingMessage} request @param {import("node:http").ServerResponse} response
   * @param {number} askedAtMs
   */
  const answer = (request, response, askedAtMs) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    const name = pathname === "/" ? "/index.html" : pathname;
    const file = files.get(name);
    if (file === undefined) {
      if (!relay.handleRequest(request, response)) response.writeHead(404).end();
      return;
    }
    const isScript = name.endsWith(".js");
    const { code, body } = file;
    if (isScript) scripts.push({ name, code, gzipBytes: body.byteLength, askedAtMs });
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.setHeader("content-encoding", "gzip");
    void (isScript ? admitted(name) : Promise.resolve()).then(() => response.end(body));
  };
  const server = createServer((...exchange) => void setTimeout(answer, RTT_MS, ...exchange, Date.now()));
  server.on("upgrade", (...upgrade) => void setTimeout(() => relay.handleUpgrade(...upgrade), 2 * RTT_MS));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const codes = [...files.values()].map(({ code }) => code);
  return { url: `http://127.0.0.1:${port}/`, scripts, codes, stop };
}
