import { existsSync, rmSync } from "node:fs";
import type { EntityDefinition, InputDefinition } from "@paceline/client";
import { build, type BuildFailure } from "esbuild";
import { bundledFile, bundleFolderFor, bundleOptions, textOfErrors } from "../dev/game-bundle.js";
import { gameOf } from "../server/game-rooms.js";
import { UsageError } from "../server/config-file.js";

/** The definitions of a kind of room that its players use. */
export interface RoomDefinitions {
  readonly inputs: InputDefinition | undefined;
  readonly entities: readonly EntityDefinition[];
  /** The first kind with a position that players simulate themselves. */
  readonly owned: EntityDefinition | undefined;
}

/**
 * Returns the definitions of a kind of room, read from the game's file. Throws {@link UsageError} if the file
 * has no such kind.
 */
export async function definitionsOf(file: string, room: string): Promise<RoomDefinitions> {
  if (!existsSync(file)) throw new UsageError(`game: there is no file "${file}"`);
  const folder = bundleFolderFor(file);
  try {
    await build(bundleOptions(file, folder)).catch((error: BuildFailure) => {
      throw new UsageError(`game: "${file}" does not compile:\n${textOfErrors(error.errors)}`);
    });
    const { rooms } = await gameOf(bundledFile(folder), "", file);
    const kind = Object.hasOwn(rooms, room) ? rooms[room] : undefined;
    if (kind) {
      const { inputs, entities, playerEntities } = new kind();
      const owned = playerEntities.find(({ definition }) => "position" in definition.fields)?.definition;
      return { inputs, entities, owned };
    }
    throw new UsageError(`room: expected one of "${file}" (${Object.keys(rooms).join(", ")}), got "${room}"`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
