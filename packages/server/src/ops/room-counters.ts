/** Counters of a room since its start, for metrics. */
export interface RoomCounters {
  joins: number;
  /** Joins that `onAuth` or `onJoin` refused, or that failed in them. */
  joinsRefused: number;
  drops: number;
  reconnects: number;
  leaves: number;
  messages: number;
  /** Messages of an unknown type, or not of their schema. */
  messagesRefused: number;
  /** Beyond what one player may send. */
  messagesLimited: number;
  inputs: number;
  /** Inputs that came after their tick; ticks for which none was there. */
  inputsLate: number;
  inputsMissing: number;
  /** Inputs in a room that takes none; entities, or states of entities, that the sender may not own. */
  notAllowed: number;
  /** Whatever came of those who only watch. */
  fromSpectators: number;
  /** States and messages that spectators did not get because too much waited for them. */
  spectatorsMissed: number;
  /** Steps, messages and timers that have blocked the process. */
  blocked: number;
  /** Looks into the past, and those that wanted to go farther back than is allowed. */
  rewinds: number;
  rewindsCapped: number;
  /** Packets that made no sense. */
  malformed: number;
  /** Bodies of states sent, and their bytes. */
  statePackets: number;
  stateBytes: number;
  /** Breaches of what is plausible. */
  breaches: number;
  /** Matches that a queue made. */
  queueMatches: number;
  queueTimeouts: number;
  /** Hooks that threw, rejected, or did not end in time, by name. */
  readonly hookErrors: Record<string, number>;
}

export function newRoomCounters(): RoomCounters {
  return {
    joins: 0,
    joinsRefused: 0,
    drops: 0,
    reconnects: 0,
    leaves: 0,
    messages: 0,
    messagesRefused: 0,
    messagesLimited: 0,
    inputs: 0,
    inputsLate: 0,
    inputsMissing: 0,
    notAllowed: 0,
    fromSpectators: 0,
    spectatorsMissed: 0,
    blocked: 0,
    rewinds: 0,
    rewindsCapped: 0,
    malformed: 0,
    statePackets: 0,
    stateBytes: 0,
    breaches: 0,
    queueMatches: 0,
    queueTimeouts: 0,
    hookErrors: {},
  };
}

/** Adds what another room has counted. */
export function addRoomCounters(sum: RoomCounters, more: RoomCounters): void {
  const { hookErrors, ...numbers } = more;
  for (const [name, count] of Object.entries(numbers)) sum[name as keyof typeof numbers] += count;
  for (const [hook, count] of Object.entries(hookErrors)) {
    sum.hookErrors[hook] = (sum.hookErrors[hook] ?? 0) + count;
  }
}
