import type { Awareness, AwarenessFacts } from "./aura.js";
import type { CellScheme } from "./cell-scheme.js";
import type { InterestPlan } from "./interest-options.js";

/** The parts of a scheme. */
interface SchemeParts {
  /** Cells from a viewer to the edge of its view, if a game names no size. Default 2. */
  readonly cellsPerRadius?: number;
  /** Edge of the smallest cells, as a share of `cellM`. Default 1. */
  readonly finestShare?: number;
  /** Cells for each square of the edge `cellM`. Default 1. */
  readonly cellsPerSquare?: number;
  /** Media in which entities may have a nimbus. */
  readonly media?: readonly string[];
  /** Makes the cells of a room. Default: squares. */
  readonly newCells?: (plan: InterestPlan) => CellScheme;
  /** Makes the rule by which the viewers of a room perceive entities. Default: a viewer sees whole cells. */
  readonly newAwareness?: (facts: AwarenessFacts) => Awareness;
}

/** A way to find out who sees whom, made by `hexagons`, `quadtree` or `aura`. */
export class InterestScheme {
  readonly name: string;
  /** @internal */
  readonly parts: SchemeParts;

  /** @internal */
  constructor(name: string, parts: SchemeParts) {
    this.name = name;
    this.parts = parts;
  }
}
