import { existsSync } from "node:fs";
import type { Server as HttpServer } from "node:http";
import path from "node:path";
import { ConfigError, relayOptionNames, silentLog, type Log, type RelayOptions } from "@paceline/relay";
import { DevGame, ownerOf, type DevGameStatus } from "paceline/dev";
import type { HotPayload, Logger, Plugin, ViteDevServer } from "vite";
import { preload } from "./preload.js";

/** Options of {@link paceline}: those of the relay, and the game's own rooms. */
export interface PacelineOptions extends Partial<Omit<RelayOptions, "log">> {
  /** A module that exports `rooms`, from Vite's root. None: only rooms between players. */
  readonly game?: string;
}

/**
 * Plugins for Vite. In its development server clients join at the page's own address. The game's rooms start again on
 * each save; an error in their file is shown on the page, and the last rooms that worked go on. In a build, the game's
 * page names the code of rooms, so that browsers fetch it early.
 */
export function paceline(options: PacelineOptions): Plugin[] {
  return [development(options), preload(options.game === undefined ? "mesh" : "authority")];
}

function development({ game, rooms = {}, ...relay }: PacelineOptions): Plugin {
  assertNames(Object.keys(relay));
  let mounted: DevGame | undefined;
  return {
    name: "paceline",
    apply: "serve",
    async configureServer(vite) {
      // Vitest loads the game's configuration into a Vite server without HTTP.
      if (vite.config.plugins.some(({ name }) => name === "vitest")) return;
      const file = game === undefined ? undefined : path.resolve(vite.config.root, game);
      if (file !== undefined && !existsSync(file))
        throw new ConfigError("game", game, `a file in ${vite.config.root}`);
      mounted = await mount(vite, file, { ...relay, rooms });
    },
    // Vite waits for it before its server is closed.
    async closeBundle() {
      await mounted?.stop();
      mounted = undefined;
    },
  };
}

/** Warnings go to Vite's own log, so that `log` is no option here. */
function assertNames(given: readonly string[]): void {
  const known = ["game", ...relayOptionNames.filter((name) => name !== "log")];
  const field = given.find((name) => !known.includes(name));
  if (field !== undefined) throw new ConfigError(field, field, `one of ${known.join(", ")}`);
}

async function mount(
  vite: ViteDevServer,
  file: string | undefined,
  relay: Omit<RelayOptions, "log">,
): Promise<DevGame> {
  // Vite names HTTP/2 too; without a proxy it takes upgrades over HTTP/1 only.
  const http = vite.httpServer as HttpServer | null;
  if (!http) {
    throw new ConfigError("server.middlewareMode", true, "false, since rooms need Vite's own HTTP server");
  }
  const { logger } = vite.config;
  // Vite writes the port that it got over the one that it wanted.
  const wanted = vite.config.server.port;
  let status: DevGameStatus = { rooms: [], error: undefined };
  const devGame = new DevGame({
    file,
    relay,
    log: logOf(logger),
    onStatus: (next) => {
      if (next.error === undefined) logger.info(`paceline: rooms ${next.rooms.join(", ")}`);
      else logger.error(`paceline: ${next.error}`);
      // An update of nothing takes Vite's overlay away.
      if (next.error === undefined && status.error !== undefined)
        vite.ws.send({ type: "update", updates: [] });
      status = next;
      if (next.error !== undefined) vite.ws.send(overlayOf(next.error, file));
    },
  });
  // A page that opens later sees the error, too.
  vite.ws.on("connection", () => {
    if (status.error !== undefined) vite.ws.send(overlayOf(status.error, file));
  });
  vite.middlewares.use((request, response, next) => {
    if (!devGame.handleRequest(request, response)) next();
  });
  // Upgrades that are not the game's are Vite's own.
  http.on("upgrade", (request, socket, head) => void devGame.handleUpgrade(request, socket, head));
  http.once("listening", () => sayIfMoved(http, wanted, logger));
  await devGame.start();
  return devGame;
}

/** Vite takes the next port without a word about the process that has the one it wanted. */
function sayIfMoved(http: HttpServer, wanted: number, logger: Logger): void {
  const address = http.address();
  if (typeof address !== "object" || !address || wanted === 0 || address.port === wanted) return;
  const owner = ownerOf(wanted) ?? "another process";
  logger.warn(`paceline: port ${wanted} is taken by ${owner}; this server has port ${address.port}`);
}

function overlayOf(error: string, file: string | undefined): HotPayload {
  return { type: "error", err: { message: error, stack: "", plugin: "paceline", ...(file && { id: file }) } };
}

/** Warnings alone: errors are shown on the page and logged with the status. */
function logOf(logger: Logger): Log {
  return {
    ...silentLog,
    warn: (message, fields = {}) => {
      const facts = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
      logger.warn(["paceline:", message, ...facts].join(" "));
    },
  };
}
