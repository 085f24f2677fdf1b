import { Client, type ClientOptions, type Room as ClientRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { guestAuth, hasRole, identityOf, jwtAuth, type Authenticator } from "@paceline/server";
import { SignJWT, generateKeyPair } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { RaceRoom } from "./race.js";
import { Stage } from "./stage.js";

const SECRET = "a secret of the servers of this site, long enough";
const DAY_MS = 86_400_000;

type IdentityStorage = Exclude<ClientOptions["keepIdentity"], boolean | undefined>;
class Storage implements IdentityStorage {
  readonly items = new Map<string, string>();
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.items.set(key, value);
  }
}

let stage: Stage<RaceRoom> | undefined;
const joined: ClientRoom[] = [];
afterEach(async () => {
  for (const room of joined.splice(0)) room.leave();
  await stage?.stop();
});

async function staged(auth: Authenticator): Promise<Stage<RaceRoom>> {
  class Guarded extends RaceRoom {
    static override readonly onAuth = auth;
  }
  stage = await new Stage<RaceRoom>(Guarded).start();
  return stage;
}

/** Loads a page, joins and leaves. Returns the player's id in the room. */
async function visit(options: Partial<ClientOptions>): Promise<string> {
  const client = new Client(stage!.url, {
    profile: "racing",
    webSocket: NodeWebSocket,
    transports: ["websocket"],
    ...options,
  });
  const room = await client.joinOrCreate("race");
  joined.push(room);
  const player = [...stage!.rooms.at(-1)!.players.values()].at(-1)!;
  return identityOf(player)!.id;
}

describe("guests", () => {
  it("are the same after a reload of the page, unless there is no storage", async () => {
    await staged(guestAuth({ secret: SECRET }));
    const keepIdentity = new Storage();
    const first = await visit({ keepIdentity });
    expect(first).toMatch(/^guest-/);
    expect(await visit({ keepIdentity })).toBe(first);
    expect(await visit({ keepIdentity: new Storage() })).not.toBe(first);
    expect(await visit({})).not.toBe(await visit({}));
  });

  it("[M5] travel as authToken and identity in bodies, never in the subprotocol of a link", async () => {
    await staged(guestAuth({ secret: SECRET }));
    const offered: string[] = [];
    class Noted extends NodeWebSocket {
      constructor(url: string, protocols: string[]) {
        offered.push(...protocols);
        super(url, protocols);
      }
    }
    const keepIdentity = new Storage();
    await visit({ keepIdentity, webSocket: Noted });
    await visit({ keepIdentity, webSocket: Noted });
    const [token] = keepIdentity.items.values();
    expect(token).toMatch(/^ey/);
    expect(offered.join(" ")).not.toContain(token);
    expect(offered.filter((name) => name.startsWith("join."))).toEqual([]);
    const body = { version: 5, options: {}, authToken: "x".repeat(3001) };
    const response = await fetch(`${stage!.url}/match/joinOrCreate/race`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("authToken")]);
  });

  it("with an identity that is forged, or signed by another server, become new guests", async () => {
    await staged(guestAuth({ secret: SECRET }));
    const keepIdentity = new Storage();
    const id = await visit({ keepIdentity });
    const [[key, token]] = [...keepIdentity.items] as [[string, string]];
    const forged = await new SignJWT({})
      .setProtectedHeader({ alg: "HS256", typ: "paceline-guest+jwt" })
      .setSubject(id)
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode(SECRET));
    const lax = [`${token}=`, `${token} `, token.replace(".", "=.")];
    for (const wrong of [forged, "nonsense", `${token.slice(0, -4)}AAAA`, ...lax]) {
      keepIdentity.items.set(key, wrong);
      expect(await visit({ keepIdentity })).not.toBe(id);
      expect(keepIdentity.items.get(key)).not.toBe(wrong);
    }
  });

  it("are renewed after half of their lifetime, and forgotten after all of it", async () => {
    let nowMs = Date.now();
    await staged(guestAuth({ secret: SECRET, lifetimeDays: 10, nowMs: () => nowMs }));
    const keepIdentity = new Storage();
    const id = await visit({ keepIdentity });
    const first = [...keepIdentity.items.values()][0];
    nowMs += 4 * DAY_MS;
    expect(await visit({ keepIdentity })).toBe(id);
    expect([...keepIdentity.items.values()][0]).toBe(first);
    nowMs += 2 * DAY_MS;
    expect(await visit({ keepIdentity })).toBe(id);
    expect([...keepIdentity.items.values()][0]).not.toBe(first);
    nowMs += 9 * DAY_MS;
    expect(await visit({ keepIdentity })).toBe(id);
    nowMs += 11 * DAY_MS;
    expect(await visit({ keepIdentity })).not.toBe(id);
  });

  it("play in a page that may store nothing", async () => {
    await staged(guestAuth({ secret: SECRET }));
    const denied: IdentityStorage = {
      getItem: () => {
        throw new Error("denied");
      },
      setItem: () => {
        throw new Error("denied");
      },
    };
    expect(await visit({ keepIdentity: denied })).toMatch(/^guest-/);
  });
});

