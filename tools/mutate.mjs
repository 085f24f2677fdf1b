/**
 * `pnpm mutate [--file PART] [--count 240] [--minutes 8] [--json]`: changes one expression of a pure file at
 * a time and runs
 * the file's tests. Prints each change that no test notices. The sample stays the same until a file changes.
 */
import "./node-version.mjs";
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { endChildrenOnSignals, runChild } from "./children.mjs";
import { binOf, ROOT } from "./pnpm.mjs";

/** Files whose behaviour depends only on their inputs, and their tests. */
const TARGETS = [
  { file: "packages/protocol/src/bytes/sequence.ts", tests: ["packages/protocol/test/sequence"] },
  ...["msgpack-item", "msgpack-check", "msgpack-reader", "msgpack-writer"].map((name) => ({
    file: `packages/protocol/src/bytes/${name}.ts`,
    tests: ["packages/protocol/test/value-", "packages/protocol/test/decoder-fuzz"],
  })),
  { file: "packages/transport/src/token-bucket.ts", tests: ["packages/relay/test/token-bucket"] },
  {
    file: "packages/protocol/src/errors/option-checks.ts",
    tests: ["packages/relay/test/relay-options", "packages/relay/test/match-request"],
  },
  ...["outbox/class-queue", "outbox/byte-budget", "outbox/bundle", "outbox/path-delay"].map((name) => ({
    file: `packages/transport/src/session/${name}.ts`,
    tests: ["packages/transport/test/outbox"],
  })),
  {
    file: "packages/transport/src/session/sequence-window.ts",
    tests: ["packages/transport/test/sequence-window"],
  },
  ...["outbox/reliable-queue", "reliable-inbox"].map((name) => ({
    file: `packages/transport/src/session/${name}.ts`,
    tests: [
      "packages/transport/test/reliable-queue",
      "packages/transport/test/session",
      "packages/transport/test/migration",
    ],
  })),
  {
    file: "packages/transport/src/profiles/steady-band.ts",
    tests: ["packages/transport/test/profiles/steady-band"],
  },
  ...["decide", "tree"].map((name) => ({
    file: `packages/transport/src/profiles/${name}.ts`,
    tests: ["packages/transport/test/profiles"],
  })),
  { file: "packages/transport/src/path-choice.ts", tests: ["packages/transport/test/path-choice"] },
  { file: "packages/relay/src/admission/resume-tokens.ts", tests: ["packages/relay/test/resume-tokens"] },
  { file: "packages/relay/src/matchmaking/seats.ts", tests: ["packages/relay/test/registry"] },
  { file: "packages/relay/src/limits/session-meter.ts", tests: ["packages/relay/test/session-meter"] },
  ...["lockstep", "turn-table", "turn-length"].map((name) => ({
    file: `packages/netcode/src/lockstep/${name}.ts`,
    tests: ["packages/netcode/test/lockstep", "packages/netcode/test/turn-table"],
  })),
];

/** Share of the changes that tests must notice; below it the run fails. */
const MIN_KILLED_RATIO = 0.85;
const DEFAULT_COUNT = 240;
const DEFAULT_MINUTES = 8;
/** Ends a test whose loop a change has made endless. */
const TEST_LIMIT_MS = 60_000;
const SEED = 20_260_101;

const { SyntaxKind: Kind } = ts;
/** @type {Partial<Record<ts.SyntaxKind, string>>} */
const OPERATORS = {
  [Kind.LessThanToken]: "<=",
  [Kind.LessThanEqualsToken]: "<",
  [Kind.GreaterThanToken]: ">=",
  [Kind.GreaterThanEqualsToken]: ">",
  [Kind.EqualsEqualsEqualsToken]: "!==",
  [Kind.ExclamationEqualsEqualsToken]: "===",
  [Kind.PlusToken]: "-",
  [Kind.MinusToken]: "+",
  [Kind.AsteriskToken]: "/",
  [Kind.SlashToken]: "*",
  [Kind.PercentToken]: "*",
  [Kind.AmpersandToken]: "|",
  [Kind.BarToken]: "&",
  [Kind.LessThanLessThanToken]: ">>",
  [Kind.GreaterThanGreaterThanToken]: "<<",
  [Kind.GreaterThanGreaterThanGreaterThanToken]: "<<",
  [Kind.AmpersandAmpersandToken]: "||",
  [Kind.BarBarToken]: "&&",
  [Kind.PlusEqualsToken]: "-=",
  [Kind.MinusEqualsToken]: "+=",
};

/**
 * @typedef {{ file: string, tests: string[], start: number, end: number, line: number, from: string, to: string }} Mutant
 * @typedef {"killed" | "survived"} Verdict
 */

