/**
 * The most likely mistakes of a game, each made against real servers. The messages that a game reads are
 * written to `mistakes.json` (`vitest -u`). docs/ERRORS.md has a table of them.
 */
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client,
  defineEntity,
  flag,
  scalar,
  vec2,
  type ClientOptions,
  type Room as ClientRoom,
} from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { PROTOCOL_VERSION } from "@paceline/protocol";
import { Room, defineServer, jwtAuth, type AuthRequest, type RoomEntry } from "@paceline/server";
import { silentLog } from "@paceline/relay";
import { SignJWT } from "jose";
import { afterEach, expect, it, vi } from "vitest";
import { eventually } from "./stage.js";

const HERE = "127.0.0.1";
const SECRET = "a secret that is long enough for HS256";
const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }),
    fuel: scalar({ range: [0, 1], precision: 0.01 }),
  },
  { motion: "velocity" },
);
/** The car of a newer build, with another field. */
const CarOfTomorrow = defineEntity(
  "car",
  { position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }), boost: flag() },
  { motion: "velocity" },
);

const auth = jwtAuth({ secret: SECRET, issuer: "https://login.example", audience: "race" });
class League extends Room {
  static override onAuth(request: AuthRequest): unknown {
    return auth(request);
  }
}
class Broken extends Room {
  override onCreate(): void {
    throw new Error("no such map");
  }
}
const kinds = { race: { maxPlayers: 8 }, duel: { maxPlayers: 2 }, league: League };

const servers: { stop(options: object): Promise<void> }[] = [];
const rooms: ClientRoom[] = [];
const others: HttpServer[] = [];
const warnings: string[] = [];
const rows: { mistake: string; shows: string; says: string }[] = [];

afterEach(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  await Promise.all(rooms.splice(0).map((room) => room.leave()));
  for (const server of servers.splice(0)) await server.stop({ drainMs: 100 });
  for (const other of others.splice(0)) other.close();
});

async function served(options: { rooms?: Record<string, RoomEntry>; port?: number } = {}): Promise<string> {
  vi.spyOn(console, "warn").mockImplementation((line: unknown) => void warnings.push(String(line)));
  warnings.length = 0;
  const server = defineServer({ rooms: options.rooms ?? kinds, log: silentLog });
  servers.push(server);
  return server.listen(options.port ?? 0);
}

const clientOf = (url: string, options: Partial<ClientOptions> = {}): Client =>
  new Client(url, { profile: "racing", webSocket: NodeWebSocket, transports: ["websocket"], ...options });

async function join(url: string, name = "race", options: Partial<ClientOptions> = {}): Promise<ClientRoom> {
  const room = await clientOf(url, options).joinOrCreate(name);
  rooms.push(room);
  return room;
}

async function met(): Promise<[ClientRoom, ClientRoom]> {
  const url = await served();
  const pair: [ClientRoom, ClientRoom] = [await join(url), await join(url)];
  await eventually(() => expect(pair[0].peers).toHaveLength(1));
  return pair;
}

