import {
  ReceiverReplication,
  RemoteBody,
  kinematicsOf,
  lostAfterMsOf,
  newReckoner,
  repeatAfterMsFor,
  sendDecisionOf,
  type ConvergenceOptions,
  type Kinematics,
  type ReplicatedEntity,
  type ReplicationPolicy,
} from "@paceline/netcode";
import type { EntityDefinition } from "@paceline/protocol";
import type { LabReceiver, LabSender, LabSystem, LocalTime, Update } from "../system.js";
import type { LabNetwork, LinkKind } from "../networks.js";
import { HEADING, TICK_SECONDS } from "../trace.js";
import { CarStates, definitionOf, type CarModel } from "./car-states.js";

export interface PacelineSettings {
  readonly name: string;
  readonly model: CarModel;
  readonly positionThresholdM: number;
  readonly headingThresholdRad: number;
  readonly convergence: ConvergenceOptions;
  /**
   * True to look ahead by the one-way delay. Without it, an update is due only when the error already exists.
   */
  readonly looksAhead: boolean;
  readonly repeats: boolean;
  /** Limit of extrapolation without a new state, default 1000 ms. */
  readonly extrapolationLimitMs?: number;
}

/** Mean time until an update is shown: a frame on average, and the simulation step that notices the error. */
const SHOWN_AFTER_MS = 14;
/** More than any car needs, so that every due update is sent. */
const BYTES_PER_SECOND = 1_000_000;

/** Returns dead reckoning with a threshold, with the replication and codec of the SDK's rooms. */
export function pacelineSystem(settings: PacelineSettings): LabSystem {
  return {
    name: settings.name,
    links: ["unreliable", "ordered"],
    sender: (network, link) => new PacelineSender(settings, network, link),
    receiver: () => new PacelineReceiver(settings),
  };
}

class PacelineSender implements LabSender {
  readonly #replication = new ReceiverReplication({ tickSeconds: TICK_SECONDS, decisionOf: sendDecisionOf });
  readonly #policy: ReplicationPolicy;
  readonly #states: CarStates;
  readonly #kinematics: Kinematics;
  readonly #entity: ReplicatedEntity;

  constructor(settings: PacelineSettings, network: LabNetwork, link: LinkKind) {
    const { positionThresholdM, headingThresholdRad, looksAhead, repeats } = settings;
    const delayMs = network.settings.delayMs ?? 0;
    const definition = definitionOf(settings.model);
    const isWorthRepeating = repeats && link === "unreliable";
    this.#policy = {
      positionThresholdM,
      headingThresholdRad,
      horizonMs: looksAhead ? delayMs + SHOWN_AFTER_MS : 0,
      minIntervalMs: 0,
      heartbeatMs: 1000,
      movingHeartbeatMs: 300,
      repeatAfterMs: isWorthRepeating ? repeatAfterMsFor(network.lossRatio) : 0,
      bytesPerSecond: BYTES_PER_SECOND,
      lostAfterMs: lostAfterMsOf(2 * delayMs),
    };
    this.#states = new CarStates(definition);
    this.#kinematics = kinematicsOf(definition)!;
    const state = new Float32Array(definition.components.length);
    this.#entity = { id: 0, definition, state, texts: [] };
  }

  step(truth: Float64Array, tick: number, isFirst: boolean): Update | undefined {
    const entity = this.#entity;
    const { state } = entity;
    const moment = { tick, nowMs: tick * TICK_SECONDS * 1000 };
    fill(entity.definition, truth, state);
    if (isFirst) {
      this.#kinematics.restart();
      this.#states.teleport();
      this.#replication.teleported(entity.id);
    }
    this.#kinematics.derive(state, tick, TICK_SECONDS);
    const isDue = this.#replication.due([entity], moment, this.#policy).length > 0;
    const written = isDue ? this.#states.write(state, tick) : undefined;
    if (!written) return undefined;
    const { payloadBytes, row, sequence } = written;
    this.#replication.sent(entity, Float32Array.from(row), moment, sequence);
    this.#replication.spent(payloadBytes, 1);
    return { payloadBytes, tick, row, isJump: isFirst, sequence };
  }

  acknowledged(sequence: number): void {
    this.#states.acknowledged(sequence);
    this.#replication.acknowledged(sequence);
  }
}

/** Fills the columns that a game writes; the others are derived. */
function fill({ motionLayout: layout }: EntityDefinition, truth: Float64Array, state: Float32Array): void {
  state.set(truth.subarray(0, 3), layout!.position);
  if (layout!.velocity !== undefined) state.set(truth.subarray(3, HEADING), layout!.velocity);
  state[layout!.heading!] = truth[HEADING]!;
}

class PacelineReceiver implements LabReceiver {
  readonly #body: RemoteBody;
  readonly #shown: Float64Array;
  readonly #heading: number;

  constructor({ model, convergence, extrapolationLimitMs = 1000 }: PacelineSettings) {
    const { motionLayout, components } = definitionOf(model);
    const layout = motionLayout!;
    this.#heading = layout.heading!;
    this.#shown = new Float64Array(components.length);
    const reckoner = newReckoner(layout, model);
    this.#body = new RemoteBody({ layout, reckoner, convergence, extrapolationLimitMs }, components.length);
  }

  receive({ row, tick, isJump }: Update, { ownerSeconds }: LocalTime): void {
    this.#body.receive(row, tick * TICK_SECONDS, ownerSeconds, isJump);
  }

  show({ ownerSeconds }: LocalTime, into: Float64Array): boolean {
    if (!this.#body.show(ownerSeconds, this.#shown)) return false;
    into.set(this.#shown.subarray(0, 3));
    into[HEADING] = this.#shown[this.#heading]!;
    return true;
  }
}
