import path from "node:path";
import { parseArgs } from "node:util";
import { atLeast, atMost, boundLines, type Bound } from "./result/bound.js";
import { RemoteBrowser } from "./browsers/remote-browser.js";
import type { LineReport, LineStage } from "./loss/scene.js";
import { Internet } from "./network/internet.js";
import { cleanUpAtEnd, removeOrphans } from "./network/namespace.js";
import { LAB } from "./network/places.js";
import { RelayProcess } from "./network/relay-process.js";
import { whyNoNetworks } from "./network/requirements.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";

const USAGE = `pnpm lab loss [--runs N] [--json]

Chromium in a room with an authority, on a line with a round trip of 80 ms that begins to lose each fifth frame both ways:
after how long states leave the WebSocket for WebRTC, by which stages, and what the room then says of the losses. Takes a
minute; with --runs N N - 1 times more only until the states have moved, and the slowest counts.`;

const ONE_WAY_MS = 40;
const LOSS_PERCENT = 20;
const CLEAN_MS = 10_000;
/** The loss estimate covers 20 s; the rest is the time until packets under way count. */
const MEASURED_MS = 26_000;
/** Measuring time of a run in which only the move to WebRTC counts. */
const SETTLE_MS = 500;
const POLL_MS = 50;
const MOVE_LIMIT_MS = 5000;
const MOVE_TIMEOUT_MS = 20_000;
const PACKETS = 700;

interface LossRow {
  readonly browser: string;
  readonly lossPercent: number;
  /** Time from the first loss until states come over WebRTC; absent if they never do. */
  readonly movedMs?: number;
  readonly positionsPerSecondBefore: number;
  readonly positionsPerSecondAfter: number;
  readonly measuredPercent?: number;
  readonly lowPercent?: number;
  readonly highPercent?: number;
  readonly packets?: number;
  readonly outgoingPercent?: number;
}

interface LossRun {
  readonly row: LossRow;
  readonly stages: readonly LineStage[];
  readonly saidOnWebSocket: string;
  readonly saidOnWebRtc: string;
}

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function play(measuredMs: number): Promise<LossRun> {
  const internet = new Internet();
  let relay: RelayProcess | undefined;
  let browser: RemoteBrowser | undefined;
  try {
    const { namespace, address } = internet.addServer("server", 10);
    const game = path.join(LAB, "dist/loss/game-rooms.js");
    relay = await RelayProcess.start(namespace, address, ["--game", game, "--webrtc", "0"]);
    const host = await internet.addHost("open");
    browser = await RemoteBrowser.launch("chromium", host.namespace);
    await browser.open(relay.url);
    for (const each of [namespace, host.namespace]) each.hurry();
    await host.wire.set({ delayMs: ONE_WAY_MS });
    return await watch(browser, () => host.wire.set({ lossPercent: LOSS_PERCENT }), measuredMs);
  } finally {
    await browser?.close();
    await relay?.stop();
    await internet.remove();
  }
}

async function watch(
  browser: RemoteBrowser,
  lose: () => Promise<void>,
  measuredMs: number,
): Promise<LossRun> {
  const report = async () => (await browser.call("probe", "lineReport")) as LineReport;
  await browser.call("probe", "watchBall");
  await pause(CLEAN_MS);
  const clean = await report();
  if (clean.stateLink !== "websocket") throw new Error(`states began on ${clean.stateLink}`);
  await Promise.all([lose(), browser.call("probe", "markLine")]);
  const beganMs = performance.now();
  let now = clean;
  let saidOnWebSocket = "";
  let positions = 0;
  while (now.stateLink !== "webrtc" && performance.now() - beganMs < MOVE_TIMEOUT_MS) {
    saidOnWebSocket = now.words;
    await pause(POLL_MS);
    now = await report();
    positions += now.positions;
  }
  const tookMs = Math.round(performance.now() - beganMs);
  const stages = (await browser.call("probe", "lineStages")) as LineStage[];
  await pause(measuredMs);
  const end = await report();
  const percent = (ratio: number) => Math.round(ratio * 1000) / 10;
  const { loss, outgoingLoss } = end;
  const row = {
    browser: browser.name,
    lossPercent: LOSS_PERCENT,
    ...(now.stateLink === "webrtc" && { movedMs: tookMs }),
    positionsPerSecondBefore: Math.round((positions / tookMs) * 1000),
    positionsPerSecondAfter: Math.round((end.positions / measuredMs) * 1000),
    ...(loss && {
      measuredPercent: percent(loss.ratio),
      lowPercent: percent(loss.low),
      highPercent: percent(loss.high),
      packets: loss.packets,
    }),
    ...(outgoingLoss && { outgoingPercent: percent(outgoingLoss.ratio) }),
  };
  return { row, stages, saidOnWebSocket, saidOnWebRtc: end.words };
}

function boundsOf(row: LossRow): Bound[] {
  const { movedMs, measuredPercent = Number.NaN, lowPercent, highPercent = 0, packets = 0 } = row;
  return [
    atMost("states leave the WebSocket, ms", movedMs, MOVE_LIMIT_MS),
    atLeast("packets that the loss is measured from", packets, PACKETS),
    atMost("measured loss beside the real one, points", Math.abs(measuredPercent - LOSS_PERCENT), 3),
    atMost("its interval begins, %", lowPercent, LOSS_PERCENT),
    atLeast("its interval ends, %", highPercent, LOSS_PERCENT),
  ];
}

async function run(): Promise<void> {
  const obstacle = whyNoNetworks({ needsTurn: false });
  if (obstacle !== undefined) throw new Error(`no networks can be made here: ${obstacle}`);
  removeOrphans();
  cleanUpAtEnd();
  const plays: LossRun[] = [];
  const runs = Number(values.runs);
  for (let left = runs - 1; left >= 0; left -= 1) {
    const played = await play(left > 0 ? SETTLE_MS : MEASURED_MS);
    plays.push(played);
    process.stdout.write(`Run ${runs - left}:\n${stageLines(played.stages)}\n`);
  }
  const { row, saidOnWebSocket, saidOnWebRtc } = plays.at(-1)!;
  const movedMs = Math.max(...plays.map((each) => each.row.movedMs ?? Number.POSITIVE_INFINITY));
  const bounds = boundsOf({ ...row, movedMs });
  const rows = plays.map((each) => ({ ...each.row }));
  process.stdout.write(`\n${table(rows, Object.keys(row))}\n\n`);
  process.stdout.write(`On the WebSocket: ${saidOnWebSocket}\nOn WebRTC: ${saidOnWebRtc}\n\n`);
  process.stdout.write(`${boundLines(bounds)}\n`);
  const kept = plays.map(({ row: figures, ...rest }) => ({ ...figures, ...rest }));
  printResult("loss", { rows: kept, bounds, isComplete: true, isQuick: false, asJson: values.json });
}

function stageLines(stages: readonly LineStage[]): string {
  return stages.map(({ atMs, stage }) => `${String(atMs).padStart(8)} ms  ${stage}`).join("\n");
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
process.exit();
