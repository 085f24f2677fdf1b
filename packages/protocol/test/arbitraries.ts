/** Generators for property tests: every packet, envelope, payload and value that may be written. */
import {
  MessageKind,
  TrafficClass,
  limits,
  type Envelope,
  type Message,
  type PacketHeader,
  type PeerPayload,
  type TrafficClassName,
} from "@paceline/protocol";
import {
  array,
  boolean,
  constant,
  constantFrom,
  dictionary,
  double,
  integer,
  letrec,
  oneof,
  option,
  record,
  string,
  tuple,
  uint8Array,
  uniqueArray,
  type Arbitrary,
} from "fast-check";

const u16 = integer({ min: 0, max: 0xffff });
const u8 = integer({ min: 0, max: 255 });
const u32 = integer({ min: 0, max: 0xffffffff });

const own = record({
  sequence: u16,
  tick: option(u32, { nil: undefined }),
  isPublished: constant(false),
  acks: option(record({ ack: u16, ackBits: u32, bulkReceipt: option(u16, { nil: undefined }) }), {
    nil: undefined,
  }),
  receipt: option(u16, { nil: undefined }),
});
const published = record({ sequence: u16, tick: u32, isPublished: constant(true) });

export const packetHeader: Arbitrary<PacketHeader> = oneof(own, published);

export const messages: Arbitrary<Message[]> = array(
  record({ kind: constantFrom(...Object.values(MessageKind)), body: uint8Array({ maxLength: 200 }) }),
  { maxLength: 6 },
);

const plainEnvelope: Arbitrary<Envelope> = record(
  {
    trafficClass: constantFrom(...(Object.keys(TrafficClass) as TrafficClassName[])),
    key: u16,
    isPrompt: constant(true),
    peers: array(u16, { minLength: 1, maxLength: limits.envelopeTargets }),
    packet: uint8Array({ minLength: 1, maxLength: 300 }),
  },
  { requiredKeys: ["trafficClass", "key", "peers", "packet"] },
);

/** One body for several receivers, with a separate message id for each. */
const broadcast: Arbitrary<Envelope> = record({
  epoch: integer({ min: 1, max: limits.lastEpoch }),
  key: u16,
  receivers: uniqueArray(tuple(integer({ min: 1, max: 0xffff }), u16), {
    minLength: 1,
    maxLength: limits.envelopeTargets,
    selector: ([peer]) => peer,
  }),
  packet: uint8Array({ minLength: 1, maxLength: 300 }),
}).map(({ receivers, ...rest }) => {
  receivers.sort(([a], [b]) => a - b);
  const [peers, firstIds] = [receivers.map(([peer]) => peer), receivers.map(([, id]) => id)];
  return { ...rest, trafficClass: "command" as const, peers, firstIds };
});

export const envelope: Arbitrary<Envelope> = oneof(plainEnvelope, broadcast);

/** Text without unpaired surrogates, so that it has a UTF-8 encoding. */
const text = string({ unit: "binary", maxLength: 12 }).filter((value) => !/\p{Surrogate}/u.test(value));
const key = text.filter((value) => value !== "__proto__");

/**
 * Generates plain data, at most `depth` levels deep. Excludes -0, since msgpack has no negative zero as an
 * integer.
 */
export function plainValue(depth: number): Arbitrary<unknown> {
  const leaf = oneof(
    constant(null),
    boolean(),
    integer(),
    double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    text,
    uint8Array({ maxLength: 12 }),
  );
  return letrec<{ value: unknown }>((tie) => ({
    value: oneof(
      { depthIdentifier: "plain", maxDepth: depth },
      leaf,
      array(tie("value"), { maxLength: 4, depthIdentifier: "plain" }),
      dictionary(key, tie("value"), { maxKeys: 4, depthIdentifier: "plain", noNullPrototype: true }),
    ),
  })).value;
}

const type = text.filter(
  (value) => value !== "" && new TextEncoder().encode(value).length <= limits.nameBytes,
);
const message = plainValue(limits.nestingDepth - 2);

export const peerPayload: Arbitrary<PeerPayload> = oneof(
  record({ kind: constant("command" as const), type, message }),
  record({ kind: constant("request" as const), id: u32, type, message }),
  record({ kind: constant("reply" as const), id: u32, ok: boolean(), message }),
  record({
    kind: constant("stream" as const),
    stream: u8,
    name: type,
    tickHz: integer({ min: 1, max: 255 }),
    schemaHash: u32,
  }).chain((start) =>
    array(u16, { maxLength: 64 }).map((entities) => (entities.length > 0 ? { ...start, entities } : start)),
  ),
  record({
    kind: constant("reference" as const),
    stream: u8,
    states: uint8Array({ minLength: 5, maxLength: 64 }),
  }),
  record({ kind: constant("resync" as const), stream: u8, entities: array(u16, { maxLength: 64 }) }),
  record({ kind: constant("columns" as const), stream: u8, columns: uint8Array({ maxLength: 64 }) }),
);

const place = integer({ min: 0, max: 1000 });

type Change = (bytes: readonly number[]) => number[];

const changesFrom = (seed: Arbitrary<Uint8Array>): Arbitrary<Change> =>
  oneof(
    tuple(place, integer({ min: 0, max: 7 })).map(
      ([at, bit]): Change =>
        (bytes) =>
          bytes.map((value, index) => (index === at % bytes.length ? value ^ (1 << bit) : value)),
    ),
    tuple(place, u8).map(
      ([at, value]): Change =>
        (bytes) =>
          bytes.map((old, index) => (index === at % bytes.length ? value : old)),
    ),
    place.map(
      (at): Change =>
        (bytes) =>
          bytes.slice(0, at % (bytes.length + 1)),
    ),
    tuple(place, integer({ min: 0, max: 4 }), uint8Array({ maxLength: 6 })).map(
      ([at, removed, inserted]): Change =>
        (bytes) =>
          [...bytes].toSpliced(at % (bytes.length + 1), removed, ...inserted),
    ),
    tuple(place, seed).map(([at, other]): Change => (bytes) => [
      ...bytes.slice(0, at % (bytes.length + 1)),
      ...other.subarray(0, 20),
    ]),
  );

/** Generates a seed with one to three changes: a bit, a byte, a cut, an insertion, a part of another seed. */
export function mutationsOf(seed: Arbitrary<Uint8Array>): Arbitrary<Uint8Array> {
  const changes = array(changesFrom(seed), { minLength: 1, maxLength: 3 });
  return tuple(seed, changes).map(([begin, all]) =>
    Uint8Array.from(all.reduce((bytes, next) => next(bytes), [...begin])),
  );
}
