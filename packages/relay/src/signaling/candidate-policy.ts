import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { PrivateCandidates } from "../options/webrtc-options.js";

type Range = readonly [network: string, bits: number];

const loopback = rangesOf([
  ["127.0.0.0", 8], // RFC 1122, section 3.2.1.3
  ["::1", 128], // RFC 4291, section 2.5.3
]);
const privateNetworks = rangesOf([
  ["10.0.0.0", 8], // RFC 1918
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10], // Carriers' NAT, RFC 6598
  ["fc00::", 7], // Unique local, RFC 4193
]);
/** Networks where no participant can be reached, or where the operator's own machines are. */
const special = rangesOf([
  ["0.0.0.0", 8], // This network, RFC 1122, section 3.2.1.3
  ["169.254.0.0", 16], // Link-local, RFC 3927; clouds answer for their metadata there
  ["192.0.0.0", 24], // Protocol assignments, RFC 6890
  ["192.0.2.0", 24], // Documentation, RFC 5737
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["192.88.99.0", 24], // 6to4 relays, RFC 7526
  ["198.18.0.0", 15], // Benchmarks, RFC 2544
  ["224.0.0.0", 4], // Multicast, RFC 5771
  ["240.0.0.0", 4], // Reserved and broadcast, RFC 1112 and RFC 919
  ["2001::", 23], // Protocol assignments with Teredo, RFC 2928 and RFC 4380
  ["2001:db8::", 32], // Documentation, RFC 3849
  ["2002::", 16], // 6to4, which holds any IPv4 address, RFC 3056
  ["3fff::", 20], // Documentation, RFC 9637
]);
/**
 * All addresses that IPv6 routes globally. Link-local, multicast, NAT64 and mapped IPv4 addresses are outside
 * (RFC 4291).
 */
const globalUnicast = rangesOf([["2000::", 3]]);

/**
 * Returns true if the server may send to an address that a participant names as its own. `session`: address
 * of the participant's WebSocket. Without this check a participant could make the server scan its operator's
 * network.
 */
export function permitsCandidate(candidate: string, session: string, mode: PrivateCandidates): boolean {
  const family = isIP(candidate);
  // A zone (`fe80::1%eth0`) has a meaning on one machine only.
  if (family === 0 || candidate.includes("%")) return false;
  const origin = plain(session);
  if (canonical(candidate) === canonical(origin)) return true;
  // A program on this machine can only have the machine's own addresses.
  const isLocal = isIn(loopback, origin) && mode !== "never";
  if (isLocal && (isIn(loopback, candidate) || isOwn(candidate))) return true;
  if (isIn(loopback, candidate) || isMapped(candidate)) return false;
  if (isIn(privateNetworks, candidate)) {
    return mode === "always" || (mode === "private-sessions" && isIn(privateNetworks, origin));
  }
  return !isIn(special, candidate) && (family === 4 || isIn(globalUnicast, candidate));
}

function rangesOf(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of ranges) list.addSubnet(network, bits, isIP(network) === 6 ? "ipv6" : "ipv4");
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}

/**
 * Returns the address without the zone of a link-local one. Unmaps IPv4, which a socket for both families
 * reports as mapped.
 */
function plain(address: string): string {
  const [text = ""] = address.split("%");
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1] ?? text;
}

/** Returns one text for all spellings of an address. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address;
}

/**
 * Returns true for IPv4 addresses mapped to IPv6 (RFC 4291, section 2.5.5.2). No honest participant sends
 * one.
 */
function isMapped(address: string): boolean {
  return canonical(address).startsWith("[::ffff:");
}

function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((each) => canonical(plain(each.address)) === canonical(address));
}
