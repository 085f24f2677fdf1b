import type { EntityDefinition, InputDefinition } from "@paceline/protocol";
import {
  Convergence,
  DEFAULT_CONVERGENCE,
  PredictedBody,
  roundingsOf,
  rowStepOf,
  type ConvergenceOptions,
  type InputBuffer,
  type InputStep,
  type RowStep,
} from "@paceline/netcode";
import type { ShownReplica } from "../entities/shown-replica.js";
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
   * Time by which own entities are shown ahead of the authority's, ms of the simulation. An input takes effect after
   * this time. 0 before the first state.
   */
  readonly leadMs: number;
}

export interface PredictionOptions {
  readonly parts: Pick<RoomParts, "scheduler" | "facts" | "listeners">;
  readonly definition: EntityDefinition;
  readonly inputs: InputDefinition;
  readonly step: InputStep;
}

/** Parts of one session with the authority that a prediction reads. */
export interface PredictionSession {
  /** Source of the number of this player's newest input, and of the inputs that are not confirmed yet. */
  readonly sender: { readonly number: number; readonly inputs: InputBuffer<Float32Array> };
  readonly tickSeconds: number;
  /** Returns the time since the authority's tick, ms, on the time line on which others are shown. */
  ageMsOf(tick: number): number;
}

/**
 * An entity with another owner is shown at another time: its own player sees it a round trip ahead. So the offset
 * is no error, however far it is; it fades slowly enough that a player does not see the entity go back.
 */
const GIVEN: ConvergenceOptions = {
  ...DEFAULT_CONVERGENCE,
  timeMs: 500,
  maxSpeedMps: Infinity,
  snapDistanceM: Infinity,
};

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
    if (this.#processed === undefined) return 0;
    const { sender, tickSeconds } = this.#session;
    // Not the time since that input: the steps since then last longer while this player gets less far ahead.
    const aheadMs = (sender.number - this.#processed) * tickSeconds * 1000;
    return (
      aheadMs + this.#sinceTickSeconds(this.#nowMs()) * 1000 - this.#session.ageMsOf(this.#processedAtTick)
    );
  }

  /** Begins to predict an entity if it is an own one of the kind. */
  add(record: ShownReplica): void {
    if (!this.#isOwn(record)) return;
    const predicted = { record, body: this.#newBody(record) };
    this.#predicted.set(record.id, predicted);
    record.onState = (state, isJump) => this.#reconcile(predicted, state, isJump);
    record.predicted = (nowMs, into) => this.#show(predicted, nowMs, into);
  }

  remove(id: number): void {
    this.#predicted.delete(id);
  }

  /**
   * Follows the owner of an entity that is there: predicts it from now on, or no more. The shown pose moves
   * from one source to the other, unless it jumps.
   */
  given(record: ShownReplica, isJump: boolean): void {
    if (this.#predicted.has(record.id) === this.#isOwn(record)) return;
    if (!this.#predicted.delete(record.id)) this.add(record);
    else record.predicted = record.onState = undefined;
    record.blend = isJump ? undefined : this.#blend(record);
  }

  #isOwn({ definition, owner }: ShownReplica): boolean {
    return definition === this.definition && owner === this.#parts.facts.sessionNumber;
  }

  /** Returns a blend from the pose in the shown row to those that are shown from now on. */
  #blend(record: ShownReplica): ShownReplica["blend"] {
    const { table, row } = record.place;
    const before = table.shownOf(row).slice();
    const convergence = new Convergence(this.definition.motionLayout!, GIVEN);
    const startMs = this.#nowMs();
    let isBegun = false;
    return (nowMs, shown) => {
      if (nowMs > startMs + GIVEN.timeMs) return void (record.blend = undefined);
      // Both poses at rest: the offset between them fades, whatever the entity's own speed is.
      const [from, to] = [before, shown].map((pose) => ({ now: pose, soon: pose }));
      if (!isBegun) convergence.begin(from!, to!, nowMs / 1000);
      isBegun = true;
      convergence.apply(shown, nowMs / 1000);
    };
  }

  /**
   * Records that the authority has simulated the inputs up to this number by that tick. Called before its
   * states are read.
   */
  processed(number: number | undefined, tick: number): void {
    this.#processed = number;
    this.#processedAtTick = tick;
  }

  advance(input: Float32Array, atMs: number): void {
    this.#input = input;
    this.#tickAtMs = atMs;
    for (const { body } of this.#predicted.values()) body.advance(input);
  }

  #reconcile(predicted: Predicted, state: Float32Array, isJump: boolean): void {
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
    body.show(nowMs / 1000, this.#drawn);
    const since = this.#sinceTickSeconds(nowMs);
    if (since > 0) {
      try {
        this.#step(this.#drawn, this.#input, since);
      } catch {
        // The body reports physics that throw, once a tick.
      }
    }
    into.set(this.#drawn);
  }

  /** Time since the newest tick, limited if the page has missed some, s. */
  #sinceTickSeconds(nowMs: number): number {
    return Math.min((nowMs - this.#tickAtMs) / 1000, 1.5 * this.#session.tickSeconds);
  }

  #nowMs(): number {
    return this.#parts.scheduler.nowMs();
  }

  /** Begins with the authority's state, and simulates the inputs that it does not contain yet. */
  #newBody(record: ShownReplica): PredictedBody<Float32Array> {
    const { tickSeconds, sender } = this.#session;
    const pending = this.#processed === undefined ? [] : sender.inputs.pending;
    const body = new PredictedBody<Float32Array>(
      {
        layout: this.definition.motionLayout!,
        step: (state, input, seconds) => this.#step(state, input, seconds),
        tickSeconds,
        convergence: DEFAULT_CONVERGENCE,
        roundings: roundingsOf(this.definition),
        onFault: (fault) => this.#parts.listeners.faulted(this.definition.name, record.id, fault),
      },
      record.row,
      sender.number - pending.length,
    );
    for (const { input } of pending) body.advance(input);
    return body;
  }
}
