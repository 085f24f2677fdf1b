import type { Baselines } from "./baselines.js";
import { fading, persistence } from "./damping.js";
import { integerLog, LOG_UNITS } from "./integer-log.js";
import { Role } from "./residual-parameters.js";
import type { ResidualModel } from "./residual-model.js";
import { RotationPredictor } from "./rotation-predictor.js";
import type { ColumnGroup, StatePlan } from "./state-plan.js";
import { StepCoder } from "./step-coder.js";
import type { PacketGrids } from "./packet-grids.js";

/** A position that its velocity missed by more steps than this, and by more than its own history, ignores it. */
const MISS_TOLERANCE = 2;
/** Speeds below this many steps do not tell a direction. */
const STILL_SPEED_SQUARED = 400;

const F_OWN = 1;
const F_GROUP = 2;
const F_CHANGE = 3;
const F_SIZE = 4;
const F_FIRST = 5;
const F_SURPRISE = 6;
const F_LAST_GROUP = 7;
const F_GROUP_BEFORE = 8;

/**
 * Codes one entity against its baselines: predicts every column from the history that both sides hold, and codes by
 * how much the prediction is off. One description for both directions; the decoder fills in the row as it goes.
 */
export class EntityCoder {
  readonly #model: ResidualModel;
  readonly #features: Int32Array;
  readonly #rotation = new RotationPredictor();
  readonly #steps: StepCoder;
  #plan!: StatePlan;
  #baselines!: Baselines;
  #grids!: PacketGrids;
  /** Surprise of the last group, and of the one before it. */
  #last = 0;
  #before = 0;
  #seconds = 0;
  #turned = new Float64Array(3);
  /** By how much velocity was off, for the positions that follow. */
  #rateResiduals = new Int32Array(3);
  /** False once a decoded value lay outside its range. */
  isInRange = true;

