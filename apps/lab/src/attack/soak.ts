import { cases, type AttackCase } from "./cases.js";
import { Child } from "./child.js";
import { killAll } from "../network/commands.js";
import type { Captures } from "./hostile/captures.js";
import type { HostileOrder, HostileReport } from "./messages.js";
import { Stage, addUsage, type Figures } from "./stage.js";
import { outcomeOf, type Outcome } from "./verdict.js";

const SLICE_SECONDS = 15;
const OVERTIME_MS = 20_000;
const SETTLE_LIMIT_MS = 20_000;

/** Runs joins and leaves for minutes, while the other attacks run on the same server one after the other. */
export async function soak(minutes: number, seed: number, say: (slice: Outcome) => void): Promise<Outcome> {
  const stage = await Stage.open("default");
  const beside = cases.filter(
    ({ stage: name, name: attack, hasPage, minStateShare }) =>
      name === "default" && !hasPage && minStateShare === undefined && attack !== "churn",
  );
  try {
    const churn = await Child.start<HostileOrder>("hostile-process");
    const other = await Child.start<HostileOrder>("hostile-process");
    const captures = await stage.record();
    await stage.settled(undefined, SETTLE_LIMIT_MS);
    await stage.figures(false);
    const holdingsBefore = await stage.holdings();
    const countersBefore = await stage.server.metrics();
    const startedMs = performance.now();
    const endMs = startedMs + minutes * 60_000;
    const total = new Total();
    for (let slice = 0; performance.now() < endMs && stage.server.exit === undefined; slice++) {
      const attack = beside[slice % beside.length]!;
      const seconds = Math.max(1, Math.min(SLICE_SECONDS, (endMs - performance.now()) / 1000));
      const order = { seconds, count: attack.count ?? Number.POSITIVE_INFINITY, captures };
      const [churned, attacked] = await Promise.all([
        ask(churn, orderOf(stage, "churn", seed + slice, { ...order, count: Number.POSITIVE_INFINITY })),
        ask(other, orderOf(stage, attack.attack, seed + slice, order)),
      ]);
      total.add(await stage.figures(true), [churned, attacked]);
      process.stderr.write(
        `${((performance.now() - startedMs) / 60_000).toFixed(1)} min: ${total.line} (${attack.name})\n`,
      );
    }
    const rssMb = stage.server.takePeakRssMb();
    await stage.settled(holdingsBefore, SETTLE_LIMIT_MS);
    const holdingsAfter = await stage.holdings();
    const outcome = outcomeOf({
      attack: { ...soakCase, seconds: minutes * 60 },
      isQuick: false,
      seconds: (performance.now() - startedMs) / 1000,
      calmP99Ms: stage.calmP99Ms,
      calmUsage: stage.calmUsage,
      serverSamples: [],
      honest: total.figures,
      report: total.report,
      page: undefined,
      serverExit: stage.server.exit,
      rssMb,
      counters: [countersBefore, await stage.server.metrics()],
      holdings: [holdingsBefore, holdingsAfter],
    });
    say(outcome);
    return outcome;
  } finally {
    await stage.close();
    // The attackers.
    killAll();
  }
}

const soakCase: AttackCase = {
  name: "soak",
  what: "joining and leaving with all other attacks beside it",
  attack: "churn",
  stage: "default",
  seconds: 0,
};

function orderOf(
  stage: Stage,
  attack: string,
  seed: number,
  rest: { readonly seconds: number; readonly count: number; readonly captures: Captures },
): HostileOrder {
  const { url, adminUrl, adminToken } = stage.server;
  return { attack, url, adminUrl, adminToken, honestRoomId: stage.roomId, seed, hasPage: false, ...rest };
}

async function ask(child: Child<HostileOrder>, order: HostileOrder): Promise<HostileReport> {
  return await child.ask<HostileReport>(order, order.seconds * 1000 + OVERTIME_MS);
}

/** Latencies kept of one slice: a long soak has too many to keep all. */
const LATENCIES_PER_SLICE = 2000;

class Total {
  #figures: Figures = {
    sent: 0,
    received: 0,
    lost: 0,
    twice: 0,
    latenciesMs: [],
    joins: 0,
    joinMsMax: 0,
    faults: [],
    consoleLines: 0,
    seconds: 0,
    cpuMs: 0,
    cpuSamples: [],
    stateCounts: [],
    usage: { seconds: 0, serverCpuMs: 0, honestCpuMs: 0 },
  };
  readonly #bytes = { beganAtMs: 0, endedAtMs: 0, sentBytes: 0, routedBytes: 0 };
  readonly #sent: Record<string, number> = {};
  readonly #closes: Record<string, number> = {};
  readonly #failures: string[] = [];

  get figures(): Figures {
    return this.#figures;
  }

  get report(): HostileReport {
    return { sent: this.#sent, ...this.#bytes, closes: this.#closes, failures: this.#failures };
  }

  get line(): string {
    const { received, lost, twice, joins, faults } = this.#figures;
    return `${received} messages, ${lost} lost, ${twice} twice, ${joins} joins, ${faults.length} faults`;
  }

  add(slice: Figures, reports: readonly HostileReport[]): void {
    const sum = this.#figures;
    const step = Math.max(1, Math.ceil(slice.latenciesMs.length / LATENCIES_PER_SLICE));
    this.#figures = {
      ...sum,
      usage: addUsage(sum.usage, slice.usage),
      sent: sum.sent + slice.sent,
      received: sum.received + slice.received,
      lost: sum.lost + slice.lost,
      twice: sum.twice + slice.twice,
      latenciesMs: [...sum.latenciesMs, ...slice.latenciesMs.filter((_, index) => index % step === 0)],
      joins: sum.joins + slice.joins,
      joinMsMax: Math.max(sum.joinMsMax, slice.joinMsMax),
      faults: [...sum.faults, ...slice.faults],
      consoleLines: sum.consoleLines + slice.consoleLines,
    };
    for (const { sent, sentBytes, routedBytes, closes, failures } of reports) {
      this.#bytes.sentBytes += sentBytes;
      this.#bytes.routedBytes += routedBytes;
      for (const [name, count] of Object.entries(sent)) this.#sent[name] = (this.#sent[name] ?? 0) + count;
      for (const [code, count] of Object.entries(closes))
        this.#closes[code] = (this.#closes[code] ?? 0) + count;
      this.#failures.push(...failures);
    }
  }
}
