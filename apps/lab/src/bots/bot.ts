/**
 * A player without a picture: it answers what the protocol asks, sends inputs, and decodes no state, so that a
 * process can hold a thousand.
 */
export interface Bot {
  /** Called {@link TURNS_PER_SECOND} times a second; every second turn brings an input. */
  turn(input: number | undefined): void;
  leave(): void;
}

/** Turns of a bot: it acknowledges at each of them. */
export const TURNS_PER_SECOND = 10;
/** One turn out of so many has an input. */
export const TURNS_PER_INPUT = 2;
export const INPUTS_PER_SECOND = TURNS_PER_SECOND / TURNS_PER_INPUT;

const PUMP_MS = 2;

/** Gives all bots their turns, evenly over the time. Returns how to stop it. */
export function pumpTurns(bots: readonly Bot[]): () => void {
  const startedMs = performance.now();
  let made = 0;
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedMs) / 1000;
    const due = Math.floor(seconds * TURNS_PER_SECOND * bots.length);
    // A late process leaves turns out: bots that catch up would load the server with a burst.
    made = Math.max(made, due - bots.length);
    for (; made < due; made++) {
      const turn = Math.floor(made / bots.length);
      const isInput = turn % TURNS_PER_INPUT === 0;
      bots[made % bots.length]!.turn(isInput ? turn / TURNS_PER_INPUT + 1 : undefined);
    }
  }, PUMP_MS);
  return () => clearInterval(timer);
}
