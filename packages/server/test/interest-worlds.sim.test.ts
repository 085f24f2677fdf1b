import { aura, hexagons, quadtree } from "@paceline/netcode/interest";
import { seededRandom, type Random } from "@paceline/transport/simulated";
import { expect, test } from "vitest";
import { seeds, someOf } from "../../testkit/test/some-of.js";
import type { EntityRecord } from "../src/entities/world.js";
import { Food, Meadow, Walker, distanceM, positionOf } from "./meadow.js";
import type { Receiver, ReceiverNetwork } from "./receiver.js";

interface Place {
  readonly x: number;
  readonly y: number;
}

/** By the seed, so that it takes no number from the world's chance. Squares are what {@link TWICE_LEFT} needs. */
const schemes = [
  hexagons(),
  quadtree({ splitAt: 5, levels: 1 }),
  undefined,
  aura({ media: { sight: {} } }),
  undefined,
];

/** A room with chance options, in which walkers walk, jump, end and come, and the first player's line has troubles. */
class ChanceWorld {
  readonly found: string[] = [];
  states = 0;
  readonly #random: Random;
  readonly #radiusM: number;
  readonly #mostM: number;
  readonly #isHidden: ((player: number, id: number) => boolean) | undefined;
  readonly #network: ReceiverNetwork;
  readonly #meadow: Meadow;
  readonly #own = new Map<Receiver, EntityRecord>();
  readonly #others: EntityRecord[];
  /** Places by tick and id. */
  readonly #places = new Map<number, Map<number, Place>>();

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    const next = (): number => this.#random.next();
    const radiusM = (this.#radiusM = 20 + 80 * next());
    const cellM = radiusM * (0.25 + next());
    const scheme = schemes[seed % schemes.length];
    // A cell with its borders, at both ends. An aura is exact.
    this.#mostM = scheme?.name === "aura" ? radiusM : radiusM + Math.SQRT2 * 1.2 * cellM + 0.2 * cellM;
    const rings = [{ radiusM: radiusM / 3 }, { radiusM, everyTicks: 1 + Math.floor(next() * 4) }];
    const isHidden = this.#chance(0.4)
      ? (player: number, id: number) => (player * 7 + id) % 3 === 0
      : undefined;
    this.#isHidden = isHidden;
    this.#network = this.#chance(0.5)
      ? { isInOrder: true, delayTicks: 1 + Math.floor(next() * 3) }
      : { isInOrder: false, delayTicks: 2, jitterTicks: 3, lossRatio: next() * 0.2 };
    this.#meadow = new Meadow(seed, {
      ...(this.#chance(0.5) ? { radiusM } : { rings }),
      cellM,
      scheme,
      ...(isHidden && { relevant: ({ number }, { id }) => !isHidden(number, id) }),
    });
    for (let each = 0; each < 5; each++) this.#join();
    this.#others = Array.from({ length: 25 }, () => this.#meadow.spawn(this.#chance(0.6) ? Walker : Food));
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }

  /** Lets a player join that writes down every state that does not concern it. */
  #join(): void {
    const player = this.#meadow.join(this.#network);
    const mine = this.#meadow.spawn(Walker, player);
    this.#own.set(player, mine);
    player.onState = ({ id, tick }) => {
      this.states += 1;
      const [of, from] = [this.#places.get(tick)!.get(id)!, this.#places.get(tick)!.get(mine.id)!];
      const meters = Math.hypot(of.x - from.x, of.y - from.y);
      if (meters > this.#mostM) this.found.push(`state of ${id} at ${meters} m, most ${this.#mostM}`);
      if (this.#isSecret(player, id)) this.found.push(`state of hidden ${id}`);
    };
  }

  #isSecret(player: Receiver, id: number): boolean {
    return id !== this.#own.get(player)!.id && this.#isHidden?.(player.player.owner.number, id) === true;
  }

  play(): void {
    const [player] = this.#own.keys();
    for (let tick = 0; tick < 60; tick++) {
      this.#change();
      this.#trouble(player!);
      this.#step(40);
    }
    player!.offline = player!.slow = player!.blocked = false;
    for (let tick = 0; tick < 40; tick++) this.#step(0);
  }

  #change(): void {
    const others = this.#others;
    if (this.#chance(0.05))
      this.#meadow.despawn(others.splice(Math.floor(this.#random.next() * others.length), 1)[0]!);
    if (this.#chance(0.05)) others.push(this.#meadow.spawn(Walker));
    if (!this.#chance(0.03)) return;
    const { x, y } = this.#meadow.somewhere();
    const jumper = this.#chance(0.5) ? others[0]! : [...this.#own.values()][0]!;
    positionOf(jumper).set(x, y);
    this.#meadow.replicator.teleport(jumper);
  }

  #trouble(player: Receiver): void {
    if (this.#chance(0.03)) player.offline = !player.offline;
    if (this.#chance(0.02) && this.#network.isInOrder) player.link = {} as never;
    player.blocked = player.slow = this.#chance(0.05) || (player.blocked && this.#chance(0.7));
  }

  #step(metersPerSecond: number): void {
    this.#meadow.run(1, metersPerSecond, undefined, () => {
      const now = new Map<number, Place>();
      for (const record of this.#meadow.world.records.values()) {
        const { x, y } = positionOf(record);
        now.set(record.id, { x, y });
      }
      this.#places.set(this.#meadow.tick, now);
    });
  }

  /** Notes what is wrong with what the players hold after a quiet time. */
  review(): void {
    const { records } = this.#meadow.world;
    for (const [player, mine] of this.#own) {
      for (const record of records.values()) this.#reviewOne(player, mine, record);
      for (const id of player.held.keys()) if (!records.get(id)) this.found.push(`${id} is no more`);
    }
  }

  #reviewOne(player: Receiver, mine: EntityRecord, record: EntityRecord): void {
    const held = player.held.get(record.id);
    const meters = distanceM(record, mine);
    const isSecret = this.#isSecret(player, record.id);
    const what = `${record.id} at ${meters} m`;
    if (!held && meters <= 0.9 * this.#radiusM && !isSecret) this.found.push(`${what} is missing`);
    if (!held) return;
    if (meters > this.#mostM || isSecret) this.found.push(`${what} is there`);
    const { x, y } = positionOf(record);
    if (Math.hypot(held.values[0]! - x, held.values[1]! - y) > 0.02) this.found.push(`${what} is off`);
  }
}

/** A world in which an entity left a view twice before the first leave was acknowledged. */
const TWICE_LEFT = 752;

test("in a thousand random worlds nobody gets a byte of what does not concern it, and everybody what does", () => {
  const wrong: string[] = [];
  let all = 0;
  for (const seed of someOf([TWICE_LEFT, ...seeds(1000)], 100)) {
    const world = new ChanceWorld(seed);
    world.play();
    world.review();
    all += world.states;
    if (world.found.length > 0) wrong.push(`world ${seed}: ${world.found.slice(0, 3).join("; ")}`);
  }
  expect(wrong).toEqual([]);
  expect(all).toBeGreaterThan(50_000);
}, 600_000);
