import { ByteReader, limits, readSlot, type DropReason, type StreamAnnouncement } from "@paceline/protocol";
import { FUTURE_SECONDS } from "@paceline/netcode";
import { RemoteLists } from "../../entities/remote-lists.js";
import { ShownEntities, type Source } from "../../entities/shown-entities.js";
import { RemoteStreams, type StreamOwner, type StreamParts } from "./remote-streams.js";

/** The entities of one peer. Their states are untrusted; {@link RemoteStreams} checks them. */
export class RemoteEntities {
  readonly store: ShownEntities;
  readonly #parts: StreamParts;
  readonly #lists: RemoteLists;
  readonly #streams: RemoteStreams;

  constructor(parts: StreamParts, owner: StreamOwner) {
    this.#parts = parts;
    this.#lists = new RemoteLists({
      maxBytes: limits.collectionBytes,
      maxEntities: limits.ownedEntities,
      definitionOf: (stream) => this.#streams.definitionOf(stream),
      onItems: (items) => owner.chargeItems(items),
      ask: (stream) => owner.trySend({ kind: "changes", stream, changes: new Uint8Array(0) }),
    });
    const source: Source = {
      hasRates: true,
      maxEntities: limits.ownedEntities,
      rttMs: () => owner.rttMs ?? 0,
      idOf: (localId) => owner.sessionNumber * 0x10000 + localId,
      ownerOf: () => owner,
      isOwn: () => false,
      lists: this.#lists,
      onDesync: (id) => {
        parts.drops.count("desync");
        this.#streams.invalidate(id);
      },
    };
    this.store = parts.cells?.newStore(parts, source, owner) ?? new ShownEntities(parts, source);
    this.#streams = new RemoteStreams(parts, owner);
  }

  /** Begins a stream, or confirms one that its slot began. Returns the reason if it is refused. */
  announce(start: StreamAnnouncement): DropReason | undefined {
    this.store.begin(start.tickHz);
    return this.#streams.announce(start, this.store);
  }

  /**
   * Reads the owner's description of a stream's columns: entities that waited for it appear. Returns the
   * reason if it is dropped.
   */
  describe(stream: number, columns: Uint8Array): DropReason | undefined {
    return this.#streams.describe(stream, columns, this.store, (read) => this.store.batch(read));
  }

  /** Starts to use a definition: entities that waited for it appear. */
  defined(name: string): void {
    this.store.batch(() => this.#streams.defined(name, this.store));
    this.#lists.review();
  }

  /** Reads changes of lists and maps. Returns the reason if they are dropped. */
  takeChanges(stream: number, changes: Uint8Array): DropReason | undefined {
    return this.#lists.receive(stream, changes);
  }

  /** Reads unreliable states. Calls `drop` with a reason for dropped ones. Returns the number of applied updates. */
  receive(body: Uint8Array, tick: number, drop: (reason: DropReason) => void): number {
    const store = this.store;
    const { acceptedStates } = store;
    // The estimate came from a late message, and would refuse this state.
    if (store.canDateTicks && store.ageMsOf(tick) < -1000 * FUTURE_SECONDS) this.#observe(tick);
    const reader = body.length === 0 ? "length" : this.#streams.startReading(body[0]!);
    const reason =
      typeof reader === "object"
        ? this.#streams.endReading(reader.read(body.subarray(1), tick, store))
        : reader;
    if (reason) drop(reason);
    // Unreliable states are not delayed by repeats, so their arrival gives the time of their tick.
    if (store.acceptedStates > acceptedStates) this.#observe(tick);
    return store.acceptedStates - acceptedStates;
  }

  /** Reads reliable states, which may be late. Returns the reason if they are dropped. */
  takeReference(stream: number, states: Uint8Array): DropReason | undefined {
    this.#guessTime(states);
    return this.#streams.readReference(stream, states, this.store);
  }

  /**
   * Reads a slot that the server has kept for `ageMs`: the owner's stream begins with it. Returns the reason if it
   * is dropped, as a slot is that arrives after the owner's own announcement.
   */
  takeSlot(state: Uint8Array, ageMs: number): DropReason | undefined {
    const slot = readSlot(state);
    if (!slot) return "bad-message";
    const refusal = this.#streams.beginFromSlot(slot.start);
    if (refusal) return refusal;
    this.store.begin(slot.start.tickHz);
    if (!slot.states) return undefined;
    this.#guessTime(slot.states, ageMs);
    return this.#streams.readSlot(slot.start.stream, slot.states, this.store);
  }

  /** Estimates the owner's time from states that may be late, and were sent `ageMs` ago or earlier. */
  #guessTime(states: Uint8Array, ageMs = 0): void {
    this.store.guess(new ByteReader(states).u32(), this.#parts.scheduler.nowMs(), ageMs);
  }

  #observe(tick: number): void {
    this.store.observe(tick, this.#parts.scheduler.nowMs());
  }
}
