import type { Group } from "@paceline/protocol";
import type { Cancel, Scheduler } from "@paceline/transport";
import type { Room } from "../sessions/room.js";

export interface GroupPlacesOptions {
  readonly scheduler: Scheduler;
  /** Time for which places of absent members are kept, ms. */
  readonly keptMs: number;
  /** Called when a room keeps fewer places: it may be empty. */
  onFreed(room: Room): void;
}

interface Gathering {
  readonly id: string;
  readonly room: Room;
  readonly members: Set<string>;
  /** Places kept for members who have not come. */
  kept: number;
  cancel: Cancel;
}

/**
 * Finds the rooms of groups. The first member's room keeps places for the others for a while. A group is
 * known while places are kept for it, or a member is in the room.
 */
export class GroupPlaces {
  readonly #options: GroupPlacesOptions;
  readonly #gatherings = new Map<string, Gathering>();
  readonly #bySession = new Map<string, Gathering>();

  constructor(options: GroupPlacesOptions) {
    this.#options = options;
  }

  /** Returns the room of a group, and whether the room still keeps a place for it. */
  find(id: string): { readonly room: Room; readonly isKept: boolean } | undefined {
    const gathering = this.#gatherings.get(id);
    return gathering && { room: gathering.room, isKept: gathering.kept > 0 };
  }

  /**
   * Records the seat of a group's member. The first member's seat begins the group, with places kept for the
   * others; later members use up these places.
   */
  seated(id: string, room: Room, { size }: Group, sessionId: string): void {
    const known = this.#gatherings.get(id);
    const gathering = known ?? this.#begin(id, room, size - 1);
    if (known && known.kept > 0) this.#keep(known, known.kept - 1);
    gathering.members.add(sessionId);
    this.#bySession.set(sessionId, gathering);
  }

  /** Forgets a member whose session has ended or whose seat was given back. */
  left(sessionId: string): void {
    const gathering = this.#bySession.get(sessionId);
    if (!gathering) return;
    this.#bySession.delete(sessionId);
    gathering.members.delete(sessionId);
    this.#forgetIfOver(gathering);
  }

  clear(): void {
    for (const gathering of [...this.#gatherings.values()]) this.#end(gathering);
  }

  #begin(id: string, room: Room, kept: number): Gathering {
    const { scheduler, keptMs } = this.#options;
    const gathering: Gathering = { id, room, members: new Set(), kept: 0, cancel: () => undefined };
    this.#gatherings.set(id, gathering);
    this.#keep(gathering, kept);
    if (kept > 0) gathering.cancel = scheduler.after(keptMs, () => this.#end(gathering));
    return gathering;
  }

  #end(gathering: Gathering): void {
    gathering.cancel();
    this.#keep(gathering, 0);
    this.#forgetIfOver(gathering);
    this.#options.onFreed(gathering.room);
  }

  #keep(gathering: Gathering, kept: number): void {
    gathering.room.kept += kept - gathering.kept;
    gathering.kept = kept;
    if (kept === 0) gathering.cancel();
  }

  #forgetIfOver(gathering: Gathering): void {
    if (gathering.kept > 0 || gathering.members.size > 0) return;
    if (this.#gatherings.get(gathering.id) === gathering) this.#gatherings.delete(gathering.id);
  }
}
