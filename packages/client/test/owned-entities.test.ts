import { ConfigError } from "@paceline/client";
import { expect, test } from "vitest";
import { OwnedEntities } from "../src/entities/owned-entities.js";
import { Sign } from "./definitions.js";

const TICK_SECONDS = 1 / 60;
function entitiesOf(idOf: (localId: number) => number): OwnedEntities {
  return new OwnedEntities({
    tickSeconds: TICK_SECONDS,
    idOf,
    tick: () => 0,
    onTeleport: () => undefined,
    onClamp: () => undefined,
  });
}

test("a spawn whose values are refused leaves nothing behind", () => {
  const owned = entitiesOf((localId) => localId);
  expect(() => owned.spawn(Sign, { place: { x: 1, y: Number.NaN } })).toThrow(ConfigError);
  expect([...owned.records]).toEqual([]);
  expect({ ...(owned.spawn(Sign, {}).entity as unknown as { place: object }).place }).toEqual({ x: 0, y: 0 });
});

test("local ids are not reused soon, and ids follow the participant's number", () => {
  let myNumber = 3;
  const owned = entitiesOf((localId) => myNumber * 0x10000 + localId);
  const first = owned.spawn(Sign, {});
  owned.despawn(first.entity);
  const second = owned.spawn(Sign, {});
  expect([first.id, second.id]).toEqual([0, 1]);
  expect(second.entity.id).toBe(0x30001);
  myNumber = 4;
  expect(second.entity.id).toBe(0x40001);
  expect(owned.despawn(first.entity)).toBeUndefined();
  expect(owned.get(1)).toBe(second);
  expect(() => owned.despawn({})).toThrow(/entity: expected an entity that this participant owns/);
});

test("a misspelt name throws, of a field as of a part", () => {
  const { entity } = entitiesOf((localId) => localId).spawn(Sign, {});
  const misspelt = entity as unknown as {
    plaze: number;
    place: { z: number; set(x: number, y: number): void };
  };
  expect(() => (misspelt.plaze = 1)).toThrow(/plaze/);
  expect(() => (misspelt.place.z = 1)).toThrow(/property z/);
  expect(Object.keys(misspelt.place)).toEqual(["x", "y"]);
});

test("a write to an entity after its despawn throws an error that says so", () => {
  const owned = entitiesOf((localId) => localId);
  const { entity } = owned.spawn(Sign, { place: { x: 1, y: 2 } });
  const { place } = entity as unknown as { place: { x: number; set(x: number, y: number): void } };
  owned.despawn(entity);
  for (const write of [() => (place.x = 3), () => place.set(3, 4)])
    expect(write).toThrow(/^sign: expected an entity that has not despawned, got "a despawned one"$/);
});
