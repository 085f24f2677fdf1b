import path from "node:path";

/** Where the server keeps what outlives it, unless `--data` says otherwise. */
export const DATA_FOLDER = "paceline-data";

/** Returns the folder of saved rooms in a data directory. */
export function roomsFolderOf(dataFolder: string): string {
  return path.join(dataFolder, "rooms");
}
