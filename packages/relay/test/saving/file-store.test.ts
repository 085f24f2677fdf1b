import { chmod, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileStore, silentLog, type Log, type LogFields } from "../../src/index.js";
import { firstMessage, killed, killWriters, startWriter } from "./file-writers.js";
import { newDirectory } from "./new-directory.js";

const bytes = (...content: number[]): Uint8Array => Uint8Array.from(content);
const quiet = { log: silentLog };

function openStore(directory: string, log: Log = silentLog) {
  const store = fileStore(directory, { log });
  onTestFinished(() => store.close?.());
  return store;
}

const filesOf = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((file) => !file.startsWith("lock-")).sort();

describe("files of rooms", () => {
  it("are read by the server's user only, in a directory that is made for them", async () => {
    const directory = path.join(await newDirectory(), "data", "rooms");
    const store = openStore(directory);
    await store.save("room", bytes(1));
    await store.save("room", bytes(2));
    await store.save("room", bytes(3));
    expect(await filesOf(directory)).toEqual(["room.a.room", "room.b.room"]);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(directory)) {
      expect((await stat(path.join(directory, file))).mode & 0o777).toBe(0o600);
    }
  });

  it("[SR4] stay in the directory, whatever is in the room's id", async () => {
    const above = await newDirectory();
    const directory = path.join(above, "rooms");
    const store = openStore(directory);
    for (const id of ["../escaped", "..", "/etc/x", "a\0b", `${"../".repeat(90)}x`]) {
      await store.save(id, bytes(1));
    }
    expect(await readdir(above)).toEqual(["rooms"]);
    const files = await filesOf(directory);
    expect(files).toHaveLength(5);
    for (const file of files) expect(file).toMatch(/^[a-z0-9_-]{1,200}\.a\.room$/);
  });

  it("that are damaged are told once, with file and fault", async () => {
    const directory = await newDirectory();
    const lines: LogFields[] = [];
    const store = openStore(directory, { ...silentLog, error: (_, fields = {}) => lines.push(fields) });
    await store.save("room", bytes(1));
    await store.save("room", bytes(2));
    await writeFile(path.join(directory, "room.b.room"), "edited by hand");
    expect(await store.load("room")).toEqual([bytes(1)]);
    expect(await store.load("room")).toEqual([bytes(1)]);
    expect(lines).toEqual([{ store: directory, roomId: "room", slot: "b", fault: "it is not a saved room" }]);
    expect(store.counts.damaged).toBe(2);
  });

  it("[SR3] that a killed process has not finished are removed at the start", async () => {
    const directory = await newDirectory();
    await writeFile(path.join(directory, "room.a.room.new"), "half");
    expect(await openStore(directory).list()).toEqual([]);
    expect(await filesOf(directory)).toEqual([]);
  });

  it("are written one at a time, and the newest replaces one that waits", async () => {
    const store = openStore(await newDirectory());
    await store.save("room", bytes(0));
    const saves = Array.from({ length: 100 }, (_, index) => store.save("room", bytes(index)));
    await Promise.all(saves);
    expect(await store.load("room")).toEqual([bytes(99), bytes(0)]);
    expect(store.counts).toEqual({ written: 2, replaced: 99, failed: 0, damaged: 0 });
  });

  it("[SR2] are never written with a clock: a newer save wins though the clock went back", async () => {
    const directory = await newDirectory();
    const first = fileStore(directory, quiet);
    const now = Date.now;
    onTestFinished(() => void (Date.now = now));
    await first.save("room", bytes(1));
    Date.now = () => 1000;
    await first.save("room", bytes(2));
    await first.close?.();
    const second = openStore(directory);
    expect(await second.load("room")).toEqual([bytes(2), bytes(1)]);
    await second.save("room", bytes(3));
    expect(await second.load("room")).toEqual([bytes(3), bytes(2)]);
  });

  it("cannot be of a file instead of a directory", async () => {
    const file = path.join(await newDirectory(), "file");
    await writeFile(file, "");
    await expect(openStore(file).list()).rejects.toThrow(
      `cannot list saved rooms in ${file}: it is not a directory: choose another directory [store/failed]`,
    );
    expect(() => fileStore("")).toThrow('directory: expected the path of a directory, got ""');
  });
});

