import { Room, defineEntity, list, scalar, string, vec2, type Player } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { describe, expect, onTestFinished, test } from "vitest";

const DELAY_MS = 40;
const Cell = defineEntity("cell", {
  position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }),
  mass: scalar({ range: [0, 100], precision: 0.1 }),
  tags: list(string({ maxBytes: 8 }), { max: 4 }),
});

interface GameCell {
  x: number;
  mass: number;
  tags: string[];
  player?: Player;
}

class Arena extends Room {
  override readonly entities = [Cell];
  override readonly tickHz = 20;
  readonly cells = new Map<string, GameCell>([["first", { x: 1, mass: 1, tags: ["a"] }]]);
  readonly errors: string[] = [];
  stop!: () => void;

  override onCreate(): void {
    this.stop = this.mirror(
      Cell,
      this.cells,
      ({ x, mass, tags }) => ({ position: { x, y: 0 }, mass, tags }),
      ({ player }) => player,
    );
  }

  override onJoin(player: Player): void {
    this.cells.set(`of ${player.number}`, { x: player.number, mass: 10, tags: [], player });
  }

  override onUncaughtException(error: unknown, hook: string): void {
    this.errors.push(`${hook}: ${String(error)}`);
  }
}

async function scene() {
  const stage = roomStage(Arena);
  onTestFinished(() => stage.stop());
  const ann = await stage.join({ network: { delayMs: DELAY_MS } });
  ann.room.onSpawn(Cell, () => undefined);
  await stage.advance(300);
  const seen = () =>
    Array.from(ann.room.entities(Cell), ({ position, mass, tags, isMine }) => [
      position.x,
      Math.round(mass),
      [...tags],
      isMine,
    ]).sort(([a], [b]) => Number(a) - Number(b));
  return { stage, ann, seen, room: stage.room };
}

describe("a mirror of the game's own objects", () => {
  test("spawns, writes and despawns entities as the objects come, change and go", async () => {
    const { stage, seen, room } = await scene();
    const { cells } = room;
    expect(seen()).toEqual([
      [1, 1, ["a"], false],
      [1, 10, [], true],
    ]);
    cells.set("second", { x: 5, mass: 2, tags: [] });
    cells.get("first")!.tags = ["b", "a"];
    cells.get("first")!.mass = 3;
    await stage.advance(300);
    expect(seen()).toEqual([
      [1, 3, ["b", "a"], false],
      [1, 10, [], true],
      [5, 2, [], false],
    ]);
    cells.delete("first");
    await stage.advance(300);
    expect(seen()).toEqual([
      [1, 10, [], true],
      [5, 2, [], false],
    ]);
    room.stop();
    cells.clear();
    await stage.advance(300);
    expect(seen()).toHaveLength(2);
    expect(room.errors).toEqual([]);
  });

  test("spawns an object's entity again if something else has despawned it", async () => {
    const { stage, seen, room } = await scene();
    room.despawn([...room.entitiesOf(Cell)][0]!);
    await stage.advance(300);
    expect(seen()).toHaveLength(2);
  });

  test("refuses an object that is mirrored already, and what is no object", async () => {
    const { stage, room } = await scene();
    const object = { x: 1, mass: 1, tags: [] };
    const mirror = (objects: readonly GameCell[]) => room.mirror(Cell, objects, ({ mass }) => ({ mass }));
    const before = room.entitiesOf(Cell).length;
    expect(() => mirror([object, object])).toThrow("mirror: expected an object that is mirrored once");
    expect(() => mirror([room.cells.get("first")!])).toThrow(
      "mirror: expected an object that is mirrored once",
    );
    expect(() => mirror([5 as never])).toThrow(
      "mirror: expected an object: values alone cannot be told apart, got 5",
    );
    expect(room.entitiesOf(Cell)).toHaveLength(before);
    room.cells.set("again", room.cells.get("first")!);
    await stage.advance(60);
    expect(room.errors[0]).toContain("mirror: ConfigError: mirror: expected an object that is mirrored once");
  });
});

describe("broadcastEvent", () => {
  test("sends an event to all players but those left out, and drops it rather than sending it late", async () => {
    const stage = roomStage(Arena);
    onTestFinished(() => stage.stop());
    const heard: string[] = [];
    for (const name of ["ann", "ben", "cat"]) {
      const { room } = await stage.join({ network: { delayMs: DELAY_MS } });
      room.onMessage("boom", (message) => heard.push(`${name} ${String(message)}`));
    }
    await stage.advance(100);
    const [, ben] = [...stage.room.players.values()];
    stage.room.broadcastEvent("boom", 1, { except: ben! });
    await stage.advance(200);
    expect(heard.sort()).toEqual(["ann 1", "cat 1"]);
    expect(() => stage.room.broadcastEvent("", 1)).toThrow("type: expected text of 1 to 64 bytes");
  });
});
