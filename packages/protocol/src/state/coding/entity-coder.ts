import type { Baselines } from "./baselines.js";
import { Persistence } from "./damping.js";
import { LOG_UNITS, integerLog } from "./integer-log.js";
import type { PacketGrids } from "./packet-grids.js";
import type { ResidualModel } from "./residual-model.js";
import { FEATURES, Role } from "../plan/residual-parameters.js";
import { RotationPredictor } from "./rotation-predictor.js";
import type { ColumnGroup, StatePlan } from "../plan/state-plan.js";
import { StepCoder } from "./step-coder.js";

/** A position that its velocity missed by more steps than this, and by more than its own history, ignores it. */
const MISS_TOLERANCE = 2;
/** Speeds below this many steps do not tell a direction. */
const STILL_SPEED_SQUARED = 400;

const RATE = Role.rate * FEATURES;
const PLACE = Role.place * FEATURES;
const SMOOTH = Role.smooth * FEATURES;
const ROTATION = Role.rotation * FEATURES;
/** Places of the features' weights, from a role's first on; what they weigh is said where they are used. */
const OWN = 1;
const GROUP = 2;
const CHANGE = 3;
const SIZE = 4;
const FIRST = 5;
const SURPRISE = 6;
const LAST_GROUP = 7;
const GROUP_BEFORE = 8;
const WEIGHT_SHIFT = 6;
/** Where the change and the bend of a column stand that is coded apart from its group. */
const ALONE = 3;

/**
 * Codes one entity against its baselines: predicts every column from the history that both sides hold, and codes by
 * how much the prediction is off. One description for both directions; the decoder fills in the row as it goes.
 */
export class EntityCoder {
  readonly #model: ResidualModel;
  readonly #rotation = new RotationPredictor();
  readonly #steps: StepCoder;
  readonly #persistence = new Persistence();
  #plan!: StatePlan;
  #baselines!: Baselines;
  #grids!: PacketGrids;
  readonly #surprises = { last: 0, before: 0 };
  /** Of the group that is being coded: change per tick, its change, and how far velocity missed. */
  #changes = new Float64Array(4);
  #bends = new Float64Array(4);
  readonly #misses = new Float64Array(4);
  readonly #predictions = new Float64Array(4);
  readonly #scales = new Int32Array(4);
  /** By how much velocity was off, as logarithms, for the positions that follow. */
  readonly #rateResiduals = new Int32Array(4);
  /** False once a decoded value lay outside its range. */
  isInRange = true;

  constructor(model: ResidualModel) {
    this.#model = model;
    this.#steps = new StepCoder(model);
  }

  /** Before the first entity of a packet. */
  start(): void {
    this.isInRange = true;
    this.#steps.start();
  }

  /** @param grids what was found out about the packet's columns */
  code(plan: StatePlan, baselines: Baselines, grids: PacketGrids): void {
    this.#plan = plan;
    this.#baselines = baselines;
    this.#grids = grids;
    const surprises = this.#surprises;
    surprises.last = 0;
    surprises.before = 0;
    this.#persistence.setAge(baselines.age, baselines.age / plan.tickHz);
    const { groups } = plan;
    for (let index = 0; index < groups.length; index++) {
      const group = groups[index]!;
      if (group.role >= Role.step) {
        this.#steps.code(plan, group, baselines, grids.values[group.first]!, surprises);
        continue;
      }
      const surprise = this.#codeGroup(group);
      surprises.before = surprises.last;
      surprises.last = surprise;
    }
    this.#steps.next();
    if (!this.#steps.isInRange) this.isInRange = false;
  }

  /** Returns the mean of the group's surprises, the newest weighing most. */
  #codeGroup(group: ColumnGroup): number {
    if (group.role === Role.rate) return this.#codeRate(group);
    if (group.role === Role.place) return this.#codePlace(group);
    if (group.role === Role.smooth) return this.#codeSmooth(group);
    return this.#codeRotation(group);
  }

