/** Rooms that go on in the next process, with messages on their way, in virtual time. */
import { defineEntity, scalar, uint, type Room as ClientRoom } from "@paceline/client";
import { Room } from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { seeds, someOf } from "../../testkit/test/some-of.js";
import { RestoredStage } from "./restored-stage.js";

const Score = defineEntity("score", { goals: uint({ range: [0, 100_000] }) });
const Coin = defineEntity("coin", { x: scalar({ range: [0, 100], precision: 0.01 }) });

/** The room of the newest process. */
let room: Counting;
let processes: number;

interface Saved {
  readonly heard: readonly number[];
  readonly said: number;
}

/** Counts what it hears, and tells everybody a number several times a second. */
class Counting extends Room {
  static override readonly persistent: { readonly everySeconds: number } = { everySeconds: 1 };
  override readonly entities = [Score, Coin];
  override readonly tickHz = 20;
  readonly process = processes;
  heard: number[] = [];
  said = 0;

  constructor() {
    super();
    // oxlint-disable-next-line no-this-alias -- the test looks at the newest room
    room = this;
  }

  override onCreate(): void {
    this.onMessage("number", (_player, number) => {
      this.heard.push(Number(number));
      this.only(Score).goals += 1;
    });
  }

  override onTick(): void {
    this.said += 1;
    this.broadcast("number", [this.process, this.said]);
  }

  override onSave(): Saved {
    return { heard: this.heard, said: this.said };
  }

  override onRestore({ heard, said }: Saved): void {
    this.heard = [...heard];
    this.said = said;
    this.restoredAt = said;
  }

  restoredAt = 0;
}

let stage: RestoredStage;
afterEach(() => stage.stop());

/** A player that sends a number now and then, and notes those that it hears. */
class Talker {
  readonly heard: [process: number, number: number][] = [];
  readonly returns: { readonly resumed: boolean; readonly restored: boolean }[] = [];
  sent = 0;
  readonly room: ClientRoom;

  constructor(joined: ClientRoom) {
    this.room = joined;
    joined.onMessage("number", (message) => this.heard.push(message as [number, number]));
    joined.onReconnect((info) => this.returns.push(info));
  }

  say(): void {
    this.room.send("number", (this.sent += 1));
  }
}

async function talk(talker: Talker, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 35) {
    talker.say();
    await stage.advance(Math.min(35, left));
  }
}

function numbersTwice(numbers: readonly unknown[]): unknown[] {
  const keys = numbers.map((each) => JSON.stringify(each));
  return keys.filter((key, at) => keys.indexOf(key) !== at);
}

test("none of many kills at random moments delivers a message twice, or loses one that a save has", async () => {
  processes = 1;
  const random = seededRandom(7);
  stage = new RestoredStage();
  await stage.start(Counting);
  const talker = new Talker(await stage.join());
  const { roomId, myNumber } = talker.room;
  for (const kill of someOf(seeds(50), 8)) {
    await talk(talker, 1300 + random.next() * 1500);
    await stage.kill();
    await talk(talker, 100 + random.next() * 400);
    processes += 1;
    await stage.start(Counting);
    const saved = { heard: [...room.heard], said: room.restoredAt };
    const sentBefore = talker.sent;
    await talk(talker, 3000);
    expect(talker.returns.at(-1), `return ${kill}`).toMatchObject({ resumed: false, restored: true });
    expect([talker.room.roomId, talker.room.myNumber]).toEqual([roomId, myNumber]);
    // What the room has heard: what the save has, and then nothing twice and nothing out of order.
    expect(room.heard.slice(0, saved.heard.length)).toEqual(saved.heard);
    expect(numbersTwice(room.heard)).toEqual([]);
    expect([...room.heard].sort((a, b) => a - b)).toEqual(room.heard);
    // All that was sent since the return has arrived, but what is on its way.
    expect(room.heard.at(-1)).toBeGreaterThan(talker.sent - 10);
    expect(room.heard.at(-1)).toBeGreaterThan(sentBefore);
    expect(room.only(Score).goals).toBe(room.heard.length);
    // What the player has heard: nothing twice, and all that the save has sent.
    expect(numbersTwice(talker.heard)).toEqual([]);
    const numbers = new Set(talker.heard.map(([, number]) => number));
    const wanted = Array.from({ length: saved.said }, (_, at) => at + 1);
    expect(
      wanted.filter((number) => !numbers.has(number)),
      `kill ${kill}`,
    ).toEqual([]);
  }
});

test("stops at random moments lose nothing, and resume each session", async () => {
  processes = 1;
  const random = seededRandom(11);
  stage = new RestoredStage();
  await stage.start(Counting);
  const talkers = [new Talker(await stage.join()), new Talker(await stage.join())];
  for (let stop = 0; stop < 10; stop++) {
    for (let part = 0; part < 4; part++) {
      for (const talker of talkers) talker.say();
      await stage.advance(random.next() * 150);
    }
    await stage.terminate();
    for (const talker of talkers) talker.say();
    await stage.advance(random.next() * 1000);
    processes += 1;
    await stage.start(Counting);
    await stage.advance(3000);
    for (const talker of talkers)
      expect(talker.returns.at(-1), `return ${stop}`).toMatchObject({ resumed: true, restored: false });
  }
  await stage.advance(1000);
  const sent = talkers.flatMap((talker) => Array.from({ length: talker.sent }, (_, at) => at + 1));
  expect([...room.heard].sort((a, b) => a - b)).toEqual(sent.sort((a, b) => a - b));
  for (const talker of talkers) {
    const numbers = talker.heard.map(([, number]) => number);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => numbers[0]! + at));
    expect(numbers.at(-1)).toBeGreaterThan(room.said - 5);
  }
});

describe("a restored room", () => {
  test("gives the spawns of onCreate the entities that they have made before", async () => {
    class Coins extends Counting {
      coins: { x: number; readonly id: number }[] = [];

      override onCreate(): void {
        super.onCreate();
        this.only(Score);
        this.coins = [1, 2, 3].map((x) => this.spawn(Coin, { x }));
      }
    }
    processes = 1;
    stage = new RestoredStage();
    await stage.start(Coins);
    const talker = new Talker(await stage.join());
    const first = room as Coins;
    const shown = (): number[] => {
      const xs = [...talker.room.entities(Coin)].map((coin) => Math.round(coin.shown.x));
      return xs.sort((a, b) => a - b);
    };
    shown();
    first.coins[0]!.x = 50;
    first.despawn(first.coins[1]!);
    first.spawn(Coin, { x: 99 });
    await stage.advance(500);
    await stage.terminate();
    await stage.start(Coins);
    const second = room as Coins;
    expect(second).not.toBe(first);
    expect(second.coins[0]!.x).toBeCloseTo(50);
    expect(second.coins[0]!.id).toBe(first.coins[0]!.id);
    const left = [...second.entitiesOf(Coin)].map(({ x }) => Math.round(x));
    expect(left.sort((a, b) => a - b)).toEqual([3, 50, 99]);
    expect([...second.entitiesOf(Score)].length).toBe(1);
    await stage.advance(3000);
    expect(shown()).toEqual([3, 50, 99]);
  });
});
