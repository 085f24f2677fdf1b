import { FIRST_FIELD_COLUMN, planState, type EntityDefinition } from "@paceline/protocol";
import { angle, defineEntity, vec2 } from "@paceline/server";
import { expect, test } from "vitest";
import { CodedStates } from "../src/entities/coded-states.js";
import { World } from "../src/entities/world.js";

/** Of a `turn` receivers derive velocity, acceleration and turn rate: 5 components. */
const Kart = defineEntity(
  "kart",
  {
    position: vec2({ range: [-500, 500], precision: 0.01, unit: "m" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
  },
  { motion: "turn" },
) as unknown as EntityDefinition;
const FIELDS = 3;
const DERIVED = 5;

test("[WF31] [WF36] states of an authority have the columns of the fields alone, states to it derived ones too", () => {
  const { plans } = new World({ definitions: [Kart], tickHz: 30, historyTicks: 64 });
  expect(plans[0]!.width).toBe(FIRST_FIELD_COLUMN + FIELDS);
  const states = new CodedStates({
    tickHz: 60,
    plans,
    columnsOf: () => undefined,
  } as unknown as ConstructorParameters<typeof CodedStates>[0]);
  expect(states.planOf(0).width).toBe(FIRST_FIELD_COLUMN + FIELDS + DERIVED);
  expect(states.planOf(0)).toEqual(planState(Kart, { tickHz: 60, hasRates: true }));
});
