import type { DespawnReason, EntityRows } from "@paceline/protocol";
import { ShownEntities, type ShownParts, type Source } from "../../entities/shown-entities.js";
import type { StreamOwner } from "../mesh/remote-streams.js";
import type { RoomCells } from "./room-cells.js";

/** The newest state of an entity, and where it was then. */
interface Newest {
  readonly entity: EntityRows;
  readonly tick: number;
  readonly x: number;
  readonly y: number;
  /** When its owner sent it, by the local clock, ms. */
  readonly sentAtMs: number;
  /** True if the state before it had another place. */
  readonly isMoving: boolean;
  /** Since when it is in view without being shown, ms. */
  hiddenSinceMs: number | undefined;
}

/** A state of this age was kept by the relay, so that its arrival says nothing of the owner's clock, ms. */
const KEPT_AGE_MS = 300;
/** Time after which a moving entity, out of view, is somewhere else, ms. */
const MOVED_MS = 1000;

/**
 * The entities of one peer, of which the game sees those in the cells that this player sees, whatever path their states
 * take and whatever their owner says.
 */
export class SeenEntities extends ShownEntities {
  readonly owner: StreamOwner;
  readonly #scheduler: ShownParts["scheduler"];
  readonly #cells: RoomCells;
  readonly #newest = new Map<number, Newest>();
  readonly #seen = new Set<number>();
  #tickHz = 0;

  constructor(parts: ShownParts, source: Source, owner: StreamOwner, cells: RoomCells) {
    super(parts, source);
    this.owner = owner;
    this.#scheduler = parts.scheduler;
    this.#cells = cells;
  }

  override begin(tickHz: number): void {
    this.#tickHz ||= tickHz;
    super.begin(tickHz);
  }

  override observe(tick: number, cameAtMs: number): void {
    if (this.canDateTicks && this.ageMsOf(tick) <= KEPT_AGE_MS) super.observe(tick, cameAtMs);
    else this.guess(tick, cameAtMs, 0);
  }

  override onState(entity: EntityRows, tick: number, place: number, changes: number): void {
    const { id } = entity;
    const at = this.#cells.placeOf(entity, place);
    if (!at) return super.onState(entity, tick, place, changes);
    const nowMs = this.#scheduler.nowMs();
    const ageMs = this.canDateTicks ? Math.max(0, this.ageMsOf(tick)) : 0;
    const { x, y } = at;
    const before = this.#newest.get(id);
    const isMoving = before !== undefined && (before.x !== x || before.y !== y);
    const sentAtMs = nowMs - ageMs;
    this.#newest.set(id, { entity, tick, x, y, sentAtMs, isMoving, hiddenSinceMs: undefined });
    if (!this.#cells.sees(x, y)) {
      // It was read: its tick tells the owner's time.
      this.acceptedStates += 1;
      return this.#hide(id, tick);
    }
    this.#seen.add(id);
    // A state that the relay has kept was late for nobody.
    if (ageMs > KEPT_AGE_MS) this.cameAt(nowMs - ageMs);
    super.onState(entity, tick, place, changes);
    this.cameAt(undefined);
  }

  override onRemoved(id: number, tick: number, why: DespawnReason): void {
    this.#newest.delete(id);
    this.#seen.delete(id);
    super.onRemoved(id, tick, why);
  }

  override clear(): void {
    this.#newest.clear();
    this.#seen.clear();
    this.#cells.forget(this);
    super.clear();
  }

  /** Shows what has come into view, and hides what is out of view or has been silent for too long. */
  review(nowMs: number): void {
    for (const [id, newest] of this.#newest) {
      const { entity, tick, x, y, sentAtMs, isMoving } = newest;
      const ageMs = nowMs - sentAtMs;
      const isFresh = ageMs <= this.#cells.staleMsOf(entity.plan.definition);
      if (!isFresh || !this.#cells.sees(x, y)) {
        newest.hiddenSinceMs = undefined;
        this.#hide(id, tick);
      } else if (!this.#seen.has(id) && (!isMoving || ageMs <= MOVED_MS)) {
        // A newer state is on its way, unless this is the newest: then the relay gives it a second time, for nothing.
        newest.hiddenSinceMs ??= nowMs;
        if (nowMs - newest.hiddenSinceMs >= this.#cells.answerMs) this.#showAgain(entity, tick);
      }
    }
  }

  /** Keeps the owner's ticks known while nothing comes from it: packets have their low bits only. */
  keepTime(nowMs: number): void {
    if (this.canDateTicks)
      this.owner.session.observeTick(Math.floor(this.secondsAt(nowMs) * this.#tickHz) >>> 0);
  }

  /** Returns true if an entity of the peer is known to be so near to a place, m. */
  isNear(x: number, y: number, withinM: number): boolean {
    for (const id of this.#seen) {
      const known = this.#newest.get(id);
      if (known && Math.hypot(known.x - x, known.y - y) <= withinM) return true;
    }
    return false;
  }

  #showAgain(entity: EntityRows, tick: number): void {
    const place = entity.find(tick);
    if (place < 0) return;
    this.onState(entity, tick, place, 0);
  }

  #hide(id: number, tick: number): void {
    if (this.#seen.delete(id)) super.onRemoved(id, tick, "out-of-view");
  }
}
