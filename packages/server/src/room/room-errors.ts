import { CloseCode } from "@paceline/protocol";
import type { Log } from "@paceline/relay";
import type { Clock } from "@paceline/transport";
import { failureText, type Hooks } from "../hooks/hooks.js";
import type { RoomCounters } from "../ops/room-counters.js";
import type { RelayedRoom } from "./room-parts.js";
import type { Room, UncaughtAnswer } from "./room.js";

export interface RoomErrorsOptions {
  readonly room: Room;
  readonly hosted: RelayedRoom;
  readonly counters: RoomCounters;
  readonly clock: Clock;
  readonly log: Log;
  /** A hook that takes longer has blocked the server. */
  readonly blockedMs: number;
  /** Called for a hook that fails when the room is closed. */
  readonly onLateError: (hook: string) => void;
}

const UNCAUGHT = "onUncaughtException";
/** Errors that end a room by default, because they cut off its code in the middle. */
const endingErrors: ReadonlySet<string> = new Set(["uncaughtException", "step", "timer"]);

/** Blocks within the window that end a room. */
const MAX_BLOCKS = 3;
const LEAST_WINDOW_MS = 10_000;
/** The window is at least this many times as long as a block. */
const WINDOW_BLOCKS = 10;

/** Counts the errors and blocks of a room's code, and ends the room for some of them. */
export class RoomErrors {
  /** True: the room is closed. Its errors are counted elsewhere, and end nothing. */
  isClosed = false;
  readonly #options: RoomErrorsOptions;
  readonly #noteRun: ReturnType<typeof blockWatch>;

  constructor(options: RoomErrorsOptions) {
    this.#options = options;
    this.#noteRun = blockWatch(options.blockedMs);
  }

  /** Counts a failed hook, and asks the game if the room shall end. */
  failed(hooks: Hooks, hook: string, error: unknown): void {
    const { counters, room, onLateError } = this.#options;
    if (this.isClosed) onLateError(hook);
    const { hookErrors } = counters;
    hookErrors[hook] = (hookErrors[hook] ?? 0) + 1;
    if (this.isClosed || hook === UNCAUGHT) return;
    if (!room.onUncaughtException) return this.#answered(hook, undefined);
    void hooks
      .wait(UNCAUGHT, () => room.onUncaughtException?.(error, hook))
      .then((outcome) => this.#answered(hook, outcome.ok ? outcome.value : undefined));
  }

  /**
   * Counts a block if a hook took too long. Code that blocks cannot be stopped, so a room that blocks
   * repeatedly is ended.
   */
  took(tookMs: number): void {
    const { clock, counters, hosted, log } = this.#options;
    const run = this.#noteRun(tookMs, clock.nowMs());
    if (run !== "short") counters.blocked += 1;
    if (run !== "too many blocks" || this.isClosed) return;
    log.error("a room blocks the server and is ended", { roomId: hosted.id, tookMs });
    hosted.end(CloseCode.roomClosed, "the room's code blocked the server for too long");
  }

  /**
   * Ends or continues the room after an error, as the game wishes. By default it ends after the errors that
   * leave a step or a timer half done.
   */
  #answered(hook: string, wish: UncaughtAnswer): void {
    const answer = wish ?? (endingErrors.has(hook) ? "end" : "continue");
    if (answer === "continue" || this.isClosed) return;
    this.#options.hosted.end(CloseCode.roomClosed, failureText(hook));
  }
}

/**
 * Returns a function that takes how long code has run, and counts how often a room's code blocks the process:
 * runs longer than `blockedMs`. Code that blocks cannot be stopped, but its room can be ended.
 */
function blockWatch(blockedMs: number) {
  const windowMs = Math.max(LEAST_WINDOW_MS, WINDOW_BLOCKS * blockedMs);
  const blocksAtMs: number[] = [];
  return (tookMs: number, nowMs: number): "short" | "block" | "too many blocks" => {
    if (!(tookMs > blockedMs)) return "short";
    blocksAtMs.push(nowMs);
    while (blocksAtMs[0]! < nowMs - windowMs) blocksAtMs.shift();
    return blocksAtMs.length >= MAX_BLOCKS ? "too many blocks" : "block";
  };
}
