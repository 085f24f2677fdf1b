import { systemScheduler, type Cancel, type Scheduler } from "@paceline/transport";

/**
 * A player that decodes no states. It answers the server and sends inputs. A process can hold a thousand of
 * them.
 */
export interface Bot {
  /** Called {@link TURNS_PER_SECOND} times a second; every second turn brings an input. */
  turn(input: number | undefined): void;
  leave(): void;
}

/** Turns of a bot: it acknowledges at each of them. */
export const TURNS_PER_SECOND = 10;
/** One turn out of so many has an input. */
const TURNS_PER_INPUT = 2;
export const INPUTS_PER_SECOND = TURNS_PER_SECOND / TURNS_PER_INPUT;

const PUMP_MS = 2;

/** Gives all bots of a process their turns, evenly over the time. */
export class TurnPump {
  readonly #bots: { readonly bot: Bot; turns: number }[] = [];
  readonly #scheduler: Scheduler;
  readonly #cancel: Cancel;
  #lastMs: number;
  /** Turns that are due; a fraction waits for the next call. */
  #due = 0;
  #next = 0;

  constructor(scheduler: Scheduler = systemScheduler) {
    this.#scheduler = scheduler;
    this.#lastMs = scheduler.nowMs();
    this.#cancel = scheduler.every(PUMP_MS, () => this.#run());
  }

  get size(): number {
    return this.#bots.length;
  }

  add(bot: Bot): void {
    this.#bots.push({ bot, turns: 0 });
  }

  /** Stops, and lets all bots leave. */
  end(): void {
    this.#cancel();
    for (const { bot } of this.#bots) bot.leave();
  }

  #run(): void {
    const nowMs = this.#scheduler.nowMs();
    this.#due += ((nowMs - this.#lastMs) / 1000) * TURNS_PER_SECOND * this.size;
    this.#lastMs = nowMs;
    // A late process leaves turns out: bots that catch up would load the server with a burst.
    this.#due = Math.min(this.#due, this.size);
    for (; this.#due >= 1; this.#due--) {
      this.#next = (this.#next + 1) % this.size;
      const entry = this.#bots[this.#next]!;
      const isInput = entry.turns % TURNS_PER_INPUT === 0;
      entry.bot.turn(isInput ? entry.turns / TURNS_PER_INPUT + 1 : undefined);
      entry.turns += 1;
    }
  }
}
