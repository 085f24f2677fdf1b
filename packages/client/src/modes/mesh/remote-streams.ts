import {
  FIRST_FIELD_COLUMN,
  MAX_RESYNCED,
  SnapshotReader,
  limits,
  planState,
  readReference,
  stateWeight,
  type DropReason,
  type EntityDefinition,
  type SnapshotListener,
  type StatePlan,
  type StreamAnnouncement,
  type StreamStart,
} from "@paceline/protocol";
import type { PeerConnection } from "../../peers/peer-connection.js";
import type { Peer } from "../../peers/peer.js";
import type { LoadColumns, RoomParts } from "../room-mode.js";

export type StreamParts = Pick<RoomParts, "scheduler" | "listeners" | "loadColumns" | "drops" | "view"> &
  Partial<Pick<RoomParts, "cells">>;

/** The peer whose streams are read. */
export type StreamOwner = Peer &
  Pick<PeerConnection, "session" | "sessionNumber" | "trySend" | "takeStates" | "chargeItems">;

interface RemoteStream {
  readonly start: StreamStart;
  /** False while only the stream's slot is known. Then its entities are those of the slot. */
  isAnnounced: boolean;
  /** Undefined while the game does not use the kind, and until a stream with other columns is described. */
  reader: SnapshotReader | undefined;
  /** True after a request for the columns, which differ from the game's. */
  isAsked: boolean;
  isDescribed: boolean;
  waiting: Uint8Array[];
  waitingBytes: number;
  /** Number of unreadable messages in a row. */
  failures: number;
  readonly invalid: Set<number>;
  askedAtMs: number;
}

/** Limit of stored messages of a kind that the game does not use yet. Missing states are requested later. */
const MAX_WAITING_BYTES = 65_536;
/** Unreadable messages in a row that cause a resync. A single lost or late message does no harm. */
const FAILURES_UNTIL_RESYNC = 3;
const RESYNC_INTERVAL_MS = 1000;
/** Drop reasons that do not count towards a resync: this side can still read later states. */
const harmless: ReadonlySet<DropReason> = new Set(["outdated", "queue-full", "too-many-states"]);

/** The streams of states of one peer, one for each kind of its entities. */
export class RemoteStreams {
  readonly #parts: StreamParts;
  readonly #owner: StreamOwner;
  readonly #streams = new Map<number, RemoteStream>();
  /** Numbers of replaced streams. Messages of theirs that still arrive are late. */
  readonly #ended = new Set<number>();
  /** Kinds whose different columns were reported: each is reported once. */
  readonly #mismatched = new Set<string>();
  #reading: RemoteStream | undefined;
  /** Time at which states were last dropped because the owner sends too many. */
  #exceededAtMs = -Infinity;

  constructor(parts: StreamParts, owner: StreamOwner) {
    this.#parts = parts;
    this.#owner = owner;
  }

  /**
   * Begins a stream. Of one that its slot began, it forgets the entities that the owner does not list: they have
   * ended since. Returns the reason if it is refused.
   */
  announce(start: StreamAnnouncement, listener: SnapshotListener): DropReason | undefined {
    const known = this.#streams.get(start.stream);
    if (!known) return this.#ended.has(start.stream) ? "bad-message" : this.#begin(start, true);
    const { tickHz, schemaHash } = known.start;
    const isSame = tickHz === start.tickHz && schemaHash === start.schemaHash;
    if (known.isAnnounced || !isSame) return "bad-message";
    known.isAnnounced = true;
    // The owner's whole states follow.
    known.waiting = [];
    const listed = new Set(start.entities);
    for (const [id, { newest }] of known.reader?.entities ?? []) {
      if (listed.has(id)) continue;
      known.reader!.end(id);
      listener.onRemoved(id, newest, "removed");
    }
    return undefined;
  }

  /** Begins a stream of which the server has a slot. Returns the reason if the stream has begun already. */
  beginFromSlot(start: StreamStart): DropReason | undefined {
    const isKnown = this.#streams.has(start.stream) || this.#ended.has(start.stream);
    return isKnown ? "outdated" : this.#begin(start, false);
  }

