import type { SeenState, Tolerance } from "../room/system.js";
import { machineMs, type Car } from "../room/world.js";
import { INPUTS_PER_SECOND } from "../bots/bot.js";
import type { CheckersFigures, LoadFigures } from "./child-process.js";
import type { Seat } from "./system.js";
import { poseOf } from "./world.js";

/** Largest number of inputs by which the echo of a client's own input may lag: 600 ms. */
const MAX_BEHIND = Math.ceil(0.6 * INPUTS_PER_SECOND);
const TURN = 2 * Math.PI;

type Checked = Omit<CheckersFigures, keyof LoadFigures | "checkers">;

/** One whole client: the states that it decoded, their age, and what is wrong with them. */
class Checker {
  readonly ages: number[] = [];
  readonly seat: Seat;
  wrong = 0;
  stale = 0;
  example: string | undefined;
  /** Number of the newest input that the client has sent. */
  input = 0;
  readonly #tolerance: Tolerance;
  #echo = 0;

  constructor(seat: Seat, tolerance: Tolerance) {
    this.seat = seat;
    this.#tolerance = tolerance;
  }

  take(state: SeenState): void {
    this.ages.push(machineMs() - state.sentMs);
    const fault = this.#faultIn(state);
    if (fault !== undefined) {
      this.wrong += 1;
      this.example ??= fault;
    }
    const echo = state.car(this.seat.index)?.lastInput ?? 0;
    if (echo < this.#echo || this.input - echo > MAX_BEHIND) this.stale += 1;
    this.#echo = echo;
  }

  /** Compares one walker of every state, each time another one: all would cost the checkers' core too much. */
  #faultIn(state: SeenState): string | undefined {
    const { tick, count } = state;
    const { room, index, roomPlayers } = this.seat;
    if (count !== roomPlayers) return `${count} walkers`;
    const other = room * roomPlayers + ((tick * 7 + index) % roomPlayers);
    const seen = state.car(other);
    if (seen && this.#isRight(seen, other, tick)) return undefined;
    return `tick ${tick}: walker ${other} ${JSON.stringify(seen)}`;
  }

  #isRight(seen: Car, index: number, tick: number): boolean {
    const { positionM, velocityMps, headingRad } = this.#tolerance;
    const { x, y, vx, vy, yaw } = poseOf(index, tick);
    const turn = Math.abs(seen.yaw - yaw) % TURN;
    return (
      seen.index === index &&
      Math.abs(seen.x - x) <= positionM &&
      Math.abs(seen.y - y) <= positionM &&
      Math.abs(seen.vx - vx) <= velocityMps &&
      Math.abs(seen.vy - vy) <= velocityMps &&
      Math.min(turn, TURN - turn) <= headingRad
    );
  }
}

/** Checks the states of all whole clients of a process. */
export class WalkerCheck {
  readonly #tolerance: Tolerance;
  readonly #checkers: Checker[] = [];
  #isOn = false;

  constructor(tolerance: Tolerance) {
    this.#tolerance = tolerance;
  }

  /** Adds a client: returns what takes its states, and what gives the number of its next input. */
  add(seat: Seat): { readonly onState: (state: SeenState) => void; readonly nextInput: () => number } {
    const checker = new Checker(seat, this.#tolerance);
    this.#checkers.push(checker);
    return {
      onState: (state) => {
        if (this.#isOn) checker.take(state);
      },
      nextInput: () => ++checker.input,
    };
  }

  begin(): void {
    this.#isOn = true;
  }

  end(): Checked {
    this.#isOn = false;
    const ages = Float64Array.from(this.#checkers.flatMap((checker) => checker.ages)).sort();
    const at = (share: number): number => ages[Math.floor(share * ages.length)] ?? Number.NaN;
    const sum = (of: (checker: Checker) => number): number =>
      this.#checkers.reduce((total, checker) => total + of(checker), 0);
    return {
      states: ages.length,
      ageMsP50: at(0.5),
      ageMsP99: at(0.99),
      wrong: sum(({ wrong }) => wrong),
      stale: sum(({ stale }) => stale),
      example: this.#checkers.find(({ example }) => example !== undefined)?.example,
    };
  }
}
