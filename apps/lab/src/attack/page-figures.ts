/** Observations of an honest player in a browser since the last request. */
export interface PageFigures {
  readonly received: number;
  readonly lost: number;
  readonly twice: number;
  readonly lines: number;
  readonly errors: readonly string[];
  readonly peers: number;
}
