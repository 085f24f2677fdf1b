import { expect, test } from "vitest";
import { EarlyTasks } from "../src/events/early-tasks.js";

test("tasks wait in order until they may run, up to a limit", () => {
  const ran: string[] = [];
  const tasks = new EarlyTasks(2);
  const task = (name: string) => () => void ran.push(name);
  expect([tasks.run(task("a")), tasks.run(task("b")), tasks.run(task("dropped"))]).toEqual([
    true,
    true,
    false,
  ]);
  expect([tasks.isOpen, ran]).toEqual([false, []]);
  tasks.open();
  expect([tasks.isOpen, ran]).toEqual([true, ["a", "b"]]);
  expect(tasks.run(task("at once"))).toBe(true);
  expect(tasks.run(() => false)).toBe(false);
  expect(ran).toEqual(["a", "b", "at once"]);
});
