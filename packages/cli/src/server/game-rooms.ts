import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { QueueOptions, RoomClass } from "@paceline/server";
import { UsageError } from "./config-file.js";

/** The exports of a game's module. */
export interface Game {
  readonly rooms: Readonly<Record<string, RoomClass>>;
  readonly queues: Readonly<Record<string, QueueOptions>>;
}

interface Exports {
  readonly rooms?: unknown;
  readonly queues?: unknown;
}
type Module = Exports & { readonly default?: Exports | null };

/** The rooms of a server without a game's file. */
export const NO_GAME: Game = { rooms: {}, queues: {} };

/** True if the package of that folder says that its .js files are modules. Vite names others .mjs. */
function isModulePackage(folder: string): boolean {
  try {
    const settings = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
      type?: unknown;
    };
    return settings.type === "module";
  } catch {
    const above = path.dirname(folder);
    return above !== folder && isModulePackage(above);
  }
}

function howToCompile(file: string): string {
  const built = `dist-server/${path.parse(file).name}.${isModulePackage(process.cwd()) ? "js" : "mjs"}`;
  return `Make JavaScript of it, "npx vite build --ssr ${file} --outDir dist-server", and name "--game ${built}"`;
}

/**
 * Returns the kinds of rooms and the queues that a game's module exports. Throws {@link UsageError}, naming
 * the module `name`, if it has none. A new `query` makes Node read the file again.
 */
export async function gameOf(file: string, query = "", name = file): Promise<Game> {
  let game: Exports;
  try {
    const module = (await import(`${pathToFileURL(path.resolve(file)).href}${query}`)) as Module;
    // The exports of a CommonJS file may be visible under "default" only.
    game = module.rooms === undefined ? (module.default ?? module) : module;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const next = /\.[cm]?tsx?$/.test(file) ? `. ${howToCompile(file)}` : "";
    throw new UsageError(`game: "${name}" cannot be loaded: ${why}${next}`, { cause: error });
  }
  const { rooms, queues = {} } = game;
  const classes = typeof rooms === "object" && rooms !== null ? Object.values(rooms) : [];
  if (classes.length === 0 || !classes.every((entry) => typeof entry === "function")) {
    throw new UsageError(`game: expected "${name}" to export "rooms", classes of rooms by name`);
  }
  if (typeof queues !== "object" || queues === null) {
    throw new UsageError(
      `game: expected "queues" of "${name}" to be options of queues by the name of their rooms`,
    );
  }
  // The server checks the contents of both.
  return { rooms, queues } as Game;
}
