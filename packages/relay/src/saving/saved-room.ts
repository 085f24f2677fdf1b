import {
  ByteReader,
  ByteWriter,
  PROTOCOL_VERSION,
  decodeValue,
  encodeValue,
  isFields,
  shapes,
} from "@paceline/protocol";
import type { SavedSession } from "@paceline/transport";

const { boolean, bytesOf, listOf, number16, number32, numberOf, optional, shape, textOf, wholeOf } = shapes;

/** A token with which a session may take another link, as the relay keeps it. */
export interface SavedResumeToken {
  readonly hash: Uint8Array;
  /** Number of the reliable message that carries it. */
  readonly messageId?: number | undefined;
}

/** The relay's half of a player's seat. Secrets are in it as hashes only. */
export interface SavedSeat {
  /** Session id. */
  readonly id: string;
  readonly number: number;
  /** The player's number; a reload keeps it. */
  readonly seat: number;
  readonly webrtc: boolean;
  readonly isSpectator: boolean;
  /** Network address of the seat's request. */
  readonly address: string;
  readonly isHidden: boolean;
  /** Time for which the seat of an absent player was still kept, ms; undefined for one with a link. */
  readonly keptMs?: number | undefined;
  /** Hashes of the tokens with which another page may take the seat, the newest last. */
  readonly tokens: readonly Uint8Array[];
  readonly resumeTokens: readonly SavedResumeToken[];
  /** True: the session goes on exactly if the save is final. False while an earlier one is to be settled. */
  readonly isExact: boolean;
  readonly session: SavedSession;
  /** The room's messages since that session, which no session has brought yet. */
  readonly further: readonly Uint8Array[];
  readonly slots: readonly SavedSlot[];
}

/** One slot of a stream, for newcomers. */
export interface SavedSlot {
  readonly stream: number;
  readonly ageMs: number;
  readonly state: Uint8Array;
}

/** The relay's half of a room. */
interface SavedPlace {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  /** The options that separate it from others of its name, in canonical form. */
  readonly optionsKey: string;
  readonly build: string;
  readonly openedBy: string;
  readonly maxPlayers: number;
  readonly maxSpectators: number;
  readonly isLocked: boolean;
  readonly isPrivate: boolean;
  readonly isKept: boolean;
  readonly metadata: Uint8Array;
  /** The number that was given to a participant last. */
  readonly lastNumber: number;
}

/** A kind of entity when the room was saved. */
export interface SavedKind {
  readonly name: string;
  readonly schemaHash: number;
  /** Its description, by which another build of the game finds the fields by name. */
  readonly columns: Uint8Array;
  /** Number of its entities. */
  readonly count: number;
}

/** The contents of one list or map. */
export interface SavedList {
  /** Id of its entity. */
  readonly entity: number;
  /** Kind and field, such as `player.inventory`. */
  readonly path: string;
  /** The items of a list, or pairs of key and value, encoded. */
  readonly items: Uint8Array;
}

/** The game's half of a player. Its data are encoded values. */
export interface SavedPlayer {
  readonly number: number;
  readonly auth: Uint8Array;
  readonly options: Uint8Array;
  readonly userData: Uint8Array;
  /** The player's last messages about what states it wants, encoded. */
  readonly terms: readonly Uint8Array[];
  /** False: its session cannot go on, only its seat. */
  readonly isResumable: boolean;
  /** Entities that the player simulates: its own number for each, and the room's. */
  readonly own: readonly number[];
  /** Ticks per second of its own entities' states. */
  readonly ownTickHz: number;
  /** Removals of entities that it may not have heard of. */
  readonly removals: readonly number[];
  /** Its viewpoint: an entity's id, the two or three numbers of a place, or nothing for its own entity. */
  readonly from: readonly number[];
  /** Ids of the entities that it watches. */
  readonly watched: readonly number[];
}

/** The game's half of a room, without the states of its entities. */
export interface SavedGame {
  readonly tick: number;
  readonly tickHz: number;
  readonly elapsedMs: number;
  readonly inputHash: number;
  /** The options with which the room was opened, encoded. */
  readonly options: Uint8Array;
  readonly maxPlayers: number;
  readonly maxSpectators: number;
  readonly nextId: number;
  readonly kinds: readonly SavedKind[];
  /** Ids of the entities that `onCreate` has spawned, in the order of its calls; 0 for one that has gone. */
  readonly made: readonly number[];
  readonly players: readonly SavedPlayer[];
  /** Lists and maps of entities, without the empty ones. */
  readonly lists: readonly SavedList[];
  /** The rest of the room's named timers, as `RoomTimers` writes it. */
  readonly timers: Uint8Array;
  /** The result of `onSave`, encoded. */
  readonly data: Uint8Array;
}

