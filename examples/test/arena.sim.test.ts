import { expect, test } from "vitest";
import { ArenaGame } from "../arena/game.js";
import { Arena } from "../arena/rooms.js";
import { Cell, Food, Virus } from "../arena/world.js";
import { meet } from "./starters.js";

async function play(players: number, viruses = 0) {
  const { stage, seats } = await meet({
    profile: "action",
    players,
    rooms: Arena,
    play: (room) => new ArenaGame(room as never),
  });
  const arena = stage.room as Arena;
  // They lie where chance puts them.
  for (const virus of [...arena.entitiesOf(Virus)].slice(viruses)) arena.despawn(virus);
  for (const { room } of seats) for (const kind of [Cell, Food, Virus]) room.entities(kind); // asks for them
  await stage.advance(1000);
  const everybody = [...arena.players.values()];
  const cellOf = (index: number) => arena.cellsOf(everybody[index]!)[0]!;
  return { stage, seats, arena, everybody, cellOf };
}

test("a player sees the food around it, eats what its cell covers, and the arena sows anew", async () => {
  const { stage, seats, arena, cellOf } = await play(1);
  const cell = cellOf(0);
  const pieces = [...arena.entitiesOf(Food)];
  expect(pieces).toHaveLength(1000);
  const seen = seats[0]!.room.entities(Food).length;
  expect(seen).toBeGreaterThan(50);
  expect(seen).toBeLessThan(600);
  const { mass } = cell;
  const { x, y } = pieces.find(({ position }) => position.x > 100 && position.y > 100)!.position;
  cell.position.set(x, y);
  cell.teleport();
  await stage.advance(300);
  expect(cell.mass).toBeGreaterThan(mass);
  expect(arena.entitiesOf(Food).length).toBe(1000);
  expect([...seats[0]!.room.entities(Cell)].map((mine) => mine.mass)).toEqual([cell.mass]);
});

test("one's own cell moves at once, and where the server says", async () => {
  const { stage, seats, cellOf } = await play(1);
  const cell = cellOf(0);
  cell.position.set(100, 300);
  cell.teleport();
  await stage.advance(1000);
  const [mine] = [...seats[0]!.room.entities(Cell)];
  seats[0]!.game.steer.x = 1;
  await stage.advance(90); // less than the round trip to the server
  expect(mine!.shown.position.x).toBeGreaterThan(101);
  await stage.advance(2000);
  seats[0]!.game.steer.x = 0;
  await stage.advance(1000);
  expect(cell.position.x).toBeGreaterThan(120);
  expect(mine!.shown.position.x).toBeCloseTo(cell.position.x, 0);
});

test("the heavier cell eats the lighter one, whose player gets a new one", async () => {
  const { stage, arena, everybody, cellOf } = await play(2);
  const [heavy, light] = [cellOf(0), cellOf(1)];
  heavy.mass = 300;
  heavy.position.set(300, 300);
  light.position.set(305, 300);
  await stage.advance(300);
  expect(heavy.mass).toBeGreaterThanOrEqual(320);
  const after = arena.cellsOf(everybody[1]!);
  expect(after).toHaveLength(1);
  expect(after[0]).not.toBe(light);
});

test("cells of nearly the same mass leave each other alone", async () => {
  const { stage, arena, everybody, cellOf } = await play(2);
  const [one, other] = [cellOf(0), cellOf(1)];
  one.mass = other.mass + 2;
  one.position.set(300, 300);
  other.position.set(300, 300);
  await stage.advance(100);
  expect(everybody.map((player) => arena.cellsOf(player)[0])).toEqual([one, other]);
});

test("cells split up to sixteen, lie apart, and grow together when they are ripe", async () => {
  const { stage, seats, arena, everybody, cellOf } = await play(1);
  const cell = cellOf(0);
  cell.mass = 2000;
  cell.position.set(300, 300);
  const [player] = everybody as [(typeof everybody)[number]];
  const counts: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    seats[0]!.room.send("split", {});
    await stage.advance(500);
    counts.push(arena.cellsOf(player).length);
  }
  expect(counts).toEqual([2, 4, 8, 16, 16]);
  const cells = arena.cellsOf(player);
  const mass = cells.reduce((sum, each) => sum + each.mass, 0);
  expect(mass).toBeGreaterThan(1900);
  const corner = { x: 1, y: 1 };
  Object.assign(seats[0]!.game.steer, corner);
  await stage.advance(30_000);
  expect(arena.cellsOf(player).length).toBeLessThan(16);
});

test("a virus bursts a heavy cell, and lets a light one through", async () => {
  const { stage, arena, everybody, cellOf } = await play(2, 50);
  const [heavy, light] = [cellOf(0), cellOf(1)];
  const [one, other] = [...arena.entitiesOf(Virus)];
  heavy.mass = 500;
  heavy.position.set(one!.position.x, one!.position.y);
  light.position.set(other!.position.x, other!.position.y);
  await stage.advance(200);
  expect(arena.cellsOf(everybody[0]!).length).toBe(16);
  expect(arena.cellsOf(everybody[1]!)).toHaveLength(1);
  expect(arena.entitiesOf(Virus).length).toBe(50);
});

test("everybody reads the leaders and the chat, and wrong words end nothing", async () => {
  const { stage, seats, cellOf } = await play(2);
  cellOf(1).mass = 400;
  seats[0]!.room.send("say", { text: 7 as never });
  seats[0]!.room.send("say", { text: "hello" });
  await stage.advance(2500);
  for (const { game } of seats) {
    expect(game.heard).toEqual(["player 1: hello"]);
    expect(game.leaders.map(({ name }) => name)).toEqual(["player 2", "player 1"]);
    expect(game.leaders[0]!.mass).toBeGreaterThanOrEqual(400);
  }
});
