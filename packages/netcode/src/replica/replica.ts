import { encodeUtf8, type EntityDefinition, type StringField, type Texts } from "@paceline/protocol";
import type { Place } from "../entity-table.js";
import type { ReplicatedEntity } from "./receiver-replication.js";

/** One entity of a `ReplicaStore`: an id, a row of values, and the game's object. */
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

  /** The newest values as a view, valid until the table grows. */
  get row(): Float32Array {
    return this.place.table.stateOf(this.place.row);
  }

  /** The entity's state: see {@link ReplicatedEntity.state}. */
  get state(): Float32Array {
    return this.row;
  }

  get texts(): Texts {
    return this.place.table.textsOf(this.place.row);
  }

  /**
   * Sets texts in the order of the definition, or of a stream if `textOf` gives the index of each text in
   * `texts`. Missing texts, and texts too long for the definition, keep their value.
   */
  setTexts(texts: Texts, textOf?: Int32Array): void {
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

/**
 * An entity that another participant simulates. Its row is the newest state taken. States may arrive late,
 * twice, or in any order.
 */
export class ReceivedReplica<Entity extends object = object> extends Replica<Entity> {
  /** Owner in the newest state: a participant's number, or 0 for the source itself. */
  owner = 0;
  /** Tick of the newest state. A source's ticks may be unwrapped or taken modulo 2^32. */
  tick = -Infinity;

  /** Returns true if a state of that tick is newer than the current one. */
  isNewer(tick: number): boolean {
    const since = tick - this.tick;
    return since === Infinity || (since | 0) > 0;
  }
}