/** Everything that a room needs to go on in another process. */
export interface SavedRoom {
  /** Wire version of the server that saved the room. */
  readonly wire: number;
  /** Build of the game that the server served; empty if it named none. */
  readonly build: string;
  /** Wall clock of the save, ms since 1970. */
  readonly savedAtMs: number;
  /** The server's clock, as clients know it from pongs, ms. */
  readonly clockMs: number;
  /** True: the process stopped after this save, so that sessions go on exactly. */
  readonly isFinal: boolean;
  readonly place: SavedPlace;
  readonly seats: readonly SavedSeat[];
  readonly game?: SavedGame | undefined;
  /** Whole states of the entities, in bodies of the state codec of one kind each, after a byte with the kind. */
  readonly states: readonly Uint8Array[];
}

/** Largest saved room. */
export const MAX_SAVED_BYTES = 33_554_432;
const FORMAT = 1;
/** Format and length of the head. */
const PREFIX_BYTES = 5;
const MAX_SEATS = 2048;
const HASH_BYTES = 32;

const short = (value: unknown): string | undefined => textOf(value, 256);
const long = (value: unknown): string | undefined => textOf(value, 16_384);
const data = (value: unknown): Uint8Array | undefined => bytesOf(value, MAX_SAVED_BYTES);
const hash = (value: unknown): Uint8Array | undefined =>
  value instanceof Uint8Array && value.length === HASH_BYTES ? bytesOf(value, HASH_BYTES) : undefined;
const ms = (value: unknown): number | undefined => numberOf(value, 0, Number.MAX_SAFE_INTEGER);

const queue = shape<SavedSession["sent"]["command"]>({
  firstId: number16,
  fragments: listOf(data),
  unfinished: listOf(number32),
  uncut: listOf(data),
});
const inbox = shape<SavedSession["received"]["command"]>({ expected: number16, parts: data });
const session = shape<SavedSession>({
  sent: shape<SavedSession["sent"]>({
    sequence: number16,
    packetsSent: number16,
    command: queue,
    bulk: queue,
  }),
  received: shape<SavedSession["received"]>({ command: inbox, bulk: inbox }),
});
const seat = shape<SavedSeat>({
  id: (value) => (/^[\w-]{1,64}$/.test(String(value)) ? short(value) : undefined),
  number: (value) => wholeOf(value, 1, 0xffff),
  seat: (value) => wholeOf(value, 1, 0xffff),
  webrtc: boolean,
  isSpectator: boolean,
  address: short,
  isHidden: boolean,
  keptMs: optional(ms),
  tokens: listOf(hash, 8),
  resumeTokens: listOf(shape<SavedResumeToken>({ hash, messageId: optional(number16) }), 32),
  isExact: boolean,
  session,
  further: listOf(data),
  slots: listOf(
    shape<SavedSlot>({ stream: number16, ageMs: ms, state: (value) => bytesOf(value, 65_536) }),
    256,
  ),
});
const place = shape<SavedPlace>({
  id: (value) => (/^[\w-]{1,64}$/.test(String(value)) ? short(value) : undefined),
  name: short,
  code: (value) => (/^[A-Z0-9]{1,16}$/.test(String(value)) ? short(value) : undefined),
  optionsKey: long,
  build: short,
  openedBy: short,
  maxPlayers: number16,
  maxSpectators: number16,
  isLocked: boolean,
  isPrivate: boolean,
  isKept: boolean,
  metadata: data,
  lastNumber: number16,
});
const player = shape<SavedPlayer>({
  number: number16,
  auth: data,
  options: data,
  userData: data,
  terms: listOf(data, 4),
  isResumable: boolean,
  own: listOf(number16),
  ownTickHz: (value) => wholeOf(value, 0, 255),
  removals: listOf(number32),
  from: listOf((value) => numberOf(value, -Number.MAX_VALUE, Number.MAX_VALUE), 3),
  watched: listOf(number16, 64),
});
const game = shape<SavedGame>({
  tick: number32,
  tickHz: (value) => numberOf(value, 1, 255),
  elapsedMs: ms,
  inputHash: number32,
  options: data,
  maxPlayers: number16,
  maxSpectators: number16,
  nextId: number16,
  kinds: listOf(
    shape<SavedKind>({
      name: short,
      schemaHash: number32,
      columns: (value) => bytesOf(value, 65_536),
      count: number32,
    }),
    64,
  ),
  made: listOf(number16),
  players: listOf(player, MAX_SEATS),
  lists: listOf(shape<SavedList>({ entity: number16, path: short, items: data })),
  timers: data,
  data,
});
interface Head extends Omit<SavedRoom, "states"> {
  readonly states: readonly number[];
}
const head = shape<Head>({
  wire: number32,
  build: short,
  savedAtMs: ms,
  clockMs: ms,
  isFinal: boolean,
  place,
  seats: listOf(seat, MAX_SEATS),
  game: optional(game),
  states: listOf(number32),
});

