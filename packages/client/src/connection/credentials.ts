import { ConfigError, NetError } from "@paceline/protocol";

/**
 * Proof of the player's identity: a token, or a function that returns one before every request for a seat.
 */
export type AuthToken = string | (() => string | PromiseLike<string>);

/** Storage of a guest's identity, such as `localStorage`. */
export interface IdentityStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const MAX_CHARACTERS = 3000;

/** The player's identity for an authority: the game's token, or the guest identity that a server gave. */
export class Credentials {
  readonly #authToken: AuthToken;
  readonly #storage: IdentityStorage | undefined;
  readonly #key: string;
  #identity: string | undefined;
  /** The proof that was sent last, or the guest identity that a server gave in its place. */
  shown = "";

  /** Checks the options. `keepIdentity` true means the page's `localStorage`. */
  constructor(authToken: unknown, keepIdentity: unknown, serverUrl: string) {
    this.#authToken = checkedToken(authToken);
    this.#storage = checkedStorage(keepIdentity);
    this.#key = `paceline:identity:${serverUrl}`;
  }

  /**
   * Returns the proof, or an empty string if there is none. Rejects with {@link NetError} if the game's
   * function fails or is too slow.
   */
  async token(signal: AbortSignal): Promise<string> {
    return (this.shown = await this.#token(signal));
  }

  async #token(signal: AbortSignal): Promise<string> {
    const token = this.#authToken;
    if (typeof token === "string") return token || this.#kept();
    try {
      const given: unknown = await Promise.race([token(), abortOf(signal)]);
      if (typeof given === "string") return given || this.#kept();
      throw new TypeError("the function returned no text");
    } catch (cause) {
      const words = cause instanceof Error ? cause.message : String(cause);
      throw new NetError("match/unauthorized", `authToken: ${words}`, { retryable: true, cause });
    }
  }

  /** Stores the identity that a server gives this guest. */
  keep(identity: string): void {
    if (!this.#storage) return;
    if (this.shown === this.#kept()) this.shown = identity;
    this.#identity = identity;
    try {
      this.#storage.setItem(this.#key, identity);
    } catch {
      // The page has no access to its storage, or it is full: the identity lives as long as the page.
    }
  }

  #kept(): string {
    if (this.#identity !== undefined) return this.#identity;
    try {
      return this.#storage?.getItem(this.#key) ?? "";
    } catch {
      return "";
    }
  }
}

/** Returns the player's credentials, or undefined if the game uses neither a token nor a kept identity. */
export function credentialsOf(
  authToken: unknown,
  keepIdentity: unknown,
  serverUrl: string,
): Credentials | undefined {
  if (authToken === undefined && (keepIdentity === undefined || keepIdentity === false)) return undefined;
  return new Credentials(authToken ?? "", keepIdentity, serverUrl);
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("no token in time")));
  });
}

function checkedToken(token: unknown): AuthToken {
  const isShort = typeof token === "string" && token.length <= MAX_CHARACTERS;
  if (isShort || typeof token === "function") return token as AuthToken;
  // The token itself stays out of the message: it is a secret.
  const value = typeof token === "string" ? `${token.length} characters` : typeof token;
  const expected = `text of at most ${MAX_CHARACTERS} characters, or a function that returns it`;
  throw new ConfigError("authToken", value, expected);
}

function checkedStorage(storage: unknown): IdentityStorage | undefined {
  if (storage === undefined || storage === false) return undefined;
  if (storage === true) return pageStorage();
  const { getItem, setItem } = (typeof storage === "object" && storage !== null ? storage : {}) as Partial<
    Record<keyof IdentityStorage, unknown>
  >;
  if (typeof getItem === "function" && typeof setItem === "function") return storage as IdentityStorage;
  throw new ConfigError("keepIdentity", storage, "true, false or an object with getItem and setItem");
}

/** Returns the page's storage. A read of `localStorage` throws in a page that may not store anything. */
function pageStorage(): IdentityStorage {
  try {
    if (globalThis.localStorage) return globalThis.localStorage;
  } catch {
    // Remembers nothing, as in a program without a page: the identity lives as long as the client.
  }
  return { getItem: () => null, setItem: () => undefined };
}
