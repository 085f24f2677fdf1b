import { silentLog, type LogFields } from "@paceline/relay";
import { Room, defineEntity, scalar, vec2, type Player, type ServerEntity } from "@paceline/server";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { afterEach, expect, test } from "vitest";

const position = vec2({ range: [-100, 100], precision: 0.01, unit: "m" });
const Cell = defineEntity("cell", { position, mass: scalar({ range: [0, 100], precision: 0.1 }) });
const Ship = defineEntity("ship", { position }, { motion: "velocity" });

/** A game with a map of its own, which it cleans up in the step after a player has left. */
class CellRoom extends Room {
  override readonly entities = [Cell, Ship];
  override readonly playerEntities = [{ definition: Ship, most: 4 }];
  override readonly maxRewindMs = 500;
  readonly cells = new Map<Player, ServerEntity<typeof Cell>>();
  steps = 0;

  override onJoin(player: Player): void {
    this.cells.set(player, this.spawn(Cell, {}, player));
  }

  override onTick(): void {
    for (const [player, cell] of this.cells) {
      if (this.players.has(player.number)) continue;
      this.despawn(cell);
      this.send(player, "over", {});
      this.cells.delete(player);
    }
    this.steps += 1;
  }
}

let stage: RoomStage<CellRoom>;
let warnings: [message: string, fields: LogFields | undefined][] = [];
let errors: LogFields[] = [];
afterEach(() => stage.stop());

/** A room with two players, of whom the second one leaves. */
async function deserted(roomClass: new () => CellRoom = CellRoom) {
  warnings = [];
  errors = [];
  const log = {
    ...silentLog,
    warn: (message: string, fields?: LogFields) => void warnings.push([message, fields]),
    error: (_message: string, fields: LogFields = {}) => void errors.push(fields),
  };
  stage = roomStage(roomClass, { log });
  const ann = await stage.join();
  const ben = await stage.join();
  const { room } = stage;
  const left = room.players.get(2)!;
  const cell = room.cells.get(left)!;
  void ben.room.leave();
  await stage.advance(200);
  return { ann, room, left, cell };
}

test("a room goes on if its game despawns what a player's leave has despawned", async () => {
  const { room } = await deserted();
  const before = room.steps;
  await stage.advance(1000);
  expect(room.steps - before).toBe(30);
  expect(room.cells.size).toBe(1);
  expect(stage.server.reports()[0]!.counters.hookErrors).toEqual({});
});

test("to despawn twice is nothing, and other calls say when and by whom the entity was despawned", async () => {
  const { ann, room, cell } = await deserted();
  const said = (call: () => unknown): string => {
    try {
      return String(call());
    } catch (error) {
      return (error as Error).message.replace(/\d+ ms ago/, "… ms ago");
    }
  };
  const mine = room.cells.get(room.players.get(1)!)!;
  room.despawn(mine);
  room.despawn(mine);
  const ship = ann.room.spawn(Ship, {});
  await stage.advance(200);
  const [atServer] = room.entitiesOf(Ship);
  ann.room.despawn(ship);
  ann.room.despawn(ship);
  await stage.advance(200);
  room.despawn(atServer!);
  const expected = "entity: expected an entity that is in this room";
  expect([cell, mine, atServer!, {}].map((entity) => said(() => room.give(entity, undefined)))).toEqual([
    `${expected} (cell ${cell.id} was despawned … ms ago, when player 2 left), got an Entity`,
    `${expected} (cell ${mine.id} was despawned … ms ago, by the room's code), got an Entity`,
    `${expected} (ship ${atServer!.id} was despawned … ms ago, by player 1), got an Entity`,
    `${expected}, got an object`,
  ]);
  const [player] = room.players.values();
  expect(room.rewind(player!, room.tick, (past) => past.of(cell))).toBeUndefined();
  expect(said(() => room.rewind(player!, room.tick, (past) => past.of({ id: 1 })))).toMatch(expected);
});

test("what is written to a despawned entity changes nothing, and the log says so once for each kind", async () => {
  const { room, cell } = await deserted();
  const [other] = room.entitiesOf(Cell);
  for (let step = 0; step < 9; step++) {
    cell.mass = 50;
    cell.position.set(5, 5);
    cell.teleport();
  }
  expect(other!.mass).toBe(0);
  expect(warnings).toEqual([
    [
      "a despawned entity was written",
      {
        room: "staged",
        entity: expect.stringMatching(/^cell \d+ was despawned \d+ ms ago, when player 2 left$/),
      },
    ],
  ]);
});

test("messages to a player who has left are nothing, and what would wait for it says so", async () => {
  const { room, left } = await deserted();
  await stage.advance(2000);
  room.send(left, "over", {});
  room.sendEvent(left, "over", {});
  room.kick(left);
  await expect(room.request(left, "ready?", {})).rejects.toMatchObject({ code: "transport/closed" });
  await expect(room.allowReconnection(left, 20)).rejects.toMatchObject({ code: "session/ended" });
  const expected = /^player: expected a player who is in this room \(player 2 left 2\d\d\d ms ago\)/;
  expect(() => room.spawn(Cell, {}, left)).toThrow(expected);
  expect(() => room.give(room.spawn(Cell), left)).toThrow(expected);
  expect(() => room.send({} as Player, "over", {})).toThrow("player: expected a player of this room");
});

test("a hook that fails in every step is logged once a second, and the rest of the room goes on", async () => {
  class Broken extends CellRoom {
    override onTick(): void {
      throw new Error("a mistake of the game");
    }
  }
  const { ann, room } = await deserted(Broken);
  ann.room.onSpawn(Cell, () => undefined);
  errors = [];
  await stage.advance(3000);
  expect(errors.map(({ hook, withheld }) => `${String(hook)} ${String(withheld)}`)).toEqual([
    "onTick 29",
    "onTick 29",
    "onTick 29",
  ]);
  room.cells.get(room.players.get(1)!)!.mass = 7;
  await stage.advance(200);
  expect(Array.from(ann.room.entities(Cell), ({ mass }) => mass)).toEqual([7]);
});