/** @param {ts.Node} node @param {ts.SourceFile} source @returns {{ node: ts.Node, to: string } | undefined} */
function mutationOf(node, source) {
  if (ts.isBinaryExpression(node)) {
    const to = OPERATORS[node.operatorToken.kind];
    return to === undefined ? undefined : { node: node.operatorToken, to };
  }
  if (ts.isNumericLiteral(node)) return { node, to: String(Number(node.text.replaceAll("_", "")) + 1) };
  if (node.kind === Kind.TrueKeyword) return { node, to: "false" };
  if (node.kind === Kind.FalseKeyword) return { node, to: "true" };
  if (ts.isIfStatement(node)) return { node: node.expression, to: "false" };
  if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken) {
    return { node, to: `(${node.operand.getText(source)})` };
  }
  // A statement that runs only for its effect.
  if (ts.isExpressionStatement(node) && !node.getText(source).startsWith("super")) return { node, to: ";" };
  return undefined;
}

/** Leaves out types and errors' texts, which are not behaviour. @param {ts.Node} node */
const isPassedOver = (node) =>
  ts.isTypeNode(node) ||
  ts.isThrowStatement(node) ||
  ts.isImportDeclaration(node) ||
  ts.isInterfaceDeclaration(node);

/** @param {{ file: string, tests: string[] }} target @returns {Mutant[]} */
export function mutantsOf({ file, tests }, text = readFileSync(path.join(ROOT, file), "utf8")) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  /** @type {Mutant[]} */
  const mutants = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (isPassedOver(node)) return;
    const mutation = mutationOf(node, source);
    if (mutation !== undefined) {
      const start = mutation.node.getStart(source);
      const end = mutation.node.getEnd();
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      mutants.push({ file, tests, start, end, line, from: text.slice(start, end), to: mutation.to });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

/**
 * Returns the first mutants of a shuffle with a fixed seed. @param {Mutant[]} mutants @param {number} count
 */
function sampleOf(mutants, count) {
  let state = SEED;
  const keyed = mutants.map((mutant) => {
    // A linear congruential generator is random enough for a shuffle.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { mutant, key: state };
  });
  return keyed
    .toSorted((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/** @param {string[]} tests @param {Record<string, string>} env */
function runTests(tests, env) {
  const args = ["run", "--config", "tools/mutation.config.ts", "--bail=1", "--reporter=dot", ...tests];
  return runChild(process.execPath, [binOf("vitest"), ...args], { cwd: ROOT, env, timeoutMs: TEST_LIMIT_MS });
}

/** @param {Mutant} mutant @returns {Promise<Verdict>} */
async function judge(mutant) {
  const { file, start, end, to } = mutant;
  const { code } = await runTests(mutant.tests, {
    PACELINE_MUTANT: JSON.stringify({ file, start, end, to }),
  });
  return code === 0 ? "survived" : "killed";
}

/** @param {string[]} args @param {string} name @returns {string | undefined} */
function valueOf(args, name) {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

/** @param {string[]} args */
export async function mutate(args) {
  const startedMs = performance.now();
  const limitMs = Number(valueOf(args, "--minutes") ?? DEFAULT_MINUTES) * 60_000;
  const targets = TARGETS.filter(({ file }) => file.includes(valueOf(args, "--file") ?? ""));
  const gone = targets.filter(({ file }) => !existsSync(path.join(ROOT, file))).map(({ file }) => file);
  if (gone.length > 0) throw new Error(`not there; mend the list in tools/mutate.mjs: ${gone.join(", ")}`);
  // If tests fail without a change, every mutant would count as killed.
  const healthy = await runTests([...new Set(targets.flatMap(({ tests }) => tests))], {});
  if (healthy.code !== 0)
    throw new Error(`the tests fail on the code as it is:\n${healthy.output.slice(-3000)}`);
  const all = targets.flatMap((target) => mutantsOf(target));
  const queue = sampleOf(all, Number(valueOf(args, "--count") ?? DEFAULT_COUNT));
  /** @type {{ mutant: Mutant, verdict: Verdict }[]} */
  const judged = [];
  const work = async () => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      if (performance.now() - startedMs > limitMs) return queue.push(mutant);
      judged.push({ mutant, verdict: await judge(mutant) });
    }
    return queue.length;
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(3, os.availableParallelism() - 1)) }, work));
  const survivors = judged
    .filter(({ verdict }) => verdict === "survived")
    .map(({ mutant: { file, line, from, to } }) => `${file}:${line}: ${from.split("\n")[0]} -> ${to}`)
    .toSorted();
  const killed = judged.length - survivors.length;
  return {
    possible: all.length,
    tried: judged.length,
    untried: queue.length,
    killed,
    survivors,
    least: MIN_KILLED_RATIO,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  endChildrenOnSignals(130);
  const args = process.argv.slice(2);
  const result = await mutate(args);
  const { possible, tried, untried, killed, survivors } = result;
  for (const survivor of survivors) console.log(`survived  ${survivor}`);
  console.log(
    `${killed} of ${tried} changes were noticed; ${possible} are possible, ${untried} were not reached in time.`,
  );
  if (args.includes("--json")) console.log(JSON.stringify(result));
  process.exitCode = killed >= tried * MIN_KILLED_RATIO ? 0 : 1;
}
