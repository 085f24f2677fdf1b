import { Room, defineEntity, list, string, type Player } from "@paceline/server";
import { roomStage, type StagePlayer } from "@paceline/testkit/room";
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  nat,
  oneof,
  tuple,
  constant,
  type Arbitrary,
} from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Bag, bagWrite, contentsOf, happening, writeBag, type BagWrite } from "../../client/test/bags.js";

const DELAY_MS = 40;
const Team = defineEntity("team", { members: list(string({ maxBytes: 20 }), { max: 16 }) });

class Hall extends Room {
  override readonly entities = [Bag, Team];
  override readonly tickHz = 20;
  override spectatorDelayMs = 0;
  override maxSpectators = 2;

  override onJoin(player: Player): void {
    if (!player.isSpectator) this.spawn(Bag, { position: { x: player.number * 5, y: 0 } }, player);
  }
}

/** A hall in which players see 50 m. */
class Field extends Hall {
  override readonly interest = { radiusM: 50 };
}

const text = string({ maxBytes: 20 });
const Chest = defineEntity("chest", {
  label: list(text, { max: 4 }),
  secrets: list(text, { max: 4, visibleTo: "owner" }),
});

class Vault extends Room {
  override readonly entities = [Chest];
}

class DelayedHall extends Hall {
  override spectatorDelayMs = 1000;
}

const stageOf = <R extends Room>(hall: new () => R) => {
  const stage = roomStage(hall);
  onTestFinished(() => stage.stop());
  return stage;
};

type Seen = ReturnType<typeof contentsOf>;

const seenBy = ({ room }: StagePlayer): Seen => contentsOf(room.entities(Bag));
const truthOf = (room: Hall): Seen => contentsOf(room.entitiesOf(Bag));
const bagOf = (room: Hall) => [...room.entitiesOf(Bag)][0]!;

