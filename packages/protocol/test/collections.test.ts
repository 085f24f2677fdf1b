import {
  ByteReader,
  ByteWriter,
  CollectionBudget,
  CollectionReader,
  CollectionSender,
  angle,
  bytes,
  defineEntity,
  enumOf,
  flag,
  group,
  int,
  list,
  map,
  newCollections,
  quat,
  readPeerPayload,
  scalar,
  string,
  uint,
  vec2,
  vec3,
  writePeerPayload,
  type Collection,
  type CollectionMessage,
  type EntityDefinition,
  type Field,
  type ItemList,
  type ItemMap,
} from "@paceline/protocol";
import { array, assert, constantFrom, nat, oneof, property, tuple, uint8Array } from "fast-check";
import { describe, expect, test } from "vitest";

const newReader = (read: Uint8Array): ByteReader => new ByteReader(read);
const ID = 7;
const STREAM = 3;
const Bag = defineEntity("bag", {
  gold: uint({ range: [0, 1000] }),
  things: list(string({ maxBytes: 10 }), { max: 3 }),
  counts: map(uint({ range: [0, 100] }), { max: 1000 }),
});

function own(definition: EntityDefinition, maxBytes = 100_000) {
  const collections = newCollections(definition, {
    budget: new CollectionBudget(maxBytes),
    admits: () => true,
  });
  const [things, counts] = collections as unknown as [ItemList<string>, ItemMap<number>];
  return { collections, things, counts };
}

const newBag = (maxBytes?: number) => own(Bag, maxBytes);

/** A sender with one receiver, and the receiver. */
function pair(collections: readonly Collection[], definition: EntityDefinition) {
  const sent: CollectionMessage[] = [];
  const sender = new CollectionSender<string>({
    newWriter: () => new ByteWriter(),
    hasRoom: () => true,
    send: (messages) => void sent.push(...messages),
  });
  const reader = new CollectionReader({
    maxBytes: 200_000,
    maxEntities: 10,
    definitionOf: (stream) => (stream === STREAM ? definition : undefined),
    newReader,
    unread: new Set(),
  });
  sender.add({ id: ID, stream: STREAM, collections });
  sender.join("ben");
  /** Returns the messages of a flush, after the receiver has read them. */
  const flush = (): CollectionMessage[] => {
    sender.flush();
    const messages = sent.splice(0);
    for (const { stream, changes } of messages) expect(reader.receive(stream, changes)).toBeUndefined();
    return messages;
  };
  const seen = reader.attach(ID, definition) as unknown as [ItemList<string>, ItemMap<number>];
  return { sender, reader, flush, seen };
}

