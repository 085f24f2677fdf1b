import { Interest } from "@paceline/netcode/interest";
import { seededRandom, type Random } from "@paceline/testkit";

export interface WorldShape {
  readonly entities: number;
  readonly edgeM: number;
  readonly radiusM: number;
  readonly cellM: number;
  /** Share of the entities that stay in a square of {@link hotSpotM}. */
  readonly hotShare: number;
  readonly hotSpotM: number;
  /** True if viewers have lists of their own, by a rule that hides nothing. */
  readonly hasRule?: boolean;
}

const TICK_HZ = 20;
const SPEED_MPS = 5;

/** Entities that walk to random places, each of them the viewpoint of a viewer. */
export class MovingWorld {
  readonly interest: Interest;
  readonly viewers: readonly ReturnType<Interest["addViewer"]>[];
  /** Changes that the last step reported. */
  movedCells = 0;
  viewChanges = 0;
  readonly #shape: WorldShape;
  readonly #random: Random;
  readonly #places: Float64Array;
  readonly #targets: Float64Array;
  #tick = 0;

  constructor(shape: WorldShape, seed: number) {
    this.#shape = shape;
    this.#random = seededRandom(seed);
    this.#places = new Float64Array(2 * shape.entities);
    this.#targets = new Float64Array(2 * shape.entities);
    this.interest = new Interest(
      {
        radiusM: shape.radiusM,
        maxEntities: 1000,
        bytesPerSecond: 100_000_000,
        cellM: shape.cellM,
        ...(shape.hasRule && { relevant: () => true }),
      },
      {
        world: { minX: 0, minY: 0, maxX: shape.edgeM, maxY: shape.edgeM },
        tickHz: TICK_HZ,
        onMoved: () => (this.movedCells += 1),
        onView: () => (this.viewChanges += 1),
      },
    );
    this.viewers = Array.from({ length: shape.entities }, (_, id) => this.#addViewer(id));
  }

  /** Walks for a tick. */
  walk(): void {
    const stepM = SPEED_MPS / TICK_HZ;
    for (let id = 0; id < this.#shape.entities; id++) {
      const x = this.#places[2 * id]!;
      const y = this.#places[2 * id + 1]!;
      const [dx, dy] = [this.#targets[2 * id]! - x, this.#targets[2 * id + 1]! - y];
      const distanceM = Math.hypot(dx, dy);
      if (distanceM < stepM) this.#draw(this.#targets, id);
      else {
        this.#places[2 * id] = x + (dx / distanceM) * stepM;
        this.#places[2 * id + 1] = y + (dy / distanceM) * stepM;
      }
    }
  }

  /** Tells the interest where everybody is, and updates it. */
  update(): void {
    this.movedCells = this.viewChanges = 0;
    const { interest } = this;
    const places = this.#places;
    for (let id = 0; id < this.#shape.entities; id++) interest.move(id, places[2 * id]!, places[2 * id + 1]!);
    interest.update(this.#tick++);
  }

  #addViewer(id: number): ReturnType<Interest["addViewer"]> {
    this.#draw(this.#places, id);
    this.#draw(this.#targets, id);
    this.interest.place(id, this.#places[2 * id]!, this.#places[2 * id + 1]!);
    const viewer = this.interest.addViewer(id);
    viewer.follow(id);
    return viewer;
  }

  #draw(places: Float64Array, id: number): void {
    const { entities, hotShare, hotSpotM, edgeM } = this.#shape;
    const isHot = id < entities * hotShare;
    const [firstM, lengthM] = isHot ? [(edgeM - hotSpotM) / 2, hotSpotM] : [0, edgeM];
    places[2 * id] = firstM + this.#random.next() * lengthM;
    places[2 * id + 1] = firstM + this.#random.next() * lengthM;
  }
}
