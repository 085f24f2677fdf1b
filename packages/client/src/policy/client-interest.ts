import { ConfigError, assertRange, checkKeys } from "@paceline/protocol";
import type { GroundAxes } from "@paceline/netcode/interest";

/** How far a player sees in a room without a game server: `interest: { radiusM: 80 }`. */
export interface ClientInterest {
  /** View distance, 1 to 100,000 m. */
  readonly radiusM: number;
  /** Edge of a cell, m; the same for all members of a room. Default: half of the radius. */
  readonly cellM?: number;
  /**
   * The axes of a position that make the ground. Default: x and y of positions with two components, x and z of those
   * with three.
   */
  readonly ground?: GroundAxes;
}

const MAX_M = 100_000;
/** Smallest edge of a cell, as a share of the radius: a view then has at most 19 x 19 cells. */
const LEAST_CELL = 1 / 8;

/** Throws {@link ConfigError} for a wrong option. It is part of the entry, since the client's constructor calls it. */
export function checkInterest(interest: unknown): asserts interest is ClientInterest {
  if (typeof interest !== "object" || interest === null)
    throw new ConfigError("interest", interest, "an object");
  checkKeys("interest", interest, ["radiusM", "cellM", "ground"]);
  const { radiusM, cellM, ground } = interest as ClientInterest;
  assertRange("interest.radiusM", radiusM, [1, MAX_M, "m"]);
  if (cellM !== undefined) assertRange("interest.cellM", cellM, [radiusM * LEAST_CELL, MAX_M, "m"]);
  if (ground !== undefined && ground !== "xy" && ground !== "xz")
    throw new ConfigError("interest.ground", ground, '"xy" or "xz"');
}
