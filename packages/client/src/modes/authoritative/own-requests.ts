import {
  planState,
  readWholeState,
  writeWholeState,
  type EntityDefinition,
  type StatePlan,
} from "@paceline/protocol";
import type { OwnedRecord } from "../../entities/owned-entities.js";

/** The requests to own entities, with their first states, and the states to which the authority resets them. */
export class OwnRequests {
  readonly #tickHz: number;
  readonly #plans = new Map<EntityDefinition, StatePlan>();
  /** Sequence of the message that requested each entity, by local id. */
  readonly #sequences = new Map<number, number>();

  constructor(tickHz: number) {
    this.#tickHz = tickHz;
  }

  /** Returns the first state of an entity, for the request to own it. */
  first({ id, definition, row, texts }: OwnedRecord): Uint8Array {
    return writeWholeState(this.#planOf(definition), id, row, texts);
  }

  /** Notes the sequence of the message that requests an entity. */
  sent({ id }: OwnedRecord, sequence: number): void {
    this.#sequences.set(id, sequence);
  }

  remove({ id }: OwnedRecord): void {
    this.#sequences.delete(id);
  }

  /** Returns the sequence of the message that requested an entity; undefined if none did. */
  sequenceOf({ id }: OwnedRecord): number | undefined {
    return this.#sequences.get(id);
  }

  /**
   * Reads the state to which the authority resets an entity. Returns undefined if it is malformed. `plan` is
   * given if the authority describes the kind differently.
   */
  corrected(
    { id, definition, row }: OwnedRecord,
    state: Uint8Array,
    plan = this.#planOf(definition),
  ): Float32Array | undefined {
    const corrected = row.slice();
    return readWholeState(plan, id, state, corrected) && corrected;
  }

  #planOf(definition: EntityDefinition): StatePlan {
    const known = this.#plans.get(definition);
    if (known) return known;
    const plan = planState(definition, { tickHz: this.#tickHz, hasRates: true });
    this.#plans.set(definition, plan);
    return plan;
  }
}
