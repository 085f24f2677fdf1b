import { VirtualScheduler } from "@paceline/testkit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Door } from "../src/browser/door.js";

const CODE = { answer: 42 };

describe("a door to code", () => {
  let loads: number;
  let failures: number;
  let door: Door<typeof CODE>;

  beforeEach(() => {
    vi.useFakeTimers();
    loads = 0;
    failures = 0;
    door = new Door("answer", () => {
      loads += 1;
      return loads > failures ? Promise.resolve(CODE) : Promise.reject(new Error("404"));
    });
  });
  afterEach(() => void vi.useRealTimers());

  test("loads it once, however many ask, and has it from then on", async () => {
    expect(door.code).toBeUndefined();
    const [first, second] = await Promise.all([door.open(), door.open()]);
    expect([first, second, door.code, loads]).toEqual([CODE, CODE, CODE, 1]);
  });

  test("loads it again after a pause if it fails", async () => {
    failures = 2;
    const opening = door.open();
    await vi.advanceTimersByTimeAsync(249);
    expect(loads).toBe(1);
    await vi.advanceTimersByTimeAsync(1 + 750);
    expect([await opening, loads]).toEqual([CODE, 3]);
  });

  test("says after three failures that it did not load, and loads it at the next use", async () => {
    failures = 3;
    const refused = door.open().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await refused).toMatchObject({
      code: "session/code",
      retryable: true,
      message: expect.stringContaining('the code for "answer" did not load') as string,
    });
    expect([await door.open(), loads]).toEqual([CODE, 4]);
  });

  test("loads what a room waits for however often it takes, while the room wants it", async () => {
    failures = 6;
    const scheduler = new VirtualScheduler();
    const opening = door.openWhile(scheduler, () => true);
    for (let round = 0; round < 2; round++) {
      await vi.advanceTimersByTimeAsync(1000);
      scheduler.advance(3000);
    }
    expect([await opening, loads]).toEqual([CODE, 7]);
  });

  test("gives up for a room that was left", async () => {
    failures = Infinity;
    const scheduler = new VirtualScheduler();
    const refused = door.openWhile(scheduler, () => false).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    scheduler.advance(3000);
    expect(await refused).toMatchObject({ code: "session/code" });
    expect(loads).toBe(3);
  });
});
