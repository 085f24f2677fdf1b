import { machineMs } from "../room/world.js";

/** Where a page draws a cell at the moment. */
export interface Drawn {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** A player of the benchmark, with what its page would draw. */
export interface ArenaPlayer {
  steer(x: number, y: number): void;
  split(): void;
  /** Reads all that a frame draws, food and viruses too, and calls `draw` for each cell of others. */
  frame(draw: (cell: Drawn) => void): void;
}

export interface ArenaSystem {
  readonly name: string;
  readonly packages: readonly string[];
  serve(port: number, log: TruthLog): Promise<void>;
  join(port: number, index: number): Promise<ArenaPlayer>;
}

/** Keeps where the server had each cell at each step, and the time that the rules of the game took. */
export class TruthLog {
  /** `[ms, count, id, x, y, id, x, y, ...]` for each step, by the machine's clock. */
  #steps: number[] = [];
  #rulesMs = 0;
  isOn = false;

  begin(): void {
    this.isOn = true;
    this.#steps = [];
    this.#rulesMs = 0;
  }

  /** Runs a step of the game, and keeps where its cells are then. */
  step(rules: () => void, cells: () => Iterable<Drawn>): void {
    const startedMs = performance.now();
    rules();
    this.#rulesMs += performance.now() - startedMs;
    if (!this.isOn) return;
    const all = [...cells()];
    this.#steps.push(machineMs(), all.length, ...all.flatMap(({ id, x, y }) => [id, x, y]));
  }

  end(): { readonly steps: readonly number[]; readonly rulesMs: number } {
    this.isOn = false;
    return { steps: this.#steps, rulesMs: this.#rulesMs };
  }
}
