import { Measures, type MotionFigures } from "./measures.js";
import type { LabNetwork, LinkKind } from "./networks.js";
import { playTrack, type PlayCounts } from "./play.js";
import type { LabSystem } from "./system.js";
import type { Trace } from "./trace.js";

/** One row of the result: a system on a trace, over a network and a kind of link. */
export interface MotionRow extends MotionFigures {
  readonly system: string;
  readonly trace: string;
  readonly network: string;
  readonly link: LinkKind;
  readonly updatesPerSecond: number;
  readonly wireBytesPerSecond: number;
  readonly seconds: number;
  readonly starvedShare?: number;
}

/** Conditions of one cell of the table. */
export interface Cell {
  readonly network: LabNetwork;
  readonly link: LinkKind;
}

/** Plays all given traces and returns one row. Each track has the same random seed for every system. */
export function measure(name: string, traces: readonly Trace[], system: LabSystem, cell: Cell): MotionRow {
  const { network, link } = cell;
  const measures = new Measures();
  const total: PlayCounts = { updates: 0, wireBytes: 0, seconds: 0, frames: 0, starvedFrames: 0 };
  let seed = 1;
  for (const { tracks } of traces) {
    for (const track of tracks) {
      const counts = playTrack(track, { system, network, link, seed: seed++ }, measures);
      for (const key of Object.keys(total) as (keyof PlayCounts)[]) total[key] += counts[key];
    }
  }
  return {
    system: system.name,
    trace: name,
    network: network.name,
    link,
    ...measures.figures(),
    updatesPerSecond: total.updates / total.seconds,
    wireBytesPerSecond: total.wireBytes / total.seconds,
    seconds: total.seconds,
    ...(total.starvedFrames > 0 && { starvedShare: total.starvedFrames / total.frames }),
  };
}
