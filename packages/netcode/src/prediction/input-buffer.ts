/** The input of one simulation tick. */
export interface TickInput<Input> {
  /** The tick, unwrapped from the 32 bits of the wire. */
  readonly tick: number;
  readonly input: Input;
}

/** Number of inputs in every packet: the loss of two packets in a row does no harm. */
const INPUTS_PER_PACKET = 3;
/** Limit of unconfirmed inputs. Beyond it, the oldest is dropped. */
const CAPACITY = 256;

/** The player's inputs that the server has not confirmed yet. */
export class InputBuffer<Input> {
  #pending: TickInput<Input>[] = [];

  /** Inputs that the server has not confirmed, oldest first. Prediction replays them. */
  get pending(): readonly TickInput<Input>[] {
    return this.#pending;
  }

  /** Adds the input of the next tick. */
  add(tick: number, input: Input): void {
    this.#pending.push({ tick, input });
    if (this.#pending.length > CAPACITY) this.#pending.shift();
  }

  /** Removes the inputs up to and including `tick`, which the server has simulated. */
  confirm(tick: number): void {
    this.#pending = this.#pending.filter((entry) => entry.tick > tick);
  }

  /** Returns the inputs of the next packet: the newest ones, oldest first. */
  toSend(): readonly TickInput<Input>[] {
    return this.#pending.slice(-INPUTS_PER_PACKET);
  }
}
