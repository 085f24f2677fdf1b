/** Where saved rooms are kept. */
export interface RoomStore {
  /** Keeps `bytes` as the newest of room `id`; the one before stays until the next. Resolves once it would survive a crash. */
  save(id: string, bytes: Uint8Array): Promise<void>;
  /** Returns what is kept of a room, newest first, at most two. */
  load(id: string): Promise<Uint8Array[]>;
  remove(id: string): Promise<void>;
  list(): Promise<string[]>;
  /** Lets go of what is held (the directory's lock). */
  close?(): Promise<void>;
}
