/** `pnpm bench connect [--json] [--quick] [--full]` */
import { parseArgs } from "node:util";
import { boundLines, type Bound } from "./result/bound.js";
import {
  churnBounds,
  connectBounds,
  idleBounds,
  joinBounds,
  loadBounds,
  onePortBounds,
} from "./connect/bounds.js";
import { churnRow } from "./connect/churn.js";
import { connectRow } from "./connect/connect-row.js";
import { idleRow, joinLoadRow, type IdleRow, type JoinLoadRow } from "./connect/join-load.js";
import { joinRows } from "./connect/join-times.js";
import { connectRounds } from "./connect/measure.js";
import { onePortRow } from "./connect/one-port.js";
import { rivalVersion, whyNoRivals } from "./room/rivals.js";
import { cleanUpAtEnd, removeOrphans } from "./network/namespace.js";
import { whyNoNetworks } from "./network/requirements.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";

const USAGE = `pnpm bench connect [--json] [--quick] [--full]

What it costs and takes to connect, and to have a message back, beside other libraries; servers and clients are
processes of their own, servers with --max-semi-space-size=4, ours and others'. Where network namespaces can be made, also how long it takes until the first state.

  --quick  one round, fewer clients that come and go
  --full   10000 WebRTC clients come and go, too, which takes a quarter of an hour`;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const HZ = 30;
const plan = values.quick
  ? { clients: 50, hz: HZ, echoMs: 4000, rounds: 1 }
  : { clients: 50, hz: HZ, echoMs: 8000, rounds: 3 };
const JOINS = values.quick ? 5 : 15;
const PORT_CLIENTS = 100;
const LOADED = ["paceline", "colyseus"] as const;
const SUSTAINED = { perSecond: 400, durationMs: values.quick ? 3000 : 10_000, stayMs: 500 };
const BURST = { perSecond: 800, durationMs: 1000, stayMs: 500 };
const IDLE_CLIENTS = 300;
const IDLE_ROOMS = [10, IDLE_CLIENTS];
const IDLE_MS = values.quick ? 5000 : 30_000;
const WEBSOCKET_CHURN = values.quick ? 1000 : 10_000;
const WEBRTC_CHURN = values.full ? 10_000 : values.quick ? 200 : 2000;

const COLUMNS = {
  connect: [
    ...["system", "clients", "connectMsP50", "connectMsP99", "cpuMsPerConnect", "rssKBPerConnection"],
    ...["echoCpuUs", "echoCpuRatioToWs", "echoCpuRatioToGeckos", "echoMsP50", "echoMsP99"],
    ...["failures", "echoesLost", "wrong"],
  ],
  load: [
    ...["system", "perSecond", "joins", "failures", "joinMsP50", "joinMsP99"],
    ...["admittedWithinMs", "cpuMsPerJoin"],
  ],
  idle: ["system", "clients", "roomClients", "idleRssKBPerConnection", "idleHeapKBPerConnection"],
  join: ["system", "rttMs", "joins", "playableMsP50", "playableMsMax"],
  port: [
    "clients",
    "connected",
    "failures",
    "udpSockets",
    "sent",
    "lost",
    "wrong",
    "repeated",
    "echoMsP50",
    "echoMsP99",
  ],
  churn: [
    "system",
    "connects",
    "failures",
    "connectsPerSecond",
    "heapMB",
    "heapGrowthMB",
    "rssMB",
    "rssGrowthMB",
  ],
};

const RIVALS = [
  ...["@colyseus/core", "@colyseus/ws-transport", "@colyseus/sdk", "socket.io", "@geckos.io/server"],
  ...["node-datachannel", "ws"],
];

function versions(): Record<string, string> {
  return whyNoRivals() === undefined
    ? Object.fromEntries(RIVALS.map((name) => [name, rivalVersion(name)]))
    : {};
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

function show(title: string, rows: readonly object[], columns: readonly string[]): void {
  const cells: Record<string, string | number>[] = rows.map((row) => ({ ...row }));
  process.stdout.write(`${title}\n${table(cells, columns)}\n\n`);
}

async function run(): Promise<void> {
  removeOrphans();
  cleanUpAtEnd();
  const bounds: Bound[] = [];
  const rounds = await connectRounds(plan, progress);
  const connects = [...rounds].map(([system, measured]) =>
    connectRow(system, measured, rounds, plan.clients),
  );
  bounds.push(...connectBounds(connects));
  const port = await onePortRow(PORT_CLIENTS, HZ, plan.echoMs);
  bounds.push(...onePortBounds(port));
  const churns = [
    await churnRow("paceline", WEBSOCKET_CHURN, progress),
    await churnRow("paceline-webrtc", WEBRTC_CHURN, progress),
  ];
  bounds.push(...churnBounds(churns));
  const loads: JoinLoadRow[] = [];
  const idles: IdleRow[] = [];
  for (const system of LOADED) {
    for (const rate of [SUSTAINED, BURST]) {
      progress(`${system}: ${rate.perSecond} joins a second`);
      loads.push(await joinLoadRow(system, rate));
    }
    for (const roomClients of IDLE_ROOMS) {
      progress(`${system}: ${IDLE_CLIENTS} idle clients, ${roomClients} in a room`);
      idles.push(await idleRow(system, { clients: IDLE_CLIENTS, roomClients, idleMs: IDLE_MS }));
    }
  }
  bounds.push(...loadBounds(loads), ...idleBounds(idles));
  const obstacle = whyNoNetworks({ needsTurn: false });
  const joins = obstacle === undefined ? await joinRows(JOINS, progress) : [];
  bounds.push(...joinBounds(joins));
  show(
    `${plan.clients} clients connect, five at a time, and have ${HZ} messages a second back:`,
    connects,
    COLUMNS.connect,
  );
  show("WebRTC clients of one server, on one UDP port:", [port], COLUMNS.port);
  show("Clients that come and go:", churns, COLUMNS.churn);
  show("Joins at a fixed rate, and a burst:", loads, COLUMNS.load);
  show("Clients that are in and do nothing:", idles, COLUMNS.idle);
  if (obstacle === undefined) show("From asking for a room to the first state:", joins, COLUMNS.join);
  else process.stdout.write(`Not measured: how long joining takes on a longer path; ${obstacle}\n\n`);
  process.stdout.write(`${boundLines(bounds)}\n`);
  const isComplete = connects.every(({ connectMsP50 }) => connectMsP50 !== undefined);
  const { quick: isQuick, json: asJson } = values;
  const rows = [...connects, port, ...churns, ...loads, ...idles, ...joins];
  printResult("connect", { rows, bounds, isComplete, isQuick, asJson, versions: versions() });
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
process.exit();
