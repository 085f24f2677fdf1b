export function newRoomCounters() {
  return {
    joins: 0,
    /** Joins that `onAuth` or `onJoin` refused, or that failed in them. */
    joinsRefused: 0,
    drops: 0,
    reconnects: 0,
    leaves: 0,
    messages: 0,
    /** Messages of an unknown type, or not of their schema. */
    messagesRefused: 0,
    /** Beyond what one player may send. */
    messagesLimited: 0,
    inputs: 0,
    /** Inputs that came after their tick; ticks for which none was there. */
    inputsLate: 0,
    inputsMissing: 0,
    /** Inputs in a room that takes none; entities, or states of entities, that the sender may not own. */
    notAllowed: 0,
    /** Whatever came of those who only watch. */
    fromSpectators: 0,
    /** States and messages that spectators did not get because too much waited for them. */
    spectatorsMissed: 0,
    /** Steps, messages and timers that have blocked the process. */
    blocked: 0,
    /** Looks into the past, and those that wanted to go farther back than is allowed. */
    rewinds: 0,
    rewindsCapped: 0,
    /** Packets that made no sense. */
    malformed: 0,
    /** Bodies of states sent, and their bytes. */
    statePackets: 0,
    stateBytes: 0,
    /** Breaches of what is plausible. */
    breaches: 0,
    /** Matches that a queue made. */
    queueMatches: 0,
    queueTimeouts: 0,
    /** Hooks that threw, rejected, or did not end in time, by name. */
    hookErrors: {} as Record<string, number>,
  };
}

/** Counters of a room since its start, for metrics. */
export type RoomCounters = ReturnType<typeof newRoomCounters>;

/** Adds what another room has counted. */
export function addRoomCounters(sum: RoomCounters, more: RoomCounters): void {
  const { hookErrors, ...numbers } = more;
  for (const [name, count] of Object.entries(numbers)) sum[name as keyof typeof numbers] += count;
  for (const [hook, count] of Object.entries(hookErrors)) {
    sum.hookErrors[hook] = (sum.hookErrors[hook] ?? 0) + count;
  }
}