  constructor(model: ResidualModel) {
    this.#model = model;
    this.#features = model.features;
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
    this.#last = 0;
    this.#before = 0;
    this.#seconds = baselines.age / plan.tickHz;
    for (const group of plan.groups) {
      let surprise = 0;
      if (group.role === Role.rate) surprise = this.#codeRate(group);
      else if (group.role === Role.place) surprise = this.#codePlace(group);
      else if (group.role === Role.smooth) surprise = this.#codeSmooth(group);
      else if (group.role === Role.rotation) surprise = this.#codeRotation(group);
      else {
        this.#features[F_LAST_GROUP] = this.#last;
        this.#features[F_GROUP_BEFORE] = this.#before;
        this.#steps.code(plan, group, baselines, grids);
        continue;
      }
      this.#before = this.#last;
      this.#last = surprise;
    }
    this.#steps.next();
    if (!this.#steps.isInRange) this.isInRange = false;
  }

  #codeRate(group: ColumnGroup): number {
    const baselines = this.#baselines;
    const { row, at, rows, at0, at1, age } = baselines;
    const isChanging = this.#plan.definition.motion !== "velocity";
    const features = this.#features;
    this.#clear();
    const widest = this.#widestBend(group);
    this.#turn(group);
    let surprise = 0;
    for (let index = 0; index < group.count; index++) {
      const column = group.first + index;
      const value = rows[at0 + column]!;
      const change = at1 < 0 ? 0 : (value - rows[at1 + column]!) / baselines.gap1;
      const bend = this.#bend(column);
      const kept = isChanging ? persistence(this.#seconds, age, change, bend) : 0;
      const predicted = this.#within(column, value + kept * age * this.#turned[index]!);
      features[F_OWN] = logOf(bend);
      features[F_GROUP] = widest;
      features[F_CHANGE] = logOf(change);
      features[F_SIZE] = logOf(value);
      features[F_FIRST] = index === 0 ? LOG_UNITS : 0;
      features[F_SURPRISE] = surprise;
      const residual = this.#model.code(Role.rate, row[at + column]! - predicted);
      this.#rateResiduals[index] = residual;
      this.#put(column, row, at, predicted + residual);
      surprise = this.#joined(surprise, index);
    }
    return surprise;
  }

  #codePlace(group: ColumnGroup): number {
    const { row, at, rows, at0, at1, age, gap1 } = this.#baselines;
    const { rateScale } = group;
    const features = this.#features;
    this.#clear();
    features[F_LAST_GROUP] = this.#last;
    const widest = this.#widestMiss(group);
    let surprise = 0;
    for (let index = 0; index < group.count; index++) {
      const column = group.first + index;
      const rate = group.rate + index;
      const value = rows[at0 + column]!;
      const miss = this.#miss(group, index);
      if (this.#isMisled(column, miss)) {
        this.#codeMisled(column);
      } else {
        const rate0 = rows[at0 + rate]!;
        const rateNow = row[at + rate]!;
        const before = at1 < 0 ? 0 : (rate0 - rows[at1 + rate]!) / gap1;
        const curve = ((before - (rateNow - rate0) / age) * age * age) / 24;
        const moved = rateScale * (((rate0 + rateNow) / 2) * age + curve);
        features[F_OWN] = logOf(this.#rateResiduals[index]!);
        features[F_GROUP] = widest;
        features[F_CHANGE] = logOf(miss);
        features[F_SIZE] = 0;
        features[F_LAST_GROUP] = this.#last;
        features[F_FIRST] = index === 0 ? LOG_UNITS : 0;
        features[F_SURPRISE] = surprise;
        this.#codeOnGrid(column, Role.place, value + moved);
      }
      surprise = this.#joined(surprise, index);
    }
    return surprise;
  }

  #codeSmooth(group: ColumnGroup): number {
    this.#clear();
    const features = this.#features;
    const widest = group.count > 1 ? this.#widestBend(group) : 0;
    let surprise = 0;
    for (let index = 0; index < group.count; index++) {
      const column = group.first + index;
      features[F_LAST_GROUP] = this.#last;
      features[F_GROUP_BEFORE] = this.#before;
      features[F_GROUP] = group.count > 1 ? widest : logOf(this.#bend(column) / this.#grids.of(column));
      features[F_FIRST] = index === 0 ? LOG_UNITS : 0;
      features[F_SURPRISE] = surprise;
      this.#codeSmoothColumn(column);
      surprise = this.#joined(surprise, index);
    }
    return surprise;
  }

  /** A position that does not go where its velocity says: from its own history. */
  #codeMisled(column: number): void {
    const features = this.#features;
    features[F_GROUP] = logOf(this.#bend(column) / this.#grids.of(column));
    features[F_SIZE] = 0;
    features[F_FIRST] = LOG_UNITS;
    features[F_SURPRISE] = 0;
    this.#codeSmoothColumn(column);
  }

  #codeSmoothColumn(column: number): void {
    const { age, rows, at0 } = this.#baselines;
    const features = this.#features;
    const grid = this.#grids.of(column);
    const change = this.#change(column);
    const bend = this.#bend(column);
    const kept = persistence(this.#seconds, age, change, bend);
    const straight = age * change;
    const bent = 0.2 * bend * age * (age + 1) * (kept > 2 / 3 ? 1 : 1.5 * kept);
    const moved = (straight + bent) * (kept > 0.7 ? 1 : 0.3 + kept);
    features[F_OWN] = logOf(bend / grid);
    features[F_CHANGE] = logOf(change / grid);
    features[F_SIZE] = 0;
    this.#codeOnGrid(column, Role.smooth, rows[at0 + column]! + moved);
  }

  #codeRotation(group: ColumnGroup): number {
    const plan = this.#plan;
    const { row, at } = this.#baselines;
    const features = this.#features;
    const rotation = this.#rotation;
    rotation.predict(plan, group.first, this.#baselines, this.#seconds);
    this.#clear();
    const largest = this.#model.codeLargest(row[at + group.first]!, rotation.largest);
    row[at + group.first] = largest;
    rotation.leaveOut(largest);
    let surprise = 0;
    for (let index = 0; index < 3; index++) {
      const column = group.first + 1 + index;
      const predicted = this.#within(column, rotation.rest[index]! / plan.step[column]!);
      features[F_OWN] = logOf(rotation.bend / plan.step[column]!);
      features[F_CHANGE] = logOf(rotation.change / plan.step[column]!);
      features[F_FIRST] = index === 0 ? LOG_UNITS : 0;
      features[F_SURPRISE] = surprise;
      features[F_LAST_GROUP] = this.#last;
      features[F_GROUP_BEFORE] = this.#before;
      this.#put(column, row, at, predicted + this.#model.code(Role.rotation, row[at + column]! - predicted));
      surprise = this.#joined(surprise, index);
    }
    return surprise;
  }

  /** Codes a column whose values may be known to be multiples of its grid, around a prediction. */
  #codeOnGrid(column: number, role: number, expected: number): void {
    const { row, at } = this.#baselines;
    const turn = this.#plan.turn[column]!;
    if (turn > 0) {
      const predicted = Math.floor(expected + 0.5);
      const residual = this.#model.code(role, shortestTurn(row[at + column]! - predicted, turn));
      this.#put(column, row, at, positiveTurn(predicted + residual, turn));
      return;
    }
    const grid = this.#grids.of(column);
    const predicted = Math.floor(this.#within(column, expected) / grid + 0.5);
    const residual = this.#model.code(role, row[at + column]! / grid - predicted);
    this.#put(column, row, at, (predicted + residual) * grid);
  }

  #clear(): void {
    this.#features.fill(0, 1);
  }

