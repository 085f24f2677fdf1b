import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

interface Issued {
  readonly hash: Buffer;
  /** Number of the reliable message that carried it; the first one has none. */
  messageId: number | undefined;
}

const TOKEN_BYTES = 24;
/** Tokens that were sent and not acknowledged, over links that died at once: more than so many are not kept. */
const MAX_ISSUED = 16;

/**
 * The secrets with which a session may take another link. Each is good until its successor has arrived: one that was
 * read somewhere on its way, and is used after its owner did, is of no use. Only hashes are kept.
 */
export class ResumeTokens {
  /** Oldest first. */
  readonly #issued: Issued[] = [];

  /** A new token; the older ones stay good until this one has arrived. */
  issue(): string {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    this.#issued.push({ hash: hashOf(token), messageId: undefined });
    if (this.#issued.length > MAX_ISSUED) this.#issued.shift();
    return token;
  }

  /** The newest token is on its way in the reliable message with that number. */
  sent(messageId: number): void {
    const newest = this.#issued.at(-1);
    if (newest) newest.messageId = messageId;
  }

  /** Whether the token may be used; compares in constant time. `hasArrived` knows the messages. */
  accepts(token: string, hasArrived: (messageId: number) => boolean): boolean {
    let newestKnown = 0;
    this.#issued.forEach(({ messageId }, index) => {
      if (messageId !== undefined && hasArrived(messageId)) newestKnown = index;
    });
    this.#issued.splice(0, newestKnown);
    const hash = hashOf(token);
    let isKnown = false;
    for (const issued of this.#issued) isKnown = timingSafeEqual(issued.hash, hash) || isKnown;
    return isKnown;
  }
}

/** The stored form of a secret. */
export function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
