/** Compares chapter 6 of Discart's thesis (2014) with the decision tree in thirty situations. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "../../packages/client/dist/index.js";

/** @typedef {typeof import("../../packages/transport/dist/index.js")} Transport */
/** @typedef {import("../../packages/transport/dist/index.js").Plan} Plan */
/** @typedef {import("../../packages/transport/dist/index.js").Circumstances} Circumstances */
/** @typedef {import("../../packages/transport/dist/index.js").Genre} Genre */

/**
 * The thesis' choice in terms of a plan: the link that carries states first, and whether states may be lost.
 * Any link of a list
 * will do.
 * @typedef {{ first?: string[], mayBeLost?: boolean, repeats?: boolean, keepsRate?: boolean }} Wish
 */

/**
 * `row`: the question whose answer explains the choice. `transports`: those that the game allows, if the
 * client must refuse
 * them. `figures`: measurements of the thesis' choice and of this project's, lower being better. `without`:
 * the reason why a
 * departure has no figure, or no better one.
 * @typedef {{ genre: Genre, what: string, changes: Partial<Circumstances>, thesis: string, wish: Wish, row:
 * string,
 * transports?: ("webrtc" | "websocket")[], figures?: Figure[], without?: string }} Situation
 * @typedef {{ command: string, of: string, key: string, thesis: Record<string, string | number>,
 * here: Record<string, string | number> }} Figure
 */

/** Maximum number of departures without a better figure. */
const MAX_WITHOUT = 2;

/** Figures of direct links against the relay. @param {string} situation @returns {Figure[]} */
const pathFigures = (situation) => {
  const common = {
    command: "bench paths",
    thesis: { situation, way: "direct" },
    here: { situation, way: "relay" },
  };
  return [
    { ...common, of: "bytes out for each state that arrives", key: "bytesOutPerState" },
    { ...common, of: "ms of CPU per player and second", key: "cpuMsPerPlayerPerSecond" },
  ];
};

/**
 * Figures of direct links against the relay, headers included, on a virtual network.
 * @param {string} situation @param {{ of: string, key: string }[]} measures @returns {Figure[]}
 */
const byteFigures = (situation, measures = [bytesOut, bytesIn]) =>
  measures.map((measure) => ({
    ...measure,
    command: "unit path-bytes",
    thesis: { situation, path: "direct" },
    here: { situation, path: "relay" },
  }));
const bytesOut = { of: "bytes out per second, 3 others", key: "bytesOutPerSecond" };
const bytesIn = { of: "bytes in per second, 3 others", key: "bytesInPerSecond" };
const packetsOut = { of: "packets out per second, 3 others", key: "packetsOutPerSecond" };

const noWebRtc = { available: { webrtc: false } };
const server = { webrtc: true };
/** @type {"authority"} */
const authority = "authority";
/** @type {"mesh"} */
const mesh = "mesh";
const low = /** @type {const} */ ({ battery: "low", network: "mobile" });
const mobile = /** @type {const} */ ({ battery: "ok", network: "mobile" });
const http = /** @type {const} */ ("http");
const quiet = { rttMs: 40, jitterMs: 2, queuedBytes: 0, stallRatio: 0 };

