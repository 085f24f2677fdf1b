import { defineEntity, list, uint, type OwnedEntity, type Room } from "@paceline/client";
import type { StagePlayer } from "@paceline/testkit/room";
import { array, assert, asyncProperty, constant, nat, oneof, tuple, type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { Bag, bagWrite, contentsOf, happening, writeBag, type BagWrite } from "./bags.js";
import { RelayStage } from "./relay-stage.js";

const DELAY_MS = 40;
/** A kind of lists alone. */
const Team = defineEntity("team", { members: list(uint({ range: [0, 99] }), { max: 10 }) });

const bow = { name: "bow", count: 1 } as const;
const sword = { name: "sword", count: 2 } as const;

const seenBy = (room: Room): ReturnType<typeof contentsOf> => contentsOf(room.entities(Bag));

describe("lists and maps of players' own entities", () => {
  test("reach the others with the entity, call onChange on both sides, and are whole for newcomers", async () => {
    const stage = new RelayStage({ delayMs: DELAY_MS });
    const [a, b] = [await stage.join(), await stage.join()];
    const atSpawn: unknown[] = [];
    b.onSpawn(Bag, (bag) => atSpawn.push(contentsOf([bag])[bag.id]));
    const bag = a.spawn(Bag, { things: [bow], counts: { gold: 3 } });
    const own: unknown[] = [];
    bag.onChange("counts", (...change) => own.push(change));
    await stage.advance(300);
    expect(atSpawn).toEqual([{ things: [bow], counts: { gold: 3 } }]);
    const seen: unknown[] = [];
    [...b.entities(Bag)][0]!.onChange("counts", (...change) => seen.push(change));
    bag.counts.set("gold", 4);
    bag.counts.set("gold", 5);
    bag.counts.delete("silver");
    bag.things.push(sword);
    a.advance();
    await stage.advance(300);
    expect(own).toEqual([
      ["gold", 4, 3],
      ["gold", 5, 4],
    ]);
    // The last value of a tick wins.
    expect(seen).toEqual([["gold", 5, 3]]);
    const late = await stage.join();
    const lateSpawns: unknown[] = [];
    late.onSpawn(Bag, (each) => lateSpawns.push(each.id));
    await stage.advance(500);
    expect(seenBy(late)).toEqual({ [bag.id]: { things: [bow, sword], counts: { gold: 5 } } });
    expect(lateSpawns).toEqual([bag.id]);
    expect(() => (seenBy(b), ([...b.entities(Bag)][0] as unknown as typeof bag).things.push(bow))).toThrow(
      "bag.things: expected nothing: only the owner of the entity changes it",
    );
    a.despawn(bag);
    expect(() => bag.counts.set("gold", 1)).toThrow("an entity that has not despawned");
    await stage.advance(300);
    expect([seenBy(b), seenBy(late)]).toEqual([{}, {}]);
  });

  test("of a kind that a page begins to use late are there then", async () => {
    const stage = new RelayStage({ delayMs: DELAY_MS });
    const [a, b] = [await stage.join(), await stage.join()];
    const team = a.spawn(Team, { members: [1, 2] });
    await stage.advance(500);
    team.members.push(3);
    a.advance();
    await stage.advance(500);
    // The contents that arrived before were dropped: the page asks for them now.
    expect(Array.from(b.entities(Team), ({ members }) => [...members])).toEqual([[]]);
    await stage.advance(1000);
    expect(Array.from(b.entities(Team), ({ members }) => [...members])).toEqual([[1, 2, 3]]);
  });

  test("go on with the one entity of a room when its writer leaves", async () => {
    const stage = new RelayStage({ delayMs: DELAY_MS });
    const [a, b] = [await stage.join(), await stage.join()];
    const [atA, atB] = [a.only(Bag), b.only(Bag)];
    const changes: unknown[] = [];
    atB.onChange("counts", (...change) => changes.push(change));
    expect(atA.isMine).toBe(true);
    atA.counts.set("round", 1);
    a.advance();
    await stage.advance(300);
    expect(changes).toEqual([["round", 1, undefined]]);
    a.leave();
    await stage.advance(1000);
    expect([atB.isMine, [...atB.counts]]).toEqual([true, [["round", 1]]]);
    atB.counts.set("round", 2);
    expect(changes.at(-1)).toEqual(["round", 2, 1]);
  });

  test("are the owner's for everybody, whatever is written, lost, joined, left, resumed, and begun again", async () => {
    await assert(asyncProperty(array(action, { minLength: 20, maxLength: 50 }), nat(1000), play), {
      numRuns: 8,
    });
  });
});

type Happening = "wait" | "join" | "leave" | "lose" | "restart" | "spawn" | "despawn";
type Action = readonly [Happening, number] | readonly ["write", number, BagWrite];

const action: Arbitrary<Action> = oneof(
  { weight: 14, arbitrary: tuple(constant("write" as const), nat(5), bagWrite) },
  { weight: 8, arbitrary: happening("wait", 120) },
  happening("join"),
  happening("leave"),
  happening("lose"),
  happening("restart"),
  happening("spawn"),
  happening("despawn"),
);

interface Member {
  readonly player: StagePlayer;
  readonly room: Room;
  readonly bags: OwnedEntity<typeof Bag>[];
}

/** A room in which all sorts of things happen. */
class Course {
  readonly stage: RelayStage;
  readonly members: Member[] = [];

  constructor(seed: number) {
    const network = { jitterMs: 20, loss: { kind: "uniform", ratio: 0.05 } } as const;
    this.stage = new RelayStage({ delayMs: DELAY_MS, network, seed });
  }

  member(index: number): Member {
    return this.members[index % this.members.length]!;
  }

  async wait(ms: number): Promise<void> {
    await this.stage.advance(ms);
    for (const { room } of this.members) if (room.state === "joined") room.advance();
  }

  async join(): Promise<void> {
    if (this.members.length >= 4) return;
    const player = this.stage.player();
    const room = await this.stage.join(player);
    room.onSpawn(Bag, () => undefined);
    this.members.push({ player, room, bags: [room.spawn(Bag, { things: [bow] })] });
  }

  leave(index: number): void {
    if (this.members.length < 3) return;
    this.member(index).room.leave();
    this.members.splice(index % this.members.length, 1);
  }

  async lose(index: number): Promise<void> {
    const { player } = this.member(index);
    player.offline();
    await this.stage.advance(300);
    player.online();
  }

  /** All pairs of a member begin again. */
  restart(index: number): void {
    for (const peer of this.member(index).room.peers) (peer as PeerConnection).restart("a test");
  }

  spawn(index: number): void {
    const { room, bags } = this.member(index);
    if (bags.length < 4) bags.push(room.spawn(Bag, { counts: { gold: index } }));
  }

  despawn(index: number): void {
    const { room, bags } = this.member(index);
    const bag = bags.pop();
    if (bag) room.despawn(bag);
  }
}

async function play(actions: readonly Action[], seed: number): Promise<void> {
  const course = new Course(seed);
  await course.join();
  await course.join();
  for (const [name, index, write] of actions) {
    const bag = course.member(index).bags[0];
    if (name !== "write") await course[name](index);
    else if (bag) writeBag(bag, write);
  }
  for (let step = 0; step < 60; step++) await course.wait(200);
  const truth = contentsOf(course.members.flatMap(({ bags }) => bags));
  for (const { room } of course.members) expect(seenBy(room)).toEqual(truth);
  for (const { room } of course.members) room.leave();
}
