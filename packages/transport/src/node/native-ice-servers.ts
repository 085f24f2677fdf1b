import type { IceServer } from "@paceline/protocol";
import type { NativeIceServer } from "./native-webrtc.js";

const DEFAULT_PORTS: Readonly<Record<string, number>> = { stun: 3478, stuns: 5349, turn: 3478, turns: 5349 };

/**
 * Converts ICE servers from the format of browsers to that of the native library. Leaves out those it cannot
 * use.
 */
export function nativeIceServers(servers: readonly IceServer[]): NativeIceServer[] {
  return servers.flatMap((server) => nativeIceServer(server) ?? []);
}

function nativeIceServer({ urls, username, credential }: IceServer): NativeIceServer | undefined {
  const match = /^(stuns?|turns?):(\[[^\]]+\]|[^:?]+)(?::(\d+))?(?:\?transport=(udp|tcp))?$/.exec(urls);
  const [, scheme = "", host = "", port, transport] = match ?? [];
  if (!match) return undefined;
  const hostname = host.replace(/^\[|\]$/g, "");
  const address = { hostname, port: Number(port ?? DEFAULT_PORTS[scheme]) };
  if (scheme.startsWith("stun")) return address;
  if (username === undefined || credential === undefined) return undefined;
  const relayType = scheme === "turns" ? "TurnTls" : transport === "tcp" ? "TurnTcp" : "TurnUdp";
  return { ...address, username, password: credential, relayType };
}
