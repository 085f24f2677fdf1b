import { defineEntity, vec2, type EntityDefinition } from "@paceline/protocol";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { World } from "../src/entities/world.js";

setFlagsFromString("--allow-natives-syntax");
const isFast = runInNewContext("(object) => %HasFastProperties(object)") as (object: object) => boolean;
const fields = () => ({ position: vec2({ range: [-10, 10], precision: 0.1 }) });
/** Kinds with fields of the same names, as most games have them. */
const definitions = ["ship", "shot"].map(
  (name) => defineEntity(name, fields()) as unknown as EntityDefinition,
);

test("entities of a room are no hash tables", () => {
  const world = new World({ definitions, tickHz: 20, historyTicks: 64 });
  for (const definition of definitions) {
    const { entity } = world.spawn(definition, {}, undefined);
    const { position } = entity as unknown as { position: object };
    expect([isFast(entity), isFast(position)]).toEqual([true, true]);
  }
});
