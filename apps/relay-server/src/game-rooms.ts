import path from "node:path";
import { pathToFileURL } from "node:url";
import type { RoomClass } from "@paceline/server";
import { UsageError } from "./usage-error.js";

/** Kinds of rooms that a game's module exports. Throws {@link UsageError} for a module that has none. */
export async function gameRooms(file: string): Promise<Readonly<Record<string, RoomClass>>> {
  let exported: unknown;
  try {
    exported = ((await import(pathToFileURL(path.resolve(file)).href)) as { readonly rooms?: unknown }).rooms;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`game: "${file}" cannot be loaded: ${why}`, { cause: error });
  }
  const classes = typeof exported === "object" && exported !== null ? Object.values(exported) : [];
  if (classes.length > 0 && classes.every((entry) => typeof entry === "function")) {
    return exported as Readonly<Record<string, RoomClass>>;
  }
  throw new UsageError(`game: expected "${file}" to export "rooms", classes of rooms by name`);
}
