import {
  SnapshotWriter,
  SoleReceiver,
  StateHistory,
  angle,
  defineEntity,
  limits,
  planState,
  restore,
  vec3,
  type EntityDefinition,
  type MotionModel,
  type StatePlan,
} from "@paceline/protocol";
import { TICK_HZ } from "../trace.js";

/** The motion models that suit a car; `step` would need a game's own rule. */
export type CarModel = Exclude<MotionModel, "hold" | "step">;

/** Limits of the fields, m and m/s, beyond any track and any car. */
const FAR_M = 10_000;
const FASTEST_MPS = 200;

/** Defines a car like a game does. Position, velocity and heading come first, as in a truth row. */
export function definitionOf(motion: CarModel): EntityDefinition {
  const pose = {
    position: vec3({ range: [-FAR_M, FAR_M], precision: 0.01, unit: "m" }),
    heading: angle({ precision: 0.002, unit: "rad" }),
  };
  if (motion === "history") return defineEntity("car", pose, { motion });
  const { position, heading } = pose;
  const velocity = vec3({ range: [-FASTEST_MPS, FASTEST_MPS], precision: 0.02, unit: "m/s" });
  return defineEntity("car", { position, velocity, heading }, { motion });
}

/** Bytes around the states in a packet to one receiver: the header with acks and receipt, and the number of the stream. */
const HEAD_BYTES = 10;
const STREAM_BYTES = 1;
/** Same values as in rooms. */
const BODY_BYTES = 1160;
const CHECKSUM_TICKS = 8;
const CAR = 0;

export interface WrittenState {
  readonly payloadBytes: number;
  /** The decoded state, as the receiver has it. */
  readonly row: Float64Array;
  readonly sequence: number | undefined;
}

/** One car's states in the wire format of a room of two: differences from what the receiver has acknowledged. */
export class CarStates {
  readonly #plan: StatePlan;
  readonly #history: StateHistory;
  readonly #toOne: SoleReceiver;
  #sequence = 0;

  constructor(definition: EntityDefinition) {
    this.#plan = planState(definition, { tickHz: TICK_HZ, hasRates: true });
    const plans = [this.#plan];
    this.#history = new StateHistory({ plans, historyTicks: limits.historyTicks });
    const writer = new SnapshotWriter(plans);
    this.#toOne = new SoleReceiver({ writer, maxBytes: BODY_BYTES, checksumTicks: CHECKSUM_TICKS });
    this.#history.spawn(CAR, this.#plan);
  }

  teleport(): void {
    this.#history.teleport(CAR);
  }

  acknowledged(sequence: number): void {
    this.#toOne.acknowledge(sequence);
  }

  write(state: Float32Array, tick: number): WrittenState {
    const entity = this.#rowsAt(state, tick);
    const row = Float64Array.from(state);
    restore(this.#plan, entity.rows, entity.find(tick), row);
    let bodyBytes = 0;
    const sequence = (this.#sequence += 1);
    this.#toOne.write(tick, [entity], ({ body }) => {
      bodyBytes = body.length;
      return sequence;
    });
    return { payloadBytes: HEAD_BYTES + STREAM_BYTES + bodyBytes, row, sequence };
  }

  #rowsAt(state: Float32Array, tick: number) {
    const entity = this.#history.find(CAR)!;
    if (entity.find(tick) < 0) this.#history.write(entity, tick, state);
    return entity;
  }
}
