import { limits } from "@paceline/protocol";
import { MAX_PAYLOAD_BYTES, type Session } from "@paceline/transport";

/**
 * Time for which a pair may refuse the game's messages, ms: its peer misses messages meanwhile. If the pair
 * does not take a full queue of bytes in this time, it starts again. Longer than a cut that heals by itself.
 * Each restart halves the time and the bytes.
 */
const REFUSING_MS = 10_000;
/** Time without a refusal after which a pair with room takes messages again, ms. */
const TAKING_MS = 2000;
const LONGEST_MESSAGE = new Uint8Array(MAX_PAYLOAD_BYTES);

/** The part of a pair's session that its refusals ask about. */
type Queues = Pick<Session, "commands" | "bulk">;

/**
 * The messages that the full queues of one pair have refused. The peer misses them, so a pair that takes too
 * little of its queue must start again, which tells both games.
 */
export class Refusals {
  /** Time of the first and the last refusal, ms; undefined while the pair takes messages. */
  #commands:
    { readonly sinceMs: number; readonly lastMs: number; readonly acknowledgedBytes: number } | undefined;
  /** Refused bulk. Nothing can be added until some of the waiting bytes are acknowledged. */
  #bulk: { readonly sinceMs: number; readonly waitingBytes: number } | undefined;

  /** Records a refused message of the game. */
  refused({ commands: { acknowledgedBytes } }: Queues, nowMs: number): void {
    this.#commands = { sinceMs: nowMs, acknowledgedBytes, ...this.#commands, lastMs: nowMs };
  }

  /** Records a refused bulk message. Bulk may be slow: only a pair that takes none of it starts again. */
  refusedBulk({ bulk }: Queues, nowMs: number): void {
    this.#bulk ??= { sinceMs: nowMs, waitingBytes: bulk.bytes };
  }

  /**
   * Returns the reason why the pair must start again, or undefined. Called once a second. `share`: of the time
   * and the bytes, smaller for a pair that has started again before.
   */
  review(queues: Queues, nowMs: number, share: number): string | undefined {
    return this.#reviewCommands(queues, nowMs, share) ?? this.#reviewBulk(queues, nowMs);
  }

  #reviewCommands({ commands }: Queues, nowMs: number, share: number): string | undefined {
    if (!this.#commands) return undefined;
    const { sinceMs, lastMs, acknowledgedBytes } = this.#commands;
    const hasRoom = commands.hasRoom([LONGEST_MESSAGE], limits.pairQueueBytes);
    const isTaking = commands.acknowledgedBytes - acknowledgedBytes >= limits.pairQueueBytes * share;
    if (isTaking || (hasRoom && nowMs - lastMs > TAKING_MS)) this.#commands = undefined;
    else if (nowMs - sinceMs >= REFUSING_MS * share) return "takes less than is sent to all";
    return undefined;
  }

  #reviewBulk({ bulk }: Queues, nowMs: number): string | undefined {
    if (!this.#bulk) return undefined;
    const { sinceMs, waitingBytes } = this.#bulk;
    if (bulk.bytes !== waitingBytes) this.#bulk = undefined;
    else if (nowMs - sinceMs >= REFUSING_MS) return "takes no bulk";
    return undefined;
  }
}