/** @type {Situation[]} */
const situations = [
  {
    genre: "shooter",
    what: "server without WebRTC",
    changes: { topology: authority },
    thesis: "WebRTC, never TCP",
    wish: { first: ["webrtc"] },
    row: "server",
    figures: [
      {
        command: "lab age",
        of: "ms, the age that 1 % of the states exceed at 5 % loss",
        key: "ageMsP99",
        thesis: { system: "webrtc-unreliable", network: "loss", lossPercent: 5 },
        here: { system: "websocket-striped-3", network: "loss", lossPercent: 5 },
      },
    ],
    without: "the server has no WebRTC: there is nothing to choose",
  },
  {
    genre: "shooter",
    what: "server with WebRTC",
    changes: { topology: authority, server },
    thesis: "WebRTC, unreliable, references beside it",
    wish: { first: ["webrtc"], mayBeLost: true },
    row: "server",
  },
  {
    genre: "shooter",
    what: "server, favours bandwidth",
    changes: { topology: authority, server, favour: "bandwidth" },
    thesis: "UDP, never TCP",
    wish: { first: ["webrtc"], mayBeLost: true },
    row: "server",
  },
  {
    genre: "shooter",
    what: "between players",
    changes: { topology: mesh },
    thesis: "WebRTC",
    wish: { first: ["direct"], mayBeLost: true },
    row: "paths",
  },
  {
    genre: "racing",
    what: "between players",
    changes: {},
    thesis: "WebRTC, relay as fallback",
    wish: { first: ["direct"], mayBeLost: true },
    row: "paths",
  },
  {
    genre: "racing",
    what: "20 others",
    changes: { peers: 20 },
    thesis: "WebRTC",
    wish: { first: ["direct"] },
    row: "paths",
    figures: pathFigures("racing, 20 others"),
  },
  {
    genre: "racing",
    what: "no WebRTC here",
    changes: noWebRtc,
    thesis: "through a relay",
    wish: { first: ["websocket"] },
    row: "paths",
  },
  {
    genre: "racing",
    what: "server with WebRTC",
    changes: { topology: authority, server },
    thesis: "WebRTC",
    wish: { first: ["webrtc"], mayBeLost: true },
    row: "server",
  },
  {
    genre: "racing",
    what: "between players, favours CPU",
    changes: { favour: "cpu" },
    thesis: "WebRTC",
    wish: { first: ["direct"] },
    row: "paths",
    figures: pathFigures("racing, 3 others, for the CPU"),
  },
  {
    genre: "racing",
    what: "one other, favours CPU",
    changes: { favour: "cpu", peers: 1 },
    thesis: "WebRTC",
    wish: { first: ["direct"] },
    row: "paths",
  },
  {
    genre: "racing",
    what: "mobile, low battery",
    changes: { device: low },
    thesis: "WebRTC; on a mobile, a WebSocket where latency allows",
    wish: { first: ["direct"] },
    row: "paths",
    figures: byteFigures("racing, low battery", [packetsOut, bytesOut]),
  },
  {
    genre: "action",
    what: "server with WebRTC",
    changes: { topology: authority, server },
    thesis: "two channels: positions unreliable",
    wish: { first: ["webrtc"], mayBeLost: true },
    row: "server",
  },
  {
    genre: "action",
    what: "bound, http, server with WebRTC",
    changes: { topology: authority, server, movement: "bound", security: http },
    thesis: "reliable, WebSocket",
    wish: { first: ["websocket"], mayBeLost: false },
    row: "content",
  },
  {
    genre: "action",
    what: "bound, https, favours bandwidth",
    changes: { topology: authority, server, movement: "bound", favour: "bandwidth" },
    thesis: "reliable, secure WebSocket",
    wish: { first: ["websocket"], mayBeLost: false },
    row: "content",
  },
  {
    genre: "action",
    what: "its own profile",
    changes: {},
    thesis: "client-server or between players",
    wish: { first: ["direct", "webrtc"], mayBeLost: true },
    row: "paths",
  },
  {
    genre: "rpg",
    what: "its own profile",
    changes: {},
    thesis: "WebRTC, two channels",
    wish: { first: ["direct"], mayBeLost: true },
    row: "paths",
    figures: byteFigures("rpg"),
  },
  {
    genre: "rpg",
    what: "addresses hidden",
    changes: { exposeAddress: false },
    thesis: "–",
    wish: { first: ["websocket"] },
    row: "paths",
  },
  {
    genre: "rpg",
    what: "bound, between players",
    changes: { movement: "bound" },
    thesis: "reliable WebRTC",
    wish: { first: ["direct"], mayBeLost: false },
    row: "paths",
    figures: byteFigures("rpg, bound"),
  },
  {
    genre: "mmo",
    what: "server with WebRTC, http",
    changes: { server, security: http },
    thesis: "WebSocket unless two channels are wanted",
    wish: { first: ["websocket", "webrtc"] },
    row: "server",
  },
  {
    genre: "mmo",
    what: "mobile, 6 % lost, server with WebRTC",
    changes: { server, device: mobile, measured: { ...quiet, lossRatio: 0.06 } },
    thesis: "WebRTC where latency suffers",
    wish: { first: ["webrtc"], keepsRate: true },
    row: "server",
  },
  {
    genre: "strategy",
    what: "between players",
    changes: {},
    thesis: "(partially) reliable WebRTC",
    wish: { first: ["direct"], mayBeLost: false },
    row: "paths",
    figures: byteFigures("strategy"),
  },
  {
    genre: "strategy",
    what: "server, https",
    changes: { topology: authority, server },
    thesis: "secure WebSocket",
    wish: { first: ["websocket"], mayBeLost: false },
    row: "server",
  },
  {
    genre: "strategy",
    what: "mobile, low battery",
    changes: { device: low },
    thesis: "WebSocket",
    wish: { first: ["websocket"], mayBeLost: false },
    row: "paths",
  },
  {
    genre: "puzzle",
    what: "server, http",
    changes: { server, security: http },
    thesis: "WebSocket",
    wish: { first: ["websocket"], mayBeLost: false },
    row: "server",
  },
  {
    genre: "puzzle",
    what: "one other player",
    changes: { topology: mesh, peers: 1 },
    thesis: "(partially) reliable WebRTC",
    wish: { first: ["direct"], mayBeLost: false },
    row: "paths",
  },
  {
    genre: "puzzle",
    what: "several others (favours CPU)",
    changes: { topology: mesh },
    thesis: "(partially) reliable WebRTC",
    wish: { first: ["direct"], mayBeLost: false },
    row: "paths",
    figures: pathFigures("puzzle, 3 others, for the CPU"),
  },
  {
    genre: "puzzle",
    what: "several others, favours bandwidth",
    changes: { topology: mesh, favour: "bandwidth" },
    thesis: "partially reliable WebRTC",
    wish: { first: ["direct"], mayBeLost: false },
    row: "paths",
    figures: byteFigures("puzzle for bandwidth"),
  },
  {
    genre: "shooter",
    what: "3 % lost, mobile",
    changes: { topology: authority, server, device: mobile, measured: { ...quiet, lossRatio: 0.03 } },
    thesis: "frequent updates to conceal loss",
    wish: { repeats: true, keepsRate: true },
    row: "loss",
  },
  {
    genre: "racing",
    what: "5 % lost, no queue",
    changes: { measured: { ...quiet, lossRatio: 0.05 } },
    thesis: "frequent updates, redundancy",
    wish: { repeats: true, keepsRate: true },
    row: "loss",
  },
  {
    genre: "racing",
    what: "no WebSocket, WebRTC present",
    changes: {},
    thesis: "a fallback by plug-in",
    wish: {},
    row: "paths",
    transports: ["webrtc"],
    without: "browsers have no plug-ins any more, and all of them have WebSockets",
  },
];

