import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { hiddenReason, isRead, publicFiles, type StaticFiles } from "./public-files.js";

/** Bundlers put a hash of the content into the names of files in this folder. Such a file never changes. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;
const YEAR_S = 31_536_000;
/** The page's preview pictures, each with a path on this server. A formatter may break a tag into lines. */
const OWN_PICTURE = /(<meta\s+(?:property|name)="(?:og|twitter):image"\s+content=")(?=\/[^/])/g;
/** Compression level for a page made at each request. A higher one takes too long for so small a page. */
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** The other hosts that a page concerns. */
interface PageHosts {
  /** Origins of servers that the page may connect to besides this one. */
  readonly connectTo: readonly string[];
  /** Returns true if a name in `Host` is this server's. An attacker may have chosen another. */
  readonly isOwnHost: (host: string) => boolean;
}

/**
 * Serves a built page. Reads the list of files once, at the start. If the build made `x.br` or `x.gz` of a file `x`, a browser that accepts them gets one of them. The
 * start page's `og:image` becomes an absolute URL at the requested host, since crawlers ignore relative ones.
 */
export function staticFiles(folder: string, { connectTo, isOwnHost }: PageHosts): StaticFiles {
  const elsewhere = connectTo.map((origin) => ` ${origin} ${origin.replace("http", "ws")}`).join("");
  const serve = publicFiles(folder, {
    etag: true,
    brotli: true,
    gzip: true,
    setHeaders: (response, path) => {
      const caching = HASHED.test(path) ? `public, max-age=${YEAR_S}, immutable` : "no-cache";
      response.setHeader("Cache-Control", caching);
    },
  });
  const index = path.join(folder, "index.html");
  const isPublic = existsSync(index) && hiddenReason(folder, "/") === undefined;
  const startPage = isPublic ? readFileSync(index, "utf8") : "";
  return (request, response, onMissing) => {
    const { host = "" } = request.headers;
    const ownHost = isOwnHost(host) ? host : undefined;
    for (const [name, value] of Object.entries(securityHeaders(ownHost, elsewhere)))
      response.setHeader(name, value);
    const previewed = isStartPage(request) ? withPicture(startPage, request, ownHost) : undefined;
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

function isStartPage(request: IncomingMessage): boolean {
  return isRead(request) && /^\/(?:index\.html)?(?:\?|$)/.test(request.url ?? "");
}

/**
 * Returns the page with an absolute URL of its preview picture. Returns undefined if it names none, or if the
 * host is not this server's. A proxy's header tells whether the client uses TLS.
 */
function withPicture(page: string, request: IncomingMessage, host?: string): string | undefined {
  const { headers, socket } = request;
  if (host === undefined) return undefined;
  const isSecure = "encrypted" in socket || headers["x-forwarded-proto"] === "https";
  const previewed = page.replace(OWN_PICTURE, `$1${isSecure ? "https" : "http"}://${host}`);
  return previewed === page ? undefined : previewed;
}

/**
 * Returns headers that limit the page to this server and the servers that the operator names. They list
 * WebSockets, since not every browser counts these as 'self'. They permit inline styles, since a game sets
 * styles from code.
 */
function securityHeaders(host: string | undefined, elsewhere: string): Readonly<Record<string, string>> {
  const sockets = host === undefined ? "" : ` ws://${host} wss://${host}`;
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
