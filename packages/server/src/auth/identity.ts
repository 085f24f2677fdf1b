import { ConfigError } from "@paceline/protocol";
import { Refusal } from "../hooks/hooks.js";
import type { AuthRequest } from "../room/room.js";

/** The identity of a player, from {@link jwtAuth} or {@link guestAuth}: the value of `player.auth`. */
export interface Identity {
  /** Id of the player, the same at every visit: the token's `sub`. */
  readonly id: string;
  /** The player's roles, such as `moderator`. A guest has none. */
  readonly roles: readonly string[];
  /** True for a guest. Its identity proves only that it is the same player as the last time. */
  readonly isGuest: boolean;
  /** The other claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Function that identifies a player. Usable as the static `onAuth` of a room. */
export type Authenticator = (request: AuthRequest) => Promise<Identity>;

/** Returns `player.auth`, or undefined if it is not an identity. */
export function identityOf(player: { readonly auth: unknown }): Identity | undefined {
  const { auth } = player;
  if (typeof auth !== "object" || auth === null) return undefined;
  const isIdentity = "id" in auth && "roles" in auth && Array.isArray(auth.roles);
  return isIdentity ? (auth as Identity) : undefined;
}

/**
 * Returns true if the player has the role. Guests have none, nor do players whose `onAuth` returned no
 * identity.
 */
export function hasRole(player: { readonly auth: unknown }, role: string): boolean {
  return identityOf(player)?.roles.includes(role) ?? false;
}

/**
 * Returns an authenticator that lets in players with at least one of the roles.
 * Use it in a room: `static override readonly onAuth = requireRole(auth, "racer")`.
 */
export function requireRole(auth: Authenticator, ...roles: readonly string[]): Authenticator {
  if (roles.length === 0 || roles.some((role) => typeof role !== "string" || role === "")) {
    throw new ConfigError("roles", roles, "at least one name of a role");
  }
  return async (request) => {
    const identity = await auth(request);
    if (identity.roles.some((role) => roles.includes(role))) return identity;
    throw new Refusal(`this room is for: ${roles.join(", ")}`);
  };
}
