import { ConfigError } from "@paceline/protocol";
import { Refusal } from "../room/refusal.js";
import type { AuthRequest } from "../room/room.js";

/** A player's identity by {@link jwtAuth} or {@link guestAuth}: `player.auth`. */
export interface Identity {
  /** Stays the same for one player. It is a token's `sub`. */
  readonly id: string;
  /** The player's roles, such as `moderator`. A guest has none. */
  readonly roles: readonly string[];
  /** Nobody vouches for it; only that it is the same as the last time. */
  readonly isGuest: boolean;
  /** The other claims of the token. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Usable as the static `onAuth` of a room. */
export type Authenticator = (request: AuthRequest) => Promise<Identity>;

/** Reads `player.auth`; undefined if it is not an identity. */
export function identityOf(player: { readonly auth: unknown }): Identity | undefined {
  const { auth } = player;
  if (typeof auth !== "object" || auth === null) return undefined;
  const isIdentity = "id" in auth && "roles" in auth && Array.isArray(auth.roles);
  return isIdentity ? (auth as Identity) : undefined;
}

/** Whether the player has the role. False for guests, and where `onAuth` returned no identity. */
export function hasRole(player: { readonly auth: unknown }, role: string): boolean {
  return identityOf(player)?.roles.includes(role) ?? false;
}

/** Lets in only those who have at least one of the roles: `static override readonly onAuth = requireRole(auth, "racer")`. */
export function requireRole(auth: Authenticator, ...roles: readonly string[]): Authenticator {
  if (roles.length === 0 || roles.some((role) => typeof role !== "string" || role === "")) {
    throw new ConfigError({ field: "roles", value: roles, expected: "at least one name of a role" });
  }
  return async (request) => {
    const identity = await auth(request);
    if (identity.roles.some((role) => roles.includes(role))) return identity;
    throw new Refusal(`this room is for: ${roles.join(", ")}`);
  };
}
