import { ConfigError } from "@paceline/protocol";
import { Refusal } from "../room/refusal.js";
import type { AuthRequest } from "../room/room.js";

/** Who a player is, as {@link jwtAuth} and {@link guestAuth} say it: `player.auth`. */
export interface Identity {
  /** The same for the same player, each time. Of a token: its `sub`. */
  readonly id: string;
  /** What the player may be, such as `moderator`. Of a guest: none. */
  readonly roles: readonly string[];
  /** Nobody vouches for it; only that it is the same as the last time. */
  readonly isGuest: boolean;
  /** What else the token says. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Usable as the static `onAuth` of a room. */
export type Authenticator = (request: AuthRequest) => Promise<Identity>;

/** What `player.auth` says, where it is an identity. */
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
