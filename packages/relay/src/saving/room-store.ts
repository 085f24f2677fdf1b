/**
 * Keeps the saves of rooms, so that a room outlives its process. Any object of this shape will do: a server
 * calls it through a guard, and goes on if it fails, hangs or lies.
 */
export interface RoomStore {
  /** Keeps `bytes` as the newest of room `id`; the one before stays until the next. Resolves once it would survive a crash. */
  save(id: string, bytes: Uint8Array): Promise<void>;
  /** Returns what is kept of a room, newest first, at most two. */
  load(id: string): Promise<Uint8Array[]>;
  /** Forgets a room. Has no effect if nothing is kept of it. */
  remove(id: string): Promise<void>;
  /** Returns the ids of all rooms of which something is kept, in no order. */
  list(): Promise<string[]>;
  /** Lets go of what is held (the directory's lock). */
  close?(): Promise<void>;
}
