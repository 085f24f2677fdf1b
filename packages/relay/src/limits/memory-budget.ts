import { CloseCode } from "@paceline/protocol";
import { sharingNetworks } from "./network-address.js";
import type { Scheduler } from "@paceline/transport";
import type { Log } from "../ops/log.js";
import type { RelayCounters } from "../ops/relay-counters.js";
import type { RelayLimits } from "./relay-limits.js";

/** A session can fill its share no faster than its rate of bytes: it is looked at often enough. */
const INSPECTION_PERIOD_MS = 250;
/** Up to this share of the budget no address is held back. */
const FREE_SHARE = 0.5;

/** A session as far as its memory matters. */
interface HoldingSession {
  readonly id: string;
  readonly address: string;
  readonly heldBytes: number;
  end(code: number, reason: string): void;
}

interface MemorySettings {
  readonly limits: RelayLimits;
  readonly scheduler: Scheduler;
  readonly counters: RelayCounters;
  readonly log: Log;
}

interface Holder {
  readonly participant: HoldingSession;
  readonly bytes: number;
}

/**
 * Bounds the memory that the relay keeps for all sessions together: messages that wait for an earlier one, bulk in parts,
 * messages without receipt, states and commands that wait for the path, and what is left for newcomers. Beyond the budget
 * the sessions that hold most are ended; while more than half of it is taken, those of an address that holds more than
 * its share.
 */
export class MemoryBudget {
  readonly #settings: MemorySettings;
  readonly #participants: () => Iterable<HoldingSession>;
  readonly #stop: () => void;

  constructor(settings: MemorySettings, participants: () => Iterable<HoldingSession>) {
    this.#settings = settings;
    this.#participants = participants;
    this.#stop = settings.scheduler.every(INSPECTION_PERIOD_MS, () => this.#inspect());
  }

  stop(): void {
    this.#stop();
  }

  #inspect(): void {
    const { heldBytes: budget, addressSharePercent } = this.#settings.limits;
    let total = 0;
    for (const { heldBytes } of this.#participants()) total += heldBytes;
    if (total <= budget * FREE_SHARE) return;
    const holders = Array.from(this.#participants(), (participant) => ({
      participant,
      bytes: participant.heldBytes,
    }));
    holders.sort((a, b) => b.bytes - a.bytes);
    const share = (budget * addressSharePercent) / 100;
    const evicted = new Set<Holder>();
    for (const group of byNetwork(holders)) this.#evict(group, share, evicted, "heldBytesPerAddress");
    this.#evict(holders, budget, evicted, "heldBytes");
  }

  /** Ends the largest of them, until the others hold no more than `maxBytes`. */
  #evict(
    holders: readonly Holder[],
    maxBytes: number,
    evicted: Set<Holder>,
    limit: "heldBytes" | "heldBytesPerAddress",
  ): void {
    const left = holders.filter((holder) => !evicted.has(holder));
    let bytes = sumOf(left);
    for (const holder of left) {
      if (bytes <= maxBytes) return;
      bytes -= holder.bytes;
      evicted.add(holder);
      this.#settings.counters.limitReached(limit);
      holder.participant.end(CloseCode.overBudget, "holds too much of the server's memory");
    }
  }
}

function sumOf(holders: readonly Holder[]): number {
  return holders.reduce((sum, { bytes }) => sum + bytes, 0);
}

function byNetwork(holders: readonly Holder[]): Iterable<readonly Holder[]> {
  const groups = new Map<string, Holder[]>();
  for (const holder of holders) {
    for (const name of sharingNetworks(holder.participant.address)) {
      const group = groups.get(name);
      if (group) group.push(holder);
      else groups.set(name, [holder]);
    }
  }
  return groups.values();
}