/** @param {Plan} plan @param {Wish} wish @param {number} profileHz @returns {boolean} */
function agrees(
  { channels, repeats, numbers },
  { first, mayBeLost, repeats: isRepeating, keepsRate },
  profileHz,
) {
  const { links, delivery } = channels.state;
  return [
    first === undefined || first.includes(links[0] ?? "none"),
    mayBeLost === undefined || (delivery === "newest-wins") === mayBeLost,
    isRepeating === undefined || repeats === isRepeating,
    keepsRate === undefined || (numbers.stateHz === profileHz) === keepsRate,
  ].every(Boolean);
}

const linkNames = { direct: "WebRTC to the player", webrtc: "WebRTC to the server", websocket: "WebSocket" };

/** The client's error for transports that it refuses. @param {Situation["transports"]} transports @returns {string | undefined} */
function refusalOf(transports) {
  if (transports === undefined) return undefined;
  const open = () => new Client("wss://play.example.com", { profile: "racing", transports, webSocket: open });
  try {
    open();
  } catch (error) {
    return String(error);
  }
  throw new Error(`the client takes ${transports.join(", ")}`);
}

/** @param {Transport} transport @param {Plan} plan @returns {string} */
function planText({ stateIntervalMs }, plan) {
  const { links, delivery } = plan.channels.state;
  const perSecond = Math.round(10_000 / stateIntervalMs(plan)) / 10;
  const way = links.map((link) => linkNames[link]).join(", else ");
  const repeated = plan.repeats ? ", the newest repeated" : "";
  return `${way}; ${delivery === "newest-wins" ? "states may be lost" : "all in order"}; ${perSecond}/s${repeated}`;
}

