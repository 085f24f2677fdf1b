import { defineInput, scalar, writeInputs } from "@paceline/protocol";
import { expect, test } from "vitest";
import { PlayerInputs } from "../src/players/player-inputs.js";

const Drive = defineInput({ force: scalar({ range: [-1, 1], precision: 0.01 }) });

function scene() {
  const counters = { inputsLate: 0, inputsMissing: 0 };
  const inputs = new PlayerInputs(Drive, counters);
  /** The player's inputs up to that number reach the room at a tick. */
  const receive = (newest: number, rows: number, tick: number): void => {
    const body = writeInputs(Drive, {
      newest,
      rows: Array.from({ length: rows }, () => Float32Array.of(0.5)),
    });
    expect(inputs.receive(body, tick)).toBeUndefined();
  };
  return { counters, inputs, receive };
}

test("the room counts a tick without an input as missing, and its input as late if it comes after the tick", () => {
  const { counters, inputs, receive } = scene();
  receive(1, 1, 10);
  // Input 1 is for tick 12, since the first inputs have a lead of two ticks.
  inputs.take(12);
  expect(counters).toEqual({ inputsLate: 0, inputsMissing: 0 });
  inputs.take(13);
  expect(counters).toEqual({ inputsLate: 0, inputsMissing: 1 });
  receive(2, 1, 13);
  expect(counters).toEqual({ inputsLate: 1, inputsMissing: 1 });
  receive(3, 2, 13);
  inputs.take(14);
  expect(counters).toEqual({ inputsLate: 1, inputsMissing: 1 });
});
