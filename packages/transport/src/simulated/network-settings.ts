import { ConfigError } from "@paceline/protocol";
import { lossRatio, PERFECT_NETWORK, type LossModel, type NetworkSettings } from "./network.js";

/**
 * Returns `base` with `changes`, checked and frozen.
 *
 * @throws ConfigError that names the first setting outside its range.
 */
export function networkSettings(
  changes: Partial<NetworkSettings>,
  base: NetworkSettings = PERFECT_NETWORK,
): NetworkSettings {
  for (const field of Object.keys(changes)) {
    if (!Object.hasOwn(PERFECT_NETWORK, field)) {
      throw new ConfigError("settings", field, `one of ${SETTING_NAMES}`);
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

/** Describes settings in words. Throws as {@link networkSettings} does. */
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

const SETTING_NAMES = Object.keys(PERFECT_NETWORK).join(", ");

function isNumberFrom(min: number, max: number, value: unknown): boolean {
  return typeof value === "number" && value >= min && value <= max;
}

function checkDuration(field: string, value: number): void {
  if (isNumberFrom(0, Number.MAX_VALUE, value)) return;
  throw new ConfigError(field, value, "a finite number of ms, 0 or more");
}

function checkRatio(field: string, value: number): void {
  if (isNumberFrom(0, 1, value)) return;
  throw new ConfigError(field, value, "a ratio from 0 to 1");
}

function checkAboveZero(field: string, value: number, unit: string): void {
  if (isNumberFrom(Number.MIN_VALUE, Infinity, value)) return;
  throw new ConfigError(field, value, `more than 0 ${unit} (Infinity: no limit)`);
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
      throw new ConfigError(
        "loss.kind",
        (loss as { kind?: unknown } | undefined)?.kind,
        "none, uniform or gilbert-elliott",
      );
  }
}
