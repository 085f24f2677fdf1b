import { type NetworkSettings, PERFECT_NETWORK } from "./network.js";

/** A typical network of players, as settings for each direction. The figures are round, not measured. */
export interface LinePreset {
  readonly name: string;
  readonly settings: NetworkSettings;
}

const preset = (name: string, settings: Partial<NetworkSettings>): LinePreset =>
  Object.freeze({ name, settings: { ...PERFECT_NETWORK, ...settings } });

/** Networks to try a game on, from best to worst. */
export const linePresets: readonly LinePreset[] = Object.freeze([
  preset("Good Wi-Fi", { delayMs: 5, jitterMs: 2, loss: { kind: "uniform", ratio: 0.001 } }),
  preset("Mobile", {
    delayMs: 35,
    jitterMs: 10,
    loss: { kind: "gilbert-elliott", pGoodToBad: 0.01, pBadToGood: 0.25, lossInGood: 0.002, lossInBad: 0.5 },
    rateBps: 5e6,
    queueBytes: 64_000,
  }),
  preset("Train", {
    delayMs: 60,
    jitterMs: 30,
    loss: { kind: "gilbert-elliott", pGoodToBad: 0.02, pBadToGood: 0.05, lossInGood: 0.005, lossInBad: 0.6 },
    rateBps: 1e6,
    queueBytes: 64_000,
  }),
  preset("Bad hotel", {
    delayMs: 80,
    jitterMs: 40,
    loss: { kind: "uniform", ratio: 0.05 },
    duplicateRatio: 0.005,
    reorderRatio: 0.02,
    reorderHoldMs: 60,
    rateBps: 256e3,
    queueBytes: 32_000,
  }),
  preset("Other side of the world", { delayMs: 140, jitterMs: 8, loss: { kind: "uniform", ratio: 0.01 } }),
  preset("Satellite", { delayMs: 300, jitterMs: 15, loss: { kind: "uniform", ratio: 0.01 }, rateBps: 2e6 }),
]);
