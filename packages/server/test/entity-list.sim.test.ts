import { Room, defineEntity, scalar } from "@paceline/server";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { afterEach, expect, test } from "vitest";

const Cell = defineEntity("cell", { mass: scalar({ range: [0, 100], precision: 1 }) });

class CellRoom extends Room {
  override readonly entities = [Cell];
}

let stage: RoomStage<never>;
afterEach(() => stage.stop());

test("a list of entities has a length and the methods that games reach for, at the server and at a client", async () => {
  const atServer = roomStage(CellRoom);
  stage = atServer as never;
  const { room } = await atServer.join();
  const lists = [atServer.room.entitiesOf(Cell), room.entities(Cell)];
  expect(lists.map(({ length }) => length)).toEqual([0, 0]);
  for (const mass of [1, 2, 3]) atServer.room.spawn(Cell, { mass });
  await atServer.advance(300);
  // The same lists: they show what is there at each use.
  for (const cells of lists) {
    expect(cells.length).toBe(3);
    expect(cells.map(({ mass }, index) => mass * 10 + index)).toEqual([10, 21, 32]);
    expect(cells.filter(({ mass }) => mass > 1).map(({ mass }) => mass)).toEqual([2, 3]);
    expect(cells.find(({ mass }) => mass === 2)?.mass).toBe(2);
    expect(cells.find(({ mass }) => mass === 9)).toBeUndefined();
    expect([cells.some(({ mass }) => mass === 3), cells.some(({ mass }) => mass === 9)]).toEqual([
      true,
      false,
    ]);
  }
});

test("a list of entities shows own ones first, also among players", async () => {
  stage = roomStage({ maxPlayers: 2 });
  const [ann, ben] = [await stage.join(), await stage.join()];
  const cells = ben.room.entities(Cell);
  ann.room.spawn(Cell, { mass: 1 });
  ben.room.spawn(Cell, { mass: 2 });
  await stage.advance(500);
  expect(cells.length).toBe(2);
  expect(cells.map(({ mass }) => mass)).toEqual([2, 1]);
  const mine = cells.find(({ isMine }) => isMine)!;
  expect(mine.mass).toBe(2);
});
