import {
  MAX_RESYNCED,
  SnapshotReader,
  commonFields,
  limits,
  planState,
  readReference,
  type DropReason,
  type EntityDefinition,
  type PeerPayload,
  type SnapshotListener,
  type StreamStart,
} from "@paceline/protocol";
import type { Clock } from "@paceline/transport";

export interface RemoteStreamsOptions {
  readonly clock: Clock;
  /** The game's definition of that name, if it uses one. */
  definitionNamed(name: string): EntityDefinition | undefined;
  onMismatch(name: string): void;
  /** Something to tell the owner of the streams. */
  send(payload: PeerPayload): void;
}

interface RemoteStream {
  readonly start: StreamStart;
  /** Undefined while the game does not use the kind, and where its definition is another. */
  reader: SnapshotReader | undefined;
  /** Reliable messages that came while there was no reader. */
  waiting: Uint8Array[];
  waitingBytes: number;
  /** Messages in a row that could not be read. */
  failures: number;
  /** Entities to request again. */
  readonly distrusted: Set<number>;
  askedAtMs: number;
}

/** Limits what is kept of a kind that the game does not use (yet); this side asks later for what is missing then. */
const MAX_WAITING_BYTES = 65_536;
/** A lost or late message does no harm; so many in a row say that something is missing. */
const FAILURES_UNTIL_RESYNC = 3;
/** Time for an answer before the same is asked again. */
const RESYNC_INTERVAL_MS = 1000;
/** Drops that say nothing of what this side holds. */
const harmless: ReadonlySet<DropReason> = new Set(["outdated", "queue-full"]);

/** The streams of states of one peer: one for each kind of entity that it has. */
export class RemoteStreams {
  readonly #options: RemoteStreamsOptions;
  readonly #streams = new Map<number, RemoteStream>();
  /** Numbers of streams that others have replaced: what still comes of them is late. */
  readonly #ended = new Set<number>();
  /** Definitions of which the game was told that the peer has another: once is enough. */
  readonly #mismatched = new Set<string>();
  #reading: RemoteStream | undefined;

  constructor(options: RemoteStreamsOptions) {
    this.#options = options;
  }

  /** A reason where the stream was refused. */
  begin(start: StreamStart): DropReason | undefined {
    if (this.#streams.has(start.stream) || this.#ended.has(start.stream)) return "bad-message";
    for (const [number, { start: older }] of this.#streams) {
      if (older.name !== start.name) continue;
      this.#streams.delete(number);
      this.#ended.add(number);
    }
    const stream = {
      start,
      reader: undefined,
      waiting: [],
      waitingBytes: 0,
      failures: 0,
      distrusted: new Set<number>(),
      askedAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#streams.set(start.stream, stream);
    return this.#open(stream);
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  /** The kind of a stream; undefined for an unknown number. */
  nameOf(number: number): string | undefined {
    return this.#streams.get(number)?.start.name;
  }

  /** The entities that the stream of that name has told of. */
  idsOf(name: string): number[] {
    return [...this.#streams.values()].flatMap(({ start, reader }) =>
      start.name === name && reader ? [...reader.entities.keys()] : [],
    );
  }

  /** Ends the stream of that name. */
  end(name: string): void {
    for (const [number, { start }] of this.#streams) {
      if (start.name === name) this.#streams.delete(number);
    }
  }

  /** The game began to use a definition: what has waited for it is read, and what has changed since is asked for. */
  defined(name: string, listener: SnapshotListener): void {
    for (const [number, stream] of this.#streams) {
      if (stream.start.name !== name || stream.reader || this.#open(stream)) continue;
      const { waiting } = stream;
      stream.waiting = [];
      for (const states of waiting) this.readReference(number, states, listener);
      if (stream.reader) this.#ask(stream, []);
    }
  }

  /** Reads states that came reliably, with their tick. */
  readReference(number: number, states: Uint8Array, listener: SnapshotListener): DropReason | undefined {
    const stream = this.#streams.get(number);
    if (stream && !stream.reader) keep(stream, states);
    const reader = this.startReading(number);
    if (typeof reader !== "object") return reader;
    return this.endReading(readReference(reader, states, listener));
  }

  /** An entity of the message that is being read is not what was sent. */
  distrust(id: number): void {
    this.#reading?.distrusted.add(id);
  }

  /**
   * The reader of the next message of that stream, until {@link endReading}. A reason where there is no such stream;
   * undefined where it is of a kind that the game does not use (yet): nothing is wrong with it.
   */
  startReading(number: number): SnapshotReader | DropReason | undefined {
    const stream = this.#streams.get(number);
    if (!stream) return this.#ended.has(number) ? "outdated" : "unknown-entity";
    if (stream.reader) this.#reading = stream;
    return stream.reader;
  }

  /** The message was read, or dropped for a reason; returns the reason. */
  endReading(reason: DropReason | undefined): DropReason | undefined {
    const stream = this.#reading;
    if (!stream) return reason;
    this.#reading = undefined;
    if (reason === undefined) stream.failures = 0;
    else if (!harmless.has(reason)) stream.failures += 1;
    if (stream.failures >= FAILURES_UNTIL_RESYNC) this.#ask(stream, []);
    else if (stream.distrusted.size > 0) this.#ask(stream, [...stream.distrusted]);
    return reason;
  }

  /** A reason where the peer's definition is another than the game's. */
  #open(stream: RemoteStream): DropReason | undefined {
    const { start } = stream;
    const definition = this.#options.definitionNamed(start.name);
    if (!definition) return undefined;
    const common = commonFields(definition, start.fieldHashes);
    const fewest = Math.min(definition.fieldHashes.length, start.fieldHashes.length);
    const isAsLong = definition.fieldHashes.length === start.fieldHashes.length;
    const isOther = isAsLong && definition.schemaHash !== start.schemaHash;
    if (isOther || common < fewest || definition.motion !== start.motion) {
      if (!this.#mismatched.has(start.name)) this.#options.onMismatch(start.name);
      this.#mismatched.add(start.name);
      return "bad-message";
    }
    if (start.fieldCount > common) {
      // The peer's build is newer: it begins another stream, with what both know.
      this.#options.send({ kind: "fields", stream: start.stream, fieldCount: common });
      return undefined;
    }
    const { tickHz, fieldCount } = start;
    stream.reader = new SnapshotReader({
      plans: [planState(definition, { tickHz, fieldCount, hasRates: true })],
      historyTicks: limits.historyTicks,
      maxEntities: limits.ownedEntities,
    });
    return undefined;
  }

  /** Asks for some entities, or for all where none is named; not before there was time for an answer. */
  #ask(stream: RemoteStream, ids: readonly number[]): void {
    const nowMs = this.#options.clock.nowMs();
    if (nowMs - stream.askedAtMs < RESYNC_INTERVAL_MS) return;
    stream.askedAtMs = nowMs;
    stream.failures = 0;
    stream.distrusted.clear();
    const entities = ids.length > MAX_RESYNCED ? [] : ids;
    this.#options.send({ kind: "resync", stream: stream.start.stream, entities });
  }
}

function keep(stream: RemoteStream, states: Uint8Array): void {
  stream.waitingBytes += states.length;
  if (stream.waitingBytes <= MAX_WAITING_BYTES) stream.waiting.push(states);
  else stream.waiting = [];
}
