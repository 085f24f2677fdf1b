import { ConfigError } from "@paceline/protocol";

/** The input of one simulation tick. */
export interface TickInput<Input> {
  /** The tick, unwrapped from the 32 bits of the wire. */
  readonly tick: number;
  readonly input: Input;
}

export interface InputBufferOptions {
  /**
   * Number of inputs in every packet, 1 to 32; default 3. With n, the loss of n - 1 consecutive packets does
   * no harm.
   */
  readonly redundancy?: number;
  /** Most unconfirmed inputs; default 256. Beyond that, the oldest is dropped. */
  readonly capacity?: number;
}

/** The player's inputs that the server has not confirmed yet. */
export class InputBuffer<Input> {
  readonly #redundancy: number;
  readonly #capacity: number;
  #pending: TickInput<Input>[] = [];
  #forgotten = 0;

  constructor({ redundancy = 3, capacity = 256 }: InputBufferOptions = {}) {
    if (!Number.isInteger(redundancy) || redundancy < 1 || redundancy > 32) {
      throw new ConfigError("redundancy", redundancy, "1 to 32 inputs");
    }
    if (!Number.isInteger(capacity) || capacity < redundancy) {
      throw new ConfigError("capacity", capacity, `at least the redundancy, ${redundancy} inputs`);
    }
    this.#redundancy = redundancy;
    this.#capacity = capacity;
  }

  /** Number of inputs dropped before the server confirmed them. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Inputs that the server has not confirmed, oldest first. Prediction replays them. */
  get pending(): readonly TickInput<Input>[] {
    return this.#pending;
  }

  /** Adds the input of a tick. Throws {@link ConfigError} for a tick that is not after the last one. */
  add(tick: number, input: Input): void {
    const last = this.#pending.at(-1);
    if (!Number.isSafeInteger(tick) || (last && tick <= last.tick)) {
      throw new ConfigError("tick", tick, last ? `a tick after ${last.tick}` : "a whole number of ticks");
    }
    this.#pending.push({ tick, input });
    if (this.#pending.length <= this.#capacity) return;
    this.#pending.shift();
    this.#forgotten += 1;
  }

  /** Removes the inputs up to and including `tick`, which the server has simulated. */
  confirm(tick: number): void {
    this.#pending = this.#pending.filter((entry) => entry.tick > tick);
  }

  /** Returns the inputs of the next packet: the newest ones, oldest first. */
  toSend(): readonly TickInput<Input>[] {
    return this.#pending.slice(-this.#redundancy);
  }
}
