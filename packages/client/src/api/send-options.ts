import { ConfigError } from "@paceline/protocol";
import { checkKeys } from "@paceline/transport";
import type { Peer } from "../peers/peer.js";

/** To whom a message goes, and how. */
export interface SendOptions {
  /** Default: everybody; the authority where the room has one. */
  readonly to?: Peer | undefined;
  /**
   * `command`, the default: at once, up to 16 kB. `bulk`: up to 16 MiB (1 MiB to an authority), cut into chunks that
   * yield to everything else. To several players it is uploaded once for each, as their paths have room; a command to all
   * who are reached through the relay is uploaded once.
   */
  readonly class?: "command" | "bulk" | undefined;
}

/** Checks the options of {@link Room.send}. Throws {@link ConfigError} for an unknown class or option. */
export function sendTerms(to: Peer | SendOptions | undefined): { to: Peer | undefined; isBulk: boolean } {
  if (to === undefined || isPeer(to)) return { to, isBulk: false };
  checkKeys("", to, ["to", "class"]);
  const value: unknown = to.class ?? "command";
  if (value !== "command" && value !== "bulk") {
    throw new ConfigError({ field: "class", value, expected: '"command" or "bulk"' });
  }
  return { to: to.to, isBulk: value === "bulk" };
}

function isPeer(to: Peer | SendOptions): to is Peer {
  return typeof to === "object" && to !== null && "number" in to;
}
