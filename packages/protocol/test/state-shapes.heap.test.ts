import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { EntityRows, SnapshotReader, StateCodec, defineEntity, planState, scalar } from "../src/index.js";

setFlagsFromString("--expose-gc");
setFlagsFromString("--allow-natives-syntax");
const collect = runInNewContext("gc") as () => void;
const isFast = runInNewContext("(object) => %HasFastProperties(object)") as (object: object) => boolean;
const definition = defineEntity("point", { x: scalar({ range: [0, 1], precision: 0.1 }) });
const plan = planState(definition, { tickHz: 30 });
const makers = {
  reader: () => new SnapshotReader({ plans: [plan], historyTicks: 64, maxEntities: 8 }),
  coder: () => new StateCodec([plan], 0).coder,
  rows: () => new EntityRows(0, plan, 64),
};

// V8 sizes a class by its first seven objects. If those are garbage by then, it reserves no room in the object,
// and an object with more than 15 private members becomes a hash table: decoding took 40 % longer.
test.each(Object.entries(makers))(
  "a %s made after seven others were collected is no hash table",
  (_, make) => {
    for (let object = 0; object < 16; object++) {
      make();
      collect();
    }
    expect(isFast(make())).toBe(true);
  },
);
