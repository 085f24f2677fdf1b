import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { storeContract, type RawSaves, type StoreSubject } from "@paceline/testkit";
import { createStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import memoryDriver from "unstorage/drivers/memory";
import { describe, expect, test } from "vitest";
import {
  driverStore,
  fileStore,
  memoryStore,
  silentLog,
  sqliteStore,
  type StorageDriver,
} from "../../src/index.js";
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

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const hasSqlite = major > 22 || (major === 22 && minor >= 13);

async function sqliteSubject(): Promise<StoreSubject> {
  const file = path.join(await newDirectory(), "rooms.sqlite");
  const opened = [sqliteStore(file, quiet)];
  return {
    store: opened[0]!,
    async reopen() {
      const store = sqliteStore(file, quiet);
      opened.push(store);
      return store;
    },
    async dispose() {
      for (const store of opened) await store.close?.();
    },
  };
}

test.runIf(hasSqlite)("a file of SQLite is one process's, and only its user reads it", async () => {
  const file = path.join(await newDirectory(), "rooms.sqlite");
  const store = sqliteStore(file, quiet);
  await store.save("room", Uint8Array.of(1));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const second = sqliteStore(file, quiet);
  await expect(second.load("room")).rejects.toMatchObject({
    code: "store/locked",
    message: expect.stringContaining(`${file}: another process has it open`),
  });
  await second.close?.();
  await store.close?.();
  const third = sqliteStore(file, quiet);
  await expect(third.load("room")).resolves.toEqual([Uint8Array.of(1)]);
  await third.close?.();
  const elsewhere = sqliteStore(path.join(file, "no", "rooms.sqlite"), quiet);
  await expect(elsewhere.list()).rejects.toThrow("no/rooms.sqlite: it is not a directory");
  await elsewhere.close?.();
});

// Needs Node 22.13, which has node:sqlite. Here it shows that an older one says so.
test.skipIf(hasSqlite)("SQLite needs a newer Node", () => {
  expect(() => sqliteStore("rooms.sqlite")).toThrow(
    `sqliteStore: expected Node 22.13 or newer, which has node:sqlite, got "${process.version}"`,
  );
});

const kinds: readonly (readonly [string, () => Promise<StoreSubject>])[] = [
  ["memoryStore", async () => ({ store: memoryStore(), dispose: async () => undefined })],
  ["fileStore", fileSubject],
  ["driverStore with unstorage's memory", () => driverSubject(memoryDriver() as StorageDriver)],
  [
    "driverStore with unstorage's files",
    async () => driverSubject(fsDriver({ base: await newDirectory() }) as StorageDriver),
  ],
  ...(hasSqlite ? [["sqliteStore", sqliteSubject] as const] : []),
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
