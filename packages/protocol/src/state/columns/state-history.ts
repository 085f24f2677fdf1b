import { ConfigError } from "../../errors/errors.js";
import { EntityRows, type Texts } from "./entity-rows.js";
import { quantise } from "./quantiser.js";
import { OWNER_BITS, OWNER_COLUMN, TELEPORT_BITS, TELEPORT_COLUMN, type StatePlan } from "./state-plan.js";

export interface StateHistoryOptions {
  /** The kinds of entities, in an order that sender and receivers agree on. */
  readonly plans: readonly StatePlan[];
  /** Number of ticks with kept states: a power of two, above the age of the oldest baseline. Default 64. */
  readonly historyTicks?: number;
}

/** Default of `historyTicks`, and its value in a room with an authority. No baseline is older. */
export const HISTORY_TICKS = 64;

/** The states of a sender's entities by tick, written once for all receivers. */
export class StateHistory {
  readonly plans: readonly StatePlan[];
  readonly historyTicks: number;
  /** Entities in ascending order of id. */
  readonly entities: EntityRows[] = [];
  readonly #byId = new Map<number, EntityRows>();
  readonly #kinds = new Map<StatePlan, number>();
  readonly #freeIndices: number[] = [];
  /** Teleport counts by id. They outlive their entities. */
  readonly #teleports = new Map<number, number>();

  constructor({ plans, historyTicks = HISTORY_TICKS }: StateHistoryOptions) {
    this.plans = plans;
    this.historyTicks = historyTicks;
    for (const [kind, plan] of plans.entries()) this.#kinds.set(plan, kind);
  }

  find(id: number): EntityRows | undefined {
    return this.#byId.get(id);
  }

  spawn(id: number, plan: StatePlan, owner = 0): EntityRows {
    if (!Number.isInteger(id) || id < 0 || id > 0xffff || this.#byId.has(id)) {
      throw new ConfigError("entity id", id, "a whole number from 0 to 65535 that is not in use");
    }
    const kind = this.#kinds.get(plan);
    if (kind === undefined) throw new ConfigError("plan", plan.definition.name, "one of the history's plans");
    const entity = new EntityRows(id, plan, this.historyTicks);
    entity.kind = kind;
    entity.index = this.#freeIndices.pop() ?? this.entities.length;
    this.#byId.set(id, entity);
    const last = this.entities.at(-1);
    this.entities.push(entity);
    // Ids mostly ascend, and a sort for each of many spawns would hold up the step.
    if (last && last.id > id) this.entities.sort((a, b) => a.id - b.id);
    entity.teleports = this.#teleports.get(id) ?? 0;
    this.setOwner(id, owner);
    return entity;
  }

  remove(id: number): void {
    const entity = this.#byId.get(id);
    if (!entity) return;
    this.#byId.delete(id);
    entity.isRemoved = true;
    this.#freeIndices.push(entity.index);
    // Counts as a teleport: a later entity with this id is elsewhere, also for a receiver that missed the
    // removal.
    this.teleport(id);
    this.entities.splice(this.entities.indexOf(entity), 1);
  }

  /** Sets the owner from the next state on. */
  setOwner(id: number, owner: number): void {
    if (!Number.isInteger(owner) || owner < 0 || owner >= 2 ** OWNER_BITS) {
      throw new ConfigError("owner", owner, "a whole number from 0 to 65535");
    }
    const entity = this.#byId.get(id);
    if (entity) entity.owner = owner;
  }

  /** Marks the next state as a jump: receivers show it at once, without convergence. */
  teleport(id: number): void {
    const teleports = ((this.#teleports.get(id) ?? 0) + 1) % 2 ** TELEPORT_BITS;
    this.#teleports.set(id, teleports);
    const entity = this.#byId.get(id);
    if (entity) entity.teleports = teleports;
  }

  /** Writes a state. Throws {@link ConfigError} for values out of range, and for a tick that is not newer. */
  write(entity: EntityRows, tick: number, state: ArrayLike<number>, texts?: Texts): void {
    if (entity.isEmpty) entity.firstTick = tick;
    const at = entity.reserve(tick);
    if (at < 0) throw new ConfigError("tick", tick, "one that is newer than the states before");
    quantise(entity.plan, state, entity.rows, at);
    entity.rows[at + OWNER_COLUMN] = entity.owner;
    entity.rows[at + TELEPORT_COLUMN] = entity.teleports;
    if (texts) entity.setTexts(tick, texts);
  }
}
