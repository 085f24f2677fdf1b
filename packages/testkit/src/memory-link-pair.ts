import type { Scheduler } from "@paceline/transport";
import type { NetworkSettings, Random } from "@paceline/transport/simulated";
import { MemoryLink } from "./memory-link.js";
import { simulatedPair } from "./simulated-pair.js";

/** Options of a {@link MemoryLinkPair}. */
export interface MemoryLinkPairOptions {
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** The network between both ends; default: a perfect one. */
  readonly settings?: Partial<NetworkSettings>;
  /**
   * True (default) for paths as in WebRTC: a lossy one for states, a reliable one, and one for events, which
   * repeats them within
   * their lifetime. False for a single ordered path, as with a socket.
   */
  readonly isUnreliable?: boolean;
}

/** Two links that are each other's remote end, over a simulated network. */
export interface MemoryLinkPair {
  readonly a: MemoryLink;
  readonly b: MemoryLink;
  /** Changes the network in both directions, or in the direction away from one end. */
  change(changes: Partial<NetworkSettings>, from?: "a" | "b"): void;
  /** Cuts the network without a close on either side, as when a cable is cut. */
  cut(): void;
}

/** Lifetime of events, as on a data channel whose events have no other lifetime. */
const EVENT_LIFETIME_MS = 1500;

/** Makes two connected links; each opens after its start. */
export function memoryLinkPair(options: MemoryLinkPairOptions): MemoryLinkPair {
  const { scheduler, random, settings = {}, isUnreliable = true } = options;
  const ordered = simulatedPair({ scheduler, random, settings, ordered: true, reliable: true });
  const lossy = isUnreliable ? simulatedPair({ scheduler, random, settings }) : ordered;
  const repeated = { scheduler, random, settings, reliable: true, lifetimeMs: EVENT_LIFETIME_MS };
  const events = isUnreliable ? simulatedPair(repeated) : ordered;
  const linkAt = (end: "a" | "b"): MemoryLink =>
    new MemoryLink({
      scheduler,
      reliable: ordered[end].outgoing,
      unreliable: lossy[end].outgoing,
      events: events[end].outgoing,
    });
  const a = linkAt("a");
  const b = linkAt("b");
  const paths = new Set([ordered, lossy, events]);
  for (const path of paths) {
    path.a.onPacket((packet) => a.received(packet));
    path.b.onPacket((packet) => b.received(packet));
  }
  // A close arrives after the packets sent before it, as on a socket.
  const closingDelayMs = (end: "a" | "b"): number => ordered[end].outgoing.settings.delayMs;
  let isCut = false;
  const tell = (other: MemoryLink, delayMs: number, code: number, reason: string): void => {
    if (!isCut) scheduler.after(delayMs, () => other.closeFromRemote(code, reason));
  };
  a.onLocalClose((code, reason) => tell(b, closingDelayMs("a"), code, reason));
  b.onLocalClose((code, reason) => tell(a, closingDelayMs("b"), code, reason));
  return {
    a,
    b,
    change: (changes, from) => paths.forEach((path) => (from ? path[from].outgoing : path).change(changes)),
    cut() {
      isCut = true;
      paths.forEach((path) => path.close());
    },
  };
}
