/**
 * `pnpm attack`: runs every case of cases.ts against the built server, while honest players measure the
 * effects.
 */
import os from "node:os";
import { parseArgs } from "node:util";
import { killAll } from "../network/commands.js";
import { table } from "../result/table.js";
import type { Captures } from "./hostile/captures.js";
import { cases, stages, type AttackCase, type StageName } from "./cases.js";
import { Child } from "./child.js";
import type { HostileOrder, HostileReport } from "./messages.js";
import { HonestPage } from "./honest-page.js";
import { Stage } from "./stage.js";
import { soak } from "./soak.js";
import { isOnlySlow, outcomeOf, unplayed, type Outcome } from "./verdict.js";

const USAGE = `pnpm attack [--quick] [--only NAME] [--seed N] [--soak-minutes N] [--json]

Attacks the built server (pnpm build) over loopback, each case beside a room of honest players, and judges: the server
lives, honest messages are neither lost nor late, nothing grows, every cut has its code and its counter.

  --quick           about two and a half minutes: a part of the cases, briefly; it belongs to npm test
  --only NAME       one case; repeat for more
  --seed N          of everything that is left to chance; printed, so that a failure can be had again
  --soak-minutes N  in the place of the cases: N minutes of joining and leaving with all other attacks beside it
  --json            one JSON object as the last line

Without options about 16 minutes. Exit code 1 where anything failed.`;

const COLUMNS = [
  "case",
  "server",
  "s",
  "sent",
  "p99 ms",
  "limit ms",
  "messages",
  "lost",
  "twice",
  "joins",
  "CPU ms/kB",
  "CPU ms/s",
  "states x",
  "health ms",
  "RSS MB",
  "heap +MB",
  "fds +",
  "closes",
];

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    seed: { type: "string" },
    "soak-minutes": { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const SETTLE_LIMIT_MS = 20_000;
/** Time after which an attack that does not end by itself is killed. */
const OVERTIME_MS = 20_000;

/** The attacking process. Starts a new one if the last one has ended. */
class Attackers {
  #child: Child<HostileOrder> | undefined;

  async attack(order: HostileOrder): Promise<HostileReport> {
    if (!this.#child?.isAlive) this.#child = await Child.start<HostileOrder>("hostile-process");
    try {
      return await this.#child.ask<HostileReport>(order, order.seconds * 1000 + OVERTIME_MS);
    } catch (error) {
      await this.end();
      return {
        sent: {},
        beganAtMs: 0,
        endedAtMs: 0,
        sentBytes: 0,
        routedBytes: 0,
        closes: {},
        failures: [`the attackers' process: ${String(error)}`],
      };
    }
  }

  async end(): Promise<void> {
    await this.#child?.end();
    this.#child = undefined;
  }
}

class Run {
  readonly #seed: number;
  readonly #attackers = new Attackers();
  #captures: Captures | undefined;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Runs all cases of one server. After a failed case, the next one gets a new server. */
  async stage(name: StageName, wanted: readonly AttackCase[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    let stage: Stage | undefined;
    for (const attack of wanted) {
      let outcome: Outcome;
      try {
        stage ??= await this.#open(name);
        outcome = await this.#judged(stage, attack);
      } catch (error) {
        outcome = unplayed(attack, String(error));
      }
      outcomes.push(outcome);
      say(outcome);
      if (outcome.failures.length === 0) continue;
      if (stage?.server.log) process.stderr.write(`${stage.server.log.split("\n").slice(-8).join("\n")}\n`);
      await stage?.close();
      // A broken case may leave behind a page, a server whose players could not join, attackers.
      killAll();
      stage = undefined;
    }
    await stage?.close();
    return outcomes;
  }

  /** Runs a case, and once more if it was only slow, since the machine may be the cause. */
  async #judged(stage: Stage, attack: AttackCase): Promise<Outcome> {
    const outcome = await this.#case(stage, attack);
    if (!isOnlySlow(outcome)) return outcome;
    process.stderr.write(`     ${attack.name}: ${outcome.failures[0]}; once more\n`);
    return await this.#case(stage, attack);
  }

  async #open(name: StageName): Promise<Stage> {
    const stage = await Stage.open(name);
    try {
      if (!this.#captures) await this.#record(stage);
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  async #record(stage: Stage): Promise<void> {
    this.#captures = await stage.record();
    const { sockets, channels, requests, signals } = this.#captures;
    const frames = sockets.reduce((sum, { frames }) => sum + frames.length, 0);
    process.stderr.write(
      `recorded ${frames} frames of ${sockets.length} sockets, ${channels.length} packets of channels, ` +
        `${requests.length} requests, ${signals.length} signals\n`,
    );
    await stage.settled(undefined, SETTLE_LIMIT_MS);
    await stage.figures(false);
  }

  async #case(stage: Stage, attack: AttackCase): Promise<Outcome> {
    const { server } = stage;
    const startedMs = performance.now();
    const page = attack.hasPage ? await HonestPage.open(server.url, stage.roomId) : undefined;
    if (attack.hasNoVisits) await stage.visits(false);
    if (attack.paddingBytes !== undefined) await stage.pad(attack.paddingBytes);
    const holdingsBefore = await stage.holdings();
    const countersBefore = await server.metrics();
    await page?.take();
    if (attack.minStateShare !== undefined) await stage.watch(true);
    server.takeCpuSamples();
    const healthMs = attack.needsHealth ? server.watchHealth() : undefined;
    server.takePeakRssMb();
    const attackedMs = performance.now();
    const report = await this.#attackers.attack(this.#orderOf(stage, attack));
    const seconds = (performance.now() - attackedMs) / 1000;
    const pageFigures = await page?.take();
    const serverSamples = server.takeCpuSamples();
    const honest = await stage.figures(true);
    const longestHealthMs = await healthMs?.();
    const rssMb = server.takePeakRssMb();
    await page?.close();
    if (attack.hasNoVisits) await stage.visits(true);
    if (attack.paddingBytes !== undefined) await stage.pad(0);
    if (attack.minStateShare !== undefined) await stage.watch(false);
    await stage.settled(holdingsBefore, SETTLE_LIMIT_MS);
    const holdingsAfter = server.exit === undefined ? await stage.holdings() : undefined;
    const outcome = outcomeOf({
      attack,
      isQuick: values.quick,
      seconds,
      calmP99Ms: stage.calmP99Ms,
      calmUsage: stage.calmUsage,
      serverSamples,
      healthMs: longestHealthMs,
      honest,
      report,
      page: pageFigures,
      serverExit: server.exit,
      rssMb,
      counters: [countersBefore, await server.metrics()],
      holdings: [holdingsBefore, holdingsAfter],
    });
    return { ...outcome, seconds: (performance.now() - startedMs) / 1000 };
  }

  #orderOf(stage: Stage, attack: AttackCase): HostileOrder {
    const { seconds, quickSeconds = seconds, count, quickCount } = attack;
    return {
      attack: attack.attack,
      url: stage.server.url,
      adminUrl: stage.server.adminUrl,
      adminToken: stage.server.adminToken,
      honestRoomId: stage.roomId,
      seed: this.#seed,
      seconds: values.quick ? quickSeconds : seconds,
      count: (values.quick ? quickCount : count) ?? Number.POSITIVE_INFINITY,
      captures: this.#captures!,
      hasPage: attack.hasPage ?? false,
    };
  }
}

function say({ name, failures, seconds, sent }: Outcome): void {
  process.stderr.write(
    `${failures.length === 0 ? "ok  " : "FAIL"} ${name} (${seconds.toFixed(1)} s; ${sent})\n`,
  );
  for (const failure of failures) process.stderr.write(`     ${failure}\n`);
}

function rowOf(outcome: Outcome): Record<string, string | number> {
  const { heapGrowthMb, descriptorGrowth, cpuMsPerKb, cpuMsPerSecond, stateShare, healthMs } = outcome;
  return {
    case: outcome.name,
    server: outcome.stage,
    s: outcome.seconds,
    sent: outcome.sent,
    "p99 ms": outcome.p99Ms,
    "limit ms": outcome.p99LimitMs,
    messages: outcome.messages,
    lost: outcome.lost,
    twice: outcome.twice,
    joins: outcome.joins,
    ...(cpuMsPerKb !== undefined && { "CPU ms/kB": cpuMsPerKb.toFixed(2) }),
    ...(cpuMsPerSecond !== undefined && { "CPU ms/s": cpuMsPerSecond.toFixed(0) }),
    ...(stateShare !== undefined && { "states x": stateShare.toFixed(2) }),
    ...(healthMs !== undefined && { "health ms": healthMs.toFixed(0) }),
    "RSS MB": outcome.rssMb,
    ...(heapGrowthMb !== undefined && { "heap +MB": heapGrowthMb.toFixed(1) }),
    ...(descriptorGrowth !== undefined && { "fds +": descriptorGrowth }),
    closes: outcome.closes,
  };
}

function chosen(): AttackCase[] {
  const names = cases.map(({ name }) => name);
  const unknown = values.only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`--only: expected one of ${names.join(", ")}, got "${unknown.join(", ")}"\n`);
    process.exit(2);
  }
  if (values.only.length > 0) return cases.filter(({ name }) => values.only.includes(name));
  return cases.filter(({ quickSeconds }) => !values.quick || quickSeconds !== undefined);
}

