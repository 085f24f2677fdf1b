import { lossRatio, type LossModel, type NetworkSettings } from "@paceline/transport/simulated";

/** The fields of the form, each for one direction, in units that people use. */
export interface SimulatorFields {
  readonly delayMs: number;
  readonly jitterMs: number;
  readonly lossPercent: number;
  readonly burst: number;
  readonly reorderPercent: number;
  readonly duplicatePercent: number;
  /** 0: unlimited. */
  readonly rateKbps: number;
}

const HOLD_MS = 40;
/** A link of limited rate queues about half a second of packets, as home routers do. */
const QUEUE_SECONDS = 0.5;
const LEAST_QUEUE_BYTES = 8000;

/** Returns the network settings for the fields. */
export function settingsOf(fields: SimulatorFields): Partial<NetworkSettings> {
  const bytesPerSecond = fields.rateKbps * 125;
  return {
    delayMs: fields.delayMs,
    jitterMs: fields.jitterMs,
    loss: lossOf(fields.lossPercent / 100, fields.burst),
    reorderRatio: fields.reorderPercent / 100,
    reorderHoldMs: HOLD_MS,
    duplicateRatio: fields.duplicatePercent / 100,
    ...(bytesPerSecond > 0 && {
      rateBps: bytesPerSecond * 8,
      queueBytes: Math.max(LEAST_QUEUE_BYTES, bytesPerSecond * QUEUE_SECONDS),
    }),
  };
}

/** Returns the field values of a network, rounded if the fields cannot express it exactly. */
export function fieldsOf(settings: NetworkSettings): SimulatorFields {
  const { loss, rateBps } = settings;
  return {
    delayMs: settings.delayMs,
    jitterMs: settings.jitterMs,
    lossPercent: toDigit(lossRatio(loss) * 100),
    burst: loss.kind === "gilbert-elliott" ? toDigit(1 / loss.pBadToGood) : 1,
    reorderPercent: toDigit(settings.reorderRatio * 100),
    duplicatePercent: toDigit(settings.duplicateRatio * 100),
    rateKbps: rateBps === Infinity ? 0 : rateBps / 1000,
  };
}

function lossOf(ratio: number, burst: number): LossModel {
  if (ratio <= 0) return { kind: "none" };
  if (burst <= 1 || ratio >= 1) return { kind: "uniform", ratio };
  // All packets are lost while the path is bad: for `burst` packets in a row, and `ratio` of the time.
  const pBadToGood = 1 / burst;
  const pGoodToBad = Math.min(1, (ratio * pBadToGood) / (1 - ratio));
  return { kind: "gilbert-elliott", pGoodToBad, pBadToGood, lossInGood: 0, lossInBad: 1 };
}

function toDigit(value: number): number {
  return Math.round(value * 10) / 10;
}
