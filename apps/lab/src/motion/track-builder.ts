import {
  HEADING,
  MIN_PIECE_SECONDS,
  PAUSE_TICKS,
  TICK_HZ,
  TRUTH_WIDTH,
  truthAt,
  type Piece,
  type Track,
} from "./trace.js";

/** One moment of a recording. */
export interface Sample {
  readonly position: readonly [x: number, y: number, z: number];
  readonly velocity: readonly [x: number, y: number, z: number];
  readonly heading: number;
}

/** Makes a track of uninterrupted recordings at `hz`, resampled to the laboratory's ticks. */
export function trackOf(runs: readonly (readonly Sample[])[], hz: number): Track {
  const pieces: Piece[] = [];
  let startTick = PAUSE_TICKS;
  for (const run of runs) {
    if (run.length < MIN_PIECE_SECONDS * hz) continue;
    const piece = pieceOf(run, hz, startTick);
    pieces.push(piece);
    startTick += piece.ticks + PAUSE_TICKS;
  }
  return { pieces };
}

function pieceOf(run: readonly Sample[], hz: number, startTick: number): Piece {
  const recorded = new Float64Array(run.length * TRUTH_WIDTH);
  run.forEach(({ position, velocity, heading }, index) => {
    recorded.set([...position, ...velocity, heading], index * TRUTH_WIDTH);
  });
  if (hz === TICK_HZ) return { startTick, ticks: run.length, rows: recorded };
  // Uses the cubic of `truthAt` on the recording's own grid, whose velocities are per second of the grid.
  const scale = hz / TICK_HZ;
  const ofGrid = Float64Array.from(recorded, (value, index) => {
    const component = index % TRUTH_WIDTH;
    return component >= 3 && component < HEADING ? value / scale : value;
  });
  const grid: Piece = { startTick: 0, ticks: run.length, rows: ofGrid };
  const ticks = Math.floor((run.length - 1) / scale) + 1;
  const rows = new Float64Array(ticks * TRUTH_WIDTH);
  for (let tick = 0; tick < ticks; tick++) {
    const row = rows.subarray(tick * TRUTH_WIDTH, (tick + 1) * TRUTH_WIDTH);
    truthAt(grid, (tick * scale) / TICK_HZ, row);
    for (let axis = 3; axis < HEADING; axis++) row[axis]! *= scale;
  }
  return { startTick, ticks, rows };
}