/**
 * Returns a figure of a kept result. @param {Figure} figure @param {Record<string, string | number>} which
 * @returns {number}
 */
function measured({ command, key }, which) {
  const name = command.slice(command.indexOf(" ") + 1);
  const folder = command.startsWith("unit ") ? "packages/client/test" : "docs/results";
  const file = path.resolve(import.meta.dirname, `../../${folder}/${name}.json`);
  /** @type {{ rows: Record<string, string | number>[] }} */
  const { rows } = JSON.parse(readFileSync(file, "utf8"));
  const row = rows.find((one) => Object.entries(which).every(([field, value]) => one[field] === value));
  const value = row?.[key];
  if (typeof value !== "number") throw new Error(`${file} has no ${key} of ${JSON.stringify(which)}`);
  return value;
}

/** @param {Situation} situation @param {string} number @returns {string[][]} a row for each of its figures */
function departureRows({ genre, what, figures = [], without }, number) {
  const name = `${genre}: ${what}`;
  const rows = figures.map((figure) => {
    const [thesis, here] = [measured(figure, figure.thesis), measured(figure, figure.here)];
    if (here >= thesis && without === undefined)
      throw new Error(`${name}: our choice is no better, ${here} of ${thesis} ${figure.of}`);
    return [number, name, figure.of, thesis.toFixed(1), here.toFixed(1), `\`pnpm ${figure.command}\``];
  });
  if (without !== undefined) return [...rows, [number, name, without, "–", "–", "–"]];
  if (rows.length === 0) throw new Error(`${name} departs from the thesis without a figure`);
  return rows;
}

/**
 * @param {Transport} transport
 * @param {(question: string, row: string) => string} reasonOf
 * @returns {{ rows: string[][], departures: number, figures: string[][] }}
 */
export function thesisRows(transport, reasonOf) {
  const { circumstancesOf, planFor, profiles } = transport;
  /** @type {{ situation: Situation, number: string }[]} */
  const departing = [];
  const rows = situations.map((situation, at) => {
    const { genre, what, changes, thesis, wish, row, transports } = situation;
    const number = `${at + 1}`;
    const profile = profiles[genre];
    const plan = planFor({
      ...circumstancesOf(profile, {
        security: "https",
        available: { webrtc: true },
        device: { battery: "ok", network: "fixed" },
        peers: 3,
      }),
      ...changes,
    });
    const refusal = refusalOf(transports);
    const isSame = refusal === undefined && agrees(plan, wish, profile.stateHz);
    if (!isSame) departing.push({ situation, number });
    const answer = plan.reasons.find(({ question }) => question === row);
    const reason = refusal ?? (answer ? `${reasonOf(row, answer.row)} [${answer.row}]` : "");
    return [
      number,
      `${genre}: ${what}`,
      thesis,
      refusal === undefined ? planText(transport, plan) : "none: the client refuses it",
      isSame ? "same" : "departs",
      reason,
    ];
  });
  const without = departing.filter(({ situation }) => situation.without !== undefined);
  if (without.length > MAX_WITHOUT)
    throw new Error(`${without.length} departures have no figure that is better`);
  const figures = departing.flatMap(({ situation, number }) => departureRows(situation, number));
  return { rows, departures: departing.length, figures };
}
