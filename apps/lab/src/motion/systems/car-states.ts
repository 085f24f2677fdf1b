import { ReferenceCycle, type Receipt } from "@paceline/netcode";
import {
  ReferenceSender,
  SharedWriter,
  SnapshotSender,
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

/** The models that states of cars are defined for: the game's own needs a game. */
export type CarModel = Exclude<MotionModel, "hold" | "step">;

/**
 * The coding for the receiver: differences from what it has acknowledged, as in a room of two; or from references that
 * all of a room got, which is what the owner of an entity does for several.
 */
export type Baselines = "acknowledged" | "reference";

/** m and m/s: of any track, and of any car. */
const FAR_M = 10_000;
const FASTEST_MPS = 200;

/** A car as a game defines it. Position, velocity and heading come first, as in a row of truth. */
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

/** Heads of a packet to one receiver: header with acknowledgements and receipt. Number of the stream. */
const HEAD_BYTES = 10;
const PUBLISHED_HEAD_BYTES = 4;
const STREAM_BYTES = 1;
/** Kind, length and number of a reliable message. */
const RELIABLE_BYTES = 5;
/** As rooms have them. */
const BODY_BYTES = 1160;
const CHECKSUM_TICKS = 8;
const CAR = 0;

export interface WrittenState {
  readonly payloadBytes: number;
  /** As the receiver reads it. */
  readonly row: Float64Array;
  readonly sequence: number | undefined;
}

/** One car's states as a room puts them on the wire, with what a reference takes. */
export class CarStates {
  readonly #baselines: Baselines;
  readonly #roundTripMs: number;
  readonly #plan: StatePlan;
  readonly #history: StateHistory;
  readonly #toOne: SnapshotSender;
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
    const common = { history: this.#history, writer: new SharedWriter(plans) };
    const options = { ...common, maxBytes: BODY_BYTES, checksumTicks: CHECKSUM_TICKS };
    this.#toOne = new SnapshotSender(options);
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
    this.#toOne.write(tick, [entity], (body) => {
      bodyBytes = body.length;
      return sequence;
    });
    return { payloadBytes: HEAD_BYTES + STREAM_BYTES + bodyBytes, row, sequence };
  }

  /** Once per tick, before its state may be written. */
  gather(state: Float32Array, tick: number): void {
    if (this.#baselines === "reference" && this.#cycle.isGathering) this.#rowsAt(state, tick);
  }

  /** Once per tick, after its state was written or not: a reference where one is due. */
  refresh(tick: number): void {
    if (this.#baselines !== "reference") return;
    this.#nowMs = tick * TICK_SECONDS * 1000;
    this.#cycle.step(tick, this.#nowMs, (messages) => [this.#post(messages)]);
  }

  /** Payload bytes of the reliable packets since the last call. */
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
