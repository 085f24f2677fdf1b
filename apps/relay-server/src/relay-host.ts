import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createRelay, type Relay } from "@paceline/relay";
import { lineLog } from "./line-log.js";
import type { ServerOptions } from "./server-options.js";
import { staticFiles, type StaticFiles } from "./static-files.js";

/** A request that is not complete by then is cut: a relay's requests are small. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 8192;

/** An HTTP server with a relay in it. */
export class RelayHost {
  readonly #server: Server;
  readonly #relay: Relay;
  readonly #files: StaticFiles | undefined;

  /** Throws `ConfigError` for options that the relay refuses. */
  constructor(options: ServerOptions, writeLog: (line: string) => void) {
    this.#relay = createRelay({
      ...options.relay,
      log: lineLog(options.logLevel, writeLog),
      ...(options.isProxyTrusted && { addressOf: forwardedAddress }),
    });
    this.#files = options.staticFolder === undefined ? undefined : staticFiles(options.staticFolder);
    const timeouts = { headersTimeout: REQUEST_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
    this.#server = createServer({ ...timeouts, maxHeaderSize: MAX_HEADER_BYTES });
    this.#server.on("request", (request, response) => this.#answer(request, response));
    this.#server.on("upgrade", (request, socket, head) => {
      if (!this.#relay.handleUpgrade(request, socket, head)) socket.destroy();
    });
  }

  /** Resolves with the address once it accepts connections. */
  listen(port: number, host: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port, host }, () => {
        const bound = this.#server.address() as AddressInfo;
        const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
        resolve(`http://${name}:${bound.port}`);
      });
    });
  }

  /** Ends sessions, then connections. */
  async stop(): Promise<void> {
    this.#server.close();
    await this.#relay.stop();
    this.#server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.#relay.handleRequest(request, response)) return;
    const missing = (): void => {
      response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end("Not found\n");
    };
    if (this.#files && (request.method === "GET" || request.method === "HEAD")) {
      return this.#files(request, response, missing);
    }
    missing();
  }
}

/** The proxy in front of us has appended the address that it saw; what stands before it anyone may have written. */
function forwardedAddress(request: IncomingMessage): string {
  const header = request.headers["x-forwarded-for"];
  const entries = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  return entries.at(-1)?.trim() || (request.socket.remoteAddress ?? "unknown");
}
