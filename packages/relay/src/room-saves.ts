import { encodeValue, PROTOCOL_VERSION } from "@paceline/protocol";
import type { Cancel } from "@paceline/transport";
import type { RelaySettings } from "./options/relay-options.js";
import type { RoomStore } from "./saving/room-store.js";
import { MAX_SAVED_BYTES, writeSavedRoom, type SavedRoom, type SavedSeat } from "./saving/saved-room.js";
import type { GameCapture } from "./sessions/authority.js";
import type { Room } from "./sessions/room.js";

/** Periods that a room waits after a save that was refused: to find out again may take long. */
const PERIODS_AFTER_REFUSAL = 10;
/** Time for which a stopping server waits for its store, ms. */
const FINAL_SAVE_MS = 5000;

/** A room that is saved at intervals. */
interface Watched {
  readonly room: Room;
  readonly cancel: Cancel;
  /** True while a save is encoded or written. Then the next one is left out. */
  isBusy: boolean;
  /** Periods to leave out. */
  pause: number;
  /** The refusal that the log has, without its numbers. */
  told: string | undefined;
  /** True: its last save is being made, and an earlier one that is not encoded yet is given up. */
  isEnding: boolean;
}

/** Saves persistent rooms at intervals, and when the server stops. Nothing here makes a room wait for the store. */
export class RoomSaves {
  readonly #settings: RelaySettings;
  readonly #clockMs: () => number;
  readonly #watched = new Map<string, Watched>();
  /** Writes that have begun. */
  readonly #writes = new Set<Promise<void>>();

  /** `clockMs`: the server's clock, as clients know it. */
  constructor(settings: RelaySettings, clockMs: () => number) {
    this.#settings = settings;
    this.#clockMs = clockMs;
  }

