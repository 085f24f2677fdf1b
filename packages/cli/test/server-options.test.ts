import { readFileSync } from "node:fs";
import path from "node:path";
import { createRelay } from "@paceline/relay";
import { describe, expect, test } from "vitest";
import { serverOptions, usageOf } from "../src/server/server-options.js";
import { UsageError } from "../src/server/config-file.js";

const relayOf = (args: readonly string[], environment = {}) => {
  const options = serverOptions(args, environment);
  if (!options) throw new Error("help was asked for");
  return options.relay;
};

test("the README of apps/relay-server has a row for each option of --help", () => {
  const readme = path.resolve(import.meta.dirname, "../../../apps/relay-server/README.md");
  const rows = [...readFileSync(readme, "utf8").matchAll(/^\| `(--[a-z-]+).*\| `(PACELINE_[A-Z_]+)/gm)];
  const options = [...usageOf("paceline start").matchAll(/^ {2}(--[a-z-]+).*?\s(PACELINE_[A-Z_]+)/gm)];
  const namesOf = (found: readonly RegExpExecArray[]): string[] =>
    found.map(([, flag, variable]) => `${flag} ${variable}`).toSorted();
  expect(options.length).toBeGreaterThan(20);
  expect(namesOf(rows)).toEqual(namesOf(options));
});

test("a port counts as chosen if a flag or the environment names it, even 8787", () => {
  const isChosen = (args: readonly string[], environment = {}): boolean | undefined =>
    serverOptions(args, environment)?.isPortChosen;
  expect(isChosen([])).toBe(false);
  expect(isChosen(["--port", "8787"])).toBe(true);
  expect(isChosen([], { PACELINE_PORT: "8787" })).toBe(true);
});

describe("--turn", () => {
  const SECRET = "known to coturn, and to nobody else";

  test("takes several servers, repeated or separated by commas", () => {
    const args = [
      "--turn",
      "turn:a.example:3478,turn:a.example:3478?transport=tcp",
      "--turn",
      "turns:b.example",
    ];
    expect(relayOf([...args, "--turn-secret", SECRET])).toMatchObject({
      turn: {
        urls: ["turn:a.example:3478", "turn:a.example:3478?transport=tcp", "turns:b.example"],
        secret: SECRET,
      },
    });
  });

  test("is read from the environment, and a flag overrides it", () => {
    const environment = { PACELINE_TURN: "turn:one.example", PACELINE_TURN_SECRET: SECRET };
    expect(relayOf([], environment)).toMatchObject({ turn: { urls: ["turn:one.example"], secret: SECRET } });
    expect(relayOf(["--turn", "turn:two.example"], environment)).toMatchObject({
      turn: { urls: ["turn:two.example"] },
    });
    expect(relayOf([])).not.toHaveProperty("turn");
  });

  test("without --turn-secret is an error, and the other way round", () => {
    expect(() => relayOf(["--turn", "turn:a.example"])).toThrow(UsageError);
    expect(() => relayOf(["--turn", "turn:a.example"])).toThrow(
      "turn-secret: expected the secret of the TURN servers",
    );
    const lonely = relayOf(["--turn-secret", SECRET]);
    expect(() => createRelay(lonely)).toThrow("turn.urls: expected 1 to 4 addresses of TURN servers");
  });

  test.each([
    [["--turn", "stun:a.example", "--turn-secret", SECRET], "turn.urls: "],
    [["--turn", "turn:a.example", "--turn-secret", "short"], "turn.secret: expected the secret"],
    [["--turn", "turn:a,turn:b,turn:c,turn:d,turn:e", "--turn-secret", SECRET], "turn.urls: "],
  ])("%j is refused by the relay, which never repeats the secret", (args, message) => {
    const options = relayOf(args);
    expect(() => createRelay(options)).toThrow(message);
    expect(() => createRelay(options)).not.toThrow("short");
  });
});

describe("--webrtc", () => {
  test("defaults to the port and host of the server, if that port is below 32768", () => {
    expect(relayOf(["--port", "9000"])).toMatchObject({ webrtc: { port: 9000, bindAddress: "127.0.0.1" } });
    expect(relayOf(["--port", "40000"])).not.toHaveProperty("webrtc");
    expect(relayOf([])).toMatchObject({ webrtc: { port: 8787 } });
  });

  test("takes a port, 0 for any port, or off", () => {
    expect(relayOf(["--webrtc", "32767"])).toMatchObject({ webrtc: { port: 32_767 } });
    expect(relayOf(["--webrtc", "0", "--port", "40000"])).toMatchObject({ webrtc: { port: 0 } });
    expect(relayOf(["--webrtc", "off"])).not.toHaveProperty("webrtc");
    expect(relayOf([], { PACELINE_WEBRTC: "off" })).not.toHaveProperty("webrtc");
  });

  test("binds to all addresses if the server listens on all", () => {
    for (const host of ["0.0.0.0", "::"]) {
      expect(relayOf(["--host", host]).webrtc).toEqual({ port: 8787 });
    }
    expect(relayOf(["--host", "::1"]).webrtc).toEqual({ port: 8787, bindAddress: "::1" });
  });

  test("passes --webrtc-private on to the relay", () => {
    const modeOf = (args: readonly string[]): unknown => relayOf(args).webrtc?.privateCandidates;
    expect(modeOf([])).toBeUndefined();
    expect(modeOf(["--webrtc-private", "always"])).toBe("always");
    expect(() => relayOf(["--webrtc-private", "some"])).toThrow(
      'webrtc-private: expected one of private-sessions, always, never, got "some"',
    );
    const webrtc = { port: 0, privateCandidates: "some" as never };
    expect(() => createRelay({ rooms: { race: {} }, webrtc })).toThrow(
      'webrtc.privateCandidates: expected one of private-sessions, always, never, got "some"',
    );
  });

  test("gives clients the address in --webrtc-address", () => {
    const args = ["--host", "0.0.0.0", "--webrtc-address", "203.0.113.7"];
    expect(relayOf(args).webrtc).toEqual({ port: 8787, announcedAddress: "203.0.113.7" });
    const wrong = relayOf(["--webrtc-address", "play.example.com"]);
    expect(() => createRelay(wrong)).toThrow("webrtc.announcedAddress: ");
  });

  test.each(["32768", "99999", "-1", "80a", "on", ""])("refuses %j", (value) => {
    expect(() => relayOf([`--webrtc=${value}`])).toThrow(UsageError);
    expect(() => relayOf([`--webrtc=${value}`])).toThrow(
      `webrtc: expected off, or a whole number from 0 to 32767, got "${value}"`,
    );
  });
});