/** Returns the message of the error that `fn` throws or rejects with. */
async function said(fn: () => unknown): Promise<string> {
  try {
    await fn();
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return "nothing";
}

const warned = (pattern: RegExp): Promise<string> =>
  eventually(() => {
    const found = warnings.find((line) => pattern.test(line));
    expect(found).toBeDefined();
    return found!;
  });

interface Mistake {
  readonly name: string;
  readonly shows: string;
  readonly make: () => Promise<string>;
  readonly advice: RegExp;
}
const mistakes: Mistake[] = [];

/**
 * Adds a mistake. `make` makes it and resolves with the messages that a game reads. They must match `advice`,
 * which says what to do.
 */
function mistake(...[name, shows, make, advice]: [string, string, Mistake["make"], RegExp]): void {
  mistakes.push({ name, shows, make, advice });
}

mistake(
  "no server",
  "rejects",
  async () => {
    const url = await served();
    await servers.pop()!.stop({ drainMs: 0 });
    return said(() => join(url));
  },
  /start the server, or check address and port \[match\/unreachable\]/,
);

mistake(
  "wrong port: another server answers there",
  "rejects",
  async () => {
    const other = createServer((_request, response) => response.writeHead(404).end("not here"));
    others.push(other);
    await new Promise<void>((resolve) => other.listen(0, HERE, resolve));
    return said(() => join(`http://${HERE}:${(other.address() as AddressInfo).port}`));
  },
  /check address, port and proxy \[match\/bad-answer\]/,
);

mistake(
  "wrong room",
  "rejects",
  async () => {
    const url = await served();
    return said(() => join(url, "rase"));
  },
  /there are: race, duel, league \[match\/unknown-room\]/,
);

mistake(
  "a hook of the room throws",
  "rejects",
  async () => {
    const url = await served({ rooms: { broken: Broken } });
    return said(() => join(url, "broken"));
  },
  /failed in onCreate; the server's log has the error \[match\/room-failed\]/,
);

mistake(
  "wrong schema: two builds describe an entity differently",
  "console, `onError`",
  async () => {
    const [one, two] = await met();
    one.onSpawn(Car, () => undefined);
    two.spawn(CarOfTomorrow);
    return warned(/schema/);
  },
  /load the same build of the game everywhere \[schema\/mismatch\]/,
);

mistake(
  "wrong type",
  "throws",
  async () => {
    const [one] = await met();
    const car = one.spawn(Car);
    return said(() => (car.fuel = "full" as unknown as number));
  },
  /car\.fuel: expected a (finite )?number.*got "full"/,
);

mistake(
  "out of range",
  "console, `onError`",
  async () => {
    const [one] = await met();
    one.spawn(Car).position.x = 250;
    return warned(/clamped/);
  },
  /car\.position.*250 is out of -100 to 100 m.*\[entity\/clamped\]/,
);

mistake(
  "two versions of Paceline",
  "rejects",
  async () => {
    const url = await served();
    class Newer extends NodeWebSocket {
      constructor(address: string, [, credential = ""]: string[]) {
        super(address, [`paceline.${PROTOCOL_VERSION + 1}`, credential]);
      }
    }
    return said(() => join(url, "race", { webSocket: Newer }));
  },
  /update the older of the two.*\[session\/version\]/,
);

mistake(
  "mixed content: a page of https, a server without",
  "throws",
  () => {
    vi.stubGlobal("location", { protocol: "https:", hostname: "game.example" });
    return said(() => clientOf("ws://play.example.com"));
  },
  /endpoint: expected an https or wss address/,
);

mistake(
  "origin: a page of another host",
  "rejects",
  async () => {
    const url = await served();
    const { fetch: ask } = globalThis;
    const headers = { origin: "https://game.example", "content-type": "application/json" };
    vi.stubGlobal("fetch", (address: string, init: RequestInit) => ask(address, { ...init, headers }));
    // With a token the client sends a request of its own.
    return said(() => join(url, "race", { authToken: "a guest" }));
  },
  /allowedOrigins: \["https:\/\/game\.example"\] is missing.*\[session\/origin\]/,
);

mistake(
  "no advance",
  "console, `onError`",
  async () => {
    const [one] = await met();
    const car = one.spawn(Car);
    const timer = setInterval(() => (car.position.x = (car.position.x + 0.1) % 50), 10);
    try {
      return await warned(/advance/);
    } finally {
      clearInterval(timer);
    }
  },
  /call room\.advance\(\) at the end of every frame \[time\/undriven\]/,
);

mistake(
  "unknown option",
  "throws",
  () => said(() => clientOf("ws://play.example.com", { tickhz: 30 } as object)),
  /tickhz: .*known are profile, .*tickHz/,
);

mistake(
  "message too long",
  "throws",
  async () => {
    const [one] = await met();
    return said(() => one.send("map", new Uint8Array(100_000)));
  },
  /message: expected at most \d+ bytes.*class: "bulk"/,
);

mistake(
  "room full, by its id",
  "rejects",
  async () => {
    const url = await served();
    const { roomId } = await join(url, "duel");
    await join(url, "duel");
    return said(() => clientOf(url).joinById(roomId));
  },
  /joinOrCreate finds or opens another \[match\/full\]/,
);

mistake(
  "room full, a friend in another one",
  "console, `room.fullRooms`",
  async () => {
    const url = await served();
    const told = vi.spyOn(console, "info").mockImplementation(() => undefined);
    for (let count = 0; count < 3; count++) await join(url, "duel");
    return String(told.mock.calls[0]?.[0]);
  },
  /1 full room.*group.*joinById/,
);

mistake(
  "server restarted: the old token",
  "rejects",
  async () => {
    const url = await served();
    const { reconnectionToken } = await join(url);
    await servers.pop()!.stop({ drainMs: 50 });
    await served({ port: Number(new URL(url).port) });
    return said(() => clientOf(url).reconnect(reconnectionToken));
  },
  /join as usual \[match\/not-found\]/,
);

mistake(
  "wrong token: of another server",
  "rejects",
  async () => {
    const { reconnectionToken } = await join(await served());
    const other = await served();
    return said(() => clientOf(other).reconnect(reconnectionToken));
  },
  /join as usual \[match\/not-found\]/,
);

mistake(
  "wrong token: no reconnection token",
  "throws",
  async () => {
    const url = await served();
    return said(() => clientOf(url).reconnect("my name"));
  },
  /what room\.reconnectionToken said/,
);

mistake(
  "wrong token: a login of another issuer",
  "rejects",
  async () => {
    const url = await served();
    const login = new SignJWT({ sub: "ann" }).setProtectedHeader({ alg: "HS256" }).setExpirationTime("1h");
    const authToken = await login
      .setIssuer("https://login.example")
      .setAudience("race")
      .sign(Buffer.from(`${SECRET}!`));
    return said(() => join(url, "league", { authToken }));
  },
  /sign in at the issuer that this server trusts \[match\/unauthorized\]/,
);

it.each(mistakes)("$name: the message says what to do", async ({ name, shows, make, advice }) => {
  const read = await make();
  expect(read).toMatch(advice);
  // The document has no ports and no long lists.
  const says = read
    .replaceAll(/127\.0\.0\.1:\d+/g, `${HERE}:8787`)
    .replace(/(known are \w+), .*(?=, got)/, "$1, …");
  rows.push({ mistake: name, shows, says });
});

it("all of them are what docs/ERRORS.md is made from", async () => {
  expect(rows).toHaveLength(19);
  await expect(`${JSON.stringify(rows, undefined, 2)}\n`).toMatchFileSnapshot("mistakes.json");
});
