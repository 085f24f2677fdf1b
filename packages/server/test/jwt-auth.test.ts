import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Refusal, jwtAuth, requireRole, type AuthRequest } from "@paceline/server";
import { SignJWT, UnsecuredJWT, exportJWK, generateKeyPair, type JWK } from "jose";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { JwtAuthOptions } from "../src/auth/jwt-options.js";

const SECRET = "a secret that two servers share, of enough bytes";
const base = { issuer: "https://login.example", audience: "race" };

function request(token: string): AuthRequest {
  return {
    roomName: "race",
    options: {},
    token,
    address: "192.0.2.1",
    headers: {},
    keepIdentity: () => undefined,
  };
}

const shared = (more: Partial<JwtAuthOptions> = {}) => jwtAuth({ ...base, secret: SECRET, ...more });

interface Said {
  readonly sub?: string | undefined;
  readonly iss?: string;
  readonly aud?: string;
  readonly exp?: number | undefined;
  readonly nbf?: number;
  readonly [claim: string]: unknown;
}

const nowS = (): number => Math.floor(Date.now() / 1000);
const claims = (said: Said): Record<string, unknown> => ({
  sub: "ann",
  iss: base.issuer,
  aud: base.audience,
  exp: nowS() + 60,
  ...said,
});

function signed(said: Said = {}, secret = SECRET, alg = "HS256"): Promise<string> {
  return new SignJWT(claims(said)).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
}

/** Changes the two last bits, which belong to no byte of a signature of 32 bytes. */
function otherEnd(token: string): string {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return token.slice(0, -1) + digits[digits.indexOf(token.at(-1)!) ^ 1]!;
}

