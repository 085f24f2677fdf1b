import { defineEntity, vec2 } from "@paceline/client";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Stage } from "./stage.js";
import { until } from "./until.js";

setFlagsFromString("--allow-natives-syntax");
const isFast = runInNewContext("(object) => %HasFastProperties(object)") as (object: object) => boolean;
const stage = new Stage();

const fields = () => ({ position: vec2({ range: [-10, 10], precision: 0.1 }) });
/** Kinds with fields of the same names, as most games have them. */
const kinds = ["ship", "shot"].map((name) => defineEntity(name, fields()));

test("entities of other participants are no hash tables", async () => {
  const [a, b] = await stage.meet(await stage.server(), 2);
  for (const kind of kinds) a!.spawn(kind);
  const seen = () => kinds.flatMap((kind) => [...b!.entities(kind)]);
  await until("b sees both", () => seen().length === kinds.length);
  for (const entity of seen()) {
    const objects = [entity, entity.position, entity.shown, entity.shown.position];
    expect(objects.map((object) => isFast(object))).toEqual([true, true, true, true]);
  }
});
