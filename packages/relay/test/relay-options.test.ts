import { ConfigError } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { limitTable, type LimitRow } from "../src/index.js";
import { relaySettings, type RelayOptions } from "../src/options/relay-options.js";

const rooms = { race: {} };
const LONG_SECRET = "7".repeat(32);

function problemOf(options: unknown): string {
  try {
    relaySettings(options as RelayOptions);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "none";
}

describe("options", () => {
  it("have defaults", () => {
    const settings = relaySettings({ rooms });
    expect(settings.rooms.get("race")).toEqual({ maxPlayers: 16, mixesBuilds: false });
    expect(settings.limits.packetsPerSecond).toBe(400);
    expect(Object.isFrozen(settings) && Object.isFrozen(settings.limits)).toBe(true);
  });

  it.each([
    [undefined, "options: expected an object of rooms, …, got undefined"],
    [{}, "rooms: expected an object, got undefined"],
    [{ rooms: {} }, "rooms: expected at least one kind of room, got an object"],
    [{ rooms: { "a b": {} } }, 'rooms: expected room names of 1 to 64 characters … got "a b"'],
    [
      { rooms: { race: { maxPlayers: 129 } } },
      "rooms.race.maxPlayers: expected a whole number from 1 to 128 (participants), got 129",
    ],
    [
      { rooms: { race: { maxPears: 6 } } },
      "rooms.race.maxPears: expected no such option; known are maxPlayers, authority, mixesBuilds, persistent, got 6",
    ],
    [{ rooms, room: {} }, "room: expected no such option; known are rooms, build, …"],
    [{ rooms, coalesceMs: 6 }, "coalesceMs: expected 0 to 5 ms, got 6"],
    [{ rooms, coalesceMs: -1 }, "coalesceMs: … got -1"],
    [{ rooms, coalesceMs: Number.NaN }, "coalesceMs: … got NaN"],
    [{ rooms, coalesceMs: "2" }, 'coalesceMs: … got "2"'],
    [{ rooms, turn: { urls: ["turn:a"], secret: "7".repeat(31) } }, 'turn.secret: … got "31 characters"'],
    [{ rooms, allowedOrigins: ["https://a.example/path"] }, 'allowedOrigins: … got "https://a.example/path"'],
    [{ rooms, allowedOrigins: "https://a.example" }, "allowedOrigins: …"],
    [{ rooms, publicHosts: "play.example.com" }, 'publicHosts: … got "play.example.com"'],
    [{ rooms, publicHosts: ["https://play.example.com"] }, 'publicHosts: … got "https://play.example.com"'],
    [{ rooms, publicHosts: ["play.example.com", ""] }, 'publicHosts: … got ""'],
    [{ rooms, iceServers: [{ urls: "http://a" }] }, 'iceServers[0].urls: expected stun:, … got "http://a"'],
    [{ rooms, iceServers: [{ urls: "turn:a", username: "me" }] }, "iceServers[0]: …"],
    [{ rooms, iceServers: [{ urls: "turn:a" }] }, 'iceServers[0]: expected … turn.secret, got "turn:a"'],
    [
      { rooms, turn: { urls: ["turn:a"] } },
      'turn.secret: expected the secret of the TURN servers … got "undefined"',
    ],
    [{ rooms, turn: { urls: ["turn:a"], secret: "short" } }, 'turn.secret: expected … got "5 characters"'],
    [{ rooms, turn: { urls: [], secret: LONG_SECRET } }, "turn.urls: expected 1 to 4 addresses …"],
    [{ rooms, turn: { urls: ["stun:a"], secret: LONG_SECRET } }, 'turn.urls: expected … got "stun:a"'],
    [{ rooms, turn: { urls: ["turn:a"], secret: LONG_SECRET, lifetimeS: 1 } }, "turn.lifetimeS: expected …"],
    [
      { rooms, webrtc: { port: 40_000 } },
      "webrtc.port: expected a whole number from 0 to 32767 …, got 40000",
    ],
    [
      { rooms, webrtc: { port: 1, announcedAddress: "play.example" } },
      "webrtc.announcedAddress: expected an IPv4 …",
    ],
    [
      { rooms, limits: { packetsPerSecond: 0 } },
      "limits.packetsPerSecond: expected a whole number from 1 to 100000 (packets per second), got 0",
    ],
    [
      { rooms, limits: { ticketLifetimeMs: 1.5 } },
      "limits.ticketLifetimeMs: expected a whole number from 100 to 300000 (ms), got 1.5",
    ],
    [
      { rooms, limits: { packetPerSecond: 5 } },
      "limits.packetPerSecond: expected no such option; known are packetsPerSecond, …",
    ],
    [{ rooms, log: { error() {} } }, "log.warn: expected a function, got null"],
    [{ rooms, addressOf: "socket" }, 'addressOf: expected a function, got "socket"'],
  ])("%j: %s", (options, message) => {
    const problem = problemOf(options);
    const [begin = "", end = begin] = message.split("…");
    expect([problem, problem.startsWith(begin), problem.endsWith(end)]).toEqual([problem, true, true]);
  });

  it.each(Object.entries(limitTable))("limit %s keeps its range", (name, row: LimitRow) => {
    for (const value of [row.min, row.max])
      expect(problemOf({ rooms, limits: { [name]: value } })).toBe("none");
    for (const value of [row.min - 1, row.max + 1, Number.NaN, "7"]) {
      expect(problemOf({ rooms, limits: { [name]: value } })).toMatch(`limits.${name}: `);
    }
  });
});
