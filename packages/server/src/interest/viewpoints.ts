import type { Point, Viewing } from "../entities/sight.js";
import type { EntityRecord, Owner, World } from "../entities/world.js";
import type { Ground } from "./ground.js";

/** From where the players of a room look: the room's code says it, else it is the first of their own entities. */
export class Viewpoints {
  readonly #world: World;
  readonly #ground: Ground;
  /** Where the own entity of a player ended from which it looked. */
  readonly #last = new WeakMap<Owner, Point>();

  constructor(world: World, ground: Ground) {
    this.#world = world;
    this.#ground = ground;
  }

  /** Returns the entity or the place from which a player looks; undefined if it never had one. */
  of({ owner, sight }: Viewing): EntityRecord | Point | undefined {
    return sight.from ?? this.#firstOwn(owner) ?? this.#last.get(owner);
  }

  /** Returns where on the ground that is, m. */
  placeOf(viewing: Viewing): readonly [number, number] | undefined {
    const from = this.of(viewing);
    if (!from) return undefined;
    return "rows" in from ? this.#ground.placeOf(from) : [from.x, this.#ground.yOfPoint(from)];
  }

  /** A player whose own entity ends goes on looking from there: games do that all the time. */
  ending(record: EntityRecord): void {
    const { owner } = record;
    if (!owner || this.#firstOwn(owner) !== record) return;
    const [x, y] = this.#ground.placeOf(record);
    this.#last.set(owner, { x, y });
  }

  #firstOwn(owner: Owner): EntityRecord | undefined {
    for (const record of this.#world.ownedBy(owner).records)
      if (this.#ground.has(record.definition)) return record;
    return undefined;
  }
}
