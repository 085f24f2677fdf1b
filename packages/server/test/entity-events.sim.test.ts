import { Room, defineEntity, flag, scalar, type Player } from "@paceline/server";
import { roomStage, type StagePlayer } from "@paceline/testkit/room";
import { describe, expect, onTestFinished, test } from "vitest";
import { Sprites } from "../../client/test/sprites.js";

const DELAY_MS = 40;
const Car = defineEntity("car", { fuel: scalar({ range: [0, 1], precision: 0.01 }) });
const Sign = defineEntity("sign", { lit: flag() });

/** A room with a car for each player. Players may own signs. */
class Yard extends Room {
  override readonly entities = [Car, Sign];
  override readonly playerEntities = [{ definition: Sign }];
  override readonly tickHz = 20;

  override onJoin(player: Player): void {
    this.spawn(Car, { fuel: player.number / 10 }, player);
  }
}

describe("onSpawn and onDespawn in a room with an authority", () => {
  const scene = async () => {
    const stage = roomStage(Yard);
    onTestFinished(() => stage.stop());
    const join = (): Promise<StagePlayer> => stage.join({ network: { delayMs: DELAY_MS } });
    return { stage, join };
  };

  test("are called for entities of the server and of players, one's own included, and for their end", async () => {
    const { stage, join } = await scene();
    const [ann, ben] = [await join(), await join()];
    const [atAnn, atBen] = [new Sprites(ann.room, Car), new Sprites(ben.room, Car)];
    const signs: string[] = [];
    for (const { room } of [ann, ben]) room.onSpawn(Sign, ({ isMine }) => signs.push(`${isMine}`));
    await stage.advance(1000);
    expect([atAnn.ids, atBen.ids]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect([...atAnn.shown].map(({ isMine, kind, fuel }) => [isMine, kind, fuel.toFixed(1)])).toEqual([
      [true, Car, "0.1"],
      [false, Car, "0.2"],
    ]);
    ann.room.spawn(Sign);
    await stage.advance(1000);
    expect(signs).toEqual(["true", "false"]);
    const cat = await join();
    const atCat = new Sprites(cat.room, Car);
    await stage.advance(500);
    expect([atCat.ids, atAnn.ids]).toEqual([
      [1, 2, 4],
      [1, 2, 4],
    ]);
    ben.room.leave();
    await stage.advance(500);
    expect([atCat.ids, atAnn.ids]).toEqual([
      [1, 4],
      [1, 4],
    ]);
    cat.room.leave();
    expect(atCat.shown.size).toBe(0);
  });

  test("are not called twice when the session is resumed", async () => {
    const { stage, join } = await scene();
    await join();
    const ben = await join();
    const sprites = new Sprites(ben.room, Car);
    await stage.advance(500);
    ben.offline();
    await stage.advance(500);
    ben.online();
    await stage.advance(5000);
    expect(sprites.log).toEqual(["+1", "+2"]);
  });
});
