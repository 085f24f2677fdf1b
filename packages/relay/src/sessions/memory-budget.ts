import { CloseCode } from "@paceline/protocol";
import { SharedInterval, type Cancel } from "@paceline/transport";
import { sharingNetworks } from "../limits/network-address.js";
import type { Participant } from "./participant.js";
import type { SessionSettings } from "./room.js";

/**
 * Inspection period: that of steady sessions, for one wake-up. The rate limit on bytes keeps a session from
 * filling its share faster than this.
 */
const INSPECTION_PERIOD_MS = 250;
/** Up to this part of the budget no address is limited. */
const FREE_SHARE = 0.5;

/**
 * Bounds the memory that the relay keeps for all sessions together: messages out of order, bulk in parts,
 * messages without receipt, queued states and commands, and slots. Beyond the budget it ends the
 * sessions that hold most. While more than half of the budget is taken, it also ends sessions of an address
 * that holds more than its share.
 */
export function boundMemory(
  { scheduler, limits, counters }: SessionSettings,
  participants: () => Iterable<Participant>,
): Cancel {
  const { heldBytes: budget, addressSharePercent } = limits;
  const inspect = (): void => {
    let total = 0;
    for (const { heldBytes } of participants()) total += heldBytes;
    if (total <= budget * FREE_SHARE) return;
    const sizes = Array.from(participants(), (each) => [each, each.heldBytes] as const);
    const held = new Map(sizes.sort(([, a], [, b]) => b - a));
    const share = (budget * addressSharePercent) / 100;
    for (const group of byNetwork(held.keys())) evict(group, held, share, "heldBytesPerAddress");
    evict([...held.keys()], held, budget, "heldBytes");
  };
  /** Ends the largest holders of a group, and removes them from `held`, until the rest hold no more than `maxBytes`. */
  const evict = (
    group: readonly Participant[],
    held: Map<Participant, number>,
    maxBytes: number,
    limit: "heldBytes" | "heldBytesPerAddress",
  ): void => {
    let bytes = group.reduce((sum, each) => sum + (held.get(each) ?? 0), 0);
    for (const holder of group) {
      if (bytes <= maxBytes) return;
      const own = held.get(holder);
      if (own === undefined) continue;
      bytes -= own;
      held.delete(holder);
      counters.count("limited", limit);
      holder.end(CloseCode.overBudget, "holds too much of the server's memory");
    }
  };
  const inspections = new SharedInterval(scheduler, inspect);
  inspections.every(INSPECTION_PERIOD_MS);
  return () => inspections.every(0);
}

function byNetwork(participants: Iterable<Participant>): Iterable<readonly Participant[]> {
  const groups = new Map<string, Participant[]>();
  for (const participant of participants) {
    for (const name of sharingNetworks(participant.address)) {
      const group = groups.get(name);
      if (group) group.push(participant);
      else groups.set(name, [participant]);
    }
  }
  return groups.values();
}
