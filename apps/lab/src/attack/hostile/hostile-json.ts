import type { Random } from "@paceline/testkit";

/** JSON texts, not values: no encoder writes some of them. */
const values = [
  "null",
  "true",
  "-0",
  "1e999",
  "1e-400",
  "9007199254740993",
  '""',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"a\\u0000b"',
  '"__proto__"',
  "[]",
  "{}",
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"toString":1,"valueOf":2,"then":3,"toJSON":4}',
  '{"\\ud83d":"\\udc00"}',
  '{"length":-1}',
];
const keys = [
  '"__proto__"',
  '"constructor"',
  '"prototype"',
  '"toString"',
  '"hasOwnProperty"',
  '"\\ud800"',
  '"\\u0000"',
  '""',
];

const deep = (depth: number): string => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`;
const long = (length: number): string => `"${"x".repeat(length)}"`;

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[random.int(0, items.length - 1)]!;
}

function hostileValue(random: Random): string {
  const choice = random.int(0, 9);
  if (choice === 0) return deep(random.int(10, 400));
  if (choice === 1) return long(random.int(100, 3000));
  if (choice === 2) return `{${pick(keys, random)}:${pick(values, random)}}`;
  if (choice === 3)
    return `{${Array.from({ length: random.int(2, 40) }, (_, n) => `"k${n}":${n}`).join(",")}}`;
  return pick(values, random);
}

/** Returns an honest request's JSON body with one or two hostile fields, known ones or new ones. */
export function hostileJson(body: string, random: Random): string {
  if (random.bool(0.05)) return hostileValue(random);
  if (random.bool(0.05)) return body.slice(0, random.int(0, body.length));
  const fields = new Map(
    Object.entries(JSON.parse(body) as object).map(([key, value]) => [
      JSON.stringify(key),
      JSON.stringify(value),
    ]),
  );
  // The options get most of the hostile values: the server passes them on.
  if (random.bool(0.6)) {
    const entries = Array.from({ length: random.int(1, 4) }, () => {
      const key = random.bool(0.6) ? pick(keys, random) : `"${"k".repeat(random.int(1, 70))}"`;
      return `${key}:${hostileValue(random)}`;
    });
    fields.set('"options"', `{${entries.join(",")}}`);
  }
  for (let count = random.int(0, 2); count > 0; count--) {
    const key = random.bool(0.7) ? pick([...fields.keys()], random) : pick(keys, random);
    fields.set(key, hostileValue(random));
  }
  if (random.bool(0.3)) fields.set('"group"', hostileValue(random));
  return `{${[...fields].map(([key, value]) => `${key}:${value}`).join(",")}}`;
}
