import { existsSync, rmSync } from "node:fs";
import type { InputDefinition } from "@paceline/client";
import { build, type BuildFailure } from "esbuild";
import { bundledFile, bundleFolderFor, bundleOptions, textOfErrors } from "../dev/game-bundle.js";
import { gameOf } from "../server/game-rooms.js";
import { UsageError } from "../server/usage-error.js";

/**
 * Returns the inputs of a kind of room, read from the game's file. Throws {@link UsageError} if the file has
 * no such kind.
 */
export async function inputsOf(file: string, room: string): Promise<InputDefinition | undefined> {
  if (!existsSync(file)) throw new UsageError(`game: there is no file "${file}"`);
  const folder = bundleFolderFor(file);
  try {
    await build(bundleOptions(file, folder)).catch((error: BuildFailure) => {
      throw new UsageError(`game: "${file}" does not compile:\n${textOfErrors(error.errors)}`);
    });
    const { rooms } = await gameOf(bundledFile(folder), "", file);
    const kind = Object.hasOwn(rooms, room) ? rooms[room] : undefined;
    if (kind) return new kind().inputs;
    throw new UsageError(`room: expected one of "${file}" (${Object.keys(rooms).join(", ")}), got "${room}"`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