  #begin({ stream: number, name, tickHz, schemaHash }: StreamStart, isAnnounced: boolean): undefined {
    for (const [older, { start }] of this.#streams) {
      if (start.name !== name) continue;
      this.#streams.delete(older);
      this.#ended.add(older);
    }
    const stream = {
      start: { stream: number, name, tickHz, schemaHash },
      isAnnounced,
      reader: undefined,
      isAsked: false,
      isDescribed: false,
      waiting: [],
      waitingBytes: 0,
      failures: 0,
      invalid: new Set<number>(),
      askedAtMs: -Infinity,
    };
    this.#streams.set(number, stream);
    this.#open(stream);
    return undefined;
  }

  /** Returns the definition of a stream; undefined if it is unknown, or if the game does not use the kind yet. */
  definitionOf(number: number): EntityDefinition | undefined {
    const stream = this.#streams.get(number);
    return stream && this.#parts.listeners.definitionNamed(stream.start.name);
  }

  /** Reads waiting states of a kind when the game begins to use its definition. */
  defined(name: string, listener: SnapshotListener): void {
    for (const stream of this.#streams.values()) {
      if (stream.start.name !== name || stream.reader) continue;
      this.#open(stream);
      this.#catchUp(stream, listener);
    }
  }

  /**
   * Reads the owner's description of a stream's columns. Returns a reason if it was not requested. The code
   * that reads it is loaded first; `batch` then reads the waiting messages.
   */
  describe(
    number: number,
    columns: Uint8Array,
    listener: SnapshotListener,
    batch: (read: () => void) => void,
  ): DropReason | undefined {
    const stream = this.#streams.get(number);
    if (!stream) return this.#ended.has(number) ? "outdated" : "unknown-entity";
    const { name, tickHz } = stream.start;
    const definition = this.#parts.listeners.definitionNamed(name);
    if (!stream.isAsked || stream.isDescribed || !definition) return "bad-message";
    stream.isDescribed = true;
    const take = ({ matchColumns }: Awaited<ReturnType<LoadColumns>>): void => {
      if (this.#streams.get(number) !== stream) return;
      const match = matchColumns(definition, columns, { tickHz, hasRates: true });
      this.#differs(name, match?.differences ?? ["columns that cannot be"]);
      if (!match?.plan) return this.#parts.drops.count("bad-message");
      stream.reader = this.#newReader(match.plan, definition);
      batch(() => this.#catchUp(stream, listener));
    };
    void this.#parts.loadColumns().then(take);
    return undefined;
  }

  #differs(name: string, differences: readonly string[]): void {
    if (!this.#mismatched.has(name))
      this.#parts.listeners.differs(name, `peer ${this.#owner.number}`, differences);
    this.#mismatched.add(name);
  }

  /** Reads the messages that have waited for a reader, and requests later changes. */
  #catchUp(stream: RemoteStream, listener: SnapshotListener): void {
    if (!stream.reader) return;
    const { waiting } = stream;
    stream.waiting = [];
    for (const states of waiting) this.#readWhole(stream, states, listener);
    this.#ask(stream, []);
  }

  /** Reads reliable states, which begin with their tick. */
  readReference(number: number, states: Uint8Array, listener: SnapshotListener): DropReason | undefined {
    const stream = this.#announced(number);
    return typeof stream === "string" ? stream : this.#readWhole(stream, states, listener);
  }

  /** Reads the states of a slot: see {@link beginFromSlot}. */
  readSlot(number: number, states: Uint8Array, listener: SnapshotListener): DropReason | undefined {
    return this.#readWhole(this.#streams.get(number)!, states, listener);
  }

  #readWhole(stream: RemoteStream, states: Uint8Array, listener: SnapshotListener): DropReason | undefined {
    if (!stream.reader) {
      keep(stream, states);
      // An earlier request for the columns may have found no room.
      this.#open(stream);
    }
    if (!stream.reader) return undefined;
    this.#reading = stream;
    return this.endReading(readReference(stream.reader, states, listener));
  }

  /** Returns a stream that the owner has announced, or the reason why there is none. */
  #announced(number: number): RemoteStream | DropReason {
    const stream = this.#streams.get(number);
    // States of cells are whole, so that the slot suffices.
    if (stream?.isAnnounced || (stream && this.#parts.cells)) return stream;
    return this.#ended.has(number) ? "outdated" : "unknown-entity";
  }

  /** Marks an entity of the present message for a resync. */
  invalidate(id: number): void {
    this.#reading?.invalid.add(id);
  }

  /**
   * Returns the reader of a stream's next message, until {@link endReading}. Returns a reason for an unknown
   * stream. Returns undefined if the game does not use the kind yet, or if its columns are not known yet.
   */
  startReading(number: number): SnapshotReader | DropReason | undefined {
    const stream = this.#announced(number);
    if (typeof stream === "string") return stream;
    if (stream.reader) this.#reading = stream;
    return stream.reader;
  }

  /** Ends the reading of a message. Returns `reason`, for which the message was dropped. */
  endReading(reason: DropReason | undefined): DropReason | undefined {
    const stream = this.#reading;
    if (!stream) return reason;
    this.#reading = undefined;
    if (reason === "too-many-states") this.#exceededAtMs = this.#parts.scheduler.nowMs();
    if (reason === undefined) stream.failures = 0;
    else if (!harmless.has(reason)) stream.failures += 1;
    if (stream.failures >= FAILURES_UNTIL_RESYNC) this.#ask(stream, []);
    else if (stream.invalid.size > 0) this.#ask(stream, [...stream.invalid]);
    return reason;
  }

  /** Creates a reader from the game's definition, or requests the columns if they differ. */
  #open(stream: RemoteStream): void {
    const { start } = stream;
    const definition = this.#parts.listeners.definitionNamed(start.name);
    if (!definition || stream.isAsked) return;
    if (definition.schemaHash === start.schemaHash)
      stream.reader = this.#newReader(
        planState(definition, { tickHz: start.tickHz, hasRates: true }),
        definition,
      );
    else
      stream.isAsked = this.#owner.trySend({
        kind: "columns",
        stream: start.stream,
        columns: new Uint8Array(0),
      });
  }

  /**
   * Creates a reader. All readers together hold as many entities as a participant may have. If rows are wider
   * than those of the game's definition, they are fewer, so that the memory stays limited.
   */
  #newReader(plan: StatePlan, definition: EntityDefinition): SnapshotReader {
    const own = FIRST_FIELD_COLUMN + definition.components.length;
    const maxEntities = Math.floor((limits.ownedEntities * own) / Math.max(own, plan.width));
    const held = (): number => this.#held;
    const weight = stateWeight(plan.width, plan.texts.length);
    const reader: SnapshotReader = new SnapshotReader({
      plans: [plan],
      historyTicks: limits.historyTicks,
      get maxEntities() {
        return Math.min(maxEntities, limits.ownedEntities - held() + reader.entities.size);
      },
      takeStates: (states) => this.#owner.takeStates(states * weight),
      onRemovals: (removals) => this.#owner.chargeItems(removals),
    });
    return reader;
  }

  /** Number of entities of all readers. */
  get #held(): number {
    let held = 0;
    for (const { reader } of this.#streams.values()) held += reader?.entities.size ?? 0;
    return held;
  }

  /**
   * Requests a resync of some entities, or of all if `ids` is empty, at most once per
   * {@link RESYNC_INTERVAL_MS}. An owner that sends too many states is not asked for more, and one that is about
   * to announce the stream not at all: whole states follow.
   */
  #ask(stream: RemoteStream, ids: readonly number[]): void {
    if (!stream.isAnnounced) return;
    const nowMs = this.#parts.scheduler.nowMs();
    if (nowMs - Math.max(stream.askedAtMs, this.#exceededAtMs) < RESYNC_INTERVAL_MS) return;
    stream.askedAtMs = nowMs;
    stream.failures = 0;
    stream.invalid.clear();
    const entities = ids.length > MAX_RESYNCED ? [] : ids;
    this.#owner.trySend({ kind: "resync", stream: stream.start.stream, entities });
  }
}

function keep(stream: RemoteStream, states: Uint8Array): void {
  stream.waitingBytes += states.length;
  if (stream.waitingBytes <= MAX_WAITING_BYTES) stream.waiting.push(states);
  else stream.waiting = [];
}
