import type { RoomStore } from "../room-store.js";
import { assertRoomId } from "./room-id.js";

/** A store that lasts as long as its process: for tests, and for rooms that outlive a reload of their code. */
export function memoryStore(): RoomStore {
  return new MemoryStore();
}

class MemoryStore implements RoomStore {
  readonly #rooms = new Map<string, readonly Uint8Array[]>();

  async save(id: string, bytes: Uint8Array): Promise<void> {
    assertRoomId(id);
    // The caller may use its buffer again. A Buffer's `slice` would not copy.
    this.#rooms.set(id, [new Uint8Array(bytes), ...(this.#rooms.get(id) ?? [])].slice(0, 2));
  }

  async load(id: string): Promise<Uint8Array[]> {
    assertRoomId(id);
    return (this.#rooms.get(id) ?? []).map((bytes) => new Uint8Array(bytes));
  }

  async remove(id: string): Promise<void> {
    assertRoomId(id);
    this.#rooms.delete(id);
  }

  async list(): Promise<string[]> {
    return [...this.#rooms.keys()];
  }
}
