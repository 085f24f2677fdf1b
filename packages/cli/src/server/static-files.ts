import type { IncomingMessage, ServerResponse } from "node:http";
import sirv from "sirv";

/** Answers a request for a file; calls `onMissing` where there is none. */
export type StaticFiles = (request: IncomingMessage, response: ServerResponse, onMissing: () => void) => void;

/** Bundlers put a hash of the content into the names in this folder: such a file never changes. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;
const YEAR_S = 31_536_000;

/**
 * Serves a built page, and may connect it to `servers` (origins) besides this one. The folder is read once, at the start.
 * Of a file `x` the build may have made `x.br` and `x.gz`: a browser that accepts one of them gets it.
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
  return (request, response, onMissing) => {
    const host = request.headers.host ?? "";
    for (const [name, value] of Object.entries(securityHeaders(host, elsewhere)))
      response.setHeader(name, value);
    // A file that was deleted, or one too many open: without a listener that error ends the process.
    response.once("pipe", (file) => file.once("error", () => response.destroy()));
    serve(request, response, onMissing);
  };
}

/**
 * The page may load from here, connect to here and to the servers that the operator names, and nothing else. WebSockets are named on their own since not every
 * browser counts them as 'self'. Styles may be inline: a game sets them from code.
 */
function securityHeaders(host: string, elsewhere: string): Readonly<Record<string, string>> {
  const sockets = /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : "";
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