  opened(room: Room): void {
    const { rooms, scheduler, store } = this.#settings;
    const everyMs = rooms.get(room.name)?.saveEveryMs;
    if (everyMs === undefined || !store) return;
    const cancel = scheduler.every(everyMs, () => this.#due(watched, store));
    const watched: Watched = { room, cancel, isBusy: false, pause: 0, told: undefined, isEnding: false };
    this.#watched.set(room.id, watched);
  }

  /** Stops saving a room that has ended, and removes it from the store. */
  closed(room: Room): void {
    const watched = this.#watched.get(room.id);
    if (!watched) return;
    watched.cancel();
    this.#watched.delete(room.id);
    this.#note(this.#settings.store!.remove(room.id));
  }

  /** Returns true for a room that the next process goes on with. */
  has(room: Room): boolean {
    return this.#watched.has(room.id);
  }

  /** Saves all rooms for the last time. The caller then serves none of them any more. */
  saveAll(): void {
    const { store } = this.#settings;
    for (const watched of this.#watched.values()) {
      watched.cancel();
      watched.isEnding = true;
      if (store) this.#save(watched, store, true);
    }
  }

  /** Resolves when the store has kept all saves, or after a while. */
  async written(): Promise<void> {
    if (this.#writes.size === 0) return;
    const { scheduler, log } = this.#settings;
    let cancel: Cancel = () => undefined;
    const late = new Promise<"late">((resolve) => {
      cancel = scheduler.after(FINAL_SAVE_MS, () => resolve("late"));
    });
    const outcome = await Promise.race([Promise.all(this.#writes), late]);
    cancel();
    if (outcome === "late") log.error("the store is too slow: the last save of a room may be lost", {});
  }

  #due(watched: Watched, store: RoomStore): void {
    if (watched.pause > 0) return void (watched.pause -= 1);
    if (watched.isBusy) return this.#settings.counters.count("saves", "skipped");
    this.#save(watched, store, false);
  }

  #save(watched: Watched, store: RoomStore, isFinal: boolean): void {
    const { room } = watched;
    const { host } = room;
    // The authority of a room that still opens holds nothing yet.
    if (room.opening && !host) return;
    watched.isBusy = true;
    const take = (capture: GameCapture | string | undefined): void => {
      if (this.#watched.get(room.id) !== watched) return;
      if (typeof capture === "string") return this.#refuse(watched, capture);
      this.#encode(watched, store, this.#captured(room, isFinal, capture), capture?.states ?? []);
    };
    if (!host?.save) return take(undefined);
    if (!this.#settings.faults.contain("room", () => host.save!(isFinal, take), { roomId: room.id }))
      watched.isBusy = false;
  }

  /** Returns the relay's half, as it is at this moment. The bytes of messages are not copied: they never change. */
  #captured(room: Room, isFinal: boolean, capture: GameCapture | undefined): Omit<SavedRoom, "states"> {
    const { build = "", wallClockMs } = this.#settings;
    const { id, name, code, optionsKey, openedBy, maxPlayers, maxSpectators, isLocked, isPrivate, isKept } =
      room;
    const seats: SavedSeat[] = [];
    for (const participant of room.participants) if (participant.isSeated) seats.push(participant.save());
    return {
      wire: PROTOCOL_VERSION,
      build,
      savedAtMs: wallClockMs(),
      clockMs: this.#clockMs(),
      isFinal,
      place: {
        ...{ id, name, code, optionsKey, build: room.build, openedBy, maxPlayers, maxSpectators },
        ...{ isLocked, isPrivate, isKept, lastNumber: room.lastNumber },
        metadata: encodeValue(room.metadata, "metadata"),
      },
      seats,
      ...(capture && { game: capture.game }),
    };
  }

  /** Encodes the states, slice by slice, so that a large room does not hold up the others. */
  #encode(
    watched: Watched,
    store: RoomStore,
    saved: Omit<SavedRoom, "states">,
    bodies: Iterable<Uint8Array>,
  ): void {
    const { scheduler } = this.#settings;
    const states: Uint8Array[] = [];
    const rest = bodies[Symbol.iterator]();
    const slice = (): void => {
      if (watched.isEnding && !saved.isFinal) return;
      try {
        for (let next = rest.next(); next.done !== true; next = rest.next()) {
          states.push(next.value);
          // The first slice is all of a small room.
          if (saved.isFinal) continue;
          return void scheduler.after(0, slice);
        }
        this.#write(watched, store, { ...saved, states });
      } catch (error) {
        this.#refuse(watched, error instanceof Error ? error.message : String(error));
      }
    };
    slice();
  }

  #write(watched: Watched, store: RoomStore, saved: SavedRoom): void {
    const { room } = watched;
    if (this.#watched.get(room.id) !== watched) return;
    const { game, states } = saved;
    const tooLong = (bytes: number): void =>
      this.#refuse(watched, `it has ${bytes} bytes, of at most ${MAX_SAVED_BYTES}`);
    const large = states.reduce((sum, { length }) => sum + length, game?.data.length ?? 0);
    // Known before it is written, which would take longer than a step.
    if (large > MAX_SAVED_BYTES) return tooLong(large);
    const bytes = writeSavedRoom(saved);
    if (bytes.length > MAX_SAVED_BYTES) return tooLong(bytes.length);
    watched.told = undefined;
    const kept = store.save(room.id, bytes).finally(() => (watched.isBusy = false));
    this.#note(kept.then(() => this.#settings.counters.count("saves", "saved")));
  }

  /** Tells the operator once why a room cannot be saved. Its last save stays. */
  #refuse(watched: Watched, problem: string): void {
    const { counters, log } = this.#settings;
    const { id: roomId, name: roomName } = watched.room;
    watched.isBusy = false;
    watched.pause = PERIODS_AFTER_REFUSAL;
    counters.count("saves", "refused");
    // A size differs from save to save.
    const kind = problem.replaceAll(/\d+/g, "");
    if (watched.told === kind) return;
    watched.told = kind;
    log.error("a room cannot be saved; its last save stays", { roomId, roomName, error: problem });
  }

  /** Follows a call of the store. The guard around the store tells of a failure; the room goes on. */
  #note(call: Promise<void>): void {
    const written = call
      .catch(() => this.#settings.counters.count("saves", "failed"))
      .finally(() => this.#writes.delete(written));
    this.#writes.add(written);
  }
}