/** Writes a saved room. Throws `ConfigError` for one with more items than a message may have. */
export function writeSavedRoom({ states, ...saved }: SavedRoom): Uint8Array {
  const packed = encodeValue({ ...saved, states: states.map(({ length }) => length) }, "room");
  const bytes = states.reduce((sum, { length }) => sum + length, PREFIX_BYTES + packed.length);
  const writer = new ByteWriter(bytes).u8(FORMAT).u32(packed.length).bytes(packed);
  for (const state of states) writer.bytes(state);
  return writer.view();
}

/** Reads the bytes of {@link writeSavedRoom}, from any hand. Returns a sentence if they are no saved room. Never throws. */
export function readSavedRoom(bytes: Uint8Array): SavedRoom | string {
  if (bytes.length > MAX_SAVED_BYTES) return `it has ${bytes.length} bytes, of at most ${MAX_SAVED_BYTES}`;
  const reader = new ByteReader(bytes);
  const format = reader.u8();
  const headBytes = reader.u32();
  if (!reader.ok) return `it has only ${bytes.length} bytes`;
  if (format !== FORMAT) return `it has format ${format}, and this server reads format ${FORMAT}`;
  const end = PREFIX_BYTES + headBytes;
  if (end > bytes.length) return `it ends within its head, after ${bytes.length} of ${end} bytes`;
  const read = head(decodeValue(bytes.subarray(PREFIX_BYTES, end))?.value);
  if (!read) return "its head is damaged";
  const missing = problemOf(read);
  if (missing !== undefined) return missing;
  let at = end;
  const states = read.states.map((length) => bytes.subarray(at, (at += length)));
  if (at !== bytes.length) return `it has ${bytes.length} bytes, and its head says ${at}`;
  return { ...read, states };
}

/** Returns what contradicts itself in a head whose parts are well-formed. */
function problemOf({ seats, place: { optionsKey, metadata } }: Head): string | undefined {
  const ids = new Set(seats.map(({ id }) => id));
  const numbers = new Set(seats.map(({ number }) => number));
  if (ids.size < seats.length || numbers.size < seats.length) return "two of its seats are the same";
  if (!isFields(decodeValue(metadata)?.value)) return "its metadata are damaged";
  try {
    const options: unknown = JSON.parse(optionsKey);
    const isList =
      Array.isArray(options) && options.every((each) => Array.isArray(each) && each.length === 2);
    return isList ? undefined : "its options are damaged";
  } catch {
    return "its options are damaged";
  }
}

/** Says what a saved room holds, for people. Never throws. */
export function describeSavedRoom(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const saved = readSavedRoom(bytes);
  if (typeof saved === "string") return { problem: saved };
  const { place: where, game: played, seats, states } = saved;
  const { metadata, optionsKey, ...named } = where;
  const isReadable = saved.wire === PROTOCOL_VERSION;
  return {
    savedAt: new Date(Math.min(saved.savedAtMs, 8.64e15)).toISOString(),
    isFinal: saved.isFinal,
    wire: isReadable ? saved.wire : `${saved.wire} (this server speaks ${PROTOCOL_VERSION})`,
    build: saved.build,
    room: { ...named, metadata: decodeValue(metadata)?.value, options: JSON.parse(optionsKey) as unknown },
    seats: seats.map(({ id, number, isSpectator, keptMs, session: { sent } }) => ({
      id,
      number,
      isSpectator,
      isAway: keptMs !== undefined,
      unacknowledged: sent.command.fragments.length + sent.bulk.fragments.length,
    })),
    ...(played && {
      game: {
        tick: played.tick,
        tickHz: played.tickHz,
        elapsedMs: played.elapsedMs,
        entities: Object.fromEntries(played.kinds.map(({ name, count }) => [name, count])),
        stateBytes: states.reduce((sum, { length }) => sum + length, 0),
        players: played.players.map(({ number, userData, own }) => ({
          number,
          userData: valueOf(userData),
          ownEntities: own.length / 2,
        })),
        timers: valueOf(played.timers),
        data: valueOf(played.data),
      },
    }),
  };
}

/** Returns the value of a part; undefined for an empty or damaged one. */
function valueOf(part: Uint8Array): unknown {
  return decodeValue(part)?.value;
}
