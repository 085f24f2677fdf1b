import { sharingNetworks } from "./network-address.js";

/** Up to this part of the capacity no address is limited, because a school or a carrier is one address. */
const FREE_SHARE = 0.5;

/**
 * A fair share of a capacity for each network address; for IPv6 for each /64, /56 and /48. The machine's own
 * addresses are not limited, since a local proxy may stand for many clients. An empty address is not limited
 * either.
 */
export class AddressShares {
  readonly #capacity: number;
  readonly #share: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  /**
   * @param capacity total for all addresses: rooms, sessions or connections
   * @param sharePercent part for one address, 1 to 100, while more than half of the capacity is taken
   */
  constructor(capacity: number, sharePercent: number) {
    this.#capacity = capacity;
    this.#share = Math.max(1, Math.floor((capacity * sharePercent) / 100));
  }

  admits(address: string, amount = 1): boolean {
    if (this.#total + amount <= this.#capacity * FREE_SHARE) return true;
    return sharingNetworks(address).every((name) => (this.#held.get(name) ?? 0) + amount <= this.#share);
  }

  release(address: string, amount = 1): void {
    this.take(address, -amount);
  }

  take(address: string, amount = 1): void {
    this.#total += amount;
    for (const name of sharingNetworks(address)) {
      const held = (this.#held.get(name) ?? 0) + amount;
      if (held === 0) this.#held.delete(name);
      else this.#held.set(name, held);
    }
  }
}
