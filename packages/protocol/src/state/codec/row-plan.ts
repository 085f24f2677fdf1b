import { Role, type StatePlan } from "../columns/state-plan.js";

/** Columns of at most this many bits have no residual: their changed value follows uncoded. */
export const NARROW_BITS = 4;
/** Flag beside the class of a column: it has a mask bit. */
export const MASKED = 64;
/** Kinds of predictions of columns. The four columns of a quaternion are predicted together. */
export const Prediction = { smooth: 0, place: 1, step: 2, turn: 3 } as const;

/** Consecutive columns, in coding order, with one kind of prediction: `from` up to, not including, `to`. */
export interface Run {
  readonly prediction: number;
  readonly from: number;
  to: number;
}

/** The columns of a plan in coding order, as flat arrays. */
export class RowPlan {
  readonly plan: StatePlan;
  readonly texts: number;
  readonly count: number;
  readonly columns: Int32Array;
  readonly runs: readonly Run[];
  /** Runs of columns that are predicted from earlier columns of the same state. */
  readonly late: readonly Run[];
  readonly min: Int32Array;
  readonly max: Int32Array;
  readonly rest: Int32Array;
  readonly bits: Uint8Array;
  /** MASKED for columns of at most {@link NARROW_BITS} bits. */
  readonly narrow: Uint8Array;
  /** Steps of a full turn; 0 if the column is not an angle. */
  readonly turn: Int32Array;
  /**
   * For each column of a position: the column of its velocity, and position steps per velocity step and tick.
   */
  readonly rates: Int32Array;
  readonly scales: Float64Array;

  constructor(plan: StatePlan) {
    const groups = plan.groups.flatMap((group) =>
      Array.from({ length: group.count }, (_, index) => ({ group, index, column: group.first + index })),
    );
    const columns = Int32Array.from(groups, ({ column }) => column);
    this.plan = plan;
    this.texts = plan.texts.length;
    this.count = columns.length;
    this.columns = columns;
    this.runs = runsOf(plan);
    this.late = this.runs.filter(
      ({ prediction }) => prediction === Prediction.place || prediction === Prediction.turn,
    );
    this.min = columns.map((column) => plan.min[column]!);
    this.max = columns.map((column) => plan.max[column]!);
    this.rest = columns.map((column) => plan.rest[column]!);
    this.bits = Uint8Array.from(columns, (column) => plan.bits[column]!);
    this.narrow = this.bits.map((bits) => (bits <= NARROW_BITS ? MASKED : 0));
    this.turn = columns.map((column) => plan.turn[column]!);
    this.rates = Int32Array.from(groups, ({ group, index }) => group.rate + index);
    this.scales = Float64Array.from(groups, ({ group }) => group.rateScale);
  }
}

function runsOf({ groups }: StatePlan): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (const { role, count } of groups) {
    const prediction = predictionOf(role);
    const last = runs.at(-1);
    if (last?.prediction === prediction && prediction !== Prediction.turn && prediction !== Prediction.place)
      last.to += count;
    else runs.push({ prediction, from, to: from + count });
    from += count;
  }
  return runs;
}

function predictionOf(role: number): number {
  if (role === Role.place) return Prediction.place;
  if (role === Role.rotation) return Prediction.turn;
  return role >= Role.step ? Prediction.step : Prediction.smooth;
}
