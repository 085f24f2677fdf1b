/** The part of a Paceline room that a race needs; `Room` of @paceline/client is one, and so is a test's. */
export interface RacePeer {
  readonly number: number;
  readonly rttMs: number | undefined;
}

export interface RaceRoom<P extends RacePeer = RacePeer> {
  readonly myNumber: number;
  readonly peers: readonly P[];
  /** The drivers, if not everybody drives: neither a server nor spectators do. */
  readonly racers?: readonly number[];
  send(type: string, message: unknown, to?: P): void;
}
