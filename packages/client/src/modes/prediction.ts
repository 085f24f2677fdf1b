import type { EntityDefinition, InputDefinition } from "@paceline/protocol";
import {
  DEFAULT_CONVERGENCE,
  PredictedBody,
  roundingsOf,
  rowStepOf,
  type InputStep,
  type RowStep,
} from "@paceline/netcode";
import type { ShownReplica } from "../entities/shown-entities.js";
import type { RoomParts } from "./room-mode.js";

/** Quality of the prediction of own entities. */
export interface PredictionStats {
  /** Number of the authority's states that were compared with the prediction. */
  readonly states: number;
  /** Distance of the newest correction, m. `worstCorrectionM` is the largest one since joining. */
  readonly correctionM: number;
  readonly worstCorrectionM: number;
  /** Number of inputs that are simulated here and not confirmed yet. */
  readonly leadTicks: number;
  /**
   * Time by which own entities are shown ahead of the authority's, ms. An input takes effect after this time.
   * 0 before the first state. Clock errors cancel out, because it is computed from input and tick numbers.
   */
  readonly leadMs: number;
}

export interface PredictionOptions {
  readonly parts: Pick<RoomParts, "scheduler" | "sessionNumber" | "listeners">;
  readonly definition: EntityDefinition;
  readonly inputs: InputDefinition;
  readonly step: InputStep;
}

/** Parts of one session with the authority that a prediction reads. */
export interface PredictionSession {
  /** Source of the number of this player's newest input. */
  readonly sender: { readonly number: number };
  readonly tickSeconds: number;
  /** Returns the time since the authority's tick, ms, on the time line on which others are shown. */
  ageMsOf(tick: number): number;
}

interface Predicted {
  readonly record: ShownReplica;
  body: PredictedBody<Float32Array>;
}

/**
 * Shows own entities of a kind where this player's inputs have moved them, before the authority confirms it.
 * If a state of the authority differs by more than rounding, it replaces the prediction of its tick, and
 * later inputs are simulated again from there.
 */
export class Prediction {
  readonly definition: EntityDefinition;
  readonly #parts: PredictionOptions["parts"];
  #session: PredictionSession;
  readonly #step: RowStep;
  readonly #predicted = new Map<number, Predicted>();
  readonly #drawn: Float64Array;
  #input: Float32Array;
  #tickAtMs: number;
  #processed: number | undefined;
  /** Tick at which the authority had simulated the input `#processed`. */
  #processedAtTick = 0;
  /** Times at which inputs were sampled, ms, by number: the last processed one and all later ones. */
  readonly #sampledAtMs = new Map<number, number>();
  #states = 0;
  #correctionM = 0;
  #worstCorrectionM = 0;

  constructor({ parts, definition, inputs, step }: PredictionOptions, session: PredictionSession) {
    this.#parts = parts;
    this.#session = session;
    this.definition = definition;
    this.#step = rowStepOf(definition, inputs, step);
    this.#drawn = new Float64Array(definition.components.length);
    this.#input = new Float32Array(inputs.definition.components.length);
    this.#tickAtMs = this.#nowMs();
  }

  /** Goes on in another session, whose entities and numbers of inputs are others. */
  restart(session: PredictionSession): void {
    this.#session = session;
    this.#predicted.clear();
    this.#sampledAtMs.clear();
    this.#processed = undefined;
    this.#tickAtMs = this.#nowMs();
    [this.#states, this.#correctionM, this.#worstCorrectionM] = [0, 0, 0];
  }

  get stats(): PredictionStats {
    const leadTicks = this.#session.sender.number - (this.#processed ?? this.#session.sender.number);
    const [states, correctionM, worstCorrectionM] = [this.#states, this.#correctionM, this.#worstCorrectionM];
    return { states, correctionM, worstCorrectionM, leadTicks, leadMs: this.#leadMs };
  }

  get #leadMs(): number {
    const sampledAtMs = this.#sampledAtMs.get(this.#processed ?? -1);
    if (sampledAtMs === undefined) return 0;
    return this.#nowMs() - sampledAtMs - this.#session.ageMsOf(this.#processedAtTick);
  }

  add(record: ShownReplica): void {
    if (record.definition !== this.definition || record.owner !== this.#parts.sessionNumber()) return;
    const predicted = { record, body: this.#newBody(record) };
    this.#predicted.set(record.id, predicted);
    record.onState = (state, isJump) => this.#reconcile(predicted, state, isJump);
    record.predicted = (nowMs, into) => this.#show(predicted, nowMs, into);
  }

  remove(id: number): void {
    this.#predicted.delete(id);
  }

  /**
   * Records that the authority has simulated the inputs up to this number by that tick. Called before its
   * states are read.
   */
  processed(number: number | undefined, tick: number): void {
    this.#processed = number;
    this.#processedAtTick = tick;
    for (const known of this.#sampledAtMs.keys()) if (known < number!) this.#sampledAtMs.delete(known);
  }

  advance(input: Float32Array, atMs: number): void {
    this.#input = input;
    this.#tickAtMs = atMs;
    this.#sampledAtMs.set(this.#session.sender.number, atMs);
    for (const { body } of this.#predicted.values()) body.advance(input);
  }

  #reconcile(predicted: Predicted, state: Float32Array, isJump: boolean): void {
    if (predicted.record.owner !== this.#parts.sessionNumber()) {
      predicted.record.predicted = undefined;
      predicted.record.onState = undefined;
      this.#predicted.delete(predicted.record.id);
      return;
    }
    if (isJump) predicted.body = this.#newBody(predicted.record);
    if (isJump || this.#processed === undefined) return;
    const nowSeconds = this.#nowMs() / 1000;
    // The authority's state contains the inputs up to `#processed`.
    const correctionM = predicted.body.reconcile(this.#processed, state, nowSeconds);
    if (correctionM === undefined) return;
    this.#states += 1;
    this.#correctionM = correctionM;
    this.#worstCorrectionM = Math.max(this.#worstCorrectionM, correctionM);
  }

  /**
   * Draws the newest tick and the rest of the last correction, and simulates the time since: frames lie
   * between ticks.
   */
  #show({ body }: Predicted, nowMs: number, into: Float32Array): void {
    const { tickSeconds } = this.#session;
    body.show(nowMs / 1000, this.#drawn);
    const since = Math.min((nowMs - this.#tickAtMs) / 1000, 1.5 * tickSeconds);
    if (since > 0) {
      try {
        this.#step(this.#drawn, this.#input, since);
      } catch {
        // The body reports physics that throw, once a tick.
      }
    }
    into.set(this.#drawn);
  }

  #nowMs(): number {
    return this.#parts.scheduler.nowMs();
  }

  #newBody(record: ShownReplica): PredictedBody<Float32Array> {
    const { tickSeconds, sender } = this.#session;
    return new PredictedBody<Float32Array>(
      {
        layout: this.definition.motionLayout!,
        step: (state, input, seconds) => this.#step(state, input, seconds),
        tickSeconds,
        convergence: DEFAULT_CONVERGENCE,
        roundings: roundingsOf(this.definition),
        onFault: (fault) => this.#parts.listeners.faulted(this.definition.name, record.id, fault),
      },
      record.row,
      sender.number,
    );
  }
}
