import { defineInput, scalar, writeInputs } from "@paceline/protocol";
import { expect, test } from "vitest";
import { PlayerInputs } from "../src/players/player-inputs.js";

const Drive = defineInput({ force: scalar({ range: [-1, 1], precision: 0.01 }) });

function scene() {
  const counters = { inputsLate: 0, inputsMissing: 0, inputsSkipped: 0 };
  const inputs = new PlayerInputs(Drive, counters);
  /** The player's inputs up to that number reach the room at a tick. */
  const receive = (newest: number, rows: number, tick: number): void => {
    const body = writeInputs(Drive, {
      newest: newest & 0xffff,
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
  expect(counters).toMatchObject({ inputsLate: 0, inputsMissing: 0 });
  inputs.take(13);
  expect(counters).toMatchObject({ inputsLate: 0, inputsMissing: 1 });
  receive(2, 1, 13);
  expect(counters).toMatchObject({ inputsLate: 1, inputsMissing: 1 });
  receive(3, 2, 13);
  inputs.take(14);
  expect(counters).toMatchObject({ inputsLate: 1, inputsMissing: 1 });
});

test("[WF32] the first packet's newest input is for the second tick after the room's newest, each number for one more", () => {
  const { inputs } = scene();
  /** The inputs up to `newest` arrive; each force is a hundredth of its number, at most 1. */
  const receive = (newest: number, rows: number, tick: number): void => {
    const forces = Array.from({ length: rows }, (_, row) =>
      Float32Array.of(Math.min(1, (newest - rows + 1 + row) / 100)),
    );
    expect(inputs.receive(writeInputs(Drive, { newest, rows: forces }), tick)).toBeUndefined();
  };
  const forceAt = (tick: number): number => Math.round(100 * inputs.take(tick)[0]!);
  receive(7, 3, 20);
  expect([21, 22].map(forceAt)).toEqual([6, 7]);
  receive(10, 2, 22);
  // Input 8 is missing: the room repeats the one before it, and the feedback counts it.
  expect(forceAt(23)).toBe(7);
  expect(inputs.feedback.processed).toBe(8);
  receive(8, 1, 23);
  expect([24, 25].map(forceAt)).toEqual([9, 10]);
  // The 31st tick in a row without an input is that of an idle player.
  expect(Array.from({ length: 31 }, (_, ticks) => forceAt(26 + ticks))).toEqual([
    ...Array.from({ length: 30 }, () => 10),
    0,
  ]);
  // Of inputs that are more than 64 ticks ahead none is kept.
  receive(42 + 65, 1, 56);
  expect(Array.from({ length: 66 }, (_, ticks) => forceAt(57 + ticks)).filter((force) => force > 0)).toEqual(
    [],
  );
});

test("a player who comes back after more inputs than 16 bits tell apart is heard at once", () => {
  const { counters, inputs, receive } = scene();
  receive(1, 1, 10);
  for (let tick = 11; tick <= 40_000; tick++) inputs.take(tick);
  // The player has counted on while its packets were lost. Its clock is exact, so input N is for tick N + 11.
  const { inputsMissing } = counters;
  for (let tick = 40_001; tick <= 40_100; tick++) {
    receive(tick - 10, 3, tick - 1);
    inputs.take(tick);
  }
  expect(counters.inputsMissing - inputsMissing).toBeLessThanOrEqual(1);
});

test("a player who comes back after a pause as long goes on with its old numbers after a few packets", () => {
  const { counters, inputs, receive } = scene();
  receive(1, 1, 10);
  for (let tick = 11; tick <= 40_000; tick++) inputs.take(tick);
  const { inputsMissing } = counters;
  for (let number = 2; number <= 101; number++) {
    receive(number, 1, 39_999 + number);
    inputs.take(40_000 + number);
  }
  expect(counters.inputsMissing - inputsMissing).toBeLessThan(12);
  expect(inputs.feedback.processed).toBeLessThanOrEqual(101);
});

test("a player who begins to count again is heard after eight packets", () => {
  const { inputs, receive } = scene();
  receive(610, 1, 10);
  for (let tick = 11; tick <= 30; tick++) {
    receive(tick - 10, 1, tick);
    inputs.take(tick);
  }
  expect(inputs.feedback.processed).toBe(18);
  expect([...inputs.take(31)]).toEqual([0.5]);
});

test("inputs that no step takes are counted: too far ahead, or waiting when the numbering restarts", () => {
  const { counters, inputs, receive } = scene();
  for (let number = 1; number <= 3; number++) receive(number, 1, 10 + number);
  // Input 1 is for tick 13.
  inputs.take(13);
  inputs.take(14);
  // The server stood still: the player is 100 inputs ahead, and stays there.
  for (let number = 4; number <= 103; number++) receive(number, 1, 14);
  const ticks = 200;
  for (let tick = 15; tick < 13 + ticks; tick++) inputs.take(tick);
  const taken = ticks - counters.inputsMissing;
  expect(taken).toBeGreaterThan(20);
  expect(taken + counters.inputsSkipped).toBe(103);
});
