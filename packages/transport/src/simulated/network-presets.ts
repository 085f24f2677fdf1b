import { type NetworkSettings } from "./network.js";
import { networkSettings } from "./network-settings.js";

/** A measured or emulated path, as settings for one direction (use the same for both). */
export interface NetworkPreset {
  readonly settings: NetworkSettings;
  /** Source of the figures. Names those that are assumed. */
  readonly source: string;
}

const DISCART =
  "Discart, Analysis and Evaluation of Multiplayer Communication Channels in Browser Games, Hasselt University 2014";
const ARTILLERY = "Logan, Experiments with WebSocket Performance, The Artillery Blog 2012";

/** Returns the loss per direction at which a packet or its echo is lost with `echoLossRatio`. */
function perDirection(echoLossRatio: number): { kind: "uniform"; ratio: number } {
  return { kind: "uniform", ratio: 1 - Math.sqrt(1 - echoLossRatio) };
}

function artillery(rttMs: number, echoLossRatio: number): NetworkPreset {
  return Object.freeze({
    settings: networkSettings({ delayMs: rttMs / 2, loss: perDirection(echoLossRatio) }),
    source: `${ARTILLERY}: RTT ${rttMs} ms, ${echoLossRatio * 100} % of echoes lost (half of it each way)`,
  });
}

function preset(settings: Partial<NetworkSettings>, source: string): NetworkPreset {
  return Object.freeze({ settings: networkSettings(settings), source });
}

/** Paths by name. */
export const networkPresets = Object.freeze({
  perfect: preset({}, "no impairment: the control of an experiment"),
  lan: preset({ delayMs: 0.7 }, `${DISCART}: median echo over a 1 Gbit/s LAN 1.44 ms; jitter assumed 0`),
  lossyLan: preset(
    { delayMs: 0.7, loss: { kind: "uniform", ratio: 0.05 } },
    `${DISCART}: 5 % loss in both directions of a LAN`,
  ),
  busy: preset(
    { delayMs: 50, jitterMs: 5, loss: { kind: "uniform", ratio: 0.01 } },
    `${DISCART}: "busy network", 50 ms one way, 5 ms normal jitter, 1 % loss`,
  ),
  artillery50Clean: artillery(50, 0.001),
  artillery50Fair: artillery(50, 0.01),
  artillery50Poor: artillery(50, 0.05),
  artillery100Clean: artillery(100, 0.001),
  artillery100Fair: artillery(100, 0.01),
  artillery100Poor: artillery(100, 0.05),
  planeShift: preset(
    { delayMs: 150, rateBps: 10e6, loss: { kind: "uniform", ratio: 0.01 } },
    "Burgos-Amador et al., Reducing the Impact of MMO Games on the Internet using SCTP: 10 Mbit/s, " +
      "300 ms until acknowledged, 1 % loss",
  ),
  uplink: preset(
    { delayMs: 20, rateBps: 1e6, queueBytes: 15_000, mtuBytes: 1500 },
    "Saldana, On the Effectiveness of an Optimization Method for the Traffic of TCP-Based Multiplayer Online " +
      "Games: bottleneck of 1 Mbit/s, 20 ms one way; queue of 10 full packets assumed",
  ),
  mobile: preset(
    {
      delayMs: 40,
      jitterMs: 10,
      loss: {
        kind: "gilbert-elliott",
        pGoodToBad: 0.01,
        pBadToGood: 0.25,
        lossInGood: 0.002,
        lossInBad: 0.5,
      },
      rateBps: 5e6,
      queueBytes: 64_000,
      mtuBytes: 1400,
    },
    "assumed: a mobile network with losses in bursts of four packets, about 2 % in all",
  ),
} satisfies Record<string, NetworkPreset>);

/** Names of {@link networkPresets}. */
export type NetworkPresetName = keyof typeof networkPresets;
