import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import sirv from "sirv";

/** Answers a request for a file. Calls `onMissing` if there is none. */
export type StaticFiles = (request: IncomingMessage, response: ServerResponse, onMissing: () => void) => void;

/** Bundlers put a hash of the content into the names of files in this folder. Such a file never changes. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;
const YEAR_S = 31_536_000;
/** The page's preview picture, with a path on this server. */
const OWN_PICTURE = /(<meta property="og:image" content=")(?=\/[^/])/;
/** Compression level for a page made at each request. A higher one takes too long for so small a page. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const HOST = /^[\w.:[\]-]+$/;

/**
 * Serves a built page that may connect to `servers` (origins) besides this one. Reads the folder once, at the
 * start. If the build made `x.br` or `x.gz` of a file `x`, a browser that accepts them gets one of them. The
 * start page's `og:image` becomes an absolute URL at the requested host, since crawlers ignore relative ones.
 */
export function staticFiles(folder: string, servers: readonly string[] = []): StaticFiles {
  const elsewhere = servers.map((origin) => ` ${origin} ${origin.replace("http", "ws")}`).join("");
  const serve = sirv(folder, {
    etag: true,
    brotli: true,
    gzip: true,
    setHeaders: (response, path) => {
      const caching = HASHED.test(path) ? `public, max-age=${YEAR_S}, immutable` : "no-cache";
      response.setHeader("Cache-Control", caching);
    },
  });
  const index = path.join(folder, "index.html");
  const startPage = existsSync(index) ? readFileSync(index, "utf8") : "";
  return (request, response, onMissing) => {
    const host = request.headers.host ?? "";
    for (const [name, value] of Object.entries(securityHeaders(host, elsewhere)))
      response.setHeader(name, value);
    // Reading a file may fail: it was deleted, or too many files are open. Without a listener the error ends
    // the process.
    response.once("pipe", (file) => file.once("error", () => response.destroy()));
    const previewed = isStartPage(request) ? withPicture(startPage, request) : undefined;
    if (previewed === undefined) return serve(request, response, onMissing);
    response.setHeader("Cache-Control", "no-cache");
    response.setHeader("Content-Type", "text/html;charset=utf-8");
    response.setHeader("Vary", "Accept-Encoding");
    const isPacked = /\bbr\b/.test(String(request.headers["accept-encoding"]));
    if (isPacked) response.setHeader("Content-Encoding", "br");
    const bytes = isPacked ? brotliCompressSync(previewed, QUICK) : Buffer.from(previewed);
    response.setHeader("Content-Length", bytes.length);
    response.end(request.method === "HEAD" ? undefined : bytes);
  };
}

function isStartPage({ method, url = "" }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && /^\/(?:index\.html)?(?:\?|$)/.test(url);
}

/**
 * Returns the page with an absolute URL of its preview picture. Returns undefined if it names none, or if the
 * host is invalid. A proxy's header tells whether the client uses TLS.
 */
function withPicture(page: string, { headers, socket }: IncomingMessage): string | undefined {
  const { host = "" } = headers;
  if (!OWN_PICTURE.test(page) || !HOST.test(host)) return undefined;
  const isSecure = "encrypted" in socket || headers["x-forwarded-proto"] === "https";
  return page.replace(OWN_PICTURE, `$1${isSecure ? "https" : "http"}://${host}`);
}

/**
 * Returns headers that limit the page to this server and the servers that the operator names. They list
 * WebSockets, since not every browser counts these as 'self'. They permit inline styles, since a game sets
 * styles from code.
 */
function securityHeaders(host: string, elsewhere: string): Readonly<Record<string, string>> {
  const sockets = HOST.test(host) ? ` ws://${host} wss://${host}` : "";
  const policy = [
    "default-src 'self'",
    `connect-src 'self'${sockets}${elsewhere}`,
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self' data:",
    "style-src 'self' 'unsafe-inline'",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Security-Policy": policy.join("; "),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
  };
}
