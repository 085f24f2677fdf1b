import { ConfigError } from "@paceline/protocol";
import type { Rectangle } from "./interest-options.js";
import type { InterestFaults } from "./interest-faults.js";
import type { CellScheme } from "./cell-scheme.js";

const UNKNOWN = 0;
const VISIBLE = 1;
const HIDDEN = 2;

/**
 * A table of the cells that can be seen from a cell, so that walls cost a look-up. Rows are made when a viewer
 * first comes to a cell. A table over tiles filters almost as exactly as rays do (Boulanger, Kienzle and
 * Verbrugge 2006: up to six times fewer updates).
 */
export class CellVisibility {
  readonly #grid: CellScheme;
  readonly #windowSize: number;
  readonly #cellVisible: (from: Rectangle, to: Rectangle) => boolean;
  readonly #faults: InterestFaults;
  readonly #rows = new Map<number, Uint8Array>();
  /** Answers by pair, for schemes whose views are no windows. */
  readonly #pairs = new Map<number, boolean>();

  /** @param windowSize number of cells in a viewer's window */
  constructor(
    grid: CellScheme,
    windowSize: number,
    cellVisible: (from: Rectangle, to: Rectangle) => boolean,
    faults: InterestFaults,
  ) {
    this.#grid = grid;
    this.#windowSize = windowSize;
    this.#cellVisible = cellVisible;
    this.#faults = faults;
  }

  /** @param place of `cell` in the window around `from` */
  sees(from: number, cell: number, place: number): boolean {
    if (from === cell) return true;
    let row = this.#rows.get(from);
    if (!row) this.#rows.set(from, (row = new Uint8Array(this.#windowSize)));
    if (row[place] === UNKNOWN) row[place] = this.#ask(from, cell) ? VISIBLE : HIDDEN;
    return row[place] === VISIBLE;
  }

  /** As {@link sees}, for schemes whose views are no windows. */
  seesPair(from: number, cell: number): boolean {
    if (from === cell) return true;
    const pair = from * this.#grid.cellCount + cell;
    let answer = this.#pairs.get(pair);
    if (answer === undefined) this.#pairs.set(pair, (answer = this.#ask(from, cell)));
    return answer;
  }

  #ask(from: number, cell: number): boolean {
    try {
      const answer: unknown = this.#cellVisible(this.#grid.groundOf(from), this.#grid.groundOf(cell));
      if (typeof answer === "boolean") return answer;
      throw new ConfigError("interest.cellVisible", answer, "true or false, at once");
    } catch (error) {
      this.#faults.count("visibility", undefined, undefined, error);
      return false;
    }
  }
}