describe("lists and maps of a room with an authority", () => {
  test("reach everybody, call onChange for each item, and are whole for newcomers", async () => {
    const stage = stageOf(Hall);
    const ann = await stage.join({ network: { delayMs: DELAY_MS } });
    ann.room.onSpawn(Bag, () => undefined);
    await stage.advance(300);
    const bag = bagOf(stage.room);
    const changes: unknown[] = [];
    const atAnn = [...ann.room.entities(Bag)][0]!;
    atAnn.onChange("things", (...change) => changes.push(change));
    atAnn.onChange("counts", (...change) => changes.push(change));
    const sword = { name: "sword", count: 1 } as const;
    bag.things.push(sword, { name: "potion", count: 3 });
    bag.counts.set("kills", 4).set("kills", 5).set("falls", 1);
    await stage.advance(300);
    expect(changes).toEqual([
      [0, sword, undefined],
      [1, { name: "potion", count: 3 }, undefined],
      ["kills", 5, undefined],
      ["falls", 1, undefined],
    ]);
    changes.length = 0;
    bag.things.set(1, { name: "potion", count: 2 });
    bag.things.delete(0);
    bag.counts.delete("falls");
    await stage.advance(300);
    expect(changes).toEqual([
      [1, { name: "potion", count: 2 }, { name: "potion", count: 3 }],
      [0, undefined, sword],
      ["falls", undefined, 1],
    ]);
    const ben = await stage.join({ network: { delayMs: DELAY_MS } });
    ben.room.onSpawn(Bag, () => undefined);
    await stage.advance(300);
    expect(seenBy(ben)).toEqual(truthOf(stage.room));
    expect(seenBy(ann)).toEqual(truthOf(stage.room));
    expect(truthOf(stage.room)[bag.id]).toEqual({
      things: [{ name: "potion", count: 2 }],
      counts: { kills: 5 },
    });
  });

  test("are read-only in the page, and without effect once the entity is gone", async () => {
    const stage = stageOf(Hall);
    const ann = await stage.join();
    ann.room.onSpawn(Bag, () => undefined);
    await stage.advance(200);
    const atAnn = [...ann.room.entities(Bag)][0]! as unknown as { counts: Map<string, number> };
    expect(() => atAnn.counts.set("kills", 1)).toThrow(
      "bag.counts: expected nothing: only the owner of the entity changes it, got 1",
    );
    const bag = bagOf(stage.room);
    bag.counts.set("kills", 2);
    await stage.advance(200);
    stage.room.despawn(bag);
    bag.counts.set("kills", 3);
    await stage.advance(200);
    expect([atAnn.counts.get("kills"), bag.counts.get("kills")]).toEqual([2, 2]);
  });

  test("reach a page that begins to use their kind late", async () => {
    const stage = stageOf(Hall);
    const ann = await stage.join({ network: { delayMs: DELAY_MS } });
    await stage.advance(200);
    const team = stage.room.spawn(Team, { members: ["ann"] });
    bagOf(stage.room).counts.set("kills", 7);
    ann.room.onSpawn(Bag, () => undefined);
    await stage.advance(500);
    team.members.push("ben");
    ann.room.onSpawn(Team, () => undefined);
    await stage.advance(500);
    expect(Array.from(ann.room.entities(Team), ({ members }) => [...members])).toEqual([["ann", "ben"]]);
    expect(seenBy(ann)).toEqual(truthOf(stage.room));
  });

  test("are whole again after a reload of the page, and not sent again to a resumed session", async () => {
    const stage = stageOf(Hall);
    const ann = await stage.join({ network: { delayMs: DELAY_MS } });
    ann.room.onSpawn(Bag, () => undefined);
    const bag = bagOf(stage.room);
    bag.counts.set("kills", 7);
    await stage.advance(300);
    const changes: unknown[] = [];
    [...ann.room.entities(Bag)][0]!.onChange("counts", (...change) => changes.push(change));
    ann.offline();
    await stage.advance(300);
    bag.counts.set("falls", 1);
    ann.online();
    await stage.advance(3000);
    expect(changes).toEqual([["falls", 1, undefined]]);
    expect(seenBy(ann)).toEqual(truthOf(stage.room));
    const again = await stage.reload(ann);
    again.room.onSpawn(Bag, () => undefined);
    await stage.advance(500);
    expect(seenBy(again)).toEqual(truthOf(stage.room));
  });

  test("of an entity that comes into view are whole, and no byte of those out of view is sent", async () => {
    const stage = stageOf(Field);
    const ann = await stage.join({ network: { delayMs: DELAY_MS } });
    ann.room.onSpawn(Bag, () => undefined);
    const far = stage.room.spawn(Bag, { position: { x: 500, y: 0 }, counts: { secret: 1 } });
    await stage.advance(500);
    const { session } = [...stage.room.players.values()][0]!.participant;
    const before = session.commands.acknowledgedBytes;
    for (let step = 0; step < 20; step++) {
      far.counts.set(`k${step % 5}`, step);
      await stage.advance(100);
    }
    expect(session.commands.acknowledgedBytes).toBe(before);
    for (let round = 0; round < 3; round++) {
      far.position.set(20, 0);
      far.teleport();
      far.counts.set("round", round);
      await stage.advance(600);
      expect(seenBy(ann)).toEqual(truthOf(stage.room));
      far.position.set(500, 0);
      far.teleport();
      await stage.advance(600);
      expect(Object.keys(seenBy(ann))).toEqual(["1"]);
      far.counts.set("unseen", round);
      await stage.advance(300);
    }
  });

  test("for the owner alone are in nobody else's bytes, and move with the ownership", async () => {
    const stage = stageOf(Vault);
    const [ann, ben] = [await stage.join(), await stage.join()];
    for (const { room } of [ann, ben]) room.onSpawn(Chest, () => undefined);
    await stage.advance(200);
    const [first, second] = [...stage.room.players.values()];
    const sent = [first!, second!].map(({ participant }) => vi.spyOn(participant, "send"));
    const hears = (index: number, text: string): boolean =>
      sent[index]!.mock.calls.some(([payload]) => Buffer.from(payload).includes(text));
    const chest = stage.room.spawn(Chest, { secrets: ["annsgold"], label: ["forall"] }, first);
    await stage.advance(200);
    chest.secrets.push("annssword");
    await stage.advance(200);
    const secretsAt = ({ room }: StagePlayer): unknown => [...[...room.entities(Chest)][0]!.secrets];
    expect([secretsAt(ann), secretsAt(ben)]).toEqual([["annsgold", "annssword"], []]);
    expect([hears(1, "anns"), hears(0, "anns"), hears(1, "forall")]).toEqual([false, true, true]);
    stage.room.give(chest, second);
    chest.secrets.push("bensbow");
    await stage.advance(200);
    expect([secretsAt(ann), secretsAt(ben)]).toEqual([[], ["annsgold", "annssword", "bensbow"]]);
    expect(hears(0, "bens")).toBe(false);
    stage.room.despawn(chest);
    await stage.advance(200);
    expect(ann.room.entities(Chest)).toHaveLength(0);
  });

  test("reach spectators as late as states do", async () => {
    const stage = stageOf(DelayedHall);
    await stage.join();
    const watcher = await stage.join({ terms: { spectate: true } });
    watcher.room.onSpawn(Bag, () => undefined);
    await stage.advance(1500);
    bagOf(stage.room).counts.set("kills", 3);
    await stage.advance(800);
    expect(Object.values(seenBy(watcher))).toEqual([{ things: [], counts: {} }]);
    await stage.advance(400);
    expect(Object.values(seenBy(watcher))).toEqual([{ things: [], counts: { kills: 3 } }]);
  });

  test("are those of the room for everybody, whatever is written, lost, joined, resumed, given and moved", async () => {
    await assert(
      asyncProperty(
        array(action, { minLength: 20, maxLength: 60 }),
        constantFrom(Hall, Field),
        nat(1000),
        play,
      ),
      { numRuns: 10, examples: [[emptiedWhileAway, Field, 0]] },
    );
  });
});

