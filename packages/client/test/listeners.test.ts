import { afterEach, expect, test, vi } from "vitest";
import { Listeners } from "../src/listeners.js";

afterEach(() => vi.unstubAllGlobals());

test("one that throws disturbs neither the others nor who tells, and is reported", () => {
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
  listeners.tell(1);
  expect(heard).toEqual([1, 10]);
  expect(reported).toEqual([failure]);
});

test("the same function may listen twice, and each subscription ends by itself", () => {
  const listeners = new Listeners<[]>();
  let count = 0;
  const listener = () => (count += 1);
  const [stopFirst] = [listeners.add(listener), listeners.add(listener)];
  listeners.tell();
  expect(count).toBe(2);
  stopFirst();
  stopFirst();
  listeners.tell();
  expect(count).toBe(3);
});

test("who joins or goes while news is told does not confuse it", () => {
  const listeners = new Listeners<[]>();
  const heard: string[] = [];
  const stop = listeners.add(() => {
    heard.push("first");
    stop();
    listeners.add(() => heard.push("late"));
  });
  listeners.add(() => heard.push("second"));
  listeners.tell();
  expect(heard).toEqual(["first", "second"]);
  listeners.tell();
  expect(heard).toEqual(["first", "second", "second", "late"]);
});
