import { afterEach, expect, test, vi } from "vitest";
import { Listeners } from "../src/listeners.js";

afterEach(() => vi.unstubAllGlobals());

test("a listener that throws stops neither the others nor the caller, and is reported", () => {
  const reported: unknown[] = [];
  vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
  const listeners = new Listeners<[number]>();
  const heard: number[] = [];
  const failure = new Error("a listener fails");
  listeners.add((n) => heard.push(n));
  listeners.add(() => {
    throw failure;
  });
  listeners.add((n) => heard.push(n * 10));
  listeners.emit(1);
  expect(heard).toEqual([1, 10]);
  expect(reported).toEqual([failure]);
});

test("the same function may listen twice, and each subscription ends separately", () => {
  const listeners = new Listeners<[]>();
  let count = 0;
  const listener = () => (count += 1);
  const [stopFirst] = [listeners.add(listener), listeners.add(listener)];
  listeners.emit();
  expect(count).toBe(2);
  stopFirst();
  stopFirst();
  listeners.emit();
  expect(count).toBe(3);
});

test("listeners may be added and removed during a call", () => {
  const listeners = new Listeners<[]>();
  const heard: string[] = [];
  const stop = listeners.add(() => {
    heard.push("first");
    stop();
    listeners.add(() => heard.push("late"));
  });
  listeners.add(() => heard.push("second"));
  listeners.emit();
  expect(heard).toEqual(["first", "second"]);
  listeners.emit();
  expect(heard).toEqual(["first", "second", "second", "late"]);
});

test("errors of one place are reported once a second, with the number of the others", () => {
  const reported: unknown[] = [];
  vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
  const clock = vi.spyOn(performance, "now");
  const listeners = new Listeners<[string]>();
  // The message contains received text that looks like a place in code.
  listeners.add((sent) => {
    throw new TypeError(`cannot read ${sent}`);
  });
  listeners.add((sent) => {
    if (sent === "game.js:1:0") throw new RangeError("another place");
  });
  for (let ms = 0; ms < 3000; ms += 2.5) {
    clock.mockReturnValue(1_000_000 + ms);
    listeners.emit(`game.js:${ms}:${ms}`);
    if (ms === 1000) listeners.emit("game.js:1:0");
  }
  clock.mockRestore();
  const texts = reported.map((error) => (error as Error).message);
  expect(texts).toEqual([
    "cannot read game.js:0:0",
    "cannot read game.js:1000:1000",
    "399 more like it",
    "another place",
    "cannot read game.js:2000:2000",
    "400 more like it",
  ]);
});

test("without reportError they go to the console, at the same rate", () => {
  vi.stubGlobal("reportError", undefined);
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const listeners = new Listeners<[]>();
  listeners.add(() => {
    throw new Error("a listener fails");
  });
  for (let count = 0; count < 500; count++) listeners.emit();
  expect(logged.mock.calls.length).toBeLessThanOrEqual(4);
  logged.mockRestore();
});