type Happening = "wait" | "join" | "leave" | "lose" | "give" | "move" | "spawn" | "despawn";
type Action = readonly [Happening, number] | readonly ["write", number, BagWrite];

const action: Arbitrary<Action> = oneof(
  { weight: 14, arbitrary: tuple(constant("write" as const), nat(5), bagWrite) },
  { weight: 8, arbitrary: happening("wait", 120) },
  happening("join"),
  happening("leave"),
  happening("lose"),
  happening("give", 20),
  happening("move", 400),
  happening("spawn"),
  happening("despawn"),
);

/** A list that a player holds is emptied while its entity is out of view and the player's link is lost. */
const sword: BagWrite = { what: "push", at: 0, thing: { name: "sword", count: 0 } };
const emptiedWhileAway: Action[] = [
  ["join", 0],
  ["wait", 87],
  ["write", 0, sword],
  ["lose", 0],
  ["leave", 0],
  ["move", 0],
  ["write", 0, { what: "delete", at: 0 }],
  ["write", 0, sword],
  ["wait", 13],
  ["write", 0, { what: "set", at: 0, thing: { name: "sword", count: 0 } }],
  ["wait", 51],
  ["lose", 0],
  ["write", 2, { what: "pop" }],
  ["wait", 0],
  ["wait", 0],
  ["write", 0, { what: "uncount", key: "a" }],
  ["lose", 0],
  ["wait", 0],
  ["lose", 0],
  ["wait", 0],
  ["write", 0, { what: "uncount", key: "a" }],
  ["wait", 0],
  ["move", 150],
  ["wait", 0],
  ["write", 0, { what: "uncount", key: "a" }],
  ["lose", 0],
];

/** A room in which all sorts of things happen. */
class Course {
  readonly stage;
  readonly players: StagePlayer[] = [];

  constructor(hall: new () => Hall, seed: number) {
    this.stage = roomStage(hall, { seed });
  }

  bag(index: number) {
    return [...this.stage.room.entitiesOf(Bag)].at(index % 3) ?? bagOf(this.stage.room);
  }

  player(index: number): StagePlayer {
    return this.players[index % this.players.length]!;
  }

  async wait(ms: number): Promise<void> {
    await this.stage.advance(ms);
  }

  async join(): Promise<void> {
    if (this.players.length >= 4) return;
    const network = { delayMs: DELAY_MS, jitterMs: 20, loss: { kind: "uniform", ratio: 0.05 } } as const;
    const player = await this.stage.join({ network });
    player.room.onSpawn(Bag, () => undefined);
    this.players.push(player);
  }

  leave(index: number): void {
    if (this.players.length < 2) return;
    this.player(index).room.leave();
    this.players.splice(index % this.players.length, 1);
  }

  async lose(index: number): Promise<void> {
    this.player(index).offline();
    await this.stage.advance(300);
    this.player(index).online();
  }

  give(index: number): void {
    const { room } = this.stage;
    room.give(this.bag(index), [...room.players.values(), undefined][index % (room.players.size + 1)]);
  }

  move(index: number): void {
    this.bag(index).position.set(index - 200, 0);
  }

  spawn(index: number): void {
    this.stage.room.spawn(Bag, { things: [{ name: "bow", count: index }] });
  }

  despawn(index: number): void {
    if (this.stage.room.entitiesOf(Bag).length > 2) this.stage.room.despawn(this.bag(index));
  }
}

async function play(actions: readonly Action[], hall: new () => Hall, seed: number): Promise<void> {
  const course = new Course(hall, seed);
  await course.join();
  for (const [name, index, write] of actions) {
    if (name === "write") writeBag(course.bag(index), write);
    else await course[name](index);
  }
  await course.wait(6000);
  const truth = truthOf(course.stage.room);
  for (const player of course.players) {
    const seen = seenBy(player);
    expect(Object.keys(seen).length).toBeGreaterThan(0);
    // With interest a player sees some of the bags.
    const ids = hall === Field ? Object.keys(seen) : Object.keys(truth);
    expect(seen).toEqual(Object.fromEntries(ids.map((id) => [id, truth[id]])));
  }
  await course.stage.stop();
}
