import { silentLog, type LogFields } from "@paceline/relay";
import { Room, defineEntity, defineInput, scalar, vec2, type Player } from "@paceline/server";
import { roomStage, type RoomStageOptions } from "@paceline/testkit/room";
import { expect, onTestFinished, test, vi } from "vitest";

const range = [-0.1, 0.7] as const;
const Dot = defineEntity("dot", { at: vec2({ range, precision: 0.01, unit: "m" }) });
const Mine = defineEntity("mine", { at: vec2({ range, precision: 0.01 }) });
const Move = defineInput({ x: scalar({ range, precision: 0.01 }) });

/** A room that writes values out of range when its players tell it to. */
class Field extends Room {
  override readonly entities = [Dot, Mine];
  override readonly playerEntities = [{ definition: Mine }];
  override readonly inputs = Move;
  override readonly tickHz = 20;
  readonly dot = () => this.spawn(Dot, { at: { x: 9, y: -9 } });
  ticks = 0;

  override onCreate(): void {
    this.dot();
  }

  override onTick(): void {
    for (const { at } of this.entitiesOf(Dot)) at.set(at.x + 1, at.y - 1);
    this.ticks += 1;
  }

  moves(): number[] {
    return Array.from(this.players.values(), (player: Player<typeof Move>) => player.input.x);
  }
}

const staged = (options: RoomStageOptions = {}) => {
  const stage = roomStage(Field, options);
  onTestFinished(() => stage.stop());
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  return stage;
};

test("a value that a room writes out of range is clamped, its players see the bound, and the log says so once for each field", async () => {
  const lines: [message: string, fields: LogFields | undefined][] = [];
  const stage = staged({ log: { ...silentLog, warn: (message, fields) => lines.push([message, fields]) } });
  const { room } = await stage.join();
  room.onSpawn(Dot, () => undefined);
  await stage.advance(1000);
  expect(stage.room.ticks).toBeGreaterThan(10);
  const [dot] = room.entities(Dot);
  expect([dot!.at.x, dot!.at.y]).toEqual([expect.closeTo(0.7, 2), expect.closeTo(-0.1, 2)]);
  const fields = (axis: string, value: number) => ({
    ...{ room: "staged", field: `dot.at.${axis}`, value },
    range: "-0.1 to 0.7 m",
  });
  expect(lines).toEqual([
    ["a value out of its range was clamped", fields("x", 9)],
    ["a value out of its range was clamped", fields("y", -9)],
  ]);
});

test("without a log of its own the server writes that to the console", async () => {
  const stage = staged();
  await stage.join();
  await stage.advance(500);
  const said = vi.mocked(console.warn).mock.calls.map(([line]) => String(line));
  expect(said).toEqual([
    "paceline: a value out of its range was clamped room=staged field=dot.at.x value=9 range=-0.1 to 0.7 m",
    "paceline: a value out of its range was clamped room=staged field=dot.at.y value=-9 range=-0.1 to 0.7 m",
  ]);
});

test("inputs and entities of players are clamped by their client, and the room accepts them at their bounds", async () => {
  const stage = staged({ log: silentLog });
  const [ann, ben] = [await stage.join(), await stage.join()];
  const errors: string[] = [];
  ann.room.onError(({ code, message }) => errors.push(`${code} ${message}`));
  ann.room.input(Move).x = 7;
  ann.room.spawn(Mine, { at: { x: 5, y: -5 } });
  ben.room.onSpawn(Mine, () => undefined);
  await stage.advance(1000);
  expect(stage.room.moves()[0]).toBeCloseTo(0.7, 2);
  const [seen] = ben.room.entities(Mine);
  expect([seen!.at.x, seen!.at.y]).toEqual([expect.closeTo(0.7, 2), expect.closeTo(-0.1, 2)]);
  expect(errors.map((line) => line.split(":")[0])).toEqual([
    "entity/clamped input.x",
    "entity/clamped mine.at.x",
    "entity/clamped mine.at.y",
  ]);
});

test("a value that the inputs do not have throws", async () => {
  const stage = staged();
  const { room } = await stage.join();
  const input = room.input(Move) as { z?: number };
  expect(() => (input.z = 1)).toThrow(TypeError);
  expect(() => (room.input(Move).x = 0.5)).not.toThrow();
});
