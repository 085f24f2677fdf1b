import { Room, defineEntity, scalar, string, uint, vec2, type Player } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { expect, onTestFinished, test } from "vitest";

const Hero = defineEntity("hero", {
  hp: uint({ range: [0, 100], default: 100 }),
  name: string({ maxBytes: 16 }),
  at: vec2({ range: [-100, 100], precision: 0.01 }),
});
const Kite = defineEntity("kite", { height: scalar({ range: [0, 50], precision: 0.1 }) });

class Arena extends Room {
  override readonly entities = [Hero, Kite];
  override readonly playerEntities = [{ definition: Kite }];

  override onJoin(player: Player): void {
    this.spawn(Hero, { name: `player ${player.number}` }, player);
  }
}

test("onChange is called once for each change of the server's entities, texts too; it ends with the entity", async () => {
  const stage = roomStage(Arena);
  onTestFinished(() => stage.stop());
  const { room } = await stage.join({ network: { delayMs: 30 } });
  const told: unknown[] = [];
  room.onSpawn(Hero, (hero) => {
    told.push(hero.name);
    hero.onChange("hp", (hp, previous) => told.push(["hp", previous, hp, hero.isMine]));
    hero.onChange("name", (name, previous) => told.push(["name", previous, name]));
    hero.onChange("at", (at, previous) => told.push(["at", previous, at]));
  });
  await stage.advance(500);
  const [hero] = stage.room.entitiesOf(Hero);
  hero!.hp = 40;
  hero!.at.set(1, 2);
  await stage.advance(1000);
  hero!.name = "winner";
  await stage.advance(1000);
  stage.room.despawn(hero!);
  await stage.advance(1000);
  expect(told).toEqual([
    "player 1",
    ["hp", 100, 40, true],
    ["at", { x: 0, y: 0 }, { x: 1, y: 2 }],
    ["name", "player 1", "winner"],
  ]);
});

test("for an entity that a player simulates onChange is called at the others, and at its owner on the write", async () => {
  const stage = roomStage(Arena);
  onTestFinished(() => stage.stop());
  const [ann, ben] = [await stage.join(), await stage.join()];
  const told: unknown[] = [];
  for (const { room } of [ann, ben]) {
    room.onSpawn(Kite, (kite) =>
      kite.onChange("height", (height) => told.push([kite.isMine, Math.round(height)])),
    );
  }
  await stage.advance(300);
  const kite = ann.room.spawn(Kite);
  await stage.advance(500);
  kite.height = 20;
  expect(told).toEqual([[true, 20]]);
  await stage.advance(500);
  expect(told).toEqual([
    [true, 20],
    [false, 20],
  ]);
});
