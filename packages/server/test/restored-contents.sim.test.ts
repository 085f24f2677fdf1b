/** Lists, maps, timers and bots of a room that goes on in the next process, in virtual time. */
import { defineEntity, defineInput, list, map, scalar, uint, vec2 } from "@paceline/client";
import { Room, type Player } from "@paceline/server";
import { afterEach, expect, test } from "vitest";
import { RestoredStage } from "./restored-stage.js";

const Hero = defineEntity("hero", {
  position: vec2({ range: [0, 100], precision: 0.1, unit: "m" }),
  things: list(uint({ range: [0, 999] }), { max: 20 }),
  ammo: map(uint({ range: [0, 999] }), { max: 20 }),
});
const Drive = defineInput({ steer: scalar({ range: [-1, 1], precision: 0.01 }) });

/** The room of the newest process. */
let room: Camp;

class Camp extends Room {
  static override readonly persistent = { everySeconds: 1 };
  override readonly entities = [Hero];
  override readonly inputs = Drive;
  override readonly tickHz = 20;
  rung: string[] = [];

  constructor() {
    super();
    // oxlint-disable-next-line no-this-alias -- the test looks at the newest room
    room = this;
  }

  override onCreate(): void {
    this.addBot({ fill: 3, drive: (_player, input) => void (input.steer = 1) });
  }

  override onJoin(player: Player): void {
    this.spawn(Hero, { position: { x: player.number, y: 0 } }, player);
  }

  ring(word: string): void {
    this.rung.push(word);
  }
}

let stage: RestoredStage;
afterEach(() => stage.stop());

test.each(["terminate", "kill"] as const)("lists, maps, timers and bots, after %s", async (end) => {
  stage = new RestoredStage();
  await stage.start(Camp);
  const joined = await stage.join();
  const heroes = joined.entities(Hero);
  await stage.advance(500);
  const mine = () => room.entitiesOf(Hero).find(({ owner }) => !(owner as Player).isBot)!;
  mine().things.push(3, 1, 4);
  mine().ammo.set("arrows", 30);
  mine().ammo.set("bolts", 7);
  room.after(5000, "ring", "supper");
  expect(room.players.size).toBe(3);
  await stage.advance(2000);

  await stage[end]();
  await stage.start(Camp);
  await stage.advance(1500);
  expect(room.rung).toEqual([]);
  // A new crew of bots has come, and nothing is left of the old one.
  expect(room.players.size).toBe(3);
  expect(room.entitiesOf(Hero).length).toBe(3);
  expect([...mine().things]).toEqual([3, 1, 4]);
  expect([...mine().ammo]).toEqual([
    ["arrows", 30],
    ["bolts", 7],
  ]);
  mine().things.push(1);
  mine().ammo.delete("bolts");
  await stage.advance(1500);
  const [seen] = heroes.filter(({ isMine }) => isMine);
  expect([...seen!.things]).toEqual([3, 1, 4, 1]);
  expect([...seen!.ammo]).toEqual([["arrows", 30]]);
  await stage.advance(4000);
  expect(room.rung).toEqual(["supper"]);
});
