import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serverOptions } from "../src/server/server-options.js";
import { UsageError } from "../src/server/config-file.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "paceline-config-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const path = join(folder, "server.json");
  writeFileSync(path, content);
  return path;
}

const options = (content: object, args: readonly string[] = [], environment = {}) =>
  serverOptions(["--config", file(JSON.stringify(content)), ...args], environment);

describe("a configuration file", () => {
  test("sets every option that a flag sets, as JSON values, and the limits", () => {
    expect(
      options({
        port: 9000,
        host: "0.0.0.0",
        rooms: { race: 8, lobby: 2 },
        "allow-origin": ["https://a.example", "https://b.example"],
        "public-host": ["play.example", "play.example:8443"],
        "coalesce-ms": 2,
        "trust-proxy": true,
        "drain-seconds": 5,
        "admin-port": 9001,
        "admin-token": "a token of enough letters",
        limits: { maxRooms: 10 },
      }),
    ).toMatchObject({
      port: 9000,
      host: "0.0.0.0",
      drainMs: 5000,
      admin: { port: 9001, host: "127.0.0.1" },
      relay: {
        rooms: { race: { maxPlayers: 8 }, lobby: { maxPlayers: 2 } },
        allowedOrigins: ["https://a.example", "https://b.example"],
        publicHosts: ["play.example", "play.example:8443"],
        coalesceMs: 2,
        trustedProxyHops: 1,
        limits: { maxRooms: 10 },
      },
    });
    // A machine may be called by the name that its operator gave in the settings.
    expect(options({ host: "one.lan" })).toMatchObject({ relay: { publicHosts: ["one.lan"] } });
  });

  test("is overridden by the environment, which flags override", () => {
    const environment = { PACELINE_PORT: "2", PACELINE_HOST: "two.example" };
    expect(options({ port: 1, host: "one.example" }, ["--port", "3"], environment)).toMatchObject({
      port: 3,
      host: "two.example",
    });
  });

  test("is also found by PACELINE_CONFIG", () => {
    const path = file('{"port": 7}');
    expect(serverOptions([], { PACELINE_CONFIG: path })).toMatchObject({ port: 7 });
  });

  test.each([
    ['{"prot": 80}', 'there is no setting "prot"; did you mean "port"?'],
    ['{"something": 80}', 'there is no setting "something"; there are port, host'],
    ['{"port": {}}', "port: expected text, a number, true, false or a list of texts, got {}"],
    ['{"port": 70000}', 'port: expected a whole number from 0 to 65535, got "70000"'],
    ['{"rooms": 5}', "rooms: "],
    ['{"limits": []}', "limits: expected an object, got []"],
    ["[]", "the file: expected an object, got []"],
    ["{port: 1}", "JSON"],
    ['{"config": "x"}', 'there is no setting "config"'],
    ['{"admin-port": 1}', "admin-token: expected at least 16 characters where admin-port is set, got none"],
    ['{"drain-seconds": 4000}', 'drain-seconds: expected a whole number from 0 to 3600 seconds, got "4000"'],
  ])("%s is refused: %s", (content, message) => {
    expect(() => serverOptions(["--config", file(content)], {})).toThrow(UsageError);
    expect(() => serverOptions(["--config", file(content)], {})).toThrow(message);
  });

  test("that does not exist is an error with its path", () => {
    expect(() => serverOptions(["--config", join(folder, "none.json")], {})).toThrow(/none\.json: ENOENT/);
  });
});