  #codeRate(group: ColumnGroup): number {
    const { first, count } = group;
    const { rows, at0 } = this.#baselines;
    const model = this.#model;
    const weights = model.weights;
    const changes = this.#changes;
    const bends = this.#bends;
    const widest = this.#derive(group);
    const base = weights[RATE]! * LOG_UNITS + weights[RATE + GROUP]! * widest;
    const ofChange = weights[RATE + CHANGE]!;
    const ofBend = weights[RATE + OWN]!;
    const ofSize = weights[RATE + SIZE]!;
    const scales = this.#scales;
    for (let index = 0; index < count; index++) {
      const value = rows[at0 + first + index]!;
      scales[index] =
        base +
        ofBend * logOf(bends[index]!) +
        ofChange * logOf(changes[index]!) +
        ofSize * integerLog(value < 0 ? -value : value);
    }
    this.#predictRates(group);
    const { row, at } = this.#baselines;
    const kept = this.#rateResiduals;
    const predictions = this.#predictions;
    scales[0]! += weights[RATE + FIRST]! * LOG_UNITS;
    const ofSurprise = weights[RATE + SURPRISE]!;
    let surprise = 0;
    for (let index = 0; index < count; index++) {
      const predicted = predictions[index]!;
      const scale = scales[index]! + ofSurprise * surprise;
      const residual = model.code(
        Role.rate,
        scale >> WEIGHT_SHIFT,
        (row[at + first + index]! - predicted) | 0,
      );
      kept[index] = model.size;
      this.#put(first + index, row, at, predicted + residual);
      surprise = index === 0 ? model.surprise : (surprise + model.surprise) >> 1;
    }
    return surprise;
  }

  /** Where the velocities go on to. */
  #predictRates(group: ColumnGroup): void {
    const { first, count } = group;
    const { rows, at0, age } = this.#baselines;
    const { min, max, definition } = this.#plan;
    const changes = this.#changes;
    const predictions = this.#predictions;
    if (definition.motion === "velocity") {
      for (let index = 0; index < count; index++) predictions[index] = rows[at0 + first + index]!;
      return;
    }
    if (definition.motion === "turn") this.#turn(group);
    const { fading, bending } = this.#persistence;
    const bends = this.#bends;
    const misses = this.#misses;
    for (let index = 0; index < count; index++) {
      const column = first + index;
      const bend = bends[index]!;
      const straight = misses[index]!;
      const size = straight * straight + 1;
      const going = (age * size) / (fading * size + bending * bend * bend);
      const value = Math.floor(rows[at0 + column]! + going * changes[index]! + 0.5);
      const low = min[column]!;
      const high = max[column]!;
      predictions[index] = value > low ? (value < high ? value : high) : low;
    }
  }

  #codePlace(group: ColumnGroup): number {
    const { first, count } = group;
    const model = this.#model;
    const weights = model.weights;
    const widest = this.#deriveMisses(group);
    const base =
      weights[PLACE]! * LOG_UNITS +
      weights[PLACE + GROUP]! * widest +
      weights[PLACE + LAST_GROUP]! * this.#surprises.last;
    this.#predictPlaces(group);
    const ofRate = weights[PLACE + OWN]!;
    const ofMiss = weights[PLACE + CHANGE]!;
    const ofSurprise = weights[PLACE + SURPRISE]!;
    const misses = this.#misses;
    let known = weights[PLACE + FIRST]! * LOG_UNITS;
    let surprise = 0;
    for (let index = 0; index < count; index++) {
      const miss = misses[index]!;
      if ((miss > MISS_TOLERANCE || miss < -MISS_TOLERANCE) && this.#isMisled(first + index, index)) {
        this.#codeAlone(first + index);
      } else {
        const scale = base + ofRate * this.#rateResiduals[index]! + ofMiss * logOf(miss) + known;
        this.#codeOnGrid(first + index, Role.place, scale >> WEIGHT_SHIFT, index);
      }
      surprise = index === 0 ? model.surprise : (surprise + model.surprise) >> 1;
      known = ofSurprise * surprise;
    }
    return surprise;
  }

  /** Where the old velocity and the new one lead together. */
  #predictPlaces({ first, count, rate, rateScale }: ColumnGroup): void {
    const { row, at, rows, at0, at1, age, gap1 } = this.#baselines;
    const predictions = this.#predictions;
    const halfAge = age / 2;
    const bendAge = (age * age) / 24;
    for (let index = 0; index < count; index++) {
      const rate0 = rows[at0 + rate + index]!;
      const rateNow = row[at + rate + index]!;
      const before = at1 < 0 ? 0 : (rate0 - rows[at1 + rate + index]!) / gap1;
      const moved = (rate0 + rateNow) * halfAge + (before - (rateNow - rate0) / age) * bendAge;
      predictions[index] = rows[at0 + first + index]! + rateScale * moved + 0.5;
    }
  }

  #codeSmooth(group: ColumnGroup): number {
    const widest = this.#derive(group);
    let surprise = 0;
    for (let index = 0; index < group.count; index++) {
      const column = group.first + index;
      const ofGroup = group.count > 1 ? widest : logOf(this.#bends[index]! / this.#grids.values[column]!);
      this.#codeSmoothColumn(column, index, ofGroup, surprise);
      surprise = index === 0 ? this.#model.surprise : (surprise + this.#model.surprise) >> 1;
    }
    return surprise;
  }

  /** A position that does not go where its velocity says: from its own history. */
  #codeAlone(column: number): void {
    const bend = this.#bendOf(column);
    this.#changes[ALONE] = this.#changeOf(column);
    this.#bends[ALONE] = bend;
    this.#codeSmoothColumn(column, ALONE, logOf(bend / this.#grids.values[column]!), 0);
  }

  /** `index`: where its change and bend are. `widest`: the widest bend of its group; `surprise`: of those before it. */
  #codeSmoothColumn(column: number, index: number, widest: number, surprise: number): void {
    const { age, rows, at0 } = this.#baselines;
    const { last, before } = this.#surprises;
    const { fading, bending } = this.#persistence;
    const weights = this.#model.weights;
    const change = this.#changes[index]!;
    const bend = this.#bends[index]!;
    const grid = this.#grids.values[column]!;
    const size = change * change + 1;
    const kept = size / (fading * size + bending * bend * bend);
    const bent = 0.2 * bend * age * (age + 1) * (kept > 2 / 3 ? 1 : 1.5 * kept);
    const moved = (age * change + bent) * (kept > 0.7 ? 1 : 0.3 + kept);
    const scale =
      weights[SMOOTH]! * LOG_UNITS +
      weights[SMOOTH + OWN]! * logOf(bend / grid) +
      weights[SMOOTH + GROUP]! * widest +
      weights[SMOOTH + CHANGE]! * logOf(change / grid) +
      weights[SMOOTH + LAST_GROUP]! * last +
      weights[SMOOTH + GROUP_BEFORE]! * before +
      (index === 0 || index === ALONE
        ? weights[SMOOTH + FIRST]! * LOG_UNITS
        : weights[SMOOTH + SURPRISE]! * surprise);
    this.#predictions[index] = rows[at0 + column]! + moved + 0.5;
    this.#codeOnGrid(column, Role.smooth, scale >> WEIGHT_SHIFT, index);
  }

  #codeRotation(group: ColumnGroup): number {
    const plan = this.#plan;
    const { row, at } = this.#baselines;
    const rotation = this.#rotation;
    const model = this.#model;
    const weights = model.weights;
    rotation.predict(plan, group.first, this.#baselines, this.#persistence);
    const largest = model.codeLargest(row[at + group.first]!, rotation.largest);
    row[at + group.first] = largest;
    rotation.leaveOut(largest);
    const step = plan.step[group.first + 1]!;
    const base =
      weights[ROTATION]! * LOG_UNITS +
      weights[ROTATION + OWN]! * logOf(rotation.widest[1]! / step) +
      weights[ROTATION + CHANGE]! * logOf(rotation.widest[0]! / step) +
      weights[ROTATION + LAST_GROUP]! * this.#surprises.last +
      weights[ROTATION + GROUP_BEFORE]! * this.#surprises.before;
    let surprise = 0;
    for (let index = 0; index < 3; index++) {
      const column = group.first + 1 + index;
      const predicted = this.#within(column, Math.floor(rotation.rest[index]! / step + 0.5));
      const scale =
        base +
        (index === 0 ? weights[ROTATION + FIRST]! * LOG_UNITS : weights[ROTATION + SURPRISE]! * surprise);
      const residual = model.code(Role.rotation, scale >> WEIGHT_SHIFT, (row[at + column]! - predicted) | 0);
      this.#put(column, row, at, predicted + residual);
      surprise = index === 0 ? model.surprise : (surprise + model.surprise) >> 1;
    }
    return surprise;
  }

  /**
   * Codes a column whose values may be known to be multiples of its grid, around a prediction rounded down; `index`
   * says which (handed over as a number with a fraction it would be a new object).
   */
  #codeOnGrid(column: number, role: number, scale: number, index: number): void {
    const expected = this.#predictions[index]!;
    const { row, at } = this.#baselines;
    const { turn, min, max } = this.#plan;
    const around = turn[column]!;
    const model = this.#model;
    if (around > 0) {
      const predicted = positiveTurn(Math.floor(expected), around);
      const residual = model.code(role, scale, shortestTurn((row[at + column]! - predicted) | 0, around));
      this.#put(column, row, at, positiveTurn(predicted + residual, around));
      return;
    }
    const grid = this.#grids.values[column]!;
    const low = min[column]!;
    const high = max[column]!;
    const nearest = expected < low ? low : expected < high ? Math.floor(expected) | 0 : high;
    if (grid === 1) {
      this.#put(column, row, at, nearest + model.code(role, scale, (row[at + column]! - nearest) | 0));
      return;
    }
    const predicted = Math.floor(nearest / grid + 0.5) | 0;
    const residual = model.code(role, scale, ((row[at + column]! / grid) | 0) - predicted);
    this.#put(column, row, at, (predicted + residual) * grid);
  }

  #put(column: number, row: Int32Array, at: number, value: number): void {
    const { min, max, rest } = this.#plan;
    if (value >= min[column]! && value <= max[column]!) row[at + column] = value;
    else {
      this.isInRange = false;
      row[at + column] = rest[column]!;
    }
  }

  #within(column: number, value: number): number {
    const min = this.#plan.min[column]!;
    const max = this.#plan.max[column]!;
    return value > min ? (value < max ? value | 0 : max) : min;
  }

  /**
   * Change per tick between the two newest baselines, and the change of that; without a third baseline the change
   * itself: nothing says that it will last. Returns the logarithm of the widest bend.
   */
  #derive({ first, count }: ColumnGroup): number {
    const { rows, at0, at1, at2, gap1, gap2 } = this.#baselines;
    const { turn } = this.#plan;
    const changes = this.#changes;
    const misses = this.#misses;
    const bends = this.#bends;
    let widest = 0;
    for (let index = 0; index < count; index++) {
      const column = first + index;
      let change = 0;
      let bend = 0;
      if (at1 >= 0) {
        const around = turn[column]!;
        const older = rows[at1 + column]!;
        change = shortestTurn(rows[at0 + column]! - older, around) / gap1;
        bend = at2 < 0 ? change : change - shortestTurn(older - rows[at2 + column]!, around) / gap2;
      }
      changes[index] = change;
      misses[index] = change;
      bends[index] = bend;
      if (bend > widest) widest = bend;
      else if (-bend > widest) widest = -bend;
    }
    return logOf(widest);
  }

  #changeOf(column: number): number {
    const { rows, at0, at1, gap1 } = this.#baselines;
    if (at1 < 0) return 0;
    return shortestTurn(rows[at0 + column]! - rows[at1 + column]!, this.#plan.turn[column]!) / gap1;
  }

  #bendOf(column: number): number {
    const { rows, at1, at2, gap2 } = this.#baselines;
    const change = this.#changeOf(column);
    if (at2 < 0) return change;
    return change - shortestTurn(rows[at1 + column]! - rows[at2 + column]!, this.#plan.turn[column]!) / gap2;
  }

  /** By how much the velocities missed the newest baseline's position from the second one; the widest, as logarithm. */
  #deriveMisses({ first, rate, rateScale, count }: ColumnGroup): number {
    const { rows, at0, at1, gap1 } = this.#baselines;
    const halfGap = (rateScale * gap1) / 2;
    let widest = 0;
    for (let index = 0; index < count; index++) {
      let miss = 0;
      if (at1 >= 0) {
        const moved = rows[at0 + first + index]! - rows[at1 + first + index]!;
        miss = moved - (rows[at0 + rate + index]! + rows[at1 + rate + index]!) * halfGap;
      }
      this.#misses[index] = miss;
      if (miss > widest) widest = miss;
      else if (-miss > widest) widest = -miss;
    }
    return logOf(widest);
  }

  #isMisled(column: number, index: number): boolean {
    if (this.#grids.values[column]! > 4) return true;
    const bend = this.#bendOf(column) * this.#baselines.gap1;
    return Math.abs(this.#misses[index]!) > MISS_TOLERANCE + Math.abs(bend);
  }

  /** The change of velocity, turned on with the path by half of what the path will turn: see Rodrigues' formula. */
  #turn({ first, count }: ColumnGroup): void {
    const { rows, at0, at1, age } = this.#baselines;
    const changes = this.#changes;
    if (at1 < 0) return;
    const x = rows[at0 + first]!;
    const y = rows[at0 + first + 1]!;
    const z = count > 2 ? rows[at0 + first + 2]! : 0;
    const dx = changes[0]!;
    const dy = changes[1]!;
    const dz = count > 2 ? changes[2]! : 0;
    const k = (0.25 * age * this.#persistence.plain) / (x * x + y * y + z * z + STILL_SPEED_SQUARED);
    const ux = (y * dz - z * dy) * k;
    const uy = (z * dx - x * dz) * k;
    const uz = (x * dy - y * dx) * k;
    const tx = dx + uy * dz - uz * dy;
    const ty = dy + uz * dx - ux * dz;
    const tz = dz + ux * dy - uy * dx;
    const f = 2 / (1 + ux * ux + uy * uy + uz * uz);
    changes[0] = dx + f * (uy * tz - uz * ty);
    changes[1] = dy + f * (uz * tx - ux * tz);
    if (count > 2) changes[2] = dz + f * (ux * ty - uy * tx);
  }
}

function logOf(value: number): number {
  const size = value < 0 ? -value : value;
  return integerLog(size < 0x3fff_ffff ? (size + 0.5) | 0 : 0x3fff_ffff);
}

/** A difference of two values the short way around; `turn` 0 where nothing turns. */
function shortestTurn(difference: number, turn: number): number {
  if (turn === 0) return difference;
  if (difference * 2 >= turn) return difference - turn;
  return difference * 2 < -turn ? difference + turn : difference;
}

/** `value` in [0, turn). */
function positiveTurn(value: number, turn: number): number {
  if (value >= 0 && value < turn) return value;
  return value - Math.floor(value / turn) * turn;
}
