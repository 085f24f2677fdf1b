import {
  ByteReader,
  readRetained,
  type DropReason,
  type EntityDefinition,
  type PeerPayload,
  type RetainedPayload,
  type StreamStart,
} from "@paceline/protocol";
import type { MotionFault } from "@paceline/netcode";
import type { Clock } from "@paceline/transport";
import type { Entity } from "../../entities/entity.js";
import { ShownEntities } from "../../entities/shown-entities.js";
import type { Peer } from "../../peers/peer.js";
import type { ViewPlan } from "../../plan/view-plan.js";
import type { LoadColumns } from "../room-mode.js";
import { RemoteStreams } from "./remote-streams.js";

export interface RemoteEntitiesOptions {
  readonly owner: Peer;
  /** Session number of the owner, the upper part of its entities' ids. */
  readonly sessionNumber: number;
  readonly clock: Clock;
  definitionNamed(name: string): EntityDefinition | undefined;
  readonly view: ViewPlan;
  onSpawn(entity: Entity): void;
  onDespawn(entity: Entity): void;
  onMismatch(name: string, differences: readonly string[]): void;
  /** Sends the owner a message about its streams. Returns false if the queue is full. */
  send(payload: PeerPayload): boolean;
  readonly loadColumns: LoadColumns;
  onDropped(reason: DropReason): void;
  onFault(entity: Entity, definition: EntityDefinition, fault: MotionFault): void;
}

/** The entities of one peer. Their states are untrusted; {@link RemoteStreams} checks them. */
export class RemoteEntities {
  readonly #options: RemoteEntitiesOptions;
  readonly #store: ShownEntities;
  readonly #streams: RemoteStreams;
  /** States that the server has retained, until the owner sends its own. */
  #retained: RemoteStreams | undefined;

  constructor(options: RemoteEntitiesOptions) {
    this.#options = options;
    const { owner, sessionNumber } = options;
    this.#store = new ShownEntities({
      ...options,
      hasRates: true,
      rttMs: () => owner.rttMs ?? 0,
      idOf: (localId) => sessionNumber * 0x10000 + localId,
      ownerOf: () => owner,
      isOwn: () => false,
      onDesync: (id) => {
        options.onDropped("desync");
        this.#streams.invalidate(id);
      },
    });
    this.#streams = new RemoteStreams(options);
  }

  entities(definition: EntityDefinition): Iterable<Entity> {
    return this.#store.ofKind(definition);
  }

  /** Interpolation delay that the owner's states need, ms; see {@link ShownEntities.neededDelayMs}. */
  get neededDelayMs(): number | undefined {
    return this.#store.neededDelayMs;
  }

  planChanged(): void {
    this.#store.planChanged();
  }

  setHidden(isHidden: boolean): void {
    this.#store.setHidden(isHidden);
  }

  clear(): void {
    this.#store.clear();
  }

  /** Begins a stream. Returns the reason if it is refused. */
  announce(start: StreamStart): DropReason | undefined {
    this.#store.begin(start.tickHz);
    return this.#streams.begin(start);
  }

  /**
   * Reads the owner's description of a stream's columns: entities that waited for it appear. Returns the
   * reason if it is dropped.
   */
  describe(stream: number, columns: Uint8Array): DropReason | undefined {
    return this.#streams.describe(stream, columns, this.#store, (read) => this.#store.batch(read));
  }

  /** Starts to use a definition: entities that waited for it appear. */
  defined(name: string): void {
    this.#store.batch(() => {
      this.#retained?.defined(name, this.#store);
      this.#streams.defined(name, this.#store);
    });
  }

  /** Reads unreliable states. Calls `drop` with a reason for dropped ones. Returns the number of applied updates. */
  receive(body: Uint8Array, tick: number, drop: (reason: DropReason) => void): number {
    const store = this.#store;
    const { acceptedStates } = store;
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
    return this.#streams.readReference(stream, states, this.#store);
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
    // The owner's own streams report mismatches and request missing states.
    const retained = new RemoteStreams({
      ...this.#options,
      onMismatch: () => undefined,
      send: () => true,
    });
    this.#retained = retained;
    let reason: DropReason | undefined;
    for (const payload of payloads) reason = this.#takeRetained(retained, payload, ageMs) ?? reason;
    return reason;
  }

  /** Removes retained entities that no longer exist, after the owner has sent all entities of a stream. */
  present(stream: number): DropReason | undefined {
    const name = this.#streams.nameOf(stream);
    if (name === undefined) return "unknown-entity";
    const listed = new Set(this.#streams.idsOf(name));
    for (const id of this.#retained?.idsOf(name) ?? []) if (!listed.has(id)) this.#store.onRemoved(id);
    this.#retained?.end(name);
    return undefined;
  }

  #takeRetained(retained: RemoteStreams, payload: RetainedPayload, ageMs: number): DropReason | undefined {
    if (payload.kind === "stream") {
      this.#store.begin(payload.tickHz);
      return retained.begin(payload);
    }
    this.#guessTime(payload.states, ageMs);
    return retained.readReference(payload.stream, payload.states, this.#store);
  }

  /** Estimates the owner's time from late states if nothing better is known. */
  #guessTime(states: Uint8Array, ageMs = 0): void {
    if (!this.#store.canDateTicks) this.#observe(new ByteReader(states).u32(), ageMs);
  }

  #observe(tick: number, ageMs = 0): void {
    this.#store.observe(tick, this.#options.clock.nowMs() - ageMs);
  }
}
