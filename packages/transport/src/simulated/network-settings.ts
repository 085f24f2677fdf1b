import { ConfigError } from "@paceline/protocol";

/** The packets that the path loses. */
export type LossModel =
  | { readonly kind: "none" }
  /** Every packet alone, with the same probability. */
  | { readonly kind: "uniform"; readonly ratio: number }
  /**
   * Losses in bursts: the path is good or bad and may change with every packet (Gilbert, BSTJ 1960; Elliott, BSTJ 1963).
   * In the long run it is bad for `pGoodToBad / (pGoodToBad + pBadToGood)` of all packets, `1 / pBadToGood` in a row.
   */
  | {
      readonly kind: "gilbert-elliott";
      readonly pGoodToBad: number;
      readonly pBadToGood: number;
      readonly lossInGood: number;
      readonly lossInBad: number;
    };

/** Properties of one direction of a path. All of it may be changed while packets are on their way. */
export interface NetworkSettings {
  /** Time from the end of the queue to the receiver, ms, without jitter. */
  readonly delayMs: number;
  /** Standard deviation (ms) of a normal distribution around `delayMs`; a packet never arrives before it was sent. */
  readonly jitterMs: number;
  readonly loss: LossModel;
  /** Share of packets (0 to 1) that arrive twice. */
  readonly duplicateRatio: number;
  /** Share of packets (0 to 1) that are held back by `reorderHoldMs`, so that later ones overtake them. */
  readonly reorderRatio: number;
  /** Delay of such a packet, ms. */
  readonly reorderHoldMs: number;
  /** Capacity, bits per second, of whole packets as given to `send`; `Infinity` for none. */
  readonly rateBps: number;
  /** Most bytes that wait for or are in transmission; a packet that does not fit is dropped (drop-tail). */
  readonly queueBytes: number;
  /** Largest packet, bytes. A larger one is dropped; a reliable path cuts it into segments of this size. */
  readonly mtuBytes: number;
}

/** A path that does nothing at all. */
export const PERFECT_NETWORK: NetworkSettings = Object.freeze<NetworkSettings>({
  delayMs: 0,
  jitterMs: 0,
  loss: Object.freeze({ kind: "none" }),
  duplicateRatio: 0,
  reorderRatio: 0,
  reorderHoldMs: 20,
  rateBps: Infinity,
  queueBytes: Infinity,
  mtuBytes: Infinity,
});

/**
 * `base` with `changes`, checked and frozen.
 *
 * @throws ConfigError that names the first setting outside its range.
 */
export function networkSettings(
  changes: Partial<NetworkSettings>,
  base: NetworkSettings = PERFECT_NETWORK,
): NetworkSettings {
  for (const field of Object.keys(changes)) {
    if (!Object.hasOwn(PERFECT_NETWORK, field)) {
      throw new ConfigError({ field: "settings", value: field, expected: `one of ${SETTING_NAMES}` });
    }
  }
  const settings = { ...base, ...changes };
  for (const field of ["delayMs", "jitterMs", "reorderHoldMs"] as const)
    checkDuration(field, settings[field]);
  for (const field of ["duplicateRatio", "reorderRatio"] as const) checkRatio(field, settings[field]);
  checkAboveZero("rateBps", settings.rateBps, "bits per second");
  checkAboveZero("queueBytes", settings.queueBytes, "bytes");
  checkAboveZero("mtuBytes", settings.mtuBytes, "bytes");
  checkLoss(settings.loss);
  return Object.freeze({ ...settings, loss: Object.freeze({ ...settings.loss }) });
}

/** Settings in words; throws as {@link networkSettings} does. */
export function describeNetwork(changes: Partial<NetworkSettings>): string {
  const { delayMs, jitterMs, loss, duplicateRatio, reorderRatio, rateBps } = networkSettings(changes);
  const percent = (ratio: number): string => `${Math.round(ratio * 1000) / 10} %`;
  const words = [
    delayMs > 0 && `delay ${delayMs} ms`,
    jitterMs > 0 && `jitter ${jitterMs} ms`,
    lossRatio(loss) > 0 &&
      `loss ${percent(lossRatio(loss))}${loss.kind === "gilbert-elliott" ? " in bursts" : ""}`,
    reorderRatio > 0 && `${percent(reorderRatio)} out of order`,
    duplicateRatio > 0 && `${percent(duplicateRatio)} twice`,
    rateBps < Infinity && `${Math.round(rateBps / 1000)} kbit/s`,
  ].filter((word) => word !== false);
  return words.length > 0 ? `${words.join(", ")}, each way` : "a perfect line";
}

/** Share of packets that a model loses in the long run. */
export function lossRatio(loss: LossModel): number {
  if (loss.kind === "none") return 0;
  if (loss.kind === "uniform") return loss.ratio;
  const turns = loss.pGoodToBad + loss.pBadToGood;
  // A path that never turns stays good, as it begins.
  const bad = turns > 0 ? loss.pGoodToBad / turns : 0;
  return bad * loss.lossInBad + (1 - bad) * loss.lossInGood;
}

const SETTING_NAMES = Object.keys(PERFECT_NETWORK).join(", ");

function isNumberFrom(min: number, max: number, value: unknown): boolean {
  return typeof value === "number" && value >= min && value <= max;
}

function checkDuration(field: string, value: number): void {
  if (isNumberFrom(0, Number.MAX_VALUE, value)) return;
  throw new ConfigError({ field, value, expected: "a finite number of ms, 0 or more" });
}

function checkRatio(field: string, value: number): void {
  if (isNumberFrom(0, 1, value)) return;
  throw new ConfigError({ field, value, expected: "a ratio from 0 to 1" });
}

function checkAboveZero(field: string, value: number, unit: string): void {
  if (isNumberFrom(Number.MIN_VALUE, Infinity, value)) return;
  throw new ConfigError({ field, value, expected: `more than 0 ${unit} (Infinity: no limit)` });
}

function checkLoss(loss: LossModel): void {
  switch (loss?.kind) {
    case "none":
      return;
    case "uniform":
      return checkRatio("loss.ratio", loss.ratio);
    case "gilbert-elliott":
      for (const field of ["pGoodToBad", "pBadToGood", "lossInGood", "lossInBad"] as const) {
        checkRatio(`loss.${field}`, loss[field]);
      }
      return;
    default:
      throw new ConfigError({
        field: "loss.kind",
        value: (loss as { kind?: unknown } | undefined)?.kind,
        expected: "none, uniform or gilbert-elliott",
      });
  }
}