  /** The mean of a group's surprises, the newest weighing most. */
  #joined(surprise: number, index: number): number {
    const newest = this.#model.surprise;
    return index === 0 ? newest : (surprise + newest) >> 1;
  }

  #put(column: number, row: Int32Array, at: number, value: number): void {
    const plan = this.#plan;
    if (!(value >= plan.min[column]! && value <= plan.max[column]!)) {
      this.isInRange = false;
      row[at + column] = plan.rest[column]!;
    } else row[at + column] = value;
  }

  #within(column: number, value: number): number {
    const min = this.#plan.min[column]!;
    const max = this.#plan.max[column]!;
    return value > min ? (value < max ? Math.floor(value + 0.5) : max) : min;
  }

  /** Change per tick between the two newest baselines. */
  #change(column: number): number {
    const { rows, at0, at1, gap1 } = this.#baselines;
    if (at1 < 0) return 0;
    return shortestTurn(rows[at0 + column]! - rows[at1 + column]!, this.#plan.turn[column]!) / gap1;
  }

  /** Change of the change; without a third baseline, the change itself: nothing says that it will last. */
  #bend(column: number): number {
    const change = this.#change(column);
    const { rows, at1, at2, gap2 } = this.#baselines;
    if (at2 < 0) return change;
    return change - shortestTurn(rows[at1 + column]! - rows[at2 + column]!, this.#plan.turn[column]!) / gap2;
  }

  #widestBend(group: ColumnGroup): number {
    let widest = 0;
    for (let column = group.first; column < group.first + group.count; column++) {
      const bend = Math.abs(this.#bend(column));
      if (bend > widest) widest = bend;
    }
    return logOf(widest);
  }

  /** By how much the velocities missed the newest baseline's position from the second one. */
  #miss({ first, rate, rateScale }: ColumnGroup, index: number): number {
    const { rows, at0, at1, gap1 } = this.#baselines;
    if (at1 < 0) return 0;
    const moved = rows[at0 + first + index]! - rows[at1 + first + index]!;
    return moved - ((rows[at0 + rate + index]! + rows[at1 + rate + index]!) / 2) * rateScale * gap1;
  }

  #widestMiss(group: ColumnGroup): number {
    let widest = 0;
    for (let index = 0; index < group.count; index++) {
      const miss = Math.abs(this.#miss(group, index));
      if (miss > widest) widest = miss;
    }
    return logOf(widest);
  }

  #isMisled(column: number, miss: number): boolean {
    const size = Math.abs(miss);
    if (size <= MISS_TOLERANCE) return false;
    const bend = Math.abs(this.#bend(column) * this.#baselines.gap1);
    return this.#grids.of(column) > 4 || size > MISS_TOLERANCE + bend;
  }

  /** The change of velocity, turned on with the path by half of what the path will turn: see Rodrigues' formula. */
  #turn(group: ColumnGroup): void {
    const { rows, at0, at1, age } = this.#baselines;
    const { first, count } = group;
    const turned = this.#turned;
    for (let index = 0; index < count; index++) turned[index] = this.#change(first + index);
    if (this.#plan.definition.motion !== "turn" || at1 < 0) return;
    const x = rows[at0 + first]!;
    const y = rows[at0 + first + 1]!;
    const z = count > 2 ? rows[at0 + first + 2]! : 0;
    const [dx, dy, dz] = [turned[0]!, turned[1]!, count > 2 ? turned[2]! : 0];
    const k = (0.25 * age * fading(this.#seconds)) / (x * x + y * y + z * z + STILL_SPEED_SQUARED);
    const ux = (y * dz - z * dy) * k;
    const uy = (z * dx - x * dz) * k;
    const uz = (x * dy - y * dx) * k;
    const tx = dx + uy * dz - uz * dy;
    const ty = dy + uz * dx - ux * dz;
    const tz = dz + ux * dy - uy * dx;
    const f = 2 / (1 + ux * ux + uy * uy + uz * uz);
    turned[0] = dx + f * (uy * tz - uz * ty);
    turned[1] = dy + f * (uz * tx - ux * tz);
    if (count > 2) turned[2] = dz + f * (ux * ty - uy * tx);
  }
}

function logOf(value: number): number {
  const size = value < 0 ? -value : value;
  return integerLog(size < 0x3fff_ffff ? (size + 0.5) | 0 : 0x3fff_ffff);
}

/** A difference the short way around; `turn` 0 where nothing turns. */
function shortestTurn(difference: number, turn: number): number {
  if (turn === 0) return difference;
  const positive = positiveTurn(difference, turn);
  return positive * 2 >= turn ? positive - turn : positive;
}

function positiveTurn(value: number, turn: number): number {
  const rest = value % turn;
  return rest < 0 ? rest + turn : rest;
}