describe("a list or map of an entity", () => {
  test("says what it cannot hold, with field, value and range", () => {
    const { things, counts } = newBag();
    things.push("a", "b", "c");
    expect(() => things.push("d")).toThrow("bag.things: expected at most 3 items, got 4");
    expect(() => things.insert(0, "d")).toThrow("bag.things: expected at most 3 items, got 4");
    expect(() => things.set(3, "d")).toThrow("bag.things index: expected 0 to 2, got 3");
    expect(() => things.set(1, 5 as never)).toThrow(
      "bag.things.1: expected text of at most 10 bytes of UTF-8",
    );
    expect(() => things.set(1, "long enough")).toThrow("bag.things.1: expected text of at most 10 bytes");
    expect(() => counts.set("x".repeat(10_000), 1)).toThrow(
      `bag.counts key: expected text of 1 to 64 bytes of UTF-8, got "${"x".repeat(60)}…"`,
    );
    expect(() => counts.set("", 1)).toThrow("bag.counts key: expected text of 1 to 64 bytes");
    expect(() => counts.set("a", 101)).toThrow(
      "bag.counts.a: expected a whole number from 0 to 100, got 101",
    );
    expect(() => counts.set("a", "1" as never)).toThrow(
      "bag.counts.a: expected a whole number from 0 to 100",
    );
    for (let key = 0; key < 1000; key++) counts.set(`k${key}`, 1);
    expect(() => counts.set("one more", 1)).toThrow("bag.counts: expected at most 1000 items, got 1001");
    expect([[...things], counts.size]).toEqual([["a", "b", "c"], 1000]);
    expect(() => newBag(20).things.push("123456789", "123456789")).toThrow(
      "bag.things: expected at most 20 bytes in the lists and maps of all entities of one owner, got 22",
    );
  });

  test("is refused in a definition that it does not fit", () => {
    const things = list(flag(), { max: 3 });
    expect(() => list(things, { max: 3 })).toThrow("list.item: expected another kind of field");
    expect(() => group({ things })).toThrow("group.things: expected another kind of field");
    expect(() => map(flag(), { max: 0 })).toThrow("map.max: expected a whole number from 1 to 4096, got 0");
    expect(() => map(flag(), { most: 1 } as never)).toThrow("map.most: expected no such option");
    expect(() => list(string({ maxBytes: 255 }), { max: 4096 })).toThrow(
      "at most 131072 bytes at its longest",
    );
    expect(() => defineEntity("bag", { things }, { threshold: { things: 1 } })).toThrow(
      "bag.threshold.things",
    );
  });

  test("changes the hash of its definition, and so do its limit and its items", () => {
    const hashes = [
      defineEntity("bag", { gold: flag() }),
      defineEntity("bag", { gold: flag(), things: list(flag(), { max: 3 }) }),
      defineEntity("bag", { gold: flag(), things: list(flag(), { max: 4 }) }),
      defineEntity("bag", { gold: flag(), things: list(uint({ range: [0, 4] }), { max: 3 }) }),
      defineEntity("bag", { gold: flag(), things: map(flag(), { max: 3 }) }),
    ].map(({ schemaHash }) => schemaHash);
    expect(new Set(hashes).size).toBe(5);
  });

  test("of 1000 keys costs at most 16 bytes when one of them changes", () => {
    const { collections, counts } = newBag();
    const { flush, seen } = pair(collections, Bag);
    for (let key = 0; key < 1000; key++) counts.set(`k${key}`, 1);
    expect(flush().length).toBeGreaterThan(0);
    counts.set("k999", 2);
    const [message, ...others] = flush();
    expect(others).toEqual([]);
    const body = writePeerPayload({ kind: "changes", ...message! });
    expect(body.length).toBe(13);
    expect(readPeerPayload(body)).toEqual({ kind: "changes", ...message });
    expect([seen[1].size, seen[1].get("k999"), seen[1].get("k998")]).toEqual([1000, 2, 1]);
  });

  test("sends the last value of each key in a tick, and nothing for what is as before", () => {
    const { collections, counts, things } = newBag();
    const { flush, seen } = pair(collections, Bag);
    flush();
    const changes: (readonly [string | number, unknown, unknown])[] = [];
    for (const each of seen as unknown as Collection[])
      each.listeners.add((...change) => changes.push(change));
    for (let value = 0; value < 100; value++) counts.set("a", value);
    things.push("x").toFixed();
    things.set(0, "y").set(0, "z");
    expect(flush()).toHaveLength(1);
    expect(changes).toEqual([
      [0, "z", undefined],
      ["a", 99, undefined],
    ]);
    counts.set("a", 99);
    things.set(0, "z");
    expect(flush()).toEqual([]);
  });

  test("keeps its last values when its entity ends, and a later entity with the id has its own", () => {
    const { collections, counts } = newBag();
    const { sender, reader, flush, seen } = pair(collections, Bag);
    counts.set("a", 1);
    flush();
    const next = newBag();
    next.counts.set("b", 2);
    sender.remove(ID);
    sender.add({ id: ID, stream: STREAM, collections: next.collections });
    // The contents of the later entity overtake the end of the first one, which travels with states.
    flush();
    reader.detach(ID);
    const later = reader.attach(ID, Bag) as unknown as [ItemList<string>, ItemMap<number>];
    expect([...later[1]]).toEqual([["b", 2]]);
    next.counts.set("b", 3);
    flush();
    expect([later[1].get("b"), seen[1].get("b")]).toEqual([3, 2]);
  });

  test("sends a receiver with a full queue the whole contents later", () => {
    const { collections, counts } = newBag();
    let isFull = false;
    const sent: CollectionMessage[] = [];
    const sender = new CollectionSender<string>({
      newWriter: () => new ByteWriter(),
      hasRoom: () => !isFull,
      send: (messages) => void sent.push(...messages),
    });
    sender.add({ id: ID, stream: STREAM, collections });
    sender.join("ben");
    counts.set("a", 1);
    sender.flush();
    isFull = true;
    for (let value = 0; value < 50; value++) {
      counts.set("b", value);
      sender.flush();
    }
    counts.delete("a");
    sender.flush();
    expect(sent).toHaveLength(1);
    isFull = false;
    sender.flush();
    expect(sent).toHaveLength(2);
    const seen: string[] = [];
    const reader = new CollectionReader({
      ...{ maxBytes: 1000, maxEntities: 1, unread: new Set<number>(), newReader },
      definitionOf: () => Bag,
    });
    for (const { changes } of sent) expect(reader.receive(STREAM, changes)).toBeUndefined();
    for (const [key, value] of (reader.attach(ID, Bag) as never as [never, ItemMap<number>])[1])
      seen.push(`${key}${value}`);
    expect(seen).toEqual(["b49"]);
  });
});

