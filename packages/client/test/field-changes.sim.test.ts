import {
  ConfigError,
  bytes,
  defineEntity,
  enumOf,
  flag,
  group,
  list,
  scalar,
  string,
  uint,
  vec2,
  type Entity,
  type Unsubscribe,
} from "@paceline/client";
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import { RelayStage } from "./relay-stage.js";

const Hero = defineEntity("hero", {
  hp: uint({ range: [0, 100], default: 100 }),
  mood: enumOf(["calm", "angry"]),
  name: string({ maxBytes: 20 }),
  badge: bytes({ maxBytes: 4 }),
  at: vec2({ range: [-100, 100], precision: 0.01 }),
  slots: list(flag(), 3),
  arm: group({ bend: scalar({ range: [0, 2], precision: 0.1 }) }),
});

async function pair() {
  const stage = new RelayStage({ delayMs: 20 });
  const [a, b] = [await stage.join(), await stage.join()];
  const mine = a.spawn(Hero);
  let seen: Entity<typeof Hero> | undefined;
  b.onSpawn(Hero, (hero) => (seen = hero));
  await stage.advance(500);
  return { stage, a, b, mine, seen: seen! };
}

function changes(hero: Entity<typeof Hero>, name: keyof (typeof Hero)["fields"]) {
  const told: unknown[] = [];
  hero.onChange(name, (value, previous) => told.push([previous, value]));
  return told;
}

describe("onChange", () => {
  test("calls the owner's listeners at the write, and others' with the received state; once for each change", async () => {
    const { stage, mine, seen } = await pair();
    const [atOwner, atOther] = [changes(mine, "hp"), changes(seen, "hp")];
    mine.hp = 100;
    expect(atOwner).toEqual([]);
    mine.hp = 60;
    mine.hp = 60;
    expect(atOwner).toEqual([[100, 60]]);
    await stage.advance(500);
    mine.hp = 0;
    await stage.advance(3000);
    expect(atOwner).toEqual([
      [100, 60],
      [60, 0],
    ]);
    expect(atOther).toEqual(atOwner);
  });

  test("gives plain values of every kind of field, compared by value", async () => {
    const { stage, mine, seen } = await pair();
    const names = ["mood", "name", "badge", "at", "slots", "arm"] as const;
    const [own, others] = [mine as Entity<typeof Hero>, seen].map((hero) =>
      names.map((name) => changes(hero, name)),
    );
    mine.mood = "angry";
    mine.name = "Ann";
    mine.badge = new Uint8Array([1, 2]);
    mine.badge = new Uint8Array([1, 2]);
    mine.at.set(3, 4);
    mine.at.set(3, 4);
    mine.slots[1] = true;
    mine.arm.bend = 1;
    await stage.advance(1000);
    const expected = [
      [["calm", "angry"]],
      [["", "Ann"]],
      [[new Uint8Array(0), new Uint8Array([1, 2])]],
      [
        [
          { x: 0, y: 0 },
          { x: 3, y: 4 },
        ],
      ],
      [
        [
          [false, false, false],
          [false, true, false],
        ],
      ],
      [[{ bend: 0 }, { bend: 1 }]],
    ];
    expect(own).toEqual(expected);
    expect(others![0]).toEqual(expected[0]);
    expect(others).toEqual(expected);
  });

  test("calls listeners after the whole state is in place", async () => {
    const { stage, mine, seen } = await pair();
    const pairs: unknown[] = [];
    seen.onChange("hp", (hp) => pairs.push([hp, seen.hp, seen.name, seen.mood]));
    mine.name = "Ben";
    mine.mood = "angry";
    mine.hp = 5;
    await stage.advance(1000);
    expect(pairs).toEqual([[5, 5, "Ben", "angry"]]);
  });

  test("calls the other listeners when one throws, and may be ended in a listener", async () => {
    const errors: string[] = [];
    vi.stubGlobal("reportError", (error: Error) => errors.push(error.message));
    onTestFinished(() => void vi.unstubAllGlobals());
    const { mine } = await pair();
    const told: string[] = [];
    mine.onChange("hp", () => {
      throw new Error("no health bar");
    });
    const stop: Unsubscribe = mine.onChange("hp", (hp) => {
      told.push(`once ${hp}`);
      stop();
    });
    mine.onChange("hp", (hp) => told.push(`always ${hp}`));
    mine.hp = 1;
    mine.hp = 2;
    expect(told).toEqual(["once 1", "always 1", "always 2"]);
    expect(errors[0]).toBe("no health bar");
  });

  test("reports changes by a listener after the change that caused them, and stops an endless chain of changes", async () => {
    const { mine } = await pair();
    const told: string[] = [];
    mine.onChange("hp", (hp) => {
      if (hp === 0) mine.mood = "angry";
    });
    mine.onChange("mood", (mood) => told.push(mood));
    mine.onChange("hp", (hp) => told.push(`${hp}`));
    mine.hp = 0;
    expect(told).toEqual(["0", "angry"]);
    let rounds = 0;
    mine.onChange("at", ({ x }) => {
      rounds += 1;
      mine.at.x = x === 1 ? 2 : 1;
    });
    mine.at.x = 1;
    expect(rounds).toBeGreaterThan(1);
    expect(rounds).toBeLessThan(100);
  });

  test("ends with the entity", async () => {
    const { stage, a, mine, seen } = await pair();
    const told = [changes(mine, "hp"), changes(seen, "hp")];
    a.despawn(mine);
    await stage.advance(500);
    expect(() => (mine.hp = 1)).toThrow("expected an entity that has not despawned");
    a.spawn(Hero, { hp: 7 });
    await stage.advance(1000);
    expect(told).toEqual([[], []]);
    expect(changes(seen, "hp")).toEqual([]);
  });

  test("knows the fields and their types", async () => {
    const { mine, seen } = await pair();
    expect(() => seen.onChange("speed" as "hp", () => undefined)).toThrow(
      new ConfigError("hero.onChange", "speed", "one of hp, mood, name, badge, at, slots, arm"),
    );
    expect(() => mine.onChange("toString" as "hp", () => undefined)).toThrow(ConfigError);
    expect(() => mine.onChange("hp", "no function" as never)).toThrow(ConfigError);
    mine.onChange("hp", (hp, previous) => expectTypeOf([hp, previous]).toEqualTypeOf<number[]>());
    seen.onChange("mood", (mood) => expectTypeOf(mood).toEqualTypeOf<"calm" | "angry">());
    seen.onChange("at", (at) => expectTypeOf(at.x).toEqualTypeOf<number>());
    // @ts-expect-error hq is no field
    const misspelt = (): Unsubscribe => seen.onChange("hq", () => undefined);
    // @ts-expect-error hp is a number
    mine.onChange("hp", (hp: string) => hp);
    expect(misspelt).toThrow(ConfigError);
  });
});
