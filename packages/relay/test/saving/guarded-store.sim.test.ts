import { ConfigError } from "@paceline/protocol";
import { VirtualScheduler, storeContract } from "@paceline/testkit";
import { systemScheduler } from "@paceline/transport";
import { describe, expect, it, test } from "vitest";
import { GuardedStore, memoryStore, silentLog, type Log, type RoomStore } from "../../src/index.js";

const bytes = (...content: number[]): Uint8Array => Uint8Array.from(content);

/** Lets everything run that waits for no timer. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

function guarded(part: Partial<RoomStore>, timeoutMs?: number) {
  const scheduler = new VirtualScheduler();
  const lines: string[] = [];
  const log: Log = {
    ...silentLog,
    error: (message, { error = "" } = {}) => lines.push(`${message}: ${String(error)}`),
    info: (message) => lines.push(message),
  };
  const inner = memoryStore();
  const store: RoomStore = {
    save: (id, content) => inner.save(id, content),
    load: (id) => inner.load(id),
    remove: (id) => inner.remove(id),
    list: () => inner.list(),
    ...part,
  };
  const guard = new GuardedStore(store, { scheduler, log, ...(timeoutMs !== undefined && { timeoutMs }) });
  return { guard, inner, lines, scheduler };
}

/** A call whose end the test decides. */
function held() {
  const calls: { id: string; content: Uint8Array; end(error?: Error): void }[] = [];
  const save = (id: string, content: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      calls.push({ id, content, end: (error) => (error ? reject(error) : resolve()) });
    });
  return { calls, save };
}

describe("a guarded store", () => {
  test.each(storeContract.filter(({ needs }) => !needs).map((rule) => [rule.title, rule] as const))(
    "%s",
    async (_, rule) => {
      const guard = new GuardedStore(memoryStore(), { scheduler: systemScheduler, log: silentLog });
      await expect(rule.run({ store: guard, dispose: async () => undefined })).resolves.toBeUndefined();
    },
  );

  it("does not wait longer than its time limit", async () => {
    const { guard, lines, scheduler } = guarded({ save: () => new Promise(() => undefined) }, 1000);
    const saved = guard.save("room", bytes(1));
    saved.catch(() => undefined);
    await settle();
    scheduler.advance(2000);
    await expect(saved).rejects.toMatchObject({ code: "store/timeout", retryable: true });
    expect(guard.counts).toMatchObject({ timedOut: 1, saved: 0 });
    expect(lines).toHaveLength(1);
  });

  it("calls a store that hangs a limited number of times, and again when it answers", async () => {
    const { calls, save } = held();
    const { guard, scheduler } = guarded({ save }, 1000);
    for (let round = 0; round < 200; round++) {
      guard.save(`room ${round}`, bytes(round)).catch(() => undefined);
      await settle();
      scheduler.advance(2000);
      await settle();
    }
    expect(calls).toHaveLength(64);
    await expect(guard.save("room", bytes(1))).rejects.toMatchObject({ code: "store/timeout" });
    for (const call of calls) call.end();
    await settle();
    guard.save("room", bytes(2)).catch(() => undefined);
    await settle();
    expect(calls).toHaveLength(65);
  });

  it("has one save of a room under way and one that waits, and counts those that were replaced", async () => {
    const { calls, save } = held();
    const { guard } = guarded({ save, load: async () => [bytes(9)] });
    const saves: Promise<void>[] = [];
    for (const content of [1, 2, 3, 4, 9]) {
      saves.push(guard.save("room", bytes(content)));
      saves.at(-1)!.catch(() => undefined);
      await settle();
    }
    expect(calls.map(({ content }) => [...content])).toEqual([[1]]);
    calls[0]!.end();
    expect(guard.counts.replaced).toBe(3);
    await expect(saves[0]).rejects.toMatchObject({ code: "store/failed" });
    await settle();
    expect(calls.map(({ content }) => [...content])).toEqual([[1], [9]]);
    calls[1]!.end();
    await Promise.all(saves.slice(1));
    expect(guard.counts.saved).toBe(1);
  });

  it("tells once that a store fails, and once that it answers again", async () => {
    let isBroken = true;
    const inner = memoryStore();
    const { guard, lines } = guarded({
      save: (id, content) => (isBroken ? Promise.reject(new Error("no route")) : inner.save(id, content)),
      load: (id) => inner.load(id),
    });
    for (let count = 0; count < 5; count++) {
      await expect(guard.save("room", bytes(count))).rejects.toThrow("no route");
    }
    expect(guard.isFailing).toBe(true);
    isBroken = false;
    await guard.save("room", bytes(7));
    await guard.save("room", bytes(8));
    expect(guard.isFailing).toBe(false);
    expect(guard.counts).toMatchObject({ failed: 5, saved: 2 });
    expect(lines).toEqual([
      "cannot save a room: rooms go on, and are not saved until this ends: " +
        "cannot save a room in the store of rooms: no route [store/failed]",
      "the store of rooms answers again",
    ]);
  });

  it("notices a store that confirms saves and has none, and tells it once", async () => {
    const { guard, lines } = guarded({ save: async () => undefined });
    for (let count = 0; count < 3; count++) {
      await expect(guard.save("room", bytes(count))).rejects.toThrow("a save that it does not have");
    }
    expect(guard.counts).toMatchObject({ lied: 3, saved: 0 });
    expect(lines).toHaveLength(1);
  });

  it.each([
    ["nothing", undefined],
    ["numbers", [1, 2]],
    ["one save instead of several", bytes(1)],
    ["a number", 7],
  ])("refuses %s as the answer of load and list", async (_, answer) => {
    const liar = async (): Promise<never> => answer as never;
    const { guard } = guarded({ load: liar, list: liar });
    await expect(guard.load("room")).rejects.toMatchObject({ code: "store/failed" });
    await expect(guard.list()).rejects.toMatchObject({ code: "store/failed" });
  });

  it("takes at most two of many saves", async () => {
    const { guard } = guarded({ load: async () => [bytes(1), bytes(2), bytes(3)] });
    await expect(guard.load("room")).resolves.toEqual([bytes(1), bytes(2)]);
  });

  it("rejects if a store throws at once", async () => {
    const thrower = (): never => {
      throw new TypeError("no method");
    };
    const { guard } = guarded({ save: thrower, load: thrower, remove: thrower, list: thrower });
    const results = await Promise.allSettled([
      guard.save("room", bytes(1)),
      guard.load("room"),
      guard.remove("room"),
      guard.list(),
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
    expect(guard.counts.failed).toBe(4);
  });

  it("counts calls that keep the loop from running", async () => {
    const { guard, inner, scheduler } = guarded({});
    await guard.save("room", bytes(1));
    expect(guard.counts.blocked).toBe(0);
    const slow = new GuardedStore(
      {
        ...{ load: (id) => inner.load(id), remove: (id) => inner.remove(id), list: () => inner.list() },
        save: (id, content) => {
          scheduler.advance(6);
          return inner.save(id, content);
        },
      },
      { scheduler, log: silentLog },
    );
    await slow.save("room", bytes(2));
    expect(slow.counts.blocked).toBe(1);
  });

  it("refuses a time limit that is none", () => {
    const make = (timeoutMs: number) => () =>
      new GuardedStore(memoryStore(), { scheduler: new VirtualScheduler(), log: silentLog, timeoutMs });
    expect(make(0)).toThrow(ConfigError);
    expect(make(NaN)).toThrow("timeoutMs: expected 1 to 600000 ms, got NaN");
  });
});
