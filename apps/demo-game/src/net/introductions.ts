import type { Peer, Room } from "@paceline/client";
import { readDriverCard, type DriverCard, type PeerMessages } from "../race/race-messages.js";

const UNKNOWN_COLOR = "#9aa3ad";
/** Period and number of requests to a peer that has not introduced itself. */
const ASK_PERIOD_MS = 1000;
const MAX_ASKS = 5;
/** Rate limit for requests, per player. */
const ANSWER_PERIOD_MS = 400;

interface Acquaintance {
  card: DriverCard | undefined;
  asks: number;
  askedAtMs: number;
  answeredAtMs: number;
}

/**
 * Names and colours of the other participants. Everybody introduces itself to a newcomer. The message may arrive
 * before the newcomer listens, so a participant asks for what it misses.
 */
export class Introductions {
  readonly #room: Room<PeerMessages>;
  readonly #introduce: (to: Peer) => void;
  readonly #known = new Map<string, Acquaintance>();

  /** @param introduce sends a peer all that a newcomer needs from this participant */
  constructor(room: Room<PeerMessages>, introduce: (to: Peer) => void) {
    this.#room = room;
    this.#introduce = introduce;
  }

  cardOf(peer: Peer): DriverCard {
    const card = this.#known.get(peer.id)?.card;
    return card ?? { name: `Driver ${peer.number}`, color: UNKNOWN_COLOR, isComputer: false };
  }

  knows(peer: Peer): boolean {
    return this.#known.get(peer.id)?.card !== undefined;
  }

  /** @param misses returns true if more than the name is missing from a peer */
  update(nowMs: number, misses: (peer: Peer) => boolean): void {
    for (const peer of this.#room.peers) {
      const one = this.#acquaintance(peer, nowMs);
      if (one.card !== undefined && !misses(peer)) continue;
      if (one.asks >= MAX_ASKS || nowMs - one.askedAtMs < ASK_PERIOD_MS) continue;
      one.asks++;
      one.askedAtMs = nowMs;
      this.#room.send("ask", {}, peer);
    }
  }

  hearCard(message: unknown, from: Peer, nowMs: number): void {
    const card = readDriverCard(message);
    if (card !== undefined) this.#acquaintance(from, nowMs).card = card;
  }

  hearAsk(from: Peer, nowMs: number): void {
    const one = this.#acquaintance(from, nowMs);
    if (nowMs - one.answeredAtMs < ANSWER_PERIOD_MS) return;
    one.answeredAtMs = nowMs;
    this.#introduce(from);
  }

  forget(peer: Peer): void {
    this.#known.delete(peer.id);
  }

  #acquaintance(peer: Peer, nowMs: number): Acquaintance {
    let one = this.#known.get(peer.id);
    if (one === undefined) {
      one = { card: undefined, asks: 0, askedAtMs: nowMs, answeredAtMs: -ANSWER_PERIOD_MS };
      this.#known.set(peer.id, one);
    }
    return one;
  }
}
