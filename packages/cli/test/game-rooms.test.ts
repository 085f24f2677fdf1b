import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@paceline/relay";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { gameOf } from "../src/server/game-rooms.js";
import { RelayHost } from "../src/server/relay-host.js";
import { serverOptions } from "../src/server/server-options.js";
import { UsageError } from "../src/server/config-file.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "paceline-game-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function moduleOf(text: string): string {
  const path = join(folder, `game-${(count += 1)}.mjs`);
  writeFileSync(path, text);
  return path;
}

describe("the module of a game", () => {
  test("exports classes of rooms, and queues for them", async () => {
    const game = await gameOf(moduleOf("export class Race {}; export const rooms = { race: Race };"));
    expect(Object.keys(game.rooms)).toEqual(["race"]);
    expect(game.queues).toEqual({});
    const queued = moduleOf(
      "export class Race {}; export const rooms = { race: Race }; export const queues = { race: { players: 2 } };",
    );
    expect((await gameOf(queued)).queues).toEqual({ race: { players: 2 } });
  });

  test.each([
    ["export const rooms = {};", 'to export "rooms", classes of rooms by name'],
    ["export const rooms = { race: { maxPlayers: 4 } };", 'to export "rooms", classes of rooms by name'],
    ["export const room = class {};", 'to export "rooms", classes of rooms by name'],
    ["export const rooms = null;", 'to export "rooms", classes of rooms by name'],
    ["export const rooms = { race: class {} }; export const queues = 5;", 'expected "queues" of'],
    ["throw new Error('no such map');", "cannot be loaded: no such map"],
    ["export const rooms = {", "cannot be loaded: "],
  ])("%s is refused: %s", async (text, message) => {
    const loading = gameOf(moduleOf(text));
    await expect(loading).rejects.toThrow(UsageError);
    await expect(loading).rejects.toThrow(message);
  });

  test("that does not exist is an error with its path", async () => {
    await expect(gameOf(join(folder, "none.mjs"))).rejects.toThrow(/none\.mjs" cannot be loaded/);
  });
});

const hosts: RelayHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.stop())));

function hostWith(flags: readonly string[], environment = {}): RelayHost {
  const host = new RelayHost(
    serverOptions(["--port", "0", "--webrtc", "off", ...flags], environment)!,
    silentLog,
  );
  hosts.push(host);
  return host;
}

/** The close code of a link with a ticket that comes from an address, as the proxy says it. */
async function linkFrom(url: string, ticket: string, address: string): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  const lines = [
    "GET /link HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    `Sec-WebSocket-Protocol: paceline.5, ticket.${ticket}`,
    `X-Forwarded-For: ${address}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  let text = "";
  socket.setEncoding("latin1").on("data", (more: string) => (text += more));
  await expect.poll(() => text.split("\r\n\r\n")[1] ?? "", { timeout: 5000 }).not.toBe("");
  socket.destroy();
  return text.includes("another address") ? "refused" : "taken";
}

describe("tickets of a server", () => {
  test.each([
    ["a flag", ["--trust-proxy", "--bind-tickets"], {}, "refused"],
    ["a variable", ["--trust-proxy"], { PACELINE_BIND_TICKETS: "1" }, "refused"],
    ["nothing", ["--trust-proxy"], {}, "taken"],
  ] as const)("are bound to an address by %s", async (_by, flags, environment, expected) => {
    const { game } = await hostWith(flags, environment).listen();
    const headers = { "X-Forwarded-For": "192.0.2.1" };
    const response = await fetch(`${game}/match/joinOrCreate/race`, {
      method: "POST",
      headers,
      body: '{"version":5}',
    });
    const { ticket } = (await response.json()) as { ticket: string };
    expect(await linkFrom(game, ticket, "192.0.2.2")).toBe(expected);
  });
});

test("a taken admin port is an error with its number, and the server releases its game port", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const host = hostWith(["--admin-port", String(port), "--admin-token", "a token of enough letters"]);
  await expect(host.listen()).rejects.toMatchObject({ code: "EADDRINUSE", port });
  await host.stop();
  await new Promise((resolve) => other.close(resolve));
});
