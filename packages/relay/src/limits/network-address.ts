import { isIP } from "node:net";
import type { IncomingMessage } from "node:http";

/** A network that one subscriber may have. Its limits are those of one address times `factor`. */
export interface Network {
  readonly name: string;
  readonly factor: number;
}

/** Prefix lengths of a site and of a household in IPv6. The subscriber has every /64 in it. */
const WIDER_NETWORKS = [
  { bits: 48, factor: 16 },
  { bits: 56, factor: 4 },
];

/**
 * Returns the network of one subscriber: the IPv4 address, or the first 64 bits of IPv6, since each household
 * gets 2^64 addresses.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  return groupsOf(address)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":");
}

/**
 * Returns the address's own network ({@link networkOf}) and, for IPv6, the /56 and the /48 around it. The
 * widest comes first.
 */
export function networksOf(address: string): readonly Network[] {
  const own = { name: networkOf(address), factor: 1 };
  if (!own.name.includes(":")) return [own];
  const [a = 0, b = 0, c = 0, d = 0] = groupsOf(address);
  const wider = WIDER_NETWORKS.map(({ bits, factor }) => {
    const last = d & (0xffff << (64 - bits)) & 0xffff;
    return { name: `${[a, b, c, last].map((group) => group.toString(16)).join(":")}/${bits}`, factor };
  });
  return [...wider, own];
}

/**
 * Returns the names of the networks that have shares. The list is empty for the machine's own addresses,
 * since a local proxy may stand for many clients.
 */
export function sharingNetworks(address: string): string[] {
  if (address === "" || isLoopback(address)) return [];
  return networksOf(address).map(({ name }) => name);
}

function isLoopback(address: string): boolean {
  const network = networkOf(address);
  return /^127\.\d+\.\d+\.\d+$/.test(network) || (network === "0:0:0:0" && groupsOf(address)[7] === 1);
}

/**
 * Returns the client's address with `hops` proxies in front of the server. Each proxy appends the address
 * that it saw to `X-Forwarded-For`. The `hops`-th entry from the right counts; a client can forge the entries
 * to its left. Returns the socket's address if the entry is missing or is no address.
 */
export function forwardedAddress(request: IncomingMessage, hops: number): string {
  const socketAddress = request.socket.remoteAddress ?? "unknown";
  if (hops === 0) return socketAddress;
  const header = request.headers["x-forwarded-for"];
  const entries = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",");
  const entry = (entries.at(-hops) ?? entries[0]!).trim();
  // Some proxies append a port.
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(entry) ?? [];
  const address = bracketed ?? plain ?? entry;
  return isIP(address) === 0 ? socketAddress : address;
}

/** Returns the eight groups of an IPv6 address, or zeros for any other text. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  while (groups.length + after.length < 8) groups.push("0");
  return [...groups, ...after].slice(0, 8).map((group) => Number.parseInt(group, 16) || 0);
}
