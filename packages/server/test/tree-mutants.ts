import {
  favours,
  genres,
  movements,
  topologies,
  type Conditions,
  type Effect,
  type Facts,
  type Question,
  type Row,
} from "@paceline/transport";

/** A change of the decision tree. */
export interface Mutant {
  readonly name: string;
  readonly question: Question;
  readonly rows: readonly Row[];
}

const yesNo = ["yes", "no"] as const;
const unknown = "unknown" as const;
/** Every value that a condition may use. */
const domains: { readonly [Field in keyof Facts]-?: readonly NonNullable<Facts[Field]>[] } = {
  genre: genres,
  topology: topologies,
  movement: movements,
  favour: favours,
  address: ["exposed", "hidden"],
  page: ["https", "http", unknown],
  webrtc: yesNo,
  serverWebrtc: [...yesNo, unknown],
  battery: ["ok", "low", unknown],
  network: ["fixed", "mobile", unknown],
  peers: ["few", "many"],
  receivers: ["one", "several"],
  loss: ["low", "raised", "high", unknown],
  rtt: ["short", "long", unknown],
  queue: ["free", "waiting", unknown],
  stalls: ["none", "some", "many", unknown],
  upload: ["within", "over", unknown],
  content: ["states", "moves"],
};

/**
 * Returns all mutants of the tree: each row deleted, each with its condition negated, and each value that a
 * row sets replaced by its neighbour.
 */
export function mutantsOf(tree: readonly Question[]): Mutant[] {
  return tree.flatMap((question) =>
    question.rows.flatMap((row) => {
      const mutant = (change: string, ...instead: readonly Row[]): Mutant => ({
        name: `${row.id}: ${change}`,
        question,
        rows: question.rows.flatMap((each) => (each === row ? instead : [each])),
      });
      const values = neighbours(row).map(([change, changed]) => mutant(change, changed));
      // The last row answers all other cases. Without it the tree would be incomplete.
      if (Object.keys(row.when).length === 0) return values;
      return [mutant("deleted"), mutant("negated", ...negated(row)), ...values];
    }),
  );
}

/**
 * Returns rows for the cases in which this row does not hold: one for each of its conditions, the first that
 * fails.
 */
function negated(row: Row): Row[] {
  const fields = Object.keys(row.when) as (keyof Facts)[];
  return fields.map((field, index) => {
    const held = fields.slice(0, index).map((before) => [before, row.when[before]]);
    const others = domains[field].filter((value) => !(row.when[field] as readonly unknown[]).includes(value));
    return { ...row, when: Object.fromEntries([...held, [field, others]]) as Conditions };
  });
}

function neighbours(row: Row): [change: string, changed: Row][] {
  const { sets = {}, answer } = row;
  const changes: [string, Partial<Effect>][] = [...eachDelivery(sets), ...eachFactor(sets)];
  const { schemes, direct, webrtc, atOnce, stripes, repeats } = sets;
  if (schemes) changes.push(["other schemes", { schemes: schemes.includes("ws") ? ["wss"] : ["ws", "wss"] }]);
  if (direct !== undefined) changes.push(["not direct", { direct: !direct }]);
  if (webrtc !== undefined) changes.push(["no WebRTC to the server", { webrtc: !webrtc }]);
  if (atOnce !== undefined) changes.push(["not at once", { atOnce: !atOnce }]);
  if (stripes) changes.push([`${stripes - 1} sockets`, { stripes: stripes === 3 ? 2 : 1 }]);
  if (repeats !== undefined) changes.push(["no repeats", { repeats: !repeats }]);
  const changed = changes.map(([change, part]): [string, Row] => [
    change,
    { ...row, sets: { ...sets, ...part } },
  ]);
  if (answer?.content === undefined) return changed;
  const content = answer.content === "states" ? "moves" : "states";
  return [[`answers ${content}`, { ...row, answer: { content } }], ...changed];
}

function eachDelivery({ deliveries = {} }: Effect): [string, Partial<Effect>][] {
  return Object.entries(deliveries).map(([name, delivery]) => {
    const other = delivery === "ordered-reliable" ? "newest-wins" : "ordered-reliable";
    return [`${name} ${other}`, { deliveries: { ...deliveries, [name]: other } }];
  });
}

function eachFactor({ factors = {} }: Effect): [string, Partial<Effect>][] {
  return Object.entries(factors).map(([name, factor]) => {
    const other = factor === 0.25 ? 0.5 : 1;
    return [`${name} times ${other}`, { factors: { ...factors, [name]: other } }];
  });
}
