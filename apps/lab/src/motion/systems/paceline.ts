import {
  Kinematics,
  Publication,
  RemoteBody,
  repeatAfterMsFor,
  type BodyLayout,
  type ConvergenceOptions,
  type ReckoningModel,
} from "@paceline/netcode";
import { bitsOf, quantised, type WireField } from "../quantise.js";
import type { LabReceiver, LabSender, LabSystem, LocalTime, Update } from "../system.js";
import type { LabNetwork, LinkKind } from "../networks.js";
import { HEADING, TICK_SECONDS } from "../trace.js";

/** Position, velocity, acceleration, heading, turn rate. */
const WIDTH = 11;
export const CAR_LAYOUT: BodyLayout = {
  position: 0,
  dimensions: 3,
  velocity: 3,
  acceleration: 6,
  heading: 9,
  turnRate: 10,
};
const POSE: readonly WireField[] = [
  { at: 0, count: 3, step: 0.002, bits: 16 },
  { at: 9, count: 1, step: 2 ** -12 * 2 * Math.PI, bits: 13 },
];
const VELOCITY: readonly WireField[] = [
  { at: 3, count: 3, step: 0.02, bits: 13 },
  { at: 10, count: 1, step: 0.03, bits: 10 },
];
const ACCELERATION: readonly WireField[] = [{ at: 6, count: 3, step: 0.5, bits: 9 }];

/** Packet header, kind and length of the message, entity id. */
const HEADER_BYTES = 7 + 4 + 2;

export interface PacelineSettings {
  readonly name: string;
  readonly model: ReckoningModel;
  readonly positionThresholdM: number;
  readonly headingThresholdRad: number;
  readonly convergence: ConvergenceOptions;
  /** Look ahead by the one-way delay; without it updates are due when the error is there already. */
  readonly looksAhead: boolean;
  readonly repeats: boolean;
  /** No further ahead without news; default 1000 ms. */
  readonly extrapolationLimitMs?: number;
  /** Bytes of one state without header, in place of the packed fields. */
  readonly stateBytes?: number | undefined;
}

/** A frame on average until an update is shown, and the step of the simulation in which it is noticed. */
const SHOWN_AFTER_MS = 14;

function wireFields(model: ReckoningModel): readonly WireField[] {
  if (model === "hold" || model === "history") return POSE;
  return model === "velocity" ? [...POSE, ...VELOCITY] : [...POSE, ...VELOCITY, ...ACCELERATION];
}

/** Dead reckoning with a threshold, as the SDK does it. */
export function pacelineSystem(settings: PacelineSettings): LabSystem {
  return {
    name: settings.name,
    links: ["unreliable", "ordered"],
    sender: (network, link) => new PacelineSender(settings, network, link),
    receiver: () => new PacelineReceiver(settings),
  };
}

class PacelineSender implements LabSender {
  readonly #settings: PacelineSettings;
  readonly #horizonMs: number;
  readonly #repeatAfterMs: number;
  readonly #fields: readonly WireField[];
  readonly #payloadBytes: number;
  readonly #state = new Float64Array(WIDTH);
  readonly #kinematics = new Kinematics(CAR_LAYOUT, { isVelocityGiven: true });
  #publication: Publication | undefined;

  constructor(settings: PacelineSettings, network: LabNetwork, link: LinkKind) {
    this.#settings = settings;
    this.#horizonMs = settings.looksAhead ? (network.settings.delayMs ?? 0) + SHOWN_AFTER_MS : 0;
    const isWorthRepeating = settings.repeats && link === "unreliable";
    this.#repeatAfterMs = isWorthRepeating ? repeatAfterMsFor(network.lossRatio) : 0;
    this.#fields = wireFields(settings.model);
    this.#payloadBytes = HEADER_BYTES + (settings.stateBytes ?? Math.ceil(bitsOf(this.#fields) / 8));
  }

  step(truth: Float64Array, tick: number, isFirst: boolean): Update | undefined {
    const state = this.#state;
    state.set(truth.subarray(0, HEADING));
    state[CAR_LAYOUT.heading!] = truth[HEADING]!;
    if (isFirst) {
      this.#kinematics.restart();
      const { model } = this.#settings;
      this.#publication = new Publication({ layout: CAR_LAYOUT, model, tickSeconds: TICK_SECONDS }, WIDTH);
    }
    this.#kinematics.derive(state, tick, TICK_SECONDS);
    const publication = this.#publication;
    const reason = publication?.due(state, tick, {
      positionThresholdM: this.#settings.positionThresholdM,
      headingThresholdRad: this.#settings.headingThresholdRad,
      horizonMs: this.#horizonMs,
      minIntervalMs: 0,
      heartbeatMs: 1000,
      movingHeartbeatMs: 300,
      repeatAfterMs: this.#repeatAfterMs,
    });
    if (!publication || !reason) return undefined;
    const row = quantised(state, this.#fields);
    publication.sent(row, tick, reason);
    return { payloadBytes: this.#payloadBytes, tick, row, isJump: isFirst };
  }
}

class PacelineReceiver implements LabReceiver {
  readonly #body: RemoteBody;
  readonly #shown = new Float64Array(WIDTH);

  constructor({ model, convergence, extrapolationLimitMs = 1000 }: PacelineSettings) {
    const options = {
      layout: CAR_LAYOUT,
      model,
      convergence,
      extrapolationLimitMs,
    };
    this.#body = new RemoteBody(options, WIDTH);
  }

  receive({ row, tick, isJump }: Update, { ownerSeconds }: LocalTime): void {
    this.#body.receive(row, tick * TICK_SECONDS, ownerSeconds, isJump);
  }

  show({ ownerSeconds }: LocalTime, into: Float64Array): boolean {
    if (!this.#body.show(ownerSeconds, this.#shown)) return false;
    into.set(this.#shown.subarray(0, HEADING));
    into[HEADING] = this.#shown[CAR_LAYOUT.heading!]!;
    return true;
  }
}
