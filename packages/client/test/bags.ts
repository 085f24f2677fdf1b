import {
  defineEntity,
  enumOf,
  group,
  list,
  map,
  uint,
  vec2,
  type ItemList,
  type ItemMap,
} from "@paceline/client";
import { constant, constantFrom, nat, oneof, record, tuple, type Arbitrary } from "fast-check";

const MAX_THINGS = 8;
const MAX_COUNTS = 12;
const names = ["sword", "bow", "potion"] as const;

/** An entity with a list and a map. */
export const Bag = defineEntity("bag", {
  position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  things: list(group({ name: enumOf(names), count: uint({ range: [0, 99] }) }), { max: MAX_THINGS }),
  counts: map(uint({ range: [0, 1000] }), { max: MAX_COUNTS }),
});

interface Thing {
  readonly name: (typeof names)[number];
  readonly count: number;
}

interface OwnBag {
  readonly things: ItemList<Thing>;
  readonly counts: ItemMap<number>;
}

interface SeenBag {
  readonly id: number;
  readonly things: Iterable<unknown>;
  readonly counts: Iterable<[string, unknown]>;
}

/** Returns the contents of bags by id, keys sorted. */
export function contentsOf(bags: Iterable<SeenBag>): Record<string, object> {
  const entries = Array.from(bags, ({ id, things, counts }) => {
    const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return [id, { things: [...things], counts: Object.fromEntries(sorted) }] as const;
  });
  return Object.fromEntries(entries);
}

/** A write to a bag. */
export type BagWrite =
  | { readonly what: "count"; readonly key: string; readonly value: number }
  | { readonly what: "uncount"; readonly key: string }
  | { readonly what: "push" | "insert" | "set"; readonly at: number; readonly thing: Thing }
  | { readonly what: "delete"; readonly at: number }
  | { readonly what: "pop" | "clear" };

const key = constantFrom("a", "b", "c", "gold", "ü", "x".repeat(64));
const thing: Arbitrary<Thing> = record(
  { name: constantFrom(...names), count: nat(99) },
  { noNullPrototype: true },
);

export const bagWrite: Arbitrary<BagWrite> = oneof(
  record({ what: constant("count" as const), key, value: nat(1000) }),
  record({ what: constant("uncount" as const), key }),
  record({
    what: constantFrom("push" as const, "insert" as const, "set" as const),
    at: nat(MAX_THINGS),
    thing,
  }),
  record({ what: constant("delete" as const), at: nat(MAX_THINGS) }),
  record({ what: constantFrom("pop" as const, "clear" as const) }),
);

/** Something that happens: a name, and the number of what it happens to. */
export function happening<Name extends string>(name: Name, max = 5): Arbitrary<readonly [Name, number]> {
  return tuple(constant(name), nat(max));
}

/** Writes to a bag, unless that would exceed a limit. */
export function writeBag({ things, counts }: OwnBag, write: BagWrite): void {
  if ("thing" in write) return writeThing(things, write);
  if (write.what === "count") {
    if (counts.size < MAX_COUNTS || counts.has(write.key)) counts.set(write.key, write.value);
  } else if (write.what === "uncount") counts.delete(write.key);
  else if (write.what === "delete") things.delete(write.at);
  else if (write.what === "pop") things.pop();
  else {
    counts.clear();
    things.clear();
  }
}

function writeThing(
  things: ItemList<Thing>,
  write: BagWrite & { readonly thing: Thing; readonly at: number },
): void {
  const at = write.at % (things.length + 1);
  if (write.what === "set") {
    if (at < things.length) things.set(at, write.thing);
  } else if (things.length < MAX_THINGS) {
    if (write.what === "insert") things.insert(at, write.thing);
    else things.push(write.thing);
  }
}
