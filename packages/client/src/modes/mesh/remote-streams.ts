import {
  FIRST_FIELD_COLUMN,
  MAX_RESYNCED,
  SnapshotReader,
  limits,
  planState,
  readReference,
  type DropReason,
  type EntityDefinition,
  type PeerPayload,
  type SnapshotListener,
  type StatePlan,
  type StreamStart,
} from "@paceline/protocol";
import type { Clock } from "@paceline/transport";
import type { LoadColumns } from "../room-mode.js";

export interface RemoteStreamsOptions {
  readonly clock: Clock;
  /** The game's definition of that name, if it uses one. */
  definitionNamed(name: string): EntityDefinition | undefined;
  /** The owner's build describes a kind differently: how, in words. */
  onMismatch(name: string, differences: readonly string[]): void;
  /** Something to tell the owner of the streams; false where there is no room for it. */
  send(payload: PeerPayload): boolean;
  readonly loadColumns: LoadColumns;
  /** A description of the owner was dropped. */
  onDropped(reason: DropReason): void;
}

interface RemoteStream {
  readonly start: StreamStart;
  /** Undefined while the game does not use the kind, and until a stream of other columns has described them. */
  reader: SnapshotReader | undefined;
  /** Other columns than the game's: the owner was asked for them. */
  isAsked: boolean;
  isDescribed: boolean;
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
  /** Kinds of which the game was told that the peer has them with other columns: once is enough. */
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
      isAsked: false,
      isDescribed: false,
      waiting: [],
      waitingBytes: 0,
      failures: 0,
      distrusted: new Set<number>(),
      askedAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#streams.set(start.stream, stream);
    this.#open(stream);
    return undefined;
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

  /** The game began to use a definition. */
  defined(name: string, listener: SnapshotListener): void {
    for (const stream of this.#streams.values()) {
      if (stream.start.name !== name || stream.reader) continue;
      this.#open(stream);
      this.#catchUp(stream, listener);
    }
  }

  /**
   * The owner describes the columns of a stream. A reason where that was not asked for. The description is read by code that
   * is fetched first; `quietly` then reads what has waited.
   */
  describe(
    number: number,
    columns: Uint8Array,
    listener: SnapshotListener,
    quietly: (read: () => void) => void,
  ): DropReason | undefined {
    const stream = this.#streams.get(number);
    if (!stream) return this.#ended.has(number) ? "outdated" : "unknown-entity";
    const { name, tickHz } = stream.start;
    const definition = this.#options.definitionNamed(name);
    if (!stream.isAsked || stream.isDescribed || !definition) return "bad-message";
    stream.isDescribed = true;
    const take = ({ matchColumns }: Awaited<ReturnType<LoadColumns>>): void => {
      if (this.#streams.get(number) !== stream) return;
      const match = matchColumns(definition, columns, { tickHz, hasRates: true });
      this.#differs(name, match?.differences ?? ["columns that cannot be"]);
      if (!match?.plan) return this.#options.onDropped("bad-message");
      stream.reader = newReader(match.plan, definition);
      quietly(() => this.#catchUp(stream, listener));
    };
    this.#options.loadColumns().then(take, () => this.#differs(name, ["the code to read it did not come"]));
    return undefined;
  }

  #differs(name: string, differences: readonly string[]): void {
    if (!this.#mismatched.has(name)) this.#options.onMismatch(name, differences);
    this.#mismatched.add(name);
  }

  /** Reads the messages that have waited for a reader, and asks for later changes. */
  #catchUp(stream: RemoteStream, listener: SnapshotListener): void {
    if (!stream.reader) return;
    const { waiting } = stream;
    stream.waiting = [];
    for (const states of waiting) this.readReference(stream.start.stream, states, listener);
    this.#ask(stream, []);
  }

  /** Reads states that came reliably, with their tick. */
  readReference(number: number, states: Uint8Array, listener: SnapshotListener): DropReason | undefined {
    const stream = this.#streams.get(number);
    if (stream && !stream.reader) keep(stream, states);
    // The question found no room before.
    if (stream && !stream.reader) this.#open(stream);
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
   * undefined where it is of a kind that the game does not use, or not known in its columns (yet): nothing is wrong with it.
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

  /** Reads the stream as the game's definition is, or asks for its columns where that is another. */
  #open(stream: RemoteStream): void {
    const { start } = stream;
    const definition = this.#options.definitionNamed(start.name);
    if (!definition || stream.isAsked) return;
    if (definition.schemaHash === start.schemaHash)
      stream.reader = newReader(planState(definition, { tickHz: start.tickHz, hasRates: true }), definition);
    else
      stream.isAsked = this.#options.send({
        kind: "columns",
        stream: start.stream,
        columns: new Uint8Array(0),
      });
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

/** Wider rows than those of the game's own definition take no more memory: there may be fewer. */
function newReader(plan: StatePlan, definition: EntityDefinition): SnapshotReader {
  const own = FIRST_FIELD_COLUMN + definition.components.length;
  const maxEntities = Math.floor((limits.ownedEntities * own) / Math.max(own, plan.width));
  return new SnapshotReader({ plans: [plan], historyTicks: limits.historyTicks, maxEntities });
}

function keep(stream: RemoteStream, states: Uint8Array): void {
  stream.waitingBytes += states.length;
  if (stream.waitingBytes <= MAX_WAITING_BYTES) stream.waiting.push(states);
  else stream.waiting = [];
}