describe("bytes of the network", () => {
  const readerOf = (maxBytes = 1000) =>
    new CollectionReader({
      ...{ maxBytes, maxEntities: 2, unread: new Set<number>(), newReader },
      definitionOf: () => Bag,
    });
  const tagOf = (name: string): number => Bag.collections.find((each) => each.name === name)!.tag;
  const block = (id: number, name: string, ...operations: number[]): number[] => {
    const tag = tagOf(name);
    return [id, 0, tag & 255, tag >> 8, operations.length, ...operations];
  };
  const reading = (blocks: readonly number[], reader = readerOf()) =>
    reader.receive(STREAM, new Uint8Array(blocks));

  test("that make no sense are dropped whole, with a reason", () => {
    const good = block(1, "counts", 1, 97, 5);
    expect(reading(good)).toBeUndefined();
    expect(reading(good.slice(0, -1))).toBe("length");
    // A number beyond its range, a key twice, an unknown operation, an index beyond the end, an item too many.
    expect(reading(block(1, "counts", 1, 97, 101))).toBe("bad-message");
    expect(reading(block(1, "counts", 1, 97, 5, 1, 97, 6))).toBe("bad-message");
    expect(reading(block(1, "things", 9))).toBe("bad-message");
    expect(reading(block(1, "things", 3, 0, 0))).toBe("bad-message");
    expect(reading(block(1, "things", 4, 1, 97, 4, 1, 97, 4, 1, 97, 4, 1, 97))).toBe("bad-message");
    expect(reading(block(1, "things"))).toBe("bad-message");
    expect(reading([...good, ...good])).toBe("bad-message");
    // All or nothing.
    const reader = readerOf();
    const counts = (reader.attach(1, Bag) as never as [never, ItemMap<number>])[1];
    expect(reading([...good, ...block(2, "things", 9)], reader)).toBe("bad-message");
    expect(counts.size).toBe(0);
  });

  test("beyond the limits of memory are dropped", () => {
    const reader = readerOf();
    for (const id of [1, 2]) expect(reading(block(id, "counts", 1, 97, 5), reader)).toBeUndefined();
    expect(reading(block(3, "counts", 1, 97, 5), reader)).toBe("queue-full");
    expect(reading(block(1, "counts", 1, 97, 5, 1, 98, 5), readerOf(5))).toBe("queue-full");
  });

  test("of a list that this build does not have are skipped", () => {
    const reader = readerOf();
    const other = [1, 0, 1, 0, 3, 9, 9, 9];
    expect(reading([...other, ...block(1, "counts", 1, 97, 5)], reader)).toBeUndefined();
    expect((reader.attach(1, Bag) as never as [never, ItemMap<number>])[1].get("a")).toBe(5);
  });

  test("never throw, whatever they are", () => {
    const tags = [0, tagOf("things"), tagOf("counts")];
    const any = uint8Array({ maxLength: 40 });
    const framed = array(tuple(nat(3), constantFrom(...tags), any), { maxLength: 5 }).map((blocks) =>
      blocks.flatMap(([id, tag, body]) => [
        id,
        0,
        tag & 255,
        tag >> 8,
        ...(tag ? [body.length, ...body] : []),
      ]),
    );
    assert(
      property(oneof(any, framed), (message) => {
        const reader = readerOf();
        const reason = reader.receive(STREAM, new Uint8Array(message));
        return reason === undefined || typeof reason === "string";
      }),
    );
  });
});

