import { lossRatio, type LossModel, type NetworkSettings } from "@paceline/transport/simulated";

/** The fields of the form, each for one direction, in units that people use. */
export type SimulatorFields = Readonly<Record<keyof typeof FIELDS, number>>;

/** Words and limits of the fields. The lowest value of each means that it changes nothing. */
export const FIELDS = {
  delayMs: { label: "Delay", unit: "ms", max: 2000, least: 0, step: 10 },
  jitterMs: { label: "Jitter", unit: "ms", max: 500, least: 0, step: 5 },
  lossPercent: { label: "Loss", unit: "%", max: 100, least: 0, step: 0.5 },
  burst: { label: "In bursts of", unit: "packets", max: 100, least: 1, step: 1 },
  reorderPercent: { label: "Out of order", unit: "%", max: 100, least: 0, step: 0.5 },
  duplicatePercent: { label: "Twice", unit: "%", max: 100, least: 0, step: 0.5 },
  rateKbps: { label: "Rate, 0: no limit", unit: "kbit/s", max: 1_000_000, least: 0, step: 16 },
} as const;

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
