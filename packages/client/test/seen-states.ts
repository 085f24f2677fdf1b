/** Two entities of an owner as another member sees them, for comparing a room under attack with a quiet one. */
import {
  defineEntity,
  flag,
  scalar,
  vec2,
  type Entity,
  type EntityDefinition,
  type OwnedEntity,
  type Room,
} from "@paceline/client";
import { expect } from "vitest";

/** Least time between two states of an entity. States that the attack delays by no more count as equal. */
const PERIOD_TICKS = 4;

const fields = {
  position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  heat: scalar({ range: [0, 1], precision: 0.01 }),
  isLit: flag(),
};
export const Sled = defineEntity("sled", fields, { motion: "velocity" });
export const Lamp = defineEntity("lamp", {
  isLit: flag(),
  level: scalar({ range: [0, 1000], precision: 1 }),
});

export interface Seen {
  readonly sled: readonly [tick: number, x: number, y: number, heat: number, isLit: boolean] | undefined;
  readonly lamp: readonly [level: number, isLit: boolean] | undefined;
}

/** Writes the owner's state of a tick. */
export function drive(sled: OwnedEntity<typeof Sled>, lamp: OwnedEntity<typeof Lamp>, tick: number): void {
  const seconds = tick / 60;
  sled.position.set(40 * Math.cos(seconds), 30 * Math.sin(2 * seconds));
  sled.heat = (tick % 50) / 50;
  sled.isLit = tick % 30 < 15;
  lamp.level = tick;
  lamp.isLit = tick % 20 < 10;
}

/** Returns the other members' entities that a member sees; with `owner`, only those of that member. */
export function seenBy(room: Room, owner?: Room): Seen {
  const remote = <D extends EntityDefinition>(kind: D): Entity<D> | undefined =>
    [...room.entities(kind)].find(
      (each) => !each.isMine && (owner === undefined || each.owner?.number === owner.myNumber),
    );
  const [sled, lamp] = [remote(Sled), remote(Lamp)];
  return {
    sled: sled && [sled.lastTick, sled.position.x, sled.position.y, sled.heat, sled.isLit],
    lamp: lamp && [lamp.level, lamp.isLit],
  };
}

/** Checks that two members saw the same states: equal values for each tick, and none later. */
export function expectSame(attacked: readonly Seen[], quiet: readonly Seen[]): void {
  const valuesAt = new Map(quiet.flatMap(({ sled }) => (sled ? [[sled[0], sled.slice(1)]] : [])));
  expect(attacked).toHaveLength(quiet.length);
  for (const [index, { sled, lamp }] of attacked.entries()) {
    const expected = quiet[index]!;
    expect([sled === undefined, lamp === undefined]).toEqual([!expected.sled, !expected.lamp]);
    if (!sled || !expected.sled || !lamp || !expected.lamp) continue;
    expect(Math.abs(sled[0] - expected.sled[0])).toBeLessThanOrEqual(PERIOD_TICKS);
    // A state that was sent at another tick than in the quiet run has no counterpart there.
    expect(sled.slice(1)).toEqual(valuesAt.get(sled[0]) ?? sled.slice(1));
    expect(Math.abs(lamp[0] - expected.lamp[0])).toBeLessThanOrEqual(PERIOD_TICKS);
  }
}
