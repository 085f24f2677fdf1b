import type { RoomStore } from "@paceline/relay";

/** A store that outlives the servers of a test, and what it holds. */
export class KeptRooms implements RoomStore {
  readonly saves = new Map<string, Uint8Array[]>();

  async save(id: string, bytes: Uint8Array): Promise<void> {
    this.saves.set(id, [bytes.slice(), ...(this.saves.get(id) ?? [])].slice(0, 2));
  }

  async load(id: string): Promise<Uint8Array[]> {
    return this.saves.get(id) ?? [];
  }

  async remove(id: string): Promise<void> {
    this.saves.delete(id);
  }

  async list(): Promise<string[]> {
    return [...this.saves.keys()];
  }
}
