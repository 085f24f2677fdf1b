import { CloseCode } from "@paceline/protocol";
import { sharingNetworks } from "./network-address.js";
import type { Scheduler } from "@paceline/transport";
import type { Log } from "../ops/log.js";
import type { RelayCounters } from "../ops/relay-counters.js";
import type { RelayLimits } from "./relay-limits.js";

/** Inspection period. The rate limit on bytes keeps a session from filling its share faster than this. */
const INSPECTION_PERIOD_MS = 250;
/** Up to this part of the budget no address is limited. */
const FREE_SHARE = 0.5;

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

interface SessionMemory {
  readonly participant: HoldingSession;
  readonly bytes: number;
}

/**
 * Bounds the memory that the relay keeps for all sessions together: messages out of order, bulk in parts,
 * messages without receipt, queued states and commands, and retained states. Beyond the budget it ends the
 * sessions that hold most. While more than half of the budget is taken, it also ends sessions of an address
 * that holds more than its share.
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
    const evicted = new Set<SessionMemory>();
    for (const group of byNetwork(holders)) this.#evict(group, share, evicted, "heldBytesPerAddress");
    this.#evict(holders, budget, evicted, "heldBytes");
  }

  /** Ends the largest holders until the rest hold no more than `maxBytes`. */
  #evict(
    holders: readonly SessionMemory[],
    maxBytes: number,
    evicted: Set<SessionMemory>,
    limit: "heldBytes" | "heldBytesPerAddress",
  ): void {
    const left = holders.filter((holder) => !evicted.has(holder));
    let bytes = sumOf(left);
    for (const holder of left) {
      if (bytes <= maxBytes) return;
      bytes -= holder.bytes;
      evicted.add(holder);
      this.#settings.counters.count("limited", limit);
      holder.participant.end(CloseCode.overBudget, "holds too much of the server's memory");
    }
  }
}

function sumOf(holders: readonly SessionMemory[]): number {
  return holders.reduce((sum, { bytes }) => sum + bytes, 0);
}

function byNetwork(holders: readonly SessionMemory[]): Iterable<readonly SessionMemory[]> {
  const groups = new Map<string, SessionMemory[]>();
  for (const holder of holders) {
    for (const name of sharingNetworks(holder.participant.address)) {
      const group = groups.get(name);
      if (group) group.push(holder);
      else groups.set(name, [holder]);
    }
  }
  return groups.values();
}
