const STEPS = 256;

/**
 * Numbers for sets of acknowledgements: equal numbers mean equal sets. Two receivers in the same state that
 * acknowledge the same packet get the same next state. So comparing two receivers is comparing two numbers.
 */
export class AcknowledgedStates {
  #last = 0;
  readonly #from = new Float64Array(STEPS);
  readonly #packet = new Float64Array(STEPS);
  readonly #to = new Float64Array(STEPS);

  /** Returns a state that no other receiver has. */
  newState(): number {
    return ++this.#last;
  }

  /** Returns the state after the acknowledgement of a packet. `packet` 0: no other receiver got it. */
  after(state: number, packet: number): number {
    if (packet === 0) return this.newState();
    const slot = (state * 5 + packet) % STEPS;
    if (this.#from[slot] === state && this.#packet[slot] === packet) return this.#to[slot]!;
    this.#from[slot] = state;
    this.#packet[slot] = packet;
    return (this.#to[slot] = this.newState());
  }
}