async function run(): Promise<void> {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  process.stderr.write(`seed ${seed}\n`);
  const startedMs = performance.now();
  const attacks = new Run(seed);
  const outcomes: Outcome[] = [];
  try {
    if (values["soak-minutes"] !== undefined) {
      outcomes.push(await soak(Number(values["soak-minutes"]), seed, say));
    } else {
      const wanted = chosen();
      for (const name of Object.keys(stages) as StageName[])
        outcomes.push(
          ...(await attacks.stage(
            name,
            wanted.filter(({ stage }) => stage === name),
          )),
        );
    }
  } finally {
    killAll();
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const failed = outcomes.filter(({ failures }) => failures.length > 0);
  process.stdout.write(`${table(outcomes.map(rowOf), COLUMNS)}\n\n`);
  for (const { name, failures } of failed) {
    for (const failure of failures) process.stdout.write(`FAIL ${name}, seed ${seed}: ${failure}\n`);
  }
  const passed = outcomes.length - failed.length;
  const took = `${(seconds / 60).toFixed(1)} minutes, seed ${seed}`;
  process.stdout.write(`${passed} passed, ${failed.length} failed (${took})\n`);
  if (values.json) {
    const machine = { cores: os.cpus().length, load: Number(os.loadavg()[0]!.toFixed(2)) };
    const head = { name: "attack", date: new Date().toISOString(), node: process.version, machine };
    const mode = { quick: values.quick, soakMinutes: Number(values["soak-minutes"] ?? 0) };
    const body = { ...head, ...mode, seed, seconds, passed, failed: failed.length, rows: outcomes };
    process.stdout.write(`${JSON.stringify(body)}\n`);
  }
  process.exitCode = failed.length === 0 ? 0 : 1;
}

// `start` ends the processes of the run with this one. It ends itself when the process that started it has ended.
process.on("disconnect", () => process.exit(1));
if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
process.exit();
