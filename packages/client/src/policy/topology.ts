import { ConfigError } from "@paceline/protocol";
import type { ProfileChoice, Topology } from "@paceline/transport";

/** Returns the topology of a room. Its authority decides; without one, the genre's topology is only a preference. */
export function topologyOf(preferred: Topology, hasAuthority: boolean): Topology {
  if (hasAuthority) return "authority";
  return preferred === "authority" ? "mesh" : preferred;
}

/** Throws {@link ConfigError} if the game itself chose a topology that the room does not have. */
export function assertTopology(choice: ProfileChoice, hasAuthority: boolean): void {
  const topology = typeof choice === "object" ? choice.topology : undefined;
  if (topology === undefined || topology === topologyOf(topology, hasAuthority)) return;
  const expected = hasAuthority
    ? `"authority", or nothing: a server decides in this room`
    : `"mesh" or "relay", or nothing: no server decides in this room`;
  throw new ConfigError("profile.topology", topology, expected);
}
