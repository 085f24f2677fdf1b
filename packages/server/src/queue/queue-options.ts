import { ConfigError, assertFunction } from "@paceline/protocol";
import { checkKeys } from "@paceline/transport";
import type { Player } from "../players/player.js";

/** Options of matching the players of a room name. */
export interface QueueOptions {
  /** Players in a match, 1 to 64. */
  readonly players: number;
  /** After {@link maxWaitSeconds} so many are enough. Default: as many as `players`. */
  readonly leastPlayers?: number;
  /** Ranks of a match differ by so much at first. Default 100. */
  readonly spread?: number;
  /** Growth of the spread with every second that one of them has waited. Default 10. */
  readonly spreadPerSecond?: number;
  /** The spread never grows beyond this. Default: no limit. */
  readonly maxSpread?: number;
  /** Longest wait in the queue, 1 to 3600 s. Default 120. */
  readonly maxWaitSeconds?: number;
  /** Most who wait from one network address, 1 to 1000. Default 64. */
  readonly maxPerAddress?: number;
  /**
   * A player's rank, any number. Default: what its client says, 0 where it says nothing. Give one where ranks matter:
   * from `player.auth`, or a database of yours.
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
  maxSpread: [0, Number.POSITIVE_INFINITY, "ranks"],
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
    maxSpread: Number.POSITIVE_INFINITY,
    maxWaitSeconds: 120,
    maxPerAddress: 64,
    rankOf: (_player, said) => said,
    ...options,
  };
  for (const [name, [least, most, unit]] of Object.entries(ranges)) {
    const value = settings[name as keyof typeof ranges];
    if (value >= least && value <= most) continue;
    const expected = `${least} to ${most} ${unit}`;
    throw new ConfigError({ field: `queues.${roomName}.${name}`, value, expected });
  }
  const { players, leastPlayers } = settings;
  if (Number.isInteger(players) && Number.isInteger(leastPlayers) && leastPlayers <= players) return settings;
  const expected = `a whole number, at most players (${players})`;
  throw new ConfigError({ field: `queues.${roomName}.leastPlayers`, value: leastPlayers, expected });
}
