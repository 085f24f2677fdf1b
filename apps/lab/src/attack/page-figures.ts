/** What an honest player in a browser has seen since it was asked last. */
export interface PageFigures {
  readonly received: number;
  readonly lost: number;
  readonly twice: number;
  /** Written to the console. */
  readonly lines: number;
  readonly errors: readonly string[];
  readonly peers: number;
}
