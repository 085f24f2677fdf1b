export function newRoomCounters() {
  return {
    joins: 0,
    /** Joins that `onJoin` refused, or in which it failed. */
    joinsRefused: 0,
    drops: 0,
    reconnects: 0,
    leaves: 0,
    messages: 0,
    /** Messages of an unknown type, or that do not match their schema. */
    messagesRefused: 0,
    /** Messages beyond the player's limits. */
    messagesLimited: 0,
    inputs: 0,
    /** Inputs that arrived after their tick. `inputsMissing` counts the ticks without an input. */
    inputsLate: 0,
    inputsMissing: 0,
    /** Inputs that no step took: too far ahead of the steps, or waiting when their numbering restarted. */
    inputsSkipped: 0,
    /**
     * Messages without a right: inputs in a room that takes none, or entities and states that the sender may
     * not own.
     */
    notAllowed: 0,
    /** Messages from spectators. */
    fromSpectators: 0,
    /** States and messages that spectators did not get because too much waited for them. */
    spectatorsMissed: 0,
    /** Hooks, messages and timers that blocked the process. */
    blocked: 0,
    /** Rewinds. `rewindsCapped` counts those that were clamped to the allowed window. */
    rewinds: 0,
    rewindsCapped: 0,
    /** Malformed packets. */
    malformed: 0,
    /** Sent bodies of states. `stateBytes` counts their bytes. */
    statePackets: 0,
    stateBytes: 0,
    /** Implausible states from players. */
    breaches: 0,
    /** Mistakes that the room's `interest` survived: see docs/guides/interest.md. */
    interestFaults: 0,
    /** Matches that a queue made. */
    queueMatches: 0,
    queueTimeouts: 0,
    /** Hooks that threw, rejected or did not end in time, counted by name. */
    hookErrors: {} as Record<string, number>,
  };
}

/** Counters of a room since its start, for metrics. */
export type RoomCounters = ReturnType<typeof newRoomCounters>;

/** Adds the counters of another room to `sum`. */
export function addRoomCounters(sum: RoomCounters, more: RoomCounters): void {
  const { hookErrors, ...numbers } = more;
  for (const [name, count] of Object.entries(numbers)) sum[name as keyof typeof numbers] += count;
  for (const [hook, count] of Object.entries(hookErrors)) {
    sum.hookErrors[hook] = (sum.hookErrors[hook] ?? 0) + count;
  }
}
