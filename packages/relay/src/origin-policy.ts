import { ConfigError } from "@paceline/protocol";

/** `"*"`: every page. A list: pages of these origins, and of the server's own host. Default: its own host only. */
export type AllowedOrigins = "*" | readonly string[];

/** Whether pages of an origin may use the relay. */
export class OriginPolicy {
  readonly #allowed: AllowedOrigins;

  /** Throws {@link ConfigError} for anything that is no origin such as `https://play.example.com`. */
  constructor(allowed: AllowedOrigins) {
    const isList = Array.isArray(allowed) && allowed.every((origin) => isOrigin(origin));
    if (allowed !== "*" && !isList) {
      const value = Array.isArray(allowed) ? allowed.find((origin) => !isOrigin(origin)) : allowed;
      const expected = '"*" or a list of origins such as "https://play.example.com", without a path';
      throw new ConfigError({ field: "allowedOrigins", value, expected });
    }
    this.#allowed = allowed === "*" ? allowed : [...allowed];
  }

  /**
   * `origin` and `host` are the headers of the request. No origin at all means that no browser sent it: origins
   * protect the visitors of pages, and other programs can claim any.
   */
  permits(origin: string | undefined, host: string | undefined): boolean {
    if (origin === undefined || this.#allowed === "*") return true;
    return this.#allowed.includes(origin) || (host !== undefined && hostOf(origin) === host.toLowerCase());
  }
}

function isOrigin(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return new URL(value).origin === value;
  } catch {
    return false;
  }
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
}
