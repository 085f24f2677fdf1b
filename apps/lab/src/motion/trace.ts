/** Simulation steps per second of every owner in the laboratory. */
export const TICK_HZ = 60;
export const TICK_SECONDS = 1 / TICK_HZ;

/** Components of one moment of a track: position, velocity, heading. */
export const TRUTH_WIDTH = 7;
export const HEADING = 6;

/** A stretch of time in which an entity was there and did not jump. */
export interface Piece {
  /** First tick, counted from the beginning of the track. */
  readonly startTick: number;
  readonly ticks: number;
  /** Rows of {@link TRUTH_WIDTH}, one per tick. */
  readonly rows: Float64Array;
}

/** One entity of a trace; its pieces follow one another on one time line, with pauses between them. */
export interface Track {
  readonly pieces: readonly Piece[];
}

export interface Trace {
  readonly id: string;
  readonly kind: "cars" | "walkers";
  /** True if people or a simulator of repute made it; false for our generator's. */
  readonly isRecorded: boolean;
  readonly tracks: readonly Track[];
}

/** Between two pieces of a track: the entity is not there. */
export const PAUSE_TICKS = 60;
/** Shorter ones say nothing. */
export const MIN_PIECE_SECONDS = 2;

/** The entity's true position at a time of the track (s), between ticks by a cubic through positions and velocities. */
export function truthAt(piece: Piece, seconds: number, into: Float64Array): void {
  const at = seconds * TICK_HZ - piece.startTick;
  const before = Math.max(0, Math.min(piece.ticks - 2, Math.floor(at)));
  const u = at - before;
  const row = before * TRUTH_WIDTH;
  const next = row + TRUTH_WIDTH;
  const { rows } = piece;
  const ofEnd = u * u * (3 - 2 * u);
  for (let axis = 0; axis < 3; axis++) {
    const v0 = rows[row + 3 + axis]! * TICK_SECONDS;
    const v1 = rows[next + 3 + axis]! * TICK_SECONDS;
    into[axis] =
      (1 - ofEnd) * rows[row + axis]! + ofEnd * rows[next + axis]! + u * (1 - u) * ((1 - u) * v0 - u * v1);
    into[3 + axis] = rows[row + 3 + axis]! + (rows[next + 3 + axis]! - rows[row + 3 + axis]!) * u;
  }
  const turn = Math.atan2(
    Math.sin(rows[next + HEADING]! - rows[row + HEADING]!),
    Math.cos(rows[next + HEADING]! - rows[row + HEADING]!),
  );
  into[HEADING] = rows[row + HEADING]! + turn * u;
}

/** Seconds during which the track's entity is there. */
export function presentSeconds(track: Track): number {
  return track.pieces.reduce((sum, { ticks }) => sum + ticks / TICK_HZ, 0);
}

/** The beginning of a share of each trace: what is long in the whole is so in the short run, too. */
export function sampled(traces: readonly Trace[], share: number, leastTrackSeconds: number): Trace[] {
  return traces.map((trace) => {
    const seconds = trace.tracks.reduce((sum, track) => sum + presentSeconds(track), 0);
    return shortened(trace, seconds * share, Math.min(leastTrackSeconds, seconds * share));
  });
}

/**
 * The beginning of a trace: tracks that together last about this long, cut off there.
 *
 * @param leastTrackSeconds rather fewer tracks than shorter ones
 */
export function shortened(trace: Trace, seconds: number, leastTrackSeconds = MIN_PIECE_SECONDS * 3): Trace {
  const each = seconds / trace.tracks.length;
  const tracks = trace.tracks.map((track): Track => {
    const pieces: Piece[] = [];
    let left = Math.round(Math.max(each, leastTrackSeconds) * TICK_HZ);
    for (const piece of track.pieces) {
      if (left < MIN_PIECE_SECONDS * TICK_HZ) break;
      const ticks = Math.min(piece.ticks, left);
      pieces.push({ ...piece, ticks, rows: piece.rows.subarray(0, ticks * TRUTH_WIDTH) });
      left -= ticks;
    }
    return { pieces };
  });
  const enough = tracks.slice(0, Math.max(1, Math.ceil(seconds / leastTrackSeconds)));
  return { ...trace, tracks: enough };
}
