import { afterEach, describe, expect, test, vi } from "vitest";
import { IdleLoad } from "../src/browser/idle-load.js";

afterEach(() => void vi.unstubAllGlobals());

/** Counts the loads, of which those before `failures` fail. */
function counted(failures = 0) {
  const loads = { count: 0 };
  const load = new IdleLoad(() => {
    loads.count += 1;
    return loads.count > failures ? Promise.resolve() : Promise.reject(new Error("offline"));
  });
  const pass = async (seconds: number, showsOthers: boolean): Promise<number> => {
    for (let second = 0; second < seconds; second++) load.sample(() => showsOthers);
    await Promise.resolve();
    await Promise.resolve();
    return loads.count;
  };
  return { pass };
}

describe("code that a room can do without at first", () => {
  test("is loaded once, after the first state", async () => {
    const { pass } = counted();
    expect(await pass(8, false)).toBe(0);
    expect(await pass(1, true)).toBe(1);
    expect(await pass(1000, true)).toBe(1);
  });

  test("is loaded after 10 s in a room that shows nobody", async () => {
    const { pass } = counted();
    expect(await pass(9, false)).toBe(0);
    expect(await pass(1, false)).toBe(1);
    expect(await pass(1000, false)).toBe(1);
  });

  test("is loaded again a minute after a failure", async () => {
    const { pass } = counted(2);
    expect(await pass(1, true)).toBe(1);
    expect(await pass(59, true)).toBe(1);
    expect(await pass(1, true)).toBe(2);
    expect(await pass(59, true)).toBe(2);
    expect(await pass(1, true)).toBe(3);
    expect(await pass(1000, true)).toBe(3);
  });

  test("waits until the page is idle, for at most 5 s", async () => {
    const idle: { readonly task: () => void; readonly timeout: number | undefined }[] = [];
    vi.stubGlobal("requestIdleCallback", (task: () => void, options?: IdleRequestOptions) =>
      idle.push({ task, timeout: options?.timeout }),
    );
    const { pass } = counted();
    expect(await pass(20, true)).toBe(0);
    expect(idle.map(({ timeout }) => timeout)).toEqual([5000]);
    idle[0]!.task();
    expect(await pass(20, true)).toBe(1);
  });
});
