import { ConfigError, checkKeys } from "@paceline/protocol";
import type { Peer } from "../peers/peer.js";

/** Receiver and class of a message. */
export interface SendOptions {
  /** Receiver. Default: everybody, or the authority if the room has one. */
  readonly to?: Peer | undefined;
  /**
   * Class of the message. `command` (default) is sent at once, up to 16 kB. `bulk` takes up to 16 MiB (1 MiB
   * to an authority), in chunks that yield to all other traffic. A command to several players is uploaded
   * once for all of them behind the relay. A bulk message is uploaded once per player, each time when the
   * path to that player has room.
   */
  readonly class?: "command" | "bulk" | undefined;
}

/** Checks the options of `Room.send`. Throws {@link ConfigError} for an unknown class or option. */
export function sendTerms(to: Peer | SendOptions | undefined): { to: Peer | undefined; isBulk: boolean } {
  if (to === undefined || isPeer(to)) return { to, isBulk: false };
  checkKeys("", to, ["to", "class"]);
  const value: unknown = to.class ?? "command";
  if (value !== "command" && value !== "bulk") throw new ConfigError("class", value, '"command" or "bulk"');
  return { to: to.to, isBulk: value === "bulk" };
}

function isPeer(to: Peer | SendOptions): to is Peer {
  return typeof to === "object" && to !== null && "number" in to;
}
