import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { openEnvelope, type OpenedSave } from "../save-envelope.js";
import { storeFailure } from "./store-failure.js";

/** A file of `fileStore`, for people who look at a directory. */
export interface SavedFile {
  /** Its path. */
  readonly file: string;
  /** The size of the file, envelope included. */
  readonly sizeBytes: number;
  /** The save, or why it cannot be used. */
  readonly save: OpenedSave | { readonly fault: string };
}

/**
 * Reads all saves of a directory of `fileStore`, also while a server has it open. Those of a room stand together,
 * the newest first; what cannot be used stands last. Rejects with `NetError` as the store does.
 */
export async function savedFiles(directory: string): Promise<SavedFile[]> {
  try {
    const names = (await readdir(directory)).filter((name) => name.endsWith(".room"));
    const files = await Promise.all(names.map((name) => savedFile(path.join(directory, name))));
    return files.sort(order);
  } catch (error) {
    throw storeFailure("list saved rooms", directory, error);
  }
}

/** Reads one file. Rejects with `NetError` if there is none. */
export async function savedFile(file: string): Promise<SavedFile> {
  try {
    const bytes = await readFile(file);
    return { file, sizeBytes: bytes.length, save: openEnvelope(bytes) };
  } catch (error) {
    throw storeFailure("read a saved room", file, error);
  }
}

function order(one: SavedFile, other: SavedFile): number {
  const [a, b] = [one.save, other.save];
  if ("fault" in a || "fault" in b) return Number("fault" in a) - Number("fault" in b);
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return b.sequence - a.sequence;
}
