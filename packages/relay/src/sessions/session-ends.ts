import { CloseCode, isFinalClose } from "@paceline/protocol";
import type { LinkClose } from "@paceline/transport";
import type { ResumeTokens } from "../admission/resume-tokens.js";
import type { SessionSettings } from "./room.js";

interface SessionEnd extends LinkClose {
  readonly tokens: ResumeTokens;
  readonly untilMs: number;
}

/**
 * Ends that the server has decided for sessions without a working link. A client that comes back with its token
 * gets the code and the reason. Without them it would take the session for forgotten, and join again.
 */
export class SessionEnds {
  readonly #settings: SessionSettings;
  /** By session id, the oldest first. As many as there may be sessions. */
  readonly #ends = new Map<string, SessionEnd>();

  constructor(settings: SessionSettings) {
    this.#settings = settings;
  }

  /** Keeps an end for as long as the seat of a hidden page would have been kept. */
  note(sessionId: string, { code, reason }: LinkClose, tokens: ResumeTokens): void {
    // A replaced session goes on under the same id.
    if (!isFinalClose(code) || code === CloseCode.replaced) return;
    const { limits, scheduler } = this.#settings;
    const nowMs = scheduler.nowMs();
    const untilMs = nowMs + Math.max(limits.reconnectGraceMs, limits.hiddenGraceMs);
    this.#ends.delete(sessionId);
    this.#ends.set(sessionId, { code, reason, tokens, untilMs });
    for (const [id, end] of this.#ends) {
      if (end.untilMs >= nowMs && this.#ends.size <= limits.maxSessions) return;
      this.#ends.delete(id);
    }
  }

  /** Returns the end of a session for the holder of its resume token; others have no right to the reason. */
  of(sessionId: string, token: string): LinkClose | undefined {
    const end = this.#ends.get(sessionId);
    if (!end || end.untilMs < this.#settings.scheduler.nowMs()) return undefined;
    return end.tokens.accepts(token, () => false) ? end : undefined;
  }
}