/** Runs as a user without rights, since the superuser may write anywhere. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

async function asNobody<Value>(task: () => Promise<Value>): Promise<Value> {
  if (!isRoot) return task();
  process.seteuid!(NOBODY);
  try {
    return await task();
  } finally {
    process.seteuid!(0);
  }
}

describe("a disk that refuses", () => {
  // Linux has a file that answers as a full disk does.
  it.runIf(process.platform === "linux")(
    "[SR3] full: the error says so, and the last save stays",
    async () => {
      const directory = await newDirectory();
      const store = openStore(directory);
      await store.save("room", bytes(1));
      await store.save("room", bytes(2));
      await symlink("/dev/full", path.join(directory, "room.a.room.new"));
      await expect(store.save("room", bytes(3))).rejects.toMatchObject({
        retryable: true,
        message:
          `cannot save a room in ${directory}: the disk is full: make room there, or choose another directory; ` +
          "the last save of each room is untouched [store/full]",
      });
      expect(await store.load("room")).toEqual([bytes(2), bytes(1)]);
      expect(await filesOf(directory)).toEqual(["room.a.room", "room.b.room"]);
      await store.save("room", bytes(4));
      expect(await store.load("room")).toEqual([bytes(4), bytes(2)]);
      expect(store.counts).toMatchObject({ written: 3, failed: 1 });
    },
  );

  it("without permission: the error names directory, cause and cure", async () => {
    const above = await newDirectory();
    await chmod(above, 0o755);
    const directory = path.join(above, "rooms");
    await mkdir(directory, { mode: 0o555 });
    const store = openStore(directory);
    // Node's threads take over the user of the process.
    const error: unknown = await asNobody(() =>
      store.save("room", bytes(1)).catch((caught: unknown) => caught),
    );
    expect(String(error)).toBe(
      `NetError: cannot save a room in ${directory}: permission is denied: give the user that runs the server ` +
        "the right to write there, or choose another directory [store/denied]",
    );
    await chmod(directory, 0o755);
    await store.save("room", bytes(2));
    expect(await store.load("room")).toEqual([bytes(2)]);
  });
});

describe("the lock of a directory", () => {
  it("[SR5] keeps a second process out, and a second store of the same process", async () => {
    const directory = await newDirectory();
    const holder = startWriter("hold", directory);
    await firstMessage(holder);
    await expect(openStore(directory).list()).rejects.toMatchObject({
      code: "store/locked",
      message: expect.stringContaining(
        `cannot open ${directory}: process ${holder.pid} has it open: end that process, or choose another directory`,
      ),
    });
    await killed(holder);
    const store = openStore(directory);
    await store.save("room", bytes(1));
    await expect(openStore(directory).list()).rejects.toThrow("this process has it open already");
    await store.close?.();
    await expect(openStore(directory).load("room")).resolves.toEqual([bytes(1)]);
  });

  it("[SR5] that a dead process left is taken over, also if another process has its number now", async () => {
    const directory = await newDirectory();
    const dead = startWriter("hold", directory);
    await firstMessage(dead);
    const [file = ""] = (await readdir(directory)).filter((name) => name.startsWith("lock-"));
    const lock = JSON.parse(await readFile(path.join(directory, file), "utf8")) as Record<string, unknown>;
    await killed(dead);
    // The number of a process that runs, but began at another time.
    await writeFile(path.join(directory, file), JSON.stringify({ ...lock, pid: process.ppid }));
    await expect(openStore(directory).list()).resolves.toEqual([]);
    expect((await readdir(directory)).filter((name) => name === file)).toEqual([]);
  });

  it.each(["", "{", "null", '{"pid":"1"}', '{"pid":-1}'])(
    "is nothing if its file says %j",
    async (content) => {
      const directory = await newDirectory();
      await writeFile(path.join(directory, "lock-0000"), content);
      await expect(openStore(directory).list()).resolves.toEqual([]);
    },
  );

  it("[SR5] that somebody removed keeps this process from writing", async () => {
    const directory = await newDirectory();
    const store = openStore(directory);
    await store.save("room", bytes(1));
    for (const file of await readdir(directory)) {
      if (file.startsWith("lock-")) await rm(path.join(directory, file));
    }
    await expect
      .poll(() => store.save("room", bytes(2)).then(String, String), { timeout: 10_000 })
      .toContain("the lock file was removed: start the server again [store/locked]");
  });

  it("goes to one of many that want it at once", async () => {
    const directory = await newDirectory();
    const stores = Array.from({ length: 4 }, () => openStore(directory));
    const results = await Promise.allSettled(stores.map((store) => store.list()));
    const taken = results.filter(({ status }) => status === "fulfilled");
    expect(taken.length).toBeLessThanOrEqual(1);
  });
});

describe("a process that is killed while it writes", () => {
  it("leaves each room a save that can be read, not older than the last that it confirmed", async () => {
    await expect(killWriters(3)).resolves.toEqual({ rooms: 2, damaged: [], lost: [] });
  });
});
