import { expect, test } from "vitest";
import { EarlyTasks } from "../src/connection/early-tasks.js";

test("tasks wait in order until they may run, up to a limit", () => {
  const ran: string[] = [];
  const tasks = new EarlyTasks(2);
  const task = (name: string) => () => void ran.push(name);
  const taken = ["a", "b", "dropped"].map((name) => tasks.run("room", task(name)));
  expect(taken).toEqual([true, true, false]);
  expect([tasks.isOpen("room"), ran]).toEqual([false, []]);
  tasks.open("room");
  expect([tasks.isOpen("room"), ran]).toEqual([true, ["a", "b"]]);
  expect(tasks.run("room", task("at once"))).toBe(true);
  expect(tasks.run("room", () => false)).toBe(false);
  expect(ran).toEqual(["a", "b", "at once"]);
});

test("tasks for the game wait on when the room is there, after those that the room passes on", () => {
  const ran: string[] = [];
  const tasks = new EarlyTasks(10);
  const task = (name: string) => () => void ran.push(name);
  tasks.run("room", task("joined"));
  tasks.run("game", task("first"));
  tasks.run("room", () => tasks.run("game", task("second")));
  tasks.run("room", task("left"));
  tasks.open("room");
  expect(ran).toEqual(["joined", "left"]);
  tasks.open("game");
  expect(ran).toEqual(["joined", "left", "first", "second"]);
});

test("tasks of an earlier seat are dropped, and an audience that is away again waits again", () => {
  const ran: string[] = [];
  const tasks = new EarlyTasks(10);
  tasks.open("room");
  tasks.close("room");
  tasks.run("room", () => void ran.push("stale"));
  tasks.clear();
  tasks.run("room", () => void ran.push("new"));
  expect(ran).toEqual([]);
  tasks.open("room");
  expect(ran).toEqual(["new"]);
});
