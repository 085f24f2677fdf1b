import { Client, defineEntity, int, type Peer, type Room } from "@paceline/client";
import { workerScheduler } from "@paceline/transport";
import type { ConnectionStep } from "./peer-connections.js";
import { PairWatch, type PairReport } from "./pair-watch.js";

/** Counts its owner's writes, so that each new state has another count. */
const Counter = defineEntity("counter", { count: int({ range: [0, 0xffffff] }) });

const WRITE_PERIOD_MS = 1000 / 30;
/** Resolution of the times, ms. */
const WATCH_PERIOD_MS = 4;

export interface JoinOptions {
  readonly room: string;
  readonly messagesPerSecond: number;
}

/** One participant's observations. Times are in ms from its call of `joinOrCreate`. */
export interface ProbeReport {
  readonly sessionId: string;
  readonly state: string;
  readonly joinedMs: number;
  /** Longest time without a new state of any participant, since the last mark. */
  readonly longestGapMs: number;
  readonly pairs: readonly PairReport[];
  readonly history: readonly { readonly atMs: number; readonly choice: string; readonly reason: string }[];
}

/** One stay in a room: writes states, sends numbered messages, and watches those of the others. */
export class Participation {
  readonly #room: Room;
  readonly #calledAtMs: number;
  readonly #joinedMs: number;
  readonly #pairs = new Map<string, PairWatch>();
  readonly #timers: (() => void)[];
  #isTalking = true;
  #newestAtMs = 0;
  #longestGapMs = 0;

  private constructor(room: Room, calledAtMs: number, { messagesPerSecond }: JoinOptions) {
    this.#room = room;
    this.#calledAtMs = calledAtMs;
    this.#joinedMs = performance.now() - calledAtMs;
    const mine = room.spawn(Counter);
    // The content of the welcome arrives in the next turn; the timer would see it later.
    room.onSpawn(Counter, () => this.#watch());
    room.onMessage("number", (number, from) => this.#pair(from).received.take(number as number));
    this.#timers = [
      workerScheduler.every(WATCH_PERIOD_MS, () => this.#watch()),
      workerScheduler.every(WRITE_PERIOD_MS, () => (mine.count = (mine.count + 1) % 0xffffff)),
      workerScheduler.every(1000 / messagesPerSecond, () => this.#talk()),
    ];
  }

  static async begin(options: JoinOptions): Promise<Participation> {
    const client = new Client(location.origin, { profile: "racing" });
    const calledAtMs = performance.now();
    const room = await client.joinOrCreate("lab", { name: options.room });
    return new Participation(room, calledAtMs, options);
  }

  /** Starts the measurement of gaps. */
  mark(): void {
    this.#longestGapMs = 0;
    this.#newestAtMs = performance.now();
  }

  stopTalking(): void {
    this.#isTalking = false;
  }

  /** Allows or ends direct links to the others; each change is a migration. */
  allowDirect(isAllowed: boolean): void {
    this.#room.transport.configure({ transports: isAllowed ? ["webrtc", "websocket"] : ["websocket"] });
  }

  leave(): void {
    for (const cancel of this.#timers) cancel();
    this.#room.leave();
  }

  /** Returns the steps with times from the call of `joinOrCreate`. */
  since(steps: readonly ConnectionStep[]): ConnectionStep[] {
    return steps.map(({ atMs, step }) => ({ atMs: Math.round(atMs - this.#calledAtMs), step }));
  }

  report(): ProbeReport {
    const { sessionId, state, transport } = this.#room;
    return {
      sessionId,
      state,
      joinedMs: this.#joinedMs,
      longestGapMs: Math.max(this.#longestGapMs, performance.now() - this.#newestAtMs),
      pairs: [...this.#pairs.values()].map((pair) => pair.report()),
      history: transport.history.map(({ atMs, choice, reason }) => ({
        atMs: Math.round(atMs - this.#calledAtMs),
        choice,
        reason,
      })),
    };
  }

  #watch(): void {
    const nowMs = performance.now();
    for (const peer of this.#room.peers) this.#pair(peer).watchPath(peer, nowMs);
    for (const counter of this.#room.entities(Counter)) {
      if (counter.isMine || !this.#pair(counter.owner).watchState(counter.count, nowMs)) continue;
      this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#newestAtMs);
      this.#newestAtMs = nowMs;
    }
  }

  #talk(): void {
    if (!this.#isTalking || this.#room.state === "left") return;
    for (const peer of this.#room.peers) {
      const pair = this.#pair(peer);
      try {
        this.#room.send("number", pair.sent, peer);
        pair.sent += 1;
      } catch {
        // The queue is full because there is no path. A message that the SDK does not take is not counted as
        // sent.
      }
    }
  }

  #pair(peer: Peer): PairWatch {
    // A session that the server has forgotten and its successor count their messages separately.
    const myId = this.#room.sessionId;
    const key = `${myId} ${peer.id}`;
    const known = this.#pairs.get(key);
    if (known) return known;
    const pair = new PairWatch(myId, peer.id, this.#calledAtMs);
    this.#pairs.set(key, pair);
    return pair;
  }
}
