import type { EntityDefinition } from "@paceline/protocol";
import type { Place } from "../entity-table.js";
import type { ReplicatedEntity } from "./receiver-replication.js";
import type { EntityTexts } from "./sent-replica.js";

/** One entity of a {@link ReplicaStore}: an id, a row of values, and the object by which the game knows it. */
export class Replica<Entity extends object = object> implements ReplicatedEntity {
  readonly id: number;
  readonly definition: EntityDefinition;
  readonly place: Place;
  readonly entity: Entity;

  constructor(id: number, place: Place, entity: Entity) {
    this.id = id;
    this.definition = place.table.definition;
    this.place = place;
    this.entity = entity;
  }

  /** The replica's newest values: a view, valid until the table grows. */
  get row(): Float32Array {
    return this.place.table.stateOf(this.place.row);
  }

  /** {@link ReplicatedEntity.state} */
  get state(): Float32Array {
    return this.row;
  }

  get texts(): EntityTexts {
    return this.place.table.textsOf(this.place.row);
  }

  /** Takes texts in the order of the definition. With fewer than the definition has, the rest stays. */
  setTexts(texts: EntityTexts): void {
    this.place.table.textsOf(this.place.row).splice(0, texts.length, ...texts);
  }
}
