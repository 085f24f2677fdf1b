import {
  BitCoder,
  LONGEST,
  MOVES,
  PacketEntries,
  SIZES,
  StateCodec,
  StateHistory,
  TABLES,
  TOKENS,
  planState,
  prefixTables,
} from "@paceline/protocol";
import { motions, type Motion } from "./motions.js";

/** Ages of baselines, ticks: on an ordered link, at 100, 200, 300 and 400 ms, and between. */
const AGES = [1, 2, 3, 6, 9, 12];
/** A symbol that never occurs gets a code as if it were one of this many. */
const UNSEEN = 4096;

const ANY_CODES = prefixTables("5".repeat(TABLES * TOKENS));

class CountingCoder extends BitCoder {
  readonly counts: Float64Array;

  constructor(counts: Float64Array) {
    super(0x10000, ANY_CODES);
    this.counts = counts;
  }

  protected override codeOf(table: number, symbol: number): number {
    this.counts[table * TOKENS + symbol]! += 1;
    return super.codeOf(table, symbol);
  }
}

/** Returns the code lengths, one line of digits per table: Huffman's, from the generated motions. */
function makeTables(): string[] {
  const seenByTable = new Float64Array(TABLES * TOKENS);
  for (const motion of motions()) for (const age of AGES) count(motion, age, seenByTable);
  return Array.from({ length: TABLES }, (_, table) => {
    const counts = Array.from(seenByTable.subarray(table * TOKENS, (table + 1) * TOKENS), (seen, symbol) => {
      const isUsed = table < SIZES ? symbol < 16 : table < MOVES || symbol > 0;
      return isUsed ? seen : -1;
    });
    return codeLengths(counts).join("");
  });
}

function count({ definition, hz, frames }: Motion, age: number, counts: Float64Array): void {
  const plan = planState(definition, { tickHz: hz });
  const history = new StateHistory({ plans: [plan] });
  const codec = new StateCodec([plan], 0, () => new CountingCoder(counts));
  const entities = frames[0]!.map((_, id) => history.spawn(id, plan));
  const entries = new PacketEntries();
  for (const [tick, frame] of frames.entries()) {
    for (const [id, entity] of entities.entries()) history.write(entity, tick, frame[id]!);
    if (tick < age + 2) continue;
    entries.clear();
    for (const entity of entities) {
      const index = entries.add(entity, 0, entity.find(tick));
      entries.setBaselines(index, tick - age, tick - age - 1, tick - age - 2);
      entries.locate(index);
    }
    codec.coder.startEncoding();
    codec.encode(entries, tick);
  }
}

/**
 * Returns Huffman's code lengths. Raises the counts of rare symbols until no code is too long. A count below
 * 0 gives no code.
 */
function codeLengths(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, seen) => sum + Math.max(0, seen), 1);
  for (let least = total / UNSEEN; ; least *= 1.25) {
    const lengths = counts.map(() => 0);
    const nodes = counts.flatMap((seen, symbol) =>
      seen < 0 ? [] : [{ weight: Math.max(seen, least), symbols: [symbol] }],
    );
    while (nodes.length > 1) {
      nodes.sort((a, b) => b.weight - a.weight);
      const [a, b] = [nodes.pop()!, nodes.pop()!];
      const symbols = [...a.symbols, ...b.symbols];
      for (const symbol of symbols) lengths[symbol]! += 1;
      nodes.push({ weight: a.weight + b.weight, symbols });
    }
    if (Math.max(...lengths) <= LONGEST) return lengths;
  }
}

/** Returns the source of the module with the tables. */
export function tablesSource(): string {
  const lines = makeTables().map((line) => `  "${line}",\n`);
  const head =
    "/** Code lengths by table and symbol, 0: none. Made by `pnpm bench tables` from generated motions; do not edit. */\n";
  return `${head}export const CODE_LENGTHS: readonly string[] = [\n${lines.join("")}];\n`;
}
