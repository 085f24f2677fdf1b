import type { RoomStore } from "@paceline/server";
import { check, hex, pattern, same } from "./checks.js";

/** A store to test, at a place of its own that is empty at first. */
export interface StoreSubject {
  readonly store: RoomStore;
  /** Opens the same place as the next process does. Absent if nothing outlives the process. */
  reopen?(): Promise<RoomStore>;
  /** The bytes at the place itself, for tests that damage them. Absent if nothing can change them. */
  readonly raw?: RawSaves;
  dispose(): Promise<void>;
}

/** Bytes that a store has written, by its own keys. */
export interface RawSaves {
  all(): Promise<ReadonlyMap<string, Uint8Array>>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}

/** One rule that every store keeps. `run` rejects if the store breaks it. */
export interface StoreCase {
  readonly title: string;
  /** Skips the case for a store without this ability. */
  readonly needs?: "reopen" | "raw";
  run(subject: StoreSubject): Promise<void>;
}

const ids = [
  "room",
  "Room",
  "ROOM",
  "a/b",
  "a\\b",
  "..",
  "../../etc/passwd",
  ".",
  "/",
  "con",
  "a:b",
  "a.b",
  "a.room",
  "_",
  "__",
  "_2f",
  "%2f",
  '*?"<>|',
  " ",
  "a\0b",
  "a\nb",
  "Zürich äöü",
  "\u00fc",
  "u\u0308",
  "部屋",
  "🏁",
  "x".repeat(300),
  "y".repeat(299) + "z",
  "ü".repeat(300),
  "../".repeat(100),
];

/** The rules of `RoomStore`. Run each with a fresh subject of every kind of store. */
export const storeContract: readonly StoreCase[] = [
  {
    title: "gives back what was saved, byte for byte",
    async run({ store }) {
      for (const bytes of [new Uint8Array(), pattern(1, 1), pattern(16_384, 2), pattern(300_000, 3)]) {
        await store.save("room", bytes);
        await newestIs(store, "room", bytes);
      }
    },
  },
  {
    title: "has nothing of a room that was never saved",
    async run({ store }) {
      same((await store.load("room")).length, 0, "saves");
      same((await store.list()).length, 0, "rooms");
      await store.remove("room");
    },
  },
  {
    title: "keeps the last two, newest first",
    async run({ store }) {
      for (let count = 1; count <= 5; count++) {
        await store.save("room", pattern(20, count));
        const expected = [pattern(20, count), ...(count > 1 ? [pattern(20, count - 1)] : [])];
        await keeps(store, "room", expected);
      }
    },
  },
  {
    title: "forgets a room that was removed, and only that",
    async run({ store }) {
      await store.save("one", pattern(20, 1));
      await store.save("one", pattern(20, 2));
      await store.save("two", pattern(20, 3));
      await store.remove("one");
      same((await store.load("one")).length, 0, "saves of the removed room");
      same((await store.list()).join(), "two", "rooms");
      await store.save("one", pattern(20, 4));
      await keeps(store, "one", [pattern(20, 4)]);
    },
  },
  {
    title: "keeps rooms apart, whatever is in their ids",
    async run({ store }) {
      for (const [index, id] of ids.entries()) await store.save(id, pattern(20, index));
      same(sorted(await store.list()), sorted(ids), "rooms");
      for (const [index, id] of ids.entries()) await keeps(store, id, [pattern(20, index)]);
      for (const id of ids) await store.remove(id);
      same((await store.list()).length, 0, "rooms");
    },
  },
  {
    title: "refuses an id that no file could give back",
    async run({ store }) {
      for (const id of ["", "x".repeat(1001), "\ud800", "a\udc00b"]) {
        const tasks = [() => store.save(id, pattern(1, 1)), () => store.load(id), () => store.remove(id)];
        for (const task of tasks) await refuses(task);
      }
      same((await store.list()).length, 0, "rooms");
    },
  },
  {
    title: "lets the caller use its buffer again, and gives buffers away",
    async run({ store }) {
      // A Buffer of Node's is a Uint8Array whose `slice` does not copy.
      for (const buffer of [pattern(100, 1), Buffer.from(pattern(100, 2))]) {
        const content = Uint8Array.from(buffer);
        const saved = store.save("room", buffer);
        buffer.fill(0);
        await saved;
        const [loaded] = await store.load("room");
        loaded?.fill(1);
        await newestIs(store, "room", content);
      }
    },
  },
  {
    title: "ends with the last of many saves that come at once",
    async run({ store }) {
      const saves = Array.from({ length: 50 }, (_, index) => store.save("room", pattern(500, index)));
      await Promise.all(saves);
      await newestIs(store, "room", pattern(500, 49));
    },
  },
  {
    title: "does what it is told of one room in order",
    async run({ store }) {
      const tasks = [
        store.save("room", pattern(50, 1)),
        store.remove("room"),
        store.save("room", pattern(50, 2)),
      ];
      await Promise.all(tasks);
      await keeps(store, "room", [pattern(50, 2)]);
    },
  },
  {
    title: "serves many rooms at once",
    async run({ store }) {
      const numbers = Array.from({ length: 15 }, (_, index) => index);
      for (const round of [1, 2, 3]) {
        await Promise.all(numbers.map((index) => store.save(`room ${index}`, pattern(200, index * round))));
      }
      for (const index of numbers) {
        await keeps(store, `room ${index}`, [pattern(200, index * 3), pattern(200, index * 2)]);
      }
      same((await store.list()).length, numbers.length, "rooms");
    },
  },
  {
    title: "has everything when the next process opens it",
    needs: "reopen",
    async run(subject) {
      await twoSaves(subject.store, "room");
      await subject.store.save("x".repeat(300), pattern(20, 3));
      await subject.store.close?.();
      const store = await subject.reopen!();
      await keeps(store, "room", [NEWEST, BEFORE]);
      same(sorted(await store.list()), sorted(["room", "x".repeat(300)]), "rooms");
      // The next save replaces the older of the two, not the newer.
      await store.save("room", pattern(30, 3));
      await keeps(store, "room", [pattern(30, 3), NEWEST]);
    },
  },
  {
    title: "takes the one before if the newest was cut off, at every length",
    needs: "raw",
    async run(subject) {
      await damages(subject, (newest) => Array.from(newest.keys(), (length) => newest.slice(0, length)));
    },
  },
  {
    title: "takes the one before if any byte of the newest was changed",
    needs: "raw",
    async run(subject) {
      await damages(subject, (newest) =>
        Array.from(newest.keys(), (at) =>
          newest.map((byte, index) => (index === at ? byte ^ (1 << (at % 8)) : byte)),
        ),
      );
    },
  },
  {
    title: "takes the one before if something follows the newest, or if it is of another room",
    needs: "raw",
    async run(subject) {
      await subject.store.save("else", pattern(20, 9));
      const [[, other] = []] = await subject.raw!.all();
      await damages(subject, (newest) => [Uint8Array.of(...newest, 0), other!]);
    },
  },
  {
    title: "has nothing of a room of which no save can be read, and saves it again",
    needs: "raw",
    async run({ store, raw }) {
      await twoSaves(store, "room");
      for (const key of (await raw!.all()).keys()) await raw!.put(key, pattern(40, 7));
      same((await store.load("room")).length, 0, "saves");
      await store.save("room", NEWEST);
      await keeps(store, "room", [NEWEST]);
    },
  },
];

