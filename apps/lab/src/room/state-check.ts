import type { SwarmFigures } from "./child-process.js";
import type { SeenState, Tolerance } from "./system.js";
import { machineMs, truthOf, type Car } from "./world.js";

/** Largest number of inputs by which the echo of a client's own input may lag. */
const MAX_BEHIND = 10;
const TURN = 2 * Math.PI;

type Checked = Pick<SwarmFigures, "states" | "wrong" | "stale" | "example" | "latencyMsP50" | "latencyMsP99">;

interface StateCheckOptions {
  readonly players: number;
  readonly judged: number;
  readonly tolerance: Tolerance;
}

/**
 * Compares one car of every received state, each time another one, with its true position. A check of all
 * cars would use most
 * of the CPU of a swarm of a hundred clients, and a late swarm would measure itself.
 */
export class StateCheck {
  readonly #players: number;
  readonly #judged: number;
  readonly #tolerance: Tolerance;
  readonly #inputs: Int32Array;
  readonly #echoes: Int32Array;
  readonly #latencies: number[] = [];
  #states = 0;
  #isOn = false;
  #wrong = 0;
  #stale = 0;
  #example: string | undefined;

  /** `judged`: latencies and echoes count for the first players up to this number; values count for all. */
  constructor({ players, judged, tolerance }: StateCheckOptions) {
    this.#players = players;
    this.#judged = judged;
    this.#tolerance = tolerance;
    this.#inputs = new Int32Array(players);
    this.#echoes = new Int32Array(players);
  }

  /** Returns the number of a player's next input. */
  nextInput(index: number): number {
    return ++this.#inputs[index]!;
  }

  /** Returns the listener for a client's states. */
  listener(index: number): (state: SeenState) => void {
    return (state) => {
      if (this.#isOn) this.#take(index, state);
    };
  }

  begin(): void {
    this.#isOn = true;
  }

  end(): Checked {
    this.#isOn = false;
    const sorted = Float64Array.from(this.#latencies).sort();
    const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
    return {
      states: this.#states,
      wrong: this.#wrong,
      stale: this.#stale,
      example: this.#example,
      latencyMsP50: at(0.5),
      latencyMsP99: at(0.99),
    };
  }

  #take(index: number, state: SeenState): void {
    this.#states += 1;
    const fault = this.#faultIn(state, index);
    if (fault !== undefined) {
      this.#wrong += 1;
      this.#example ??= fault;
    }
    if (index >= this.#judged) return;
    this.#latencies.push(machineMs() - state.sentMs);
    const own = state.car(index)?.lastInput ?? 0;
    const isStale = own < this.#echoes[index]! || (this.#inputs[index]! & 0xffff) - own > MAX_BEHIND;
    if (isStale) this.#stale += 1;
    this.#echoes[index] = own;
  }

  #faultIn(state: SeenState, client: number): string | undefined {
    if (state.count !== this.#players) return `${state.count} cars`;
    const index = (state.tick * 7 + client) % this.#players;
    const car = state.car(index);
    if (car && this.#isRight(car, index, state.tick)) return undefined;
    return `tick ${state.tick}: car ${index} ${JSON.stringify(car)}`;
  }

  #isRight(car: Car, index: number, tick: number): boolean {
    const { positionM, velocityMps, headingRad } = this.#tolerance;
    const { x, y, vx, vy, yaw } = truthOf(index, tick);
    const turn = Math.abs(car.yaw - yaw) % TURN;
    return (
      car.index === index &&
      Math.abs(car.x - x) <= positionM &&
      Math.abs(car.y - y) <= positionM &&
      Math.abs(car.vx - vx) <= velocityMps &&
      Math.abs(car.vy - vy) <= velocityMps &&
      Math.min(turn, TURN - turn) <= headingRad
    );
  }
}
