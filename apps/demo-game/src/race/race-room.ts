/** The part of a Paceline room that a race needs; `Room` of @paceline/client is one, and so is a test's. */
export interface RacePeer {
  readonly number: number;
  readonly rttMs: number | undefined;
}

export interface RaceRoom<P extends RacePeer = RacePeer> {
  readonly myNumber: number;
  readonly peers: readonly P[];
  /** Who drives, where that is not everybody: a server does not, nor do spectators. */
  readonly racers?: readonly number[];
  send(type: string, message: unknown, to?: P): void;
}
