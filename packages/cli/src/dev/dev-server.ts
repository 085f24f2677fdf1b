import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import path from "node:path";
import sirv from "sirv";
import { listenOn } from "../server/port.js";
import type { ServerOptions } from "../server/server-options.js";
import { DevGame, type DevGameStatus } from "./dev-game.js";
import { OVERLAY_PATH, OVERLAY_SCRIPT } from "./overlay.js";

/**
 * An HTTP server with a game that reloads on save, and with a folder of files whose pages show the game's
 * errors.
 */
export class DevServer {
  readonly #options: ServerOptions;
  readonly #game: DevGame;
  readonly #pages = new Set<ServerResponse>();
  readonly #files: ReturnType<typeof sirv> | undefined;
  readonly #server = createServer((request, response) => this.#answer(request, response));

  constructor(options: ServerOptions) {
    this.#options = options;
    const { staticFolder, gameFile, relay } = options;
    this.#files = staticFolder === undefined ? undefined : sirv(staticFolder, { dev: true });
    this.#game = new DevGame({ file: gameFile, relay, onStatus: (status) => this.#pushEvent(status) });
    this.#server.on("upgrade", (request, socket, head) => {
      if (!this.#game.handleUpgrade(request, socket, head)) socket.destroy();
    });
  }

  /** Resolves with the address; rejects if the port is taken. */
  async listen(): Promise<string> {
    const address = await listenOn(this.#server, this.#options.port, this.#options.host);
    await this.#game.start();
    return address;
  }

  async stop(): Promise<void> {
    this.#server.close();
    await this.#game.stop();
    this.#server.closeAllConnections();
  }

  #pushEvent(status: DevGameStatus): void {
    if (status.error === undefined) console.log(`rooms ${status.rooms.join(", ")}`);
    else console.error(status.error);
    for (const page of this.#pages) page.write(eventOf(status));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (this.#game.handleRequest(request, response)) return;
    if (request.url === "/@paceline/events") return this.#watch(response);
    if (request.url === OVERLAY_PATH)
      return void response.writeHead(200, { "Content-Type": "text/javascript" }).end(OVERLAY_SCRIPT);
    const page = this.#pageAt(request.url ?? "/");
    if (page !== undefined)
      return void response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page);
    const missing = (): void => void response.writeHead(404).end("Not found\n");
    if (this.#files) this.#files(request, response, missing);
    else missing();
  }

  #watch(response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.write(eventOf(this.#game.status));
    this.#pages.add(response);
    response.once("close", () => this.#pages.delete(response));
  }

  /** Returns the folder's start page with the script that shows errors, or undefined for another address. */
  #pageAt(url: string): string | undefined {
    const { pathname } = new URL(url, "http://here");
    if (this.#options.staticFolder === undefined || !["/", "/index.html"].includes(pathname))
      return undefined;
    try {
      const text = readFileSync(path.join(this.#options.staticFolder, "index.html"), "utf8");
      return `${text}\n<script type="module" src="${OVERLAY_PATH}"></script>\n`;
    } catch {
      return undefined;
    }
  }
}

const eventOf = (status: DevGameStatus): string => `data: ${JSON.stringify(status)}\n\n`;
