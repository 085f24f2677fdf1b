import { seededRandom, type Random } from "@paceline/testkit";

/** Time for which a test client walks, and then stands, s. */
const PHASE_SECONDS = 30;
/** The paper does not say how fast its test clients are: a brisk run. */
const SPEED_MPS = 3;
/** Edge of a partition, m, and partitions along an edge of the island. With these the share of pairs fits the paper's. */
export const PARTITION_M = 25;
export const PARTITIONS = 22;
export const ISLAND_M = PARTITION_M * PARTITIONS;

/** The paper's test clients: each walks straight to random places for 30 s, and stands for 30 s. Phases are random. */
export class MilmoWalk {
  /** x and y of each, m. */
  readonly places: Float64Array;
  readonly #targets: Float64Array;
  readonly #phases: Float64Array;
  readonly #random: Random;

  constructor(users: number, seed: number) {
    this.#random = seededRandom(seed);
    const drawn = (): Float64Array =>
      Float64Array.from({ length: 2 * users }, () => this.#random.next() * ISLAND_M);
    this.places = drawn();
    this.#targets = drawn();
    this.#phases = Float64Array.from({ length: users }, () => this.#random.next() * 2 * PHASE_SECONDS);
  }

  moves(user: number, atSeconds: number): boolean {
    return (atSeconds + this.#phases[user]!) % (2 * PHASE_SECONDS) < PHASE_SECONDS;
  }

  /** Lets one of them walk for so long, if it does not stand. */
  walk(user: number, atSeconds: number, seconds: number): void {
    if (!this.moves(user, atSeconds)) return;
    const [places, targets, at] = [this.places, this.#targets, 2 * user];
    const [dx, dy] = [targets[at]! - places[at]!, targets[at + 1]! - places[at + 1]!];
    const distanceM = Math.hypot(dx, dy);
    const share = Math.min(1, (SPEED_MPS * seconds) / distanceM);
    places[at]! += dx * share;
    places[at + 1]! += dy * share;
    if (share < 1) return;
    targets[at] = this.#random.next() * ISLAND_M;
    targets[at + 1] = this.#random.next() * ISLAND_M;
  }
}
