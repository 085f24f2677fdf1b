import { ReferenceCycle, type Receipt } from "@paceline/netcode";
import {
  ReferenceSender,
  SnapshotWriter,
  SoleReceiver,
  StateHistory,
  angle,
  defineEntity,
  limits,
  planState,
  restore,
  vec3,
  writePeerPayload,
  type EntityDefinition,
  type MotionModel,
  type StatePlan,
} from "@paceline/protocol";
import { TICK_HZ, TICK_SECONDS } from "../trace.js";

/** The motion models that suit a car; `step` would need a game's own rule. */
export type CarModel = Exclude<MotionModel, "hold" | "step">;

/**
 * Coding of the states: against baselines that the receiver has acknowledged, as in a room of two, or against
 * references
 * that all of a room have, as an owner does with several receivers.
 */
export type Baselines = "acknowledged" | "reference";

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

/**
 * Bytes around the states in a packet to one receiver: the header with acks and receipt, or that of a
 * published packet, and
 * the number of the stream.
 */
const HEAD_BYTES = 10;
const PUBLISHED_HEAD_BYTES = 4;
const STREAM_BYTES = 1;
/** Kind, length and number of a reliable message. */
const RELIABLE_BYTES = 5;
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

/** One car's states in the wire format of a room, with the bytes of references. */
export class CarStates {
  readonly #baselines: Baselines;
  readonly #roundTripMs: number;
  readonly #plan: StatePlan;
  readonly #history: StateHistory;
  readonly #toOne: SoleReceiver;
  readonly #toAll: ReferenceSender;
  readonly #cycle: ReferenceCycle;
  #reliable: number[] = [];
  #sequence = 0;
  #nowMs = 0;

  constructor(definition: EntityDefinition, baselines: Baselines, roundTripMs: number) {
    this.#baselines = baselines;
    this.#roundTripMs = roundTripMs;
    this.#plan = planState(definition, { tickHz: TICK_HZ, hasRates: true });
    const plans = [this.#plan];
    this.#history = new StateHistory({ plans, historyTicks: limits.historyTicks });
    const common = { history: this.#history, writer: new SnapshotWriter(plans) };
    const options = { ...common, maxBytes: BODY_BYTES, checksumTicks: CHECKSUM_TICKS };
    this.#toOne = new SoleReceiver(options);
    this.#toAll = new ReferenceSender(options);
    this.#cycle = new ReferenceCycle(this.#toAll);
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
    if (this.#baselines === "reference") {
      this.#toAll.write(tick, [entity], (body) => {
        bodyBytes = body.length;
        this.#cycle.spent(body.length);
      });
      const payloadBytes = PUBLISHED_HEAD_BYTES + STREAM_BYTES + bodyBytes;
      return { payloadBytes, row, sequence: undefined };
    }
    const sequence = (this.#sequence += 1);
    this.#toOne.write(tick, [entity], ({ body }) => {
      bodyBytes = body.length;
      return sequence;
    });
    return { payloadBytes: HEAD_BYTES + STREAM_BYTES + bodyBytes, row, sequence };
  }

  /** Gathers the rows of a reference; call it once per tick, before the state is written. */
  gather(state: Float32Array, tick: number): void {
    if (this.#baselines === "reference" && this.#cycle.isGathering) this.#rowsAt(state, tick);
  }

  /** Sends a reference if one is due; call it once per tick, after the state was written or not. */
  refresh(tick: number): void {
    if (this.#baselines !== "reference") return;
    this.#nowMs = tick * TICK_SECONDS * 1000;
    this.#cycle.step(tick, this.#nowMs, (messages) => [this.#post(messages)]);
  }

  /** Returns the payload bytes of the reliable packets since the last call. */
  takeReliable(): readonly number[] {
    const taken = this.#reliable;
    this.#reliable = [];
    return taken;
  }

  #post(messages: readonly Uint8Array[]): Receipt {
    const bytes = messages.map(
      (states) => RELIABLE_BYTES + writePeerPayload({ kind: "reference", stream: 0, states }).length,
    );
    this.#reliable.push(bytes.reduce((sum, each) => sum + each, HEAD_BYTES));
    const arrivalMs = this.#nowMs + this.#roundTripMs;
    return { isOver: () => this.#nowMs >= arrivalMs };
  }

  #rowsAt(state: Float32Array, tick: number) {
    const entity = this.#history.find(CAR)!;
    if (entity.find(tick) < 0) this.#history.write(entity, tick, state);
    return entity;
  }
}
