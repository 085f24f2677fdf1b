import type { Group } from "@paceline/protocol";
import type { Cancel, Scheduler } from "@paceline/transport";
import type { Room } from "../sessions/room.js";

interface GroupReservation {
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
  readonly #scheduler: Scheduler;
  readonly #keptMs: number;
  readonly #onFreed: (room: Room) => void;
  readonly #reservations = new Map<string, GroupReservation>();
  readonly #bySession = new Map<string, GroupReservation>();

  /**
   * @param keptMs time for which places of absent members are kept
   * @param onFreed called when a room keeps fewer places, and so may be empty
   */
  constructor(scheduler: Scheduler, keptMs: number, onFreed: (room: Room) => void) {
    this.#scheduler = scheduler;
    this.#keptMs = keptMs;
    this.#onFreed = onFreed;
  }

  /** Returns the room of a group, and whether the room still keeps a place for it. */
  find(id: string): { readonly room: Room; readonly isKept: boolean } | undefined {
    const reservation = this.#reservations.get(id);
    return reservation && { room: reservation.room, isKept: reservation.kept > 0 };
  }

  /**
   * Records the seat of a group's member. The first member's seat begins the group, with places kept for the
   * others; later members use up these places.
   */
  seated(id: string, room: Room, { size }: Group, sessionId: string): void {
    const known = this.#reservations.get(id);
    const reservation = known ?? this.#begin(id, room, size - 1);
    if (known && known.kept > 0) this.#keep(known, known.kept - 1);
    reservation.members.add(sessionId);
    this.#bySession.set(sessionId, reservation);
  }

  /** Forgets a member whose session has ended or whose seat was given back. */
  left(sessionId: string): void {
    const reservation = this.#bySession.get(sessionId);
    if (!reservation) return;
    this.#bySession.delete(sessionId);
    reservation.members.delete(sessionId);
    this.#forgetIfOver(reservation);
  }

  /** Forgets the groups of a room that is gone. Their members may come together in another one. */
  forget(room: Room): void {
    for (const reservation of [...this.#reservations.values()]) {
      if (reservation.room !== room) continue;
      this.#keep(reservation, 0);
      this.#reservations.delete(reservation.id);
    }
  }

  clear(): void {
    for (const reservation of [...this.#reservations.values()]) this.#end(reservation);
  }

  #begin(id: string, room: Room, kept: number): GroupReservation {
    const reservation: GroupReservation = { id, room, members: new Set(), kept: 0, cancel: () => undefined };
    this.#reservations.set(id, reservation);
    this.#keep(reservation, kept);
    if (kept > 0) reservation.cancel = this.#scheduler.after(this.#keptMs, () => this.#end(reservation));
    return reservation;
  }

  #end(reservation: GroupReservation): void {
    reservation.cancel();
    this.#keep(reservation, 0);
    this.#forgetIfOver(reservation);
    this.#onFreed(reservation.room);
  }

  #keep(reservation: GroupReservation, kept: number): void {
    reservation.room.kept += kept - reservation.kept;
    reservation.kept = kept;
    if (kept === 0) reservation.cancel();
  }

  #forgetIfOver(reservation: GroupReservation): void {
    if (reservation.kept > 0 || reservation.members.size > 0) return;
    if (this.#reservations.get(reservation.id) === reservation) this.#reservations.delete(reservation.id);
  }
}
