import {
  ByteReader,
  limits,
  readRetained,
  type DropReason,
  type RetainedPayload,
  type StreamStart,
} from "@paceline/protocol";
import { FUTURE_SECONDS } from "@paceline/netcode";
import { ShownEntities } from "../../entities/shown-entities.js";
import { RemoteStreams, type StreamOwner, type StreamParts } from "./remote-streams.js";

/** The entities of one peer. Their states are untrusted; {@link RemoteStreams} checks them. */
export class RemoteEntities {
  readonly store: ShownEntities;
  readonly #parts: StreamParts;
  readonly #owner: StreamOwner;
  readonly #streams: RemoteStreams;
  /** States that the server has retained, until the owner sends its own. */
  #retained: RemoteStreams | undefined;

  constructor(parts: StreamParts, owner: StreamOwner) {
    this.#parts = parts;
    this.#owner = owner;
    this.store = new ShownEntities(parts, {
      hasRates: true,
      maxEntities: limits.ownedEntities,
      rttMs: () => owner.rttMs ?? 0,
      idOf: (localId) => owner.sessionNumber * 0x10000 + localId,
      ownerOf: () => owner,
      isOwn: () => false,
      onDesync: (id) => {
        parts.drops.count("desync");
        this.#streams.invalidate(id);
      },
    });
    this.#streams = new RemoteStreams(parts, owner);
  }

  /** Begins a stream. Returns the reason if it is refused. */
  announce(start: StreamStart): DropReason | undefined {
    this.store.begin(start.tickHz);
    return this.#streams.begin(start);
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
    this.store.batch(() => {
      this.#retained?.defined(name, this.store);
      this.#streams.defined(name, this.store);
    });
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
   * Reads states that the server has retained and that are `ageMs` old. Returns the reason if they are
   * dropped.
   */
  takeRetained(states: Uint8Array, ageMs: number): DropReason | undefined {
    // States from the owner itself are newer.
    if (this.#retained || !this.#streams.isEmpty) return "outdated";
    const payloads = readRetained(states);
    if (!payloads) return "bad-message";
    const retained = new RemoteStreams(this.#parts, this.#owner, true);
    this.#retained = retained;
    let reason: DropReason | undefined;
    for (const payload of payloads) reason = this.#takeRetained(retained, payload, ageMs) ?? reason;
    return reason;
  }

  /** Removes retained entities that no longer exist, after the owner has sent all entities of a stream. */
  present(stream: number): DropReason | undefined {
    const name = this.#streams.nameOf(stream);
    if (name === undefined) return "unknown-entity";
    const retained = this.#retained?.idsOf(name) ?? [];
    // A repeated message of few bytes must not cost a list of all entities.
    const listed = new Set(retained.length > 0 ? this.#streams.idsOf(name) : []);
    for (const id of retained) if (!listed.has(id)) this.store.onRemoved(id);
    this.#retained?.end(name);
    return undefined;
  }

  #takeRetained(retained: RemoteStreams, payload: RetainedPayload, ageMs: number): DropReason | undefined {
    if (payload.kind === "stream") {
      this.store.begin(payload.tickHz);
      return retained.begin(payload);
    }
    this.#guessTime(payload.states, ageMs);
    return retained.readReference(payload.stream, payload.states, this.store);
  }

  /**
   * Estimates the owner's time from states that may be late, if nothing better is known, or if they come
   * before their time by the estimate.
   */
  #guessTime(states: Uint8Array, ageMs = 0): void {
    const tick = new ByteReader(states).u32();
    if (!this.store.canDateTicks || this.store.ageMsOf(tick) < ageMs) this.#observe(tick, ageMs);
  }

  #observe(tick: number, ageMs = 0): void {
    this.store.observe(tick, this.#parts.scheduler.nowMs() - ageMs);
  }
}
