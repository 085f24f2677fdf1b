import { describe, expect, test } from "vitest";
import {
  type Genre,
  genres,
  type ProfileChoice,
  type ProfileNumbers,
  profileRanges,
} from "../../src/profiles/profile.js";
import { profileOf, profiles } from "../../src/profiles/profiles.js";

test("every genre has a profile that is valid, frozen and found by its name", () => {
  expect(Object.keys(profiles)).toEqual([...genres]);
  for (const genre of genres) {
    const profile = profileOf(genre);
    expect(profile.genre).toBe(genre);
    expect(Object.isFrozen(profile)).toBe(true);
    const numbers = Object.keys(profileRanges).map((name) => [name, profile[name as keyof ProfileNumbers]]);
    const same = profileOf({ base: genre, numbers: Object.fromEntries(numbers) as ProfileNumbers });
    expect(same).toEqual({ ...profile, hasOwnStateBudget: true });
  }
});

test("the direct links of every profile fit 300 kbit/s of uplink and 16 connections", () => {
  const stateBytes = 150;
  for (const { stateHz, maxDirectPeers } of Object.values(profiles)) {
    expect(maxDirectPeers * stateHz * stateBytes * 8).toBeLessThanOrEqual(300_000);
    expect(maxDirectPeers).toBeLessThanOrEqual(16);
  }
});

test("no profile collects packets for more than 50 ms", () => {
  for (const { sendPeriodMs } of Object.values(profiles)) expect(sendPeriodMs).toBeLessThanOrEqual(50);
});

test("an unknown name is refused with the known names", () => {
  expect(() => profileOf("golf" as Genre)).toThrow(
    'profile: expected one of racing, shooter, action, rpg, mmo, strategy, puzzle, party, got "golf"',
  );
  expect(() => profileOf("toString" as Genre)).toThrow("profile: expected one of");
});

describe("the numbers of a game", () => {
  const withNumbers = (numbers: object) => profileOf({ base: "racing", numbers });

  test("may have every value of their range, and nothing beyond", () => {
    for (const [name, { min, max }] of Object.entries(profileRanges)) {
      const room = name === "stateHz" ? { tickHz: profileRanges.tickHz.max } : { stateHz: 1 };
      for (const value of [min, max]) {
        expect(withNumbers({ ...room, [name]: value })).toMatchObject({ [name]: value });
      }
      const field = `profile.numbers.${name}`;
      for (const value of [min - 0.001, max + 0.001, Number.NaN, "1"]) {
        const refusal = expect.objectContaining({ name: "ConfigError", field });
        expect(() => withNumbers({ ...room, [name]: value })).toThrow(refusal);
      }
    }
  });

  test("are refused with the range and the unit", () => {
    expect(() => withNumbers({ heartbeatMs: 10 })).toThrow(
      "heartbeatMs: expected a number from 100 to 60000 ms, got 10",
    );
  });

  test("cannot send states faster than the game simulates", () => {
    expect(() => withNumbers({ stateHz: 60, tickHz: 30 })).toThrow("stateHz: expected at most tickHz");
  });
});

describe("a genre with changes", () => {
  test("is the genre's profile except for the changes", () => {
    const changed = profileOf({
      base: "racing",
      favour: "bandwidth",
      topology: "relay",
      numbers: { stateHz: 20 },
      device: { battery: "low" },
      exposeAddress: false,
    });
    expect(changed).toEqual({
      ...profileOf("racing"),
      favour: "bandwidth",
      topology: "relay",
      stateHz: 20,
      device: { battery: "low" },
      exposeAddress: false,
    });
    expect(profileOf({ base: "rpg", movement: "bound" }).movement).toBe("bound");
    expect(profileOf({ base: "rpg" })).toEqual(profileOf("rpg"));
    expect(profileOf("rpg")).toBe(profileOf("rpg"));
  });

  test.each<[unknown, string, string]>([
    ["golf", "profile", "racing, shooter"],
    [undefined, "profile", "racing, shooter"],
    [7, "profile", "favour"],
    [{}, "profile.base", "racing, shooter"],
    [{ base: "golf" }, "profile.base", "racing, shooter"],
    [{ base: "racing", favor: "cpu" }, "profile.favor", "known are base, favour, movement"],
    [{ base: "racing", freeMovement: true }, "profile.freeMovement", "movement"],
    [{ base: "racing", favour: "luck" }, "profile.favour", "latency, bandwidth, cpu"],
    [{ base: "racing", topology: "host" }, "profile.topology", "authority, relay, mesh"],
    [{ base: "rpg", movement: "jumps" }, "profile.movement", "free, bound"],
    [{ base: "racing", movement: "bound" }, "profile.movement", "everything moves all the time"],
    [{ base: "racing", numbers: { stateHZ: 5 } }, "profile.numbers.stateHZ", "known are stateHz"],
    [{ base: "racing", numbers: { stateHz: 500 } }, "profile.numbers.stateHz", "1 to 120"],
    [{ base: "rpg", numbers: { stateHz: 30 } }, "profile.numbers.stateHz", "at most tickHz, 20"],
    [{ base: "racing", numbers: null }, "profile.numbers", "an object of stateHz"],
    [{ base: "racing", device: { battery: "full" } }, "profile.device.battery", "ok, low, unknown"],
    [{ base: "racing", device: { cpu: "slow" } }, "profile.device.cpu", "known are battery, network"],
    [{ base: "racing", exposeAddress: "no" }, "profile.exposeAddress", "true or false"],
    [{ base: "racing", traffic: { voice: { share: 0.1 } } }, "profile.traffic.voice", "known are command"],
    [{ base: "racing", traffic: { bulk: { weight: 1 } } }, "profile.traffic.bulk.weight", "priority, share"],
    [{ base: "racing", traffic: { bulk: { share: 0 } } }, "profile.traffic.bulk.share", "from 0.01 to 1"],
    [{ base: "racing", traffic: { bulk: { priority: 10 } } }, "profile.traffic.bulk.priority", "from 1 to 9"],
    [{ base: "racing", traffic: { bulk: { share: 0.5 } } }, "profile.traffic", "at most 1 together"],
    [{ base: "racing", traffic: { bulk: 1 } }, "profile.traffic.bulk", "an object"],
    [{ base: "racing", topology: "mesh", exposeAddress: false }, "profile.exposeAddress", "relay"],
  ])("%j is refused, and the known ones are listed", (choice, field, expected) => {
    const refusal = expect.objectContaining({
      name: "ConfigError",
      field,
      expected: expect.stringContaining(expected),
    });
    expect(() => profileOf(choice as ProfileChoice)).toThrow(refusal);
  });
});
