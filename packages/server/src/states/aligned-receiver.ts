import { Receiver, withoutTicksAfter } from "@paceline/protocol";

/** A receiver that can share encodings with others whose acknowledgements arrive a little earlier or later. */
export class AlignedReceiver extends Receiver {
  /** The newest tick that counts as arrived; undefined: all do. */
  #newestCounted: number | undefined;

  override counted(): Int32Array {
    return this.#newestCounted === undefined
      ? this.arrived.words
      : withoutTicksAfter(this.arrived, this.#newestCounted);
  }

  /** Sets whether all that is sent arrives, in order. What others have acknowledged then does not matter. */
  setInOrder(isInOrder: boolean): void {
    if (!isInOrder) this.fallOut();
    this.isInOrder = isInOrder;
    this.#newestCounted = undefined;
  }

  /**
   * Lets receivers whose acknowledgements differ by at most so many ticks use the oldest of these as baseline, so that
   * they share a packet. One that lags further holds up no other.
   */
  static align(receivers: readonly AlignedReceiver[], spreadTicks: number, tick: number): void {
    const ages = receivers.map((receiver) => ({ receiver, age: tick - receiver.#arrivedTick(spreadTicks) }));
    ages.sort((a, b) => a.age - b.age);
    for (let from = 0; from < ages.length;) {
      let to = from + 1;
      while (to < ages.length && ages[to]!.age - ages[from]!.age <= spreadTicks) to += 1;
      for (const { receiver } of ages.slice(from, to)) receiver.#newestCounted = tick - ages[to - 1]!.age;
      from = to;
    }
  }

  /**
   * Returns the newest tick up to which all due states have arrived. A missing packet is passed over once the due
   * states of more than `patienceTicks` later have arrived.
   */
  #arrivedTick(patienceTicks: number): number {
    const { newest } = this.arrived;
    const before = this.missingTick === undefined ? newest : this.missingTick - 1;
    return before <= newest && newest - before <= patienceTicks ? before : newest;
  }
}
