import { isFiniteRow, type Components } from "../body/body-layout.js";
import type { TickInput } from "./input-buffer.js";
import type { AuthorityUpdate } from "./player-prediction.js";
import { ServerInputBuffer, type ServerInputBufferOptions } from "./server-input-buffer.js";

/** The game's physics, as the server runs them for one player. */
export interface PlayerAuthorityOptions<Input> extends ServerInputBufferOptions {
  /** The game's physics for one tick, in place: the same as the player's. */
  readonly step: (state: Components, input: Input, seconds: number) => void;
  readonly tickSeconds: number;
  /** Input of a player that has sent nothing yet. */
  readonly idle: Input;
}

/**
 * The server's side of {@link PlayerPrediction}: keeps the inputs of one player, simulates each of its ticks once, and
 * says what came of it. Knows nothing of bytes: check inputs before you hand them in.
 *
 * ```
 * from the player: authority.receive(inputs);
 * each tick:       send(authority.advance());   // or every third
 * ```
 */
export class PlayerAuthority<Input> {
  readonly #options: PlayerAuthorityOptions<Input>;
  readonly #inputs: ServerInputBuffer<Input>;
  readonly #state: Float64Array;
  readonly #next: Float64Array;
  #tick: number;

  /** @param state the entity's first state, of `tick`; copied */
  constructor(options: PlayerAuthorityOptions<Input>, state: Components, tick: number) {
    this.#options = options;
    this.#inputs = new ServerInputBuffer(options.idle, options);
    this.#state = Float64Array.from(state);
    this.#next = Float64Array.from(state);
    this.#tick = tick;
  }

  get tick(): number {
    return this.#tick;
  }

  /** The truth. The game may write it between ticks: a collision, a teleport. */
  get state(): Float64Array {
    return this.#state;
  }

  /** Inputs that came after their tick, ticks that had none, inputs that were too far ahead. */
  get counts(): ServerInputBuffer<Input>["counts"] {
    return this.#inputs.counts;
  }

  receive(inputs: readonly TickInput<Input>[]): void {
    this.#inputs.receive(inputs);
  }

  /** Simulates the next tick. A step that throws, or computes no numbers, leaves the state as it was. */
  advance(): AuthorityUpdate {
    const { step, tickSeconds } = this.#options;
    this.#tick += 1;
    const { input } = this.#inputs.take(this.#tick);
    this.#next.set(this.#state);
    try {
      step(this.#next, input, tickSeconds);
      if (isFiniteRow(this.#next)) this.#state.set(this.#next);
    } catch {
      // One player's input must not end everybody's tick; the player is corrected to where it was.
    }
    const { leadErrorTicks } = this.#inputs;
    return { tick: this.#tick, state: this.#state, leadErrorTicks };
  }
}