describe("members and guests in one room", () => {
  const claims = { issuer: "https://login.example", audience: "race" };
  const auth = guestAuth({ secret: SECRET, members: jwtAuth({ ...claims, secret: SECRET }) });
  const member = (sub: string, life = "1h") =>
    new SignJWT({ roles: ["moderator"] })
      .setProtectedHeader({ alg: "HS256" })
      .setSubject(sub)
      .setIssuer(claims.issuer)
      .setAudience(claims.audience)
      .setExpirationTime(life)
      .sign(new TextEncoder().encode(SECRET));

  it("are told apart by their tokens; a token has precedence over a stored identity", async () => {
    const { rooms } = await staged(auth);
    const keepIdentity = new Storage();
    const guest = await visit({ keepIdentity });
    expect(await visit({ keepIdentity, authToken: await member("ann") })).toBe("ann");
    expect(await visit({ keepIdentity, authToken: () => "" })).toBe(guest);
    const players = [...rooms[0]!.players.values()];
    expect(players.map((player) => hasRole(player, "moderator"))).toEqual([false, true, false]);
    expect(hasRole({ auth: true }, "moderator")).toBe(false);
  });

  it("a member's expired token is refused, not taken for a guest's; a function gives a fresh one", async () => {
    await staged(auth);
    const over = await member("ann", "-1h");
    await expect(visit({ authToken: over })).rejects.toMatchObject({
      code: "match/unauthorized",
      retryable: false,
      message: expect.stringContaining("the token has expired") as string,
    });
    let asked = 0;
    const authToken = async (): Promise<string> => ((asked += 1) === 1 ? over : member("ann"));
    await expect(visit({ authToken })).rejects.toThrow("expired");
    expect(await visit({ authToken })).toBe("ann");
  });

  it("keys that cannot be fetched cause an error that allows a retry", async () => {
    const jwksUrl = "http://127.0.0.1:9/keys";
    await staged(guestAuth({ secret: SECRET, members: jwtAuth({ ...claims, jwksUrl }) }));
    const { privateKey } = await generateKeyPair("ES256");
    const authToken = await new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: "one" }).sign(privateKey);
    await expect(visit({ authToken })).rejects.toMatchObject({
      code: "match/auth-unavailable",
      retryable: true,
    });
    expect(await visit({})).toMatch(/^guest-/);
  });

  it("a token function that fails rejects the join, and nothing is sent", async () => {
    const { server } = await staged(auth);
    const authToken = (): Promise<string> => Promise.reject(new Error("not logged in"));
    await expect(visit({ authToken })).rejects.toMatchObject({
      code: "match/unauthorized",
      message: expect.stringContaining("authToken: not logged in") as string,
    });
    expect(server.health().rooms).toBe(0);
    const known = { profile: "racing", webSocket: NodeWebSocket } as const;
    const make = (options: object) => () => new Client(stage!.url, { ...known, ...options });
    expect(make({ authToken: 5 })).toThrow("authToken: expected text");
    expect(make({ authToken: "x".repeat(3001) })).toThrow('got "3001 characters"');
    expect(make({ keepIdentity: {} })).toThrow("keepIdentity: expected true, false or an object");
  });
});
