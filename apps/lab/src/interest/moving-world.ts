import { Interest } from "@paceline/netcode/interest";
import { seededRandom } from "@paceline/testkit";
import { RandomWaypoints, hotSpotAreas } from "./random-waypoints.js";

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

export const TICK_HZ = 20;

/** Entities that walk to random places, each of them the viewpoint of a viewer. */
export class MovingWorld {
  readonly interest: Interest;
  readonly viewers: readonly ReturnType<Interest["addViewer"]>[];
  /** Changes that the last step reported. */
  movedCells = 0;
  viewChanges = 0;
  readonly #shape: WorldShape;
  readonly #waypoints: RandomWaypoints;
  #tick = 0;

  constructor(shape: WorldShape, seed: number) {
    this.#shape = shape;
    this.#waypoints = new RandomWaypoints({
      entities: shape.entities,
      tickHz: TICK_HZ,
      random: seededRandom(seed),
      areaOf: hotSpotAreas(shape),
    });
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
    this.#waypoints.walk();
  }

  /** Tells the interest where everybody is, and updates it. */
  update(): void {
    this.movedCells = this.viewChanges = 0;
    const { interest } = this;
    const { places } = this.#waypoints;
    for (let id = 0; id < this.#shape.entities; id++) interest.move(id, places[2 * id]!, places[2 * id + 1]!);
    interest.update(this.#tick++);
  }

  #addViewer(id: number): ReturnType<Interest["addViewer"]> {
    const { places } = this.#waypoints;
    this.interest.place(id, places[2 * id]!, places[2 * id + 1]!);
    const viewer = this.interest.addViewer(id);
    viewer.follow(id);
    return viewer;
  }
}
