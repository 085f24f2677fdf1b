import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { SavedResumeToken } from "../saving/saved-room.js";

interface Issued {
  readonly hash: Uint8Array;
  /** Number of the reliable message that carries it; undefined until it is sent. */
  messageId: number | undefined;
}

const TOKEN_BYTES = 24;
/**
 * Limit for tokens whose message is never acknowledged, because links close at once. Older ones are forgotten,
 * but for the one that the client used last.
 */
const MAX_ISSUED = 16;

/**
 * The secrets with which a session may take another link. Each is valid until its successor has arrived. So a
 * stolen token is useless once its owner has used it. Only hashes are stored. Tokens do not expire: they end
 * with the session, which the participant ends after its grace period.
 */
export class ResumeTokens {
  readonly #issued: Issued[];

  /** `saved`: the tokens that an earlier process has issued. */
  constructor(saved: readonly SavedResumeToken[] = []) {
    this.#issued = saved.map(({ hash, messageId }) => ({ hash, messageId }));
  }

  /** The tokens as they are kept: no token can be made from them. */
  get saved(): readonly SavedResumeToken[] {
    return this.#issued.map(({ hash, messageId }) => ({
      hash,
      ...(messageId !== undefined && { messageId }),
    }));
  }

  /** Returns a new token. Older ones stay valid until it has arrived. */
  issue(): string {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    this.#issued.push({ hash: hashOf(token), messageId: undefined });
    if (this.#issued.length > MAX_ISSUED) this.#issued.splice(1, 1);
    return token;
  }

  /** Sets the number of the reliable message that carries the newest token. */
  sent(messageId: number): void {
    const newest = this.#issued.at(-1);
    if (newest) newest.messageId = messageId;
  }

  /**
   * Returns true if the token is valid. Compares in constant time. `hasArrived`: returns true for
   * acknowledged messages. A client that uses a token has received it, so that older ones end.
   */
  accepts(token: string, hasArrived: (messageId: number) => boolean): boolean {
    let newestKnown = 0;
    this.#issued.forEach(({ messageId }, index) => {
      if (messageId !== undefined && hasArrived(messageId)) newestKnown = index;
    });
    this.#issued.splice(0, newestKnown);
    const hash = hashOf(token);
    let used = -1;
    for (const [index, issued] of this.#issued.entries()) {
      if (timingSafeEqual(issued.hash, hash)) used = index;
    }
    this.#issued.splice(0, used);
    return used >= 0;
  }
}

/** Returns the stored form of a secret. */
export function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
