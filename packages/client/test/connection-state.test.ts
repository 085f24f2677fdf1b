import { describe, expect, test } from "vitest";
import {
  connectionTransitions,
  nextConnectionState,
  type ConnectionEvent,
  type ConnectionState,
} from "../src/connection/connection-state.js";

const states = Object.keys(connectionTransitions) as ConnectionState[];
const events: readonly ConnectionEvent[] = ["welcomed", "linkDown", "resumed", "refused", "leave"];

/** Every pair written out, so that the test must change with the table. */
const expected: Readonly<Record<ConnectionState, readonly (ConnectionState | undefined)[]>> = {
  joining: ["joined", undefined, undefined, "left", "left"],
  joined: [undefined, "dropped", undefined, "left", "left"],
  dropped: ["joined", undefined, "joined", "left", "left"],
  left: [undefined, undefined, undefined, undefined, undefined],
};

const pairs = states.flatMap((state) =>
  events.map((event, index) => ({ state, event, next: expected[state][index] })),
);

describe("connection of a room", () => {
  test.each(pairs)("$state, $event -> $next", ({ state, event, next }) => {
    expect(nextConnectionState(state, event)).toBe(next);
  });

  test("has no other events, and no unreachable states", () => {
    const used = states.flatMap((state) => Object.keys(connectionTransitions[state]));
    expect([...new Set(used)].toSorted()).toEqual([...events].toSorted());
    const reached = new Set<ConnectionState>(["joining"]);
    for (const state of reached) {
      for (const next of Object.values(connectionTransitions[state])) reached.add(next);
    }
    expect([...reached].toSorted()).toEqual([...states].toSorted());
  });

  test("can be ended from every state, and never leaves the last one", () => {
    for (const state of states.filter((name) => name !== "left")) {
      expect(nextConnectionState(state, "leave")).toBe("left");
    }
    expect(connectionTransitions.left).toEqual({});
  });
});