describe("items of every kind", () => {
  const half = Math.SQRT1_2;
  const cases: readonly [name: string, field: Field, value: unknown, read: unknown, bad: unknown][] = [
    ["flag", flag(), true, true, 1],
    ["enum", enumOf(["a", "b"]), "b", "b", "c"],
    ["int", int({ range: [-300, 300] }), -300, -300, 301],
    ["scalar", scalar({ range: [-1, 1], precision: 0.01 }), 0.123, 0.12, 1.1],
    ["angle", angle({ precision: 0.01, unit: "rad" }), 7, expect.closeTo(7 - 2 * Math.PI, 2), Number.NaN],
    ["string", string({ maxBytes: 200 }), "ü".repeat(100), "ü".repeat(100), "\ud800"],
    ["bytes", bytes({ maxBytes: 3 }), new Uint8Array([1, 2]), new Uint8Array([1, 2]), new Uint8Array(4)],
    ["vec2", vec2({ range: [-1, 1], precision: 0.5 }), { x: 1, y: -1 }, { x: 1, y: -1 }, { x: 1, y: 2 }],
    [
      "vec3",
      vec3({ range: [-1e6, 1e6], precision: 0.01 }),
      { x: 1, y: 2, z: -1e6 },
      { x: 1, y: 2, z: -1e6 },
      { x: 1, y: 2 },
    ],
    [
      "quat",
      quat({ precision: 0.001, unit: "rad" }),
      { x: 0, y: 0, z: 3, w: 3 },
      { x: 0, y: 0, z: expect.closeTo(half, 4), w: expect.closeTo(half, 4) },
      { x: 0, y: 0, z: 0, w: 0 },
    ],
    [
      "group",
      group({ a: flag(), b: int({ range: [0, 9] }) }),
      { a: true, b: 2 },
      { a: true, b: 2 },
      { a: true },
    ],
    ["fixed list", list(int({ range: [0, 9] }), 2), [1, 2], [1, 2], [1]],
  ];

  test.each(cases)(
    "%s: the owner has what receivers read, and a wrong value throws",
    (_, field, value, read, bad) => {
      const Kind = defineEntity("kind", { items: list(field, { max: 4 }) }) as unknown as EntityDefinition;
      const { collections, things } = own(Kind);
      const { flush, seen } = pair(collections, Kind);
      things.push(value as never);
      flush();
      expect([...things]).toEqual([read]);
      expect([...seen[0]]).toEqual([...things]);
      things.set(0, things.at(0)!);
      expect(flush()).toEqual([]);
      expect(() => things.push(bad as never)).toThrow("kind.items.1");
    },
  );
});
