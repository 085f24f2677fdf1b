import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { storeContract, type RawSaves, type StoreSubject } from "@paceline/testkit";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import memoryDriver from "unstorage/drivers/memory";
import { describe, expect, test } from "vitest";
import { driverStore, fileStore, memoryStore, silentLog, type StorageDriver } from "../../src/index.js";
import { newDirectory } from "./new-directory.js";

const quiet = { log: silentLog };

async function fileSubject(): Promise<StoreSubject> {
  const directory = path.join(await newDirectory(), "data", "rooms");
  const opened = [fileStore(directory, quiet)];
  const raw: RawSaves = {
    async all() {
      const files = (await readdir(directory)).filter((file) => file.endsWith(".room"));
      return new Map(
        await Promise.all(
          files.map(async (file) => [file, await readFile(path.join(directory, file))] as const),
        ),
      );
    },
    put: (file, bytes) => writeFile(path.join(directory, file), bytes),
  };
  return {
    ...{ store: opened[0]!, raw },
    async reopen() {
      const store = fileStore(directory, quiet);
      opened.push(store);
      return store;
    },
    async dispose() {
      for (const store of opened) await store.close?.();
    },
  };
}

async function driverSubject(driver: StorageDriver): Promise<StoreSubject> {
  const raw: RawSaves = {
    async all() {
      const keys = await driver.getKeys("", {});
      return new Map(
        await Promise.all(
          keys.map(async (key) => [key, (await driver.getItemRaw(key, {})) as Uint8Array] as const),
        ),
      );
    },
    put: async (key, bytes) => void (await driver.setItemRaw(key, bytes, {})),
  };
  return {
    ...{ store: driverStore(driver, quiet), raw },
    reopen: async () => driverStore(driver, quiet),
    dispose: async () => undefined,
  };
}

const kinds: readonly (readonly [string, () => Promise<StoreSubject>])[] = [
  ["memoryStore", async () => ({ store: memoryStore(), dispose: async () => undefined })],
  ["fileStore", fileSubject],
  ["driverStore with unstorage's memory", () => driverSubject(memoryDriver() as StorageDriver)],
  [
    "driverStore with unstorage's files",
    async () => driverSubject(fsDriver({ base: await newDirectory() }) as StorageDriver),
  ],
  [
    "driverStore with a storage of unstorage",
    async () => driverSubject(createStorage({ driver: memoryDriver() })),
  ],
];

describe.each(kinds)("%s", (_, subjectOf) => {
  test.each(storeContract.map((rule) => [rule.title, rule] as const))("%s", async (__, rule) => {
    const subject = await subjectOf();
    const isAble = rule.needs === undefined || subject[rule.needs] !== undefined;
    try {
      await expect(isAble ? rule.run(subject) : Promise.resolve()).resolves.toBeUndefined();
    } finally {
      await subject.dispose();
    }
  });
});
