/** The report of the laboratory's page (`page/probe.ts`). Times are in ms from its call of `joinOrCreate`. */
export interface ProbeReport {
  readonly sessionId: string;
  readonly state: string;
  readonly joinedMs: number;
  /** Longest time without a new state of any participant, since the last mark. */
  readonly longestGapMs: number;
  readonly pairs: readonly PairReport[];
  readonly history: readonly { readonly atMs: number; readonly choice: string; readonly reason: string }[];
}

/** The page's report of one other participant. */
export interface PairReport {
  readonly myId: string;
  readonly peerId: string;
  readonly path: string;
  readonly playableMs?: number;
  readonly directMs?: number;
  readonly pathChanges: number;
  readonly rttMs?: number;
  readonly sent: number;
  readonly received: { readonly distinct: number; readonly repeated: number; readonly outOfOrder: number };
  readonly states: number;
}

/** A step in the life of a WebRTC connection, ms from the call of `joinOrCreate`. */
export interface ConnectionStep {
  readonly atMs: number;
  readonly step: string;
}
