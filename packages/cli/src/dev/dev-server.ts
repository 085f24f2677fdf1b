import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import path from "node:path";
import { LogThrottle, OriginPolicy, consoleLog, guardHttp } from "@paceline/relay";
import { listenOn } from "../server/port.js";
import { hiddenReason, isRead, publicFiles, type StaticFiles } from "../server/public-files.js";
import type { ServerOptions } from "../server/server-options.js";
import { DevGame, type DevGameStatus } from "./dev-game.js";
import { OVERLAY_PATH, OVERLAY_SCRIPT } from "./overlay.js";

const clock = { nowMs: () => performance.now() };

/**
 * An HTTP server with a game that reloads on save, and with a folder of files whose pages show the game's
 * errors. Pages of other origins get neither files nor errors, `--allow-origin` or not: both hold source code.
 */
export class DevServer {
  readonly #options: ServerOptions;
  readonly #game: DevGame;
  readonly #pages = new Set<ServerResponse>();
  readonly #files: StaticFiles | undefined;
  readonly #server = createServer();
  readonly #lines = new LogThrottle(clock);

  /** Throws `ConfigError` for wrong hosts or origins. */
  constructor(options: ServerOptions) {
    this.#options = options;
    const { staticFolder, gameFile, relay } = options;
    const { publicHosts = [] } = relay;
    this.#files =
      staticFolder === undefined
        ? undefined
        : publicFiles(staticFolder, { dev: true }, (target, reason) => this.#printHidden(target, reason));
    this.#game = new DevGame({
      file: gameFile,
      relay,
      guardsProcess: true,
      onStatus: (status) => this.#pushEvent(status),
    });
    guardHttp(this.#server, {
      origins: new OriginPolicy({ allowedOrigins: [], publicHosts, log: consoleLog, clock }),
      open: (request, response) => this.#game.handleRequest(request, response),
      answer: (request, response) => this.#answer(request, response),
      upgrade: (request, socket, head) => this.#game.handleUpgrade(request, socket, head),
      onFault: (place, error) => this.#game.reportFault(place, error),
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

  #printHidden(target: string, reason: string): void {
    this.#lines.write((line) => console.warn(line), `refused ${target}: ${reason}`);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const missing = (): void => void response.writeHead(404).end("Not found\n");
    if (!isRead(request)) return missing();
    const [target = ""] = (request.url ?? "").split("?", 1);
    if (target === "/@paceline/events") return this.#watch(response);
    if (target === OVERLAY_PATH)
      return void response.writeHead(200, { "Content-Type": "text/javascript" }).end(OVERLAY_SCRIPT);
    const page = this.#pageAt(target);
    if (page !== undefined)
      return void response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page);
    if (this.#files) this.#files(request, response, missing);
    else missing();
  }

  #watch(response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.write(eventOf(this.#game.status));
    this.#pages.add(response);
    response.once("close", () => this.#pages.delete(response));
  }

  /** Returns the folder's start page with the script that shows errors, or undefined for another path. */
  #pageAt(target: string): string | undefined {
    const { staticFolder: folder } = this.#options;
    if (folder === undefined || !["/", "/index.html"].includes(target)) return undefined;
    if (hiddenReason(folder, target) !== undefined) return undefined;
    try {
      const text = readFileSync(path.join(folder, "index.html"), "utf8");
      return `${text}\n<script type="module" src="${OVERLAY_PATH}"></script>\n`;
    } catch {
      return undefined;
    }
  }
}

const eventOf = (status: DevGameStatus): string => `data: ${JSON.stringify(status)}\n\n`;
