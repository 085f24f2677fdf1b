import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** Returns the path of an empty directory, which the end of the test removes. */
export async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "paceline-rooms-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
