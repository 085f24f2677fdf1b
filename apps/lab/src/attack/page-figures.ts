/** An honest browser player's observations since the last request. */
export interface PageFigures {
  readonly received: number;
  readonly lost: number;
  readonly twice: number;
  /** Written to the console. */
  readonly lines: number;
  readonly errors: readonly string[];
  readonly peers: number;
}
