import {
  CloseCode,
  ConfigError,
  NetError,
  assertFunction,
  mayJoinAgain,
  type ErrorCode,
  type Group,
  checkKeys,
} from "@paceline/protocol";
import type { Unsubscribe } from "../listeners.js";
import type { JoinCall, checkedCall } from "../connection/match-request.js";
import type { Room } from "./room.js";

/** A request for a match. */
export interface QueueWish {
  /** The player's rank; the server decides what it means. Default 0. */
  readonly rank?: number;
  /** The player's friends. They are matched together, once all of them are in the queue. */
  readonly group?: Group;
  /** Ends the wait. `queue`, or `room` of its result, then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** State of the queue. */
export interface QueueProgress {
  /** Number of players in this queue. */
  readonly waiting: number;
  readonly waitedMs: number;
  /** Difference in rank that this player accepts at present. */
  readonly spread: number;
  /** Members of the group in the queue, this player included. */
  readonly friends: number;
}

interface MatchedSeat {
  readonly ticket: string;
  readonly roomId: string;
}

interface QueueingOptions<Joined> {
  /** Room in which players wait. */
  readonly queue: Room;
  readonly wish: QueueWish;
  enter(seat: MatchedSeat): Promise<Joined>;
}

/** A place in a queue until a match is found. */
export class Queueing<Joined = Room> {
  /**
   * Room of the match. Rejects with {@link NetError} `match/queue-ended` if there is none (`retryable`,
   * unless the game has cancelled or the server has removed the player), or with the reason of an aborted
   * signal.
   */
  readonly room: Promise<Joined>;
  readonly #options: QueueingOptions<Joined>;
  #isOver = false;

  /** @internal Use `Client.queue`. */
  constructor(options: QueueingOptions<Joined>) {
    this.#options = options;
    const { queue } = options;
    this.room = new Promise<Joined>((resolve, reject) => {
      queue.onMessage("matched", (message) => {
        const seat = seatOf(message);
        if (!seat || this.#isOver) return;
        this.#isOver = true;
        void queue.leave();
        options.enter(seat).then(resolve, reject);
      });
      const { signal } = options.wish;
      const cancel = (): void => this.cancel();
      signal?.addEventListener("abort", cancel, { once: true });
      queue.onLeave((code, reason) => {
        signal?.removeEventListener("abort", cancel);
        if (!this.#isOver) reject(signal?.aborted ? (signal.reason as Error) : ended(code, reason));
        this.#isOver = true;
      });
      if (signal?.aborted) cancel();
    });
    // Prevents an unhandled rejection in a game that ignores the promise.
    this.room.catch(() => undefined);
    // The server has lost this player's request.
    queue.onReconnect(({ resumed }) => !resumed && this.#ask());
    this.#ask();
  }

  /** Registers a listener, which runs about once a second. */
  onProgress(listener: (progress: QueueProgress) => void): Unsubscribe {
    assertFunction("listener", listener);
    return this.#options.queue.onMessage("progress", (message) => {
      const progress = progressOf(message);
      if (progress) listener(progress);
    });
  }

  /** Leaves the queue. Has no effect after a match was found. */
  cancel(): void {
    if (!this.#isOver) void this.#options.queue.leave();
  }

  #ask(): void {
    const { queue, wish } = this.#options;
    const { rank = 0, group } = wish;
    queue.send("enter", group ? { rank, group } : { rank });
  }
}

/** Methods of the client that a queue uses. An import of the client here would add a chunk to every game. */
interface QueueingTools<Joined> {
  readonly checkedCall: typeof checkedCall;
  enter(this: void, call: JoinCall, signal: AbortSignal | undefined): Promise<Joined | Room>;
}

/** Enters the queue. Rejects with {@link ConfigError} for invalid arguments before it sends anything. */
export async function beginQueueing<Joined extends Pick<Room, "roomId">>(
  roomName: string,
  given: QueueWish & { readonly options?: object },
  { checkedCall, enter }: QueueingTools<Joined>,
): Promise<Queueing<Joined>> {
  checkKeys("", given, ["rank", "group", "options", "signal"]);
  const { options = {}, ...wish } = given;
  const { rank = 0, group, signal } = wish;
  if (!Number.isFinite(rank)) throw new ConfigError("rank", rank, "a finite number");
  const terms = { ...(group !== undefined && { group }), ...(signal !== undefined && { signal }) };
  const { method, options: checked, terms: own } = checkedCall("joinOrCreate", roomName, options, terms);
  const queue = (await enter({ method, target: `${roomName}.queue`, options: checked }, signal)) as Room;
  return new Queueing<Joined>({
    queue,
    wish,
    enter: ({ ticket, roomId }) =>
      // The ticket leads to the match. Friends need their group to meet again after a restart of the server.
      enter(
        { method: "joinById", target: roomId, options: checked, ticket, terms: own },
        signal,
      ) as Promise<Joined>,
  });
}

const CODE: ErrorCode = "match/queue-ended";

function ended(code: number, reason: string): NetError {
  const words = code === CloseCode.left ? "cancelled" : reason;
  return new NetError(CODE, words, { retryable: mayJoinAgain(code) });
}

function seatOf(message: unknown): MatchedSeat | undefined {
  const { ticket, roomId } = (message ?? {}) as { readonly ticket?: unknown; readonly roomId?: unknown };
  const isSeat = typeof ticket === "string" && /^[\w.-]{1,1024}$/.test(ticket) && typeof roomId === "string";
  return isSeat ? { ticket, roomId } : undefined;
}

function progressOf(message: unknown): QueueProgress | undefined {
  const given = (message ?? {}) as Readonly<Record<string, unknown>>;
  const { waiting, waitedMs, spread, friends } = given;
  const numbers = [waiting, waitedMs, spread, friends];
  if (!numbers.every((value) => typeof value === "number")) return undefined;
  return { waiting, waitedMs, spread, friends } as QueueProgress;
}
