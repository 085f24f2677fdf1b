import { encodeUtf8, type EntityDefinition, type StringField } from "@paceline/protocol";
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

  /**
   * Takes texts in the order of the definition, or in that of a stream: `textOf` says which of them each is. What is not among
   * them stays, and so does one that is too long for the definition.
   */
  setTexts(texts: EntityTexts, textOf?: Int32Array): void {
    const mine = this.place.table.textsOf(this.place.row);
    if (!textOf) return void mine.splice(0, texts.length, ...texts);
    for (const { field, offset } of this.definition.leaves) {
      const text = "maxBytes" in field ? texts[textOf[offset]!] : undefined;
      if (text !== undefined && byteLengthOf(text) <= (field as StringField).maxBytes) mine[offset] = text;
    }
  }
}

function byteLengthOf(text: string | Uint8Array): number {
  return typeof text === "string" ? encodeUtf8(text).length : text.length;
}
