/** Simulation steps per second of every owner in the laboratory. */
export const TICK_HZ = 60;
export const TICK_SECONDS = 1 / TICK_HZ;

/** Components of one row of truth: position, velocity, heading. */
export const TRUTH_WIDTH = 7;
export const HEADING = 6;

/** A span of time in which an entity is present and does not jump. */
export interface Piece {
  /** First tick, counted from the beginning of the track. */
  readonly startTick: number;
  readonly ticks: number;
  /** Rows of {@link TRUTH_WIDTH}, one per tick. */
  readonly rows: Float64Array;
}

/** One entity of a trace. Its pieces follow one another on one time line, with pauses between them. */
export interface Track {
  readonly pieces: readonly Piece[];
}

export interface Trace {
  readonly id: string;
  readonly kind: "cars" | "walkers";
  /** True for recordings of people or of an established simulator; false for this project's generator. */
  readonly isRecorded: boolean;
  readonly tracks: readonly Track[];
}

/** Pause between two pieces of a track, in which the entity is absent. */
export const PAUSE_TICKS = 60;
/** Length below which a piece is left out. */
export const MIN_PIECE_SECONDS = 2;

/**
 * Writes the true position at a time of the track (s). Between ticks it uses a cubic through positions and
 * velocities.
 */
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

/** Returns the seconds in which the track's entity is present. */
export function presentSeconds(track: Track): number {
  return track.pieces.reduce((sum, { ticks }) => sum + ticks / TICK_HZ, 0);
}

/** Returns the beginning of each trace by its share, so that long traces also dominate a short run. */
export function sampled(traces: readonly Trace[], share: number, leastTrackSeconds: number): Trace[] {
  return traces.map((trace) => {
    const seconds = trace.tracks.reduce((sum, track) => sum + presentSeconds(track), 0);
    return shortened(trace, seconds * share, Math.min(leastTrackSeconds, seconds * share));
  });
}

/**
 * Returns the beginning of a trace: tracks that together last about `seconds`.
 *
 * @param leastTrackSeconds leaves tracks out rather than making them shorter than this
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
