import { sharingNetworks } from "./network-address.js";

/** Up to this share of the capacity nobody is held back: a school or a carrier is one address. */
const FREE_SHARE = 0.5;

export interface AddressSharesOptions {
  /** Limits what all addresses hold together: rooms, sessions, connections or bytes. */
  readonly capacity: number;
  /** % of the capacity, 1 to 100, for one address while more than half of it is taken. */
  readonly sharePercent: number;
}

/**
 * A fair share of something for each network address at a time; of IPv6 for each /64, /56 and /48. This machine's own
 * addresses have no share, since behind them anybody may be (a proxy), and neither has no address at all.
 */
export class AddressShares {
  readonly #capacity: number;
  readonly #share: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor({ capacity, sharePercent }: AddressSharesOptions) {
    this.#capacity = capacity;
    this.#share = Math.max(1, Math.floor((capacity * sharePercent) / 100));
  }

  /** Whether the address may take so much more. */
  admits(address: string, amount = 1): boolean {
    if (this.#total + amount <= this.#capacity * FREE_SHARE) return true;
    return sharingNetworks(address).every((name) => (this.#held.get(name) ?? 0) + amount <= this.#share);
  }

  take(address: string, amount = 1): void {
    this.#add(address, amount);
  }

  /** Gives back what was taken. */
  give(address: string, amount = 1): void {
    this.#add(address, -amount);
  }

  #add(address: string, amount: number): void {
    this.#total += amount;
    for (const name of sharingNetworks(address)) {
      const held = (this.#held.get(name) ?? 0) + amount;
      if (held === 0) this.#held.delete(name);
      else this.#held.set(name, held);
    }
  }
}
