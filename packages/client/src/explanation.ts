import type { HeldBands, Measured } from "@paceline/transport";
import type { Peer } from "./peer.js";
import type { Explanation } from "./room-transport.js";

// Words take room: only room.transport.explain() fetches this file.

/** What was measured, how it counts and how old it is, as a row of an explanation. */
export function measuredRow(measured: Measured | undefined, held: HeldBands, ageMs: number): Explanation {
  const about = "measured now";
  if (!measured) return { about, choice: "nothing yet", reason: "no ping was answered yet" };
  const percent = (ratio: number, places = 0): string => `${(ratio * 100).toFixed(places)} %`;
  const words: readonly (readonly [name: string, value: string | undefined, band: string])[] = [
    ["loss", measured.lossRatio === undefined ? undefined : percent(measured.lossRatio, 1), held.loss],
    ["round trip", measured.rttMs === undefined ? undefined : `${measured.rttMs.toFixed(0)} ms`, held.rtt],
    [
      "jitter",
      measured.jitterMs === undefined ? undefined : `${measured.jitterMs.toFixed(1)} ms`,
      held.jitter,
    ],
    ["queue", measured.queuedBytes === undefined ? undefined : `${measured.queuedBytes} bytes`, held.queue],
    ["stalls", measured.stallRatio === undefined ? undefined : percent(measured.stallRatio), held.stalls],
    [
      "direct links",
      measured.uploadRatio === undefined ? undefined : `${percent(measured.uploadRatio)} of the upload`,
      held.upload,
    ],
  ];
  const choice = words
    .map(([name, value, band]) => (value === undefined ? `${name} unknown` : `${name} ${value} (${band})`))
    .join(", ");
  const age = `${(ageMs / 1000).toFixed(1)} s ago`;
  const reason = `the worst of the paths in use, ${age}; a worse band counts after 3 s, a better one after 15 s`;
  return { about, choice, reason };
}

/** A peer's path, as a row of an explanation. */
export function pathRow({ number, path, channel, reason }: Peer): Explanation {
  return { about: `peer ${number}`, choice: `${path}: ${channel}`, reason };
}
