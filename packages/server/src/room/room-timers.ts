import { ConfigError, assertFunction, assertRange, plainDataProblem } from "@paceline/protocol";
import type { Log } from "@paceline/relay";
import type { Cancel, Scheduler } from "@paceline/transport";
import type { RoomClock } from "./room-clock.js";

/** A named timer as a save holds it: plain data. */
export interface SavedTimer {
  /** The room's method that it calls. */
  readonly method: string;
  readonly args: readonly unknown[];
  /** Time until its next call, ms. */
  readonly leftMs: number;
  /** Undefined for a timer that runs once. */
  readonly periodMs?: number;
}

/** The surroundings of {@link RoomTimers}. */
export interface RoomTimersOptions {
  readonly room: object;
  readonly clock: RoomClock;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly roomId: string;
}

interface Timer {
  readonly call: Call;
  readonly periodMs: number | undefined;
  dueAtMs: number;
  /** Ends the wait for the next call. */
  cancel: Cancel;
}

/** The code that a timer calls: a method of the room, which a save can name, or a function, which it cannot. */
type Call = { readonly method: string; readonly args: readonly unknown[] } | { readonly run: () => unknown };

/** 24 days. Longer timers of the platform run at once. */
const MAX_MS = 24 * 24 * 3600 * 1000;
/** Limit of the timers of a room, and of those that a save may bring. */
const MAX_TIMERS = 10_000;

/**
 * Timers of a room that outlive its process: `Room.after` and `Room.every`. They wait on the room's clock, and
 * so end with it. A save holds their methods, arguments and remaining times. No time passes for them while no
 * process runs the room.
 */
export class RoomTimers {
  readonly #options: RoomTimersOptions;
  readonly #timers = new Set<Timer>();

  constructor(options: RoomTimersOptions) {
    this.#options = options;
  }

  /** Calls a method, or a function, once. Throws {@link ConfigError} for what is no time, method or plain data. */
  after(delayMs: number, called: string | (() => unknown), args: readonly unknown[]): Cancel {
    assertRange("ms", delayMs, [0, MAX_MS, "ms"]);
    return this.#add(this.#callOf(called, args), delayMs, undefined);
  }

  /** Like {@link after}, again and again. */
  every(periodMs: number, called: string | (() => unknown), args: readonly unknown[]): Cancel {
    assertRange("ms", periodMs, [1, MAX_MS, "ms"]);
    return this.#add(this.#callOf(called, args), periodMs, periodMs);
  }

