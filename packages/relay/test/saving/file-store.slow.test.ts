import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileStore, silentLog } from "../../src/index.js";
import { killWriters } from "./file-writers.js";
import { newDirectory } from "./new-directory.js";

const quiet = { log: silentLog };

function openStore(directory: string) {
  const store = fileStore(directory, quiet);
  onTestFinished(() => store.close?.());
  return store;
}

describe("the lock of a directory", () => {
  it("of another container is taken over only once it is not touched any more", async () => {
    const directory = await newDirectory();
    const holder = fileStore(directory, quiet);
    await holder.list();
    const [file = ""] = await readdir(directory);
    const lock = JSON.parse(await readFile(path.join(directory, file), "utf8")) as Record<string, unknown>;
    const elsewhere = JSON.stringify({ ...lock, pidSpace: "pid:[1]" });
    await writeFile(path.join(directory, file), elsewhere);
    await expect(openStore(directory).list()).rejects.toMatchObject({ code: "store/locked" });
    await holder.close?.();
    await writeFile(path.join(directory, "lock-left"), elsewhere);
    await expect(openStore(directory).list()).resolves.toEqual([]);
  }, 30_000);
});

describe("thirty processes that are killed while they write", () => {
  it("leave each room a save that can be read, not older than the last that they confirmed", async () => {
    await expect(killWriters(30)).resolves.toEqual({ rooms: 2, damaged: [], lost: [] });
  });
});
