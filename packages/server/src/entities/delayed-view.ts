import type { EntityDefinition } from "@paceline/protocol";
import { World, type EntityRecord, type Owner, type WorldOptions } from "./world.js";

export interface DelayedViewOptions extends Omit<WorldOptions, "onClamp" | "onTeleport"> {
  readonly delayTicks: number;
  /** Called before an entity leaves the delayed world. */
  onRemoved(record: EntityRecord): void;
  /** Called when an entity teleports in the delayed world. */
  onJumped(record: EntityRecord): void;
  onOwnerChanged(record: EntityRecord): void;
}

interface Frame {
  readonly tick: number;
  readonly bytes: number;
  readonly removed: readonly number[];
  readonly states: readonly RecordedState[];
}

/** The state of an entity at a tick at which it changed. */
interface RecordedState {
  readonly id: number;
  readonly definition: EntityDefinition;
  readonly owner: Owner | undefined;
  readonly isNew: boolean;
  readonly isJump: boolean;
  readonly state: Float32Array;
  readonly texts: readonly (string | Uint8Array)[];
}

/** The last seen state of an entity, to find its changes. */
interface ShownState extends Pick<RecordedState, "owner" | "state" | "texts"> {
  readonly record: EntityRecord;
  readonly teleports: number;
}

/** Limit of one room's delayed states. Further ones are left out, because newer ones follow soon. */
const MAX_BYTES = 16_777_216;
const RECORD_BYTES = 64;

/**
 * A room's world as it was some ticks ago. Records the changes of each tick and replays them after the delay.
 */
export class DelayedView {
  readonly world: World;
  readonly #options: DelayedViewOptions;
  readonly #frames: Frame[] = [];
  readonly #known = new Map<number, ShownState>();
  /** Bytes of the changes that wait for their time. */
  waitingBytes = 0;
  #omitted = 0;

  constructor(options: DelayedViewOptions) {
    this.#options = options;
    this.world = new World(options);
  }

  /** Returns the number of states that were left out since the last call, because too much waited. */
  takeOmitted(): number {
    const omitted = this.#omitted;
    this.#omitted = 0;
    return omitted;
  }

  /** Records the changes in the room's world. Call it after the tick's states are written. */
  record(tick: number, live: World): void {
    const removed: number[] = [];
    for (const [id, { record }] of this.#known) {
      if (live.records.get(id) === record) continue;
      removed.push(id);
      this.#known.delete(id);
    }
    const states: RecordedState[] = [];
    let bytes = RECORD_BYTES;
    for (const record of live.records.values()) {
      const noteBytes = RECORD_BYTES + 4 * record.place.table.width;
      // A spawn is always recorded.
      if (this.#known.has(record.id) && this.waitingBytes + bytes + noteBytes > MAX_BYTES) {
        this.#omitted += 1;
        continue;
      }
      const note = this.#recordOf(record);
      if (!note) continue;
      states.push(note);
      bytes += noteBytes;
    }
    if (states.length === 0 && removed.length === 0) return;
    this.#frames.push({ tick, bytes, removed, states });
    this.waitingBytes += bytes;
  }

  /**
   * Replays the changes up to the tick that is `delayTicks` ago. Returns that tick, or undefined before the
   * first.
   */
  advance(tick: number): number | undefined {
    const shown = tick - this.#options.delayTicks;
    if (shown < 1) return undefined;
    while (this.#frames[0] && this.#frames[0].tick <= shown) this.#play(this.#frames.shift()!);
    return shown;
  }

  #play({ bytes, removed, states }: Frame): void {
    this.waitingBytes -= bytes;
    for (const id of removed) this.#remove(id);
    for (const note of states) this.#show(note);
  }

  #remove(id: number): void {
    const record = this.world.records.get(id);
    if (!record) return;
    this.#options.onRemoved(record);
    this.world.remove(record);
  }

  #show({ id, definition, owner, isNew, isJump, state, texts }: RecordedState): void {
    if (isNew) this.#remove(id);
    const record = this.world.records.get(id) ?? this.world.spawn(definition, {}, owner, "room", id);
    if (record.owner !== owner) {
      this.world.setOwner(record, owner);
      this.#options.onOwnerChanged(record);
    }
    if (isJump) {
      this.world.history.teleport(id);
      this.#options.onJumped(record);
    }
    const { table, row } = record.place;
    table.stateOf(row).set(state);
    table.textsOf(row).splice(0, texts.length, ...texts);
  }

  #recordOf(record: EntityRecord): RecordedState | undefined {
    const { id, definition, owner, rows, place } = record;
    const { teleports } = rows;
    const known = this.#known.get(id);
    const now = place.table.stateOf(place.row);
    const texts = place.table.textsOf(place.row);
    const isJump = known !== undefined && known.teleports !== teleports;
    const isSame = known && known.owner === owner && isEqual(known.state, now) && isEqual(known.texts, texts);
    if (isSame && !isJump) return undefined;
    const taken = { owner, state: now.slice(), texts: texts.slice() };
    this.#known.set(id, { record, teleports, ...taken });
    return { id, definition, isNew: !known, isJump, ...taken };
  }
}

function isEqual<Item>(a: ArrayLike<Item>, b: ArrayLike<Item>): boolean {
  for (let index = 0; index < b.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
