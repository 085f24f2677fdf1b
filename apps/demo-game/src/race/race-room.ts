/** The part of a room that a race needs. `Room` of @paceline/client has most of it, and so have the rooms of tests. */
export interface RacePeer {
  readonly number: number;
  readonly rttMs: number | undefined;
}

export interface RaceRoom<P extends RacePeer = RacePeer> {
  readonly myNumber: number;
  /** Number of the race director. */
  readonly director: number;
  readonly peers: readonly P[];
  /** True while a peer has not introduced itself yet, which may know a race that runs. */
  readonly isMeeting?: boolean;
  /** Numbers of the drivers, if not everybody drives: a server and spectators do not. */
  readonly racers?: readonly number[];
  send(type: string, message: unknown, to?: P): void;
}
