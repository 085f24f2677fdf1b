import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import sirv from "sirv";

/** Answers a request for a file; calls `onMissing` where there is none. */
export type StaticFiles = (request: IncomingMessage, response: ServerResponse, onMissing: () => void) => void;

/** Bundlers put a hash of the content into the names in this folder: such a file never changes. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;
const YEAR_S = 31_536_000;
/** A picture for previews of links, named from the root of this server. */
const OWN_PICTURE = /(<meta property="og:image" content=")(?=\/[^/])/;
/** For each request: better compression of so small a page is not worth the milliseconds. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const HOST = /^[\w.:[\]-]+$/;

/**
 * Serves a built page, and may connect it to `servers` (origins) besides this one. The folder is read once, at the start.
 * Of a file `x` the build may have made `x.br` and `x.gz`: a browser that accepts one of them gets it. The start page's
 * `og:image` becomes an absolute URL at the host that was asked: crawlers ignore any other.
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
    // A file that was deleted, or one too many open: without a listener that error ends the process.
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

/** Undefined: the page names no such picture, or the host is not one. A proxy says by its header that it speaks TLS. */
function withPicture(page: string, { headers, socket }: IncomingMessage): string | undefined {
  const { host = "" } = headers;
  if (!OWN_PICTURE.test(page) || !HOST.test(host)) return undefined;
  const isSecure = "encrypted" in socket || headers["x-forwarded-proto"] === "https";
  return page.replace(OWN_PICTURE, `$1${isSecure ? "https" : "http"}://${host}`);
}

/**
 * The page may load from here, connect to here and to the servers that the operator names, and nothing else. WebSockets are named on their own since not every
 * browser counts them as 'self'. Styles may be inline: a game sets them from code.
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