const BEFORE = pattern(30, 1);
const NEWEST = pattern(30, 2);

async function twoSaves(store: RoomStore, id: string): Promise<void> {
  await store.save(id, BEFORE);
  await store.save(id, NEWEST);
}

/** Puts each damaged form in the place of the newest save: the one before has to be taken, and to stay. */
async function damages(
  { store, raw }: StoreSubject,
  formsOf: (newest: Uint8Array) => readonly Uint8Array[],
): Promise<void> {
  await twoSaves(store, "room");
  const found = [...(await raw!.all())].find(([, bytes]) => hex(bytes).includes(hex(NEWEST)));
  check(found !== undefined, "the newest save is not among what the store has written");
  const [key, whole] = found!;
  const forms = formsOf(whole);
  check(forms.length > 0, "no damage to try");
  for (const [index, form] of forms.entries()) {
    await raw!.put(key, form);
    const kept = await store.load("room");
    same(kept.map(hex).join(), hex(BEFORE), `saves with damage ${index}`);
  }
  // The next save must not take the place of the only one that can be read.
  const next = pattern(30, 4);
  await store.save("room", next);
  await keeps(store, "room", [next, BEFORE]);
}

function sorted(texts: readonly string[]): string {
  return [...texts].sort().join("|");
}

async function newestIs(store: RoomStore, id: string, bytes: Uint8Array): Promise<void> {
  const [newest] = await store.load(id);
  same(newest && hex(newest), hex(bytes), `the newest save of ${JSON.stringify(id)}`);
}

async function keeps(store: RoomStore, id: string, expected: readonly Uint8Array[]): Promise<void> {
  const kept = await store.load(id);
  same(kept.map(hex).join(), expected.map(hex).join(), `the saves of ${JSON.stringify(id)}`);
}

async function refuses(task: () => Promise<unknown>): Promise<void> {
  let error: unknown;
  try {
    await task();
  } catch (thrown) {
    error = thrown;
  }
  check(
    error instanceof Error && error.name === "ConfigError",
    `expected a ConfigError, got ${String(error)}`,
  );
}