  /** Cancels the timers that call this method. Returns their number. */
  cancel(method: string): number {
    const timers = [...this.#waiting()].filter(({ call }) => "method" in call && call.method === method);
    for (const timer of timers) this.#end(timer);
    return timers.length;
  }

  /** Returns what is left of the named timers, in the order of their next calls. */
  save(): SavedTimer[] {
    const nowMs = this.#options.scheduler.nowMs();
    const saved: SavedTimer[] = [];
    for (const { call, dueAtMs, periodMs } of this.#waiting()) {
      if (!("method" in call)) continue;
      const leftMs = Math.max(0, dueAtMs - nowMs);
      saved.push({ ...call, leftMs, ...(periodMs !== undefined && { periodMs }) });
    }
    // Equal times keep the order of their calls.
    return saved.sort((one, other) => one.leftMs - other.leftMs);
  }

  /**
   * Goes on with saved timers, in place of the named ones that `onCreate` has started. Any value may come: a
   * timer that makes no sense, or whose method this build does not have, is left out and logged.
   */
  restore(saved: unknown): void {
    for (const timer of this.#waiting()) if ("method" in timer.call) this.#end(timer);
    const { log, roomId } = this.#options;
    const timers: readonly unknown[] = Array.isArray(saved) ? saved : [saved];
    const problems = timers.slice(0, MAX_TIMERS).map((timer) => this.#restoreOne(timer));
    if (timers.length > MAX_TIMERS) problems.push(`there are more than ${MAX_TIMERS} timers`);
    for (const problem of new Set(problems)) {
      if (problem !== undefined) log.warn("a saved timer does not go on", { roomId, problem });
    }
  }

  /** Returns a sentence if it cannot go on. */
  #restoreOne(saved: unknown): string | undefined {
    if (typeof saved !== "object" || saved === null) return "it is no timer";
    const { method, args, leftMs, periodMs } = saved as Partial<Record<keyof SavedTimer, unknown>>;
    if (typeof method !== "string" || !Array.isArray(args)) return "it is no timer";
    try {
      assertRange("leftMs", leftMs, [0, MAX_MS, "ms"]);
      if (periodMs !== undefined) assertRange("periodMs", periodMs, [1, MAX_MS, "ms"]);
      this.#add(this.#callOf(method, args), leftMs as number, periodMs as number | undefined);
      return undefined;
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
  }

  #callOf(called: string | (() => unknown), args: readonly unknown[]): Call {
    const { room, log, roomId } = this.#options;
    if (typeof called !== "string") {
      assertFunction("method", called);
      const { persistent } = room.constructor as { readonly persistent?: unknown };
      if (persistent) {
        log.warn("a timer with a function is not saved: name a method of the room instead", { roomId });
      }
      return { run: called };
    }
    if (!isMethodOf(room, called))
      throw new ConfigError("method", called, "the name of a method of the room");
    for (const [index, arg] of args.entries()) {
      const problem = plainDataProblem(arg, `args[${index}]`);
      if (problem) throw problem;
    }
    return { method: called, args };
  }

  #add(call: Call, delayMs: number, periodMs: number | undefined): Cancel {
    if (this.#timers.size >= MAX_TIMERS && [...this.#waiting()].length >= MAX_TIMERS) {
      throw new ConfigError("timers", MAX_TIMERS + 1, `at most ${MAX_TIMERS} in a room`);
    }
    const dueAtMs = this.#options.scheduler.nowMs() + delayMs;
    const timer: Timer = { call, periodMs, dueAtMs, cancel: () => undefined };
    this.#timers.add(timer);
    this.#wait(timer);
    return () => this.#end(timer);
  }

  #wait(timer: Timer): void {
    const { clock, scheduler } = this.#options;
    timer.cancel = clock.setTimeout(
      () => {
        const { call, periodMs } = timer;
        if (periodMs === undefined) this.#timers.delete(timer);
        else {
          // After a pause one call is enough.
          const missed = Math.max(0, Math.floor((scheduler.nowMs() - timer.dueAtMs) / periodMs));
          timer.dueAtMs += (missed + 1) * periodMs;
          this.#wait(timer);
        }
        return "run" in call ? call.run() : this.#method(call.method)(...call.args);
      },
      Math.max(0, timer.dueAtMs - scheduler.nowMs()),
    );
  }

  #method(name: string): (...args: readonly unknown[]) => unknown {
    const { room } = this.#options;
    const method = (room as Readonly<Record<string, unknown>>)[name] as (
      ...args: readonly unknown[]
    ) => unknown;
    return method.bind(room);
  }

  #end(timer: Timer): void {
    this.#timers.delete(timer);
    timer.cancel();
  }

  /** The timers that still wait: `clock.clear()` ends them, too. */
  *#waiting(): Generator<Timer> {
    const { clock } = this.#options;
    for (const timer of this.#timers) {
      if (clock.isWaiting(timer.cancel)) yield timer;
      else this.#timers.delete(timer);
    }
  }
}

/** Returns true for a method that a class of the game, or `Room`, declares. */
function isMethodOf(room: object, name: string): boolean {
  if (name === "constructor" || Object.hasOwn(Object.prototype, name) || !(name in room)) return false;
  return typeof (room as Readonly<Record<string, unknown>>)[name] === "function";
}
