import { ConfigError } from "@paceline/client";
import { expect, test } from "vitest";
import { assertTopology, topologyOf } from "../src/policy/topology.js";

test("a room's authority decides its topology; without one, the genre's is a preference", () => {
  expect(topologyOf("mesh", true)).toBe("authority");
  expect(topologyOf("authority", false)).toBe("mesh");
  expect(topologyOf("relay", false)).toBe("relay");
});

test("a game that chose a topology itself is told which ones the room has", () => {
  const topology = "authority" as const;
  expect(() => assertTopology({ base: "racing", topology }, false)).toThrow(
    new ConfigError(
      "profile.topology",
      topology,
      `"mesh" or "relay", or nothing: no server decides in this room`,
    ),
  );
  expect(() => assertTopology({ base: "racing", topology: "relay" }, true)).toThrow(ConfigError);
  expect(() => assertTopology({ base: "racing", topology }, true)).not.toThrow();
  expect(() => assertTopology({ base: "racing", topology: "relay" }, false)).not.toThrow();
  expect(() => assertTopology("mmo", false)).not.toThrow();
});
