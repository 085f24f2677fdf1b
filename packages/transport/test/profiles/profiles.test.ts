import { describe, expect, test } from "vitest";
import {
  genres,
  type Profile,
  profileNamed,
  profileRanges,
  profiles,
  validateProfile,
} from "../../src/profiles/index.js";

test("every genre has a profile that is valid, frozen and found by its name", () => {
  expect(Object.keys(profiles)).toEqual([...genres]);
  for (const genre of genres) {
    const profile = profileNamed(genre);
    expect(profile.genre).toBe(genre);
    expect(Object.isFrozen(profile)).toBe(true);
    expect(validateProfile(profile)).toEqual(profile);
  }
});

test("the direct links of every profile fit 300 kbit/s of uplink and 16 connections", () => {
  const stateBytes = 150;
  for (const { stateHz, maxDirectPeers } of Object.values(profiles)) {
    expect(maxDirectPeers * stateHz * stateBytes * 8).toBeLessThanOrEqual(300_000);
    expect(maxDirectPeers).toBeLessThanOrEqual(16);
  }
});

test("no profile collects packets for 50 ms or more before it is told to save bytes", () => {
  for (const { sendPeriodMs } of Object.values(profiles)) expect(sendPeriodMs).toBeLessThanOrEqual(50);
});

test("an unknown name is refused with the names there are", () => {
  expect(() => profileNamed("golf")).toThrow(
    'profile: expected one of racing, shooter, action, rpg, mmo, strategy, puzzle, party, got "golf"',
  );
  expect(() => profileNamed("toString")).toThrow("profile: expected one of");
});

describe("a profile of one's own", () => {
  const racing = profileNamed("racing");

  test("may have every value of its range, and nothing beyond", () => {
    for (const [field, { min, max }] of Object.entries(profileRanges)) {
      const room = field === "stateHz" ? { tickHz: profileRanges.tickHz.max } : { stateHz: 1 };
      for (const value of [min, max]) {
        expect(validateProfile({ ...racing, ...room, [field]: value })).toMatchObject({ [field]: value });
      }
      for (const value of [min - 0.001, max + 0.001, Number.NaN, "1", undefined]) {
        const wrong = { ...racing, ...room, [field]: value } as Profile;
        expect(() => validateProfile(wrong)).toThrow(expect.objectContaining({ name: "ConfigError", field }));
      }
    }
  });

  test("is refused with the range and the unit", () => {
    expect(() => validateProfile({ ...racing, heartbeatMs: 10 })).toThrow(
      "heartbeatMs: expected a number from 100 to 60000 ms, got 10",
    );
  });

  test("cannot send states faster than it simulates", () => {
    expect(() => validateProfile({ ...racing, stateHz: 60, tickHz: 30 })).toThrow(
      "stateHz: expected at most tickHz",
    );
  });

  test.each(["genre", "topology", "favour", "style", "freeMovement"] as const)(
    "is refused for a wrong %s",
    (field) => {
      const wrong = { ...racing, [field]: "wrong" } as unknown as Profile;
      expect(() => validateProfile(wrong)).toThrow(expect.objectContaining({ name: "ConfigError", field }));
    },
  );
});