async function refusal(auth: ReturnType<typeof jwtAuth>, token: string): Promise<string> {
  const error: unknown = await auth(request(token)).catch((cause: unknown) => cause);
  if (!(error instanceof Refusal)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  return `${error.kind}: ${error.message}`;
}

describe("jwtAuth with a shared secret", () => {
  it("returns the player's id and roles", async () => {
    const token = await signed({ roles: ["moderator", 7, "racer"], team: "red" });
    expect(await shared()(request(token))).toMatchObject({
      id: "ann",
      roles: ["moderator", "racer"],
      isGuest: false,
      claims: { team: "red" },
    });
    const scoped = await signed({ scope: "spectator  racer" });
    expect((await shared({ rolesClaim: "scope" })(request(scoped))).roles).toEqual(["spectator", "racer"]);
    expect((await shared()(request(await signed({ roles: { admin: true } })))).roles).toEqual([]);
  });

  it.each<[string, () => Promise<string> | string, string]>([
    ["missing", () => "", "a token is needed"],
    ["no token at all", () => "hello", "the token is no JSON Web Token"],
    ["too many dots", () => "a.b.c.d.e.f", "the token is no JSON Web Token"],
    ["expired", () => signed({ exp: nowS() - 60 }), "the token has expired"],
    ["without an end", () => signed({ exp: undefined }), `the token has no claim "exp"`],
    ["without a subject", () => signed({ sub: undefined }), `the token has no claim "sub"`],
    ["not valid yet", () => signed({ nbf: nowS() + 60 }), "the token is not valid yet: is a clock wrong?"],
    ["for somebody else", () => signed({ aud: "chess" }), "the token is for another audience"],
    ["of somebody else", () => signed({ iss: "https://evil.example" }), "the token is of another issuer"],
    [
      "forged",
      () => signed({}, `${SECRET}!`),
      "the token's signature is wrong: sign in at the issuer that this server trusts",
    ],
    [
      "signed by nobody",
      () => new UnsecuredJWT(claims({})).encode(),
      "the token is signed in a way that is not allowed",
    ],
    [
      "of another algorithm",
      () => signed({}, SECRET.repeat(2), "HS512"),
      "the token is signed in a way that is not allowed",
    ],
  ])("refuses a token that is %s", async (_, token, words) => {
    expect(await refusal(shared(), await token())).toBe(`unauthorized: ${words}`);
  });

  it("refuses a token that was changed after it was signed", async () => {
    const [head = "", , signature = ""] = (await signed()).split(".");
    const body = Buffer.from(JSON.stringify(claims({ sub: "admin" }))).toString("base64url");
    expect(await refusal(shared(), `${head}.${body}.${signature}`)).toBe(
      "unauthorized: the token's signature is wrong: sign in at the issuer that this server trusts",
    );
  });

  it.each<[string, (token: string) => string]>([
    ["with padding", (token) => `${token}=`],
    ["with padding in its head", (token) => token.replace(".", "=.")],
    ["with a space after it", (token) => `${token} `],
    ["with a space before it", (token) => ` ${token}`],
    ["with a line end", (token) => `${token}\n`],
    ["with a line end within", (token) => token.replace(".", ".\n")],
    ["with other unused bits at its end", otherEnd],
    ["in the alphabet of plain base64", (token) => token.replaceAll("-", "+").replaceAll("_", "/")],
    ["with a fourth part", (token) => `${token}.`],
    ["of spaces", () => "   "],
  ])("refuses a token %s, so that one token has one text", async (_, changed) => {
    let token = await signed({ exp: nowS() + 60 });
    // Until plain base64 would differ.
    for (let at = 0; !/[-_]/.test(token); at += 1) token = await signed({ at });
    const asked = changed(token);
    expect(asked).not.toBe(token);
    expect(await refusal(shared(), asked)).toBe("unauthorized: the token is no JSON Web Token");
    expect((await shared()(request(token))).id).toBe("ann");
  });

  it("tolerates a difference of clocks, up to a limit", async () => {
    const token = await signed({ exp: 1000, nbf: 900 });
    const at = (seconds: number, clockToleranceS = 5) =>
      shared({ clockToleranceS, nowMs: () => seconds * 1000 });
    expect((await at(1004)(request(token))).id).toBe("ann");
    expect((await at(896)(request(token))).id).toBe("ann");
    expect(await refusal(at(1006), token)).toContain("expired");
    expect(await refusal(at(894), token)).toContain("not valid yet");
    expect(await refusal(at(1001, 0), token)).toContain("expired");
    expect((await at(1200, 300)(request(token))).id).toBe("ann");
  });

  it("lets in players with a role, and nobody else", async () => {
    const auth = requireRole(shared(), "moderator", "racer");
    expect((await auth(request(await signed({ roles: ["racer"] })))).roles).toEqual(["racer"]);
    const token = await signed({ roles: ["spectator"] });
    await expect(auth(request(token))).rejects.toThrow("this room is for: moderator, racer");
    expect(() => requireRole(shared())).toThrow("at least one name of a role");
  });

  it.each<[Partial<JwtAuthOptions>, string]>([
    [{ secret: "short" }, 'secret: expected text or bytes, at least 32 bytes, got "5 bytes"'],
    [{ jwks: { keys: [] } }, 'jwtAuth: expected exactly one of secret, jwks and jwksUrl, got "2 of them"'],
    [{ issuer: "" }, "issuer: expected text"],
    [{ audience: [] }, "audience: expected text"],
    [{ algorithms: ["none"] }, "algorithms: expected some of HS256"],
    [{ algorithms: ["RS256"] }, "algorithms: expected some of HS256"],
    [{ clockToleranceS: 301 }, "clockToleranceS: expected 0 to 300 s, got 301"],
  ])("%o throws at once", (options, message) => {
    expect(() => shared(options)).toThrow(message);
  });
});

describe("jwtAuth with public keys", () => {
  let privateKey: CryptoKey;
  let publicKey: JWK;
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  beforeAll(async () => {
    const pair = await generateKeyPair("ES256");
    privateKey = pair.privateKey;
    publicKey = { ...(await exportJWK(pair.publicKey)), kid: "one", alg: "ES256" };
  });

  const token = (kid = "one", key = privateKey) =>
    new SignJWT(claims({})).setProtectedHeader({ alg: "ES256", kid }).sign(key);

  /** Starts an issuer that answers with the keys or the status from `keys`. */
  async function issuer(keys: () => readonly JWK[] | number): Promise<{ url: string; asked: () => number }> {
    let asked = 0;
    server = createServer((_, response) => {
      asked += 1;
      const answer = keys();
      if (typeof answer === "number") return response.writeHead(answer).end();
      return response
        .writeHead(200, { "Content-Type": "application/json" })
        .end(JSON.stringify({ keys: answer }));
    });
    await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/keys`, asked: () => asked };
  }

  it("that are known", async () => {
    const auth = jwtAuth({ ...base, jwks: { keys: [publicKey] } });
    expect((await auth(request(await token()))).id).toBe("ann");
    expect(await refusal(auth, await token("two"))).toContain("a key that the issuer does not have");
    const other = await generateKeyPair("ES256");
    expect(await refusal(auth, await token("one", other.privateKey))).toContain("signature is wrong");
  });

  it("does not take a public key for a shared secret", async () => {
    const auth = jwtAuth({ ...base, jwks: { keys: [publicKey] } });
    const forged = await signed({}, JSON.stringify(publicKey));
    expect(await refusal(auth, forged)).toBe(
      "unauthorized: the token is signed in a way that is not allowed",
    );
  });

  it("that are fetched: once, again for a new key, and not for every forged token", async () => {
    const second = await generateKeyPair("ES256");
    const published = [publicKey];
    const { url, asked } = await issuer(() => published);
    const auth = jwtAuth({ ...base, jwksUrl: url });
    await Promise.all(Array.from({ length: 20 }, async () => auth(request(await token()))));
    expect(asked()).toBe(1);
    for (let guess = 0; guess < 20; guess++)
      await refusal(auth, await token(`guess ${guess}`)).catch(() => "");
    expect(asked()).toBeLessThan(10);
    published.push({ ...(await exportJWK(second.publicKey)), kid: "two", alg: "ES256" });
    // Past the time in which no unknown key causes another fetch.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
    expect((await auth(request(await token("two", second.privateKey)))).id).toBe("ann");
  });

  it("that cannot be fetched: the refusal allows a retry, which then works", async () => {
    let isDown = true;
    const { url } = await issuer(() => (isDown ? 503 : [publicKey]));
    const auth = jwtAuth({ ...base, jwksUrl: url });
    expect(await refusal(auth, await token())).toMatch(/^unavailable: the server cannot check tokens/);
    isDown = false;
    expect((await auth(request(await token()))).id).toBe("ann");
    const nowhere = jwtAuth({ ...base, jwksUrl: "http://127.0.0.1:9/keys" });
    expect(await refusal(nowhere, await token())).toMatch(/^unavailable/);
  });

  it("that do not arrive in time", async () => {
    server = createServer(() => undefined);
    await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { timeout } = AbortSignal;
    const spy = vi
      .spyOn(AbortSignal, "timeout")
      .mockImplementation((ms) => timeout.call(AbortSignal, ms / 50));
    const auth = jwtAuth({ ...base, jwksUrl: `http://127.0.0.1:${port}/keys` });
    expect(await refusal(auth, await token())).toMatch(/^unavailable/);
    expect(spy).toHaveBeenCalledWith(5000);
    server.closeAllConnections();
  });

  it("only from addresses where nobody can change them on the way", () => {
    expect(() => jwtAuth({ ...base, jwksUrl: "http://login.example/keys" })).toThrow("https");
    expect(() => jwtAuth({ ...base, jwksUrl: "keys" })).toThrow("https");
    expect(() => jwtAuth({ ...base, jwksUrl: "https://login.example/keys" })).not.toThrow();
  });
});
