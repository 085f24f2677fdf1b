import type { Peer } from "@paceline/client";
import { ReceivedNumbers, type ReceivedCounts } from "../matrix/received-numbers.js";

/** One participant's observations of another. Times are in ms from the call of `joinOrCreate`. */
export interface PairReport {
  readonly myId: string;
  readonly peerId: string;
  readonly path: string;
  readonly playableMs?: number;
  readonly directMs?: number;
  readonly pathChanges: number;
  readonly rttMs?: number;
  readonly sent: number;
  readonly received: ReceivedCounts;
  readonly states: number;
}

/** Watches the states, the messages and the path of one other participant. */
export class PairWatch {
  readonly received = new ReceivedNumbers();
  sent = 0;
  readonly #myId: string;
  readonly #peerId: string;
  readonly #calledAtMs: number;
  #path = "none";
  #pathChanges = 0;
  #rttMs: number | undefined;
  #count: number | undefined;
  #states = 0;
  #playableMs: number | undefined;
  #directMs: number | undefined;

  constructor(myId: string, peerId: string, calledAtMs: number) {
    this.#myId = myId;
    this.#peerId = peerId;
    this.#calledAtMs = calledAtMs;
  }

  watchPath(peer: Peer, nowMs: number): void {
    this.#rttMs = peer.rttMs;
    if (peer.path === this.#path) return;
    this.#path = peer.path;
    this.#pathChanges += 1;
    if (peer.path !== "relay") this.#directMs ??= nowMs - this.#calledAtMs;
  }

  /** Records a state; returns true if it is new. */
  watchState(count: number, nowMs: number): boolean {
    if (count === this.#count) return false;
    this.#playableMs ??= nowMs - this.#calledAtMs;
    this.#count = count;
    this.#states += 1;
    return true;
  }

  report(): PairReport {
    return {
      myId: this.#myId,
      peerId: this.#peerId,
      path: this.#path,
      ...(this.#playableMs !== undefined && { playableMs: this.#playableMs }),
      ...(this.#directMs !== undefined && { directMs: this.#directMs }),
      pathChanges: this.#pathChanges,
      ...(this.#rttMs !== undefined && { rttMs: this.#rttMs }),
      sent: this.sent,
      received: this.received.counts,
      states: this.#states,
    };
  }
}
