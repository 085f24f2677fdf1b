import { ConfigError, assertFunction, checkKeys } from "@paceline/protocol";
import { assertRange } from "@paceline/protocol";
import type { Player } from "../room/player.js";

/** Options of the queue of a kind of room. */
export interface QueueOptions {
  /** Players in a match, 1 to 64. */
  readonly players: number;
  /** Fewest players in a match after {@link maxWaitSeconds}. Default: `players`. */
  readonly leastPlayers?: number;
  /** Accepted difference of ranks at first. Default 100. */
  readonly spread?: number;
  /** Growth of the accepted difference for each second of waiting. Default 10. */
  readonly spreadPerSecond?: number;
  /** Largest accepted difference. Default: no limit. */
  readonly maxSpread?: number;
  /** Longest wait in the queue, 1 to 3600 s. Default 120. */
  readonly maxWaitSeconds?: number;
  /** Most waiting players from one network address, 1 to 1000. Default 64. */
  readonly maxPerAddress?: number;
  /**
   * Returns a player's rank, any finite number. `said` is the rank from the client, 0 if it sent none.
   * Default: `said`. If ranks matter, read them from `player.auth` or from your database.
   */
  readonly rankOf?: (player: Player, said: number) => number | PromiseLike<number>;
}

/** Options of a queue with all defaults filled in. */
export type QueueSettings = Required<QueueOptions>;

const ranges = {
  players: [1, 64, "players"],
  leastPlayers: [1, 64, "players"],
  spread: [0, Number.MAX_VALUE, "ranks"],
  spreadPerSecond: [0, Number.MAX_VALUE, "ranks per second"],
  maxSpread: [0, Infinity, "ranks"],
  maxWaitSeconds: [1, 3600, "s"],
  maxPerAddress: [1, 1000, "players"],
} as const;

/** Checks and completes options. Throws {@link ConfigError} naming field, value, range and unit. */
export function queueSettings(roomName: string, options: QueueOptions): QueueSettings {
  checkKeys(`queues.${roomName}`, options, [...Object.keys(ranges), "rankOf"]);
  if (options.rankOf !== undefined) assertFunction(`queues.${roomName}.rankOf`, options.rankOf);
  const settings: QueueSettings = {
    leastPlayers: options.players,
    spread: 100,
    spreadPerSecond: 10,
    maxSpread: Infinity,
    maxWaitSeconds: 120,
    maxPerAddress: 64,
    rankOf: (_player, said) => said,
    ...options,
  };
  for (const [name, range] of Object.entries(ranges))
    assertRange(`queues.${roomName}.${name}`, settings[name as keyof typeof ranges], range);
  const { players, leastPlayers } = settings;
  if (Number.isInteger(players) && Number.isInteger(leastPlayers) && leastPlayers <= players) return settings;
  const expected = `a whole number, at most players (${players})`;
  throw new ConfigError(`queues.${roomName}.leastPlayers`, leastPlayers, expected);
}
