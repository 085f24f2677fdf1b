/** docs/PROFILES.md: the profiles and the decision tree, read from the built transport package. */
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { thesisRows } from "./thesis-table.mjs";

/** @typedef {typeof import("../../packages/transport/dist/index.js")} Transport */
/** @typedef {import("../../packages/transport/dist/index.js").Question} Question */
/** @typedef {import("../../packages/transport/dist/index.js").Row} Row */
/** @typedef {import("../../packages/transport/dist/index.js").Effect} Effect */
/** @typedef {import("../../packages/transport/dist/index.js").Plan} Plan */
/** @typedef {typeof import("../../packages/transport/dist/profiles/tree-words.js")} Words */

const TARGET = path.resolve(import.meta.dirname, "../../docs/PROFILES.md");

/** @param {string[]} head @param {(string | number)[][]} rows @returns {string} */
function table(head, rows) {
  /** @param {(string | number)[]} cells */
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** @param {number} value */
const rounded = (value) => Math.round(value * 1000) / 1000;

/** @param {readonly string[]} words @param {string} last @returns {string} */
function enumeration(words, last) {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1] ?? ""}`;
}

/** @param {Row} row @returns {string} */
function conditionText({ when }) {
  const parts = Object.entries(when).map(
    ([field, values]) => `\`${field}\` is ${enumeration(/** @type {string[]} */ (values), "or")}`,
  );
  return parts.length === 0 ? "otherwise" : enumeration(parts, "and");
}

/** @param {readonly string[]} links */
const orderText = (links) => links.join(", else ");

/** @param {Effect | undefined} effect @returns {string} */
function effectText(effect) {
  if (effect === undefined) return "–";
  const { schemes, deliveries = {}, direct, webrtc, atOnce, stripes, repeats, factors } = effect;
  return [
    ...(schemes === undefined ? [] : [`schemes ${enumeration(schemes, "and")}`]),
    ...Object.entries(deliveries).map(([name, delivery]) => `${name} ${delivery}`),
    ...(direct === undefined ? [] : ["links to players: direct"]),
    ...(webrtc === undefined ? [] : ["links to the server: webrtc for what may be lost, websocket"]),
    ...(atOnce === undefined ? [] : ["event and command `periodMs` 0"]),
    ...(stripes === undefined ? [] : [`${stripes} sockets`]),
    ...(repeats === undefined ? [] : ["the newest state is repeated"]),
    ...Object.entries(factors ?? {}).map(([name, factor]) => `\`${name}\` × ${factor}`),
  ].join("; ");
}

/** @param {Words} words @param {string} question @returns {string} */
function askOf({ treeWords }, question) {
  return treeWords.find((words) => words.question === question)?.ask ?? "";
}

/** @param {Words} words @param {Row} row */
function wordsOf({ treeWords }, { id }) {
  const found = treeWords.map(({ rows }) => rows[id]).find((words) => words !== undefined);
  return found ?? { choice: "", reason: "" };
}

/** @param {Question} question @param {Transport} transport @param {Words} words @returns {string} */
function questionText({ id, rows }, { END }, words) {
  const lines = rows.map((row) => [
    row.id,
    conditionText(row),
    wordsOf(words, row).choice,
    effectText(row.sets),
    row.next === END ? "the plan is done" : `\`${row.next}\``,
  ]);
  return `### ${askOf(words, id)}

Question \`${id}\`.

${table(["row", "when", "answer", "sets", "next"], lines)}

${rows.map((row) => `- **${row.id}** ${wordsOf(words, row).reason}`).join("\n")}`;
}

/** @param {Transport} transport @param {Words} words @returns {string} */
function flowchart({ decisionTree, END }, words) {
  const nodes = decisionTree.map(({ id }) => `  ${id}["${askOf(words, id)}"]`);
  const edges = decisionTree.flatMap(({ id, rows }) =>
    [...new Set(rows.map((row) => row.next))].map((next) => {
      const leading = rows.filter((row) => row.next === next);
      const choices = [...new Set(leading.map((row) => wordsOf(words, row).choice))];
      return `  ${id} -->|"${choices.join("<br>")}"| ${next === END ? "plan" : next}`;
    }),
  );
  return ["```mermaid", "flowchart TD", ...nodes, "  plan([the plan])", ...edges, "```"].join("\n");
}

/** @param {Transport} transport @returns {string} */
function profileTables({ profiles, profileRanges }) {
  const all = Object.values(profiles);
  const games = all.map((one) => [one.genre, one.topology, one.movement, one.favour, one.style]);
  const numbers = Object.entries(profileRanges).map(([field, { min, max, unit }]) => [
    `\`${field}\``,
    ...all.map((one) => rounded(one[/** @type {keyof typeof profileRanges} */ (field)])),
    `${rounded(min)} to ${rounded(max)} ${unit}`,
  ]);
  return `${table(["profile", "topology", "movement", "favours", "others are shown by"], games)}

${table(["", ...all.map((one) => one.genre), "allowed"], numbers)}`;
}

/** @param {Transport} transport @param {Plan} plan @returns {string[]} */
function planCells({ stateIntervalMs }, plan) {
  const { numbers, channels } = plan;
  const { state, command, event } = channels;
  return [
    orderText(state.links),
    state.delivery,
    // Reliable traffic takes the session's preferred link; WebRTC to the server carries only traffic that may
    // be lost.
    orderText(state.links.filter((link) => link !== "webrtc")),
    event.delivery === "lifetime" ? `${event.lifetimeMs} ms` : "until they arrive",
    command.periodMs === 0 ? "at once" : `every ${rounded(command.periodMs)} ms`,
    `${rounded(1000 / stateIntervalMs(plan))}/s, every ${rounded(state.periodMs)} ms`,
    `${rounded(numbers.thresholdM)} m, ${rounded(numbers.headingRad)} rad`,
  ];
}

/** @param {Transport} transport @returns {string} */
function ordinaryPlans(transport) {
  const { circumstancesOf, planFor, profiles } = transport;
  const rows = Object.values(profiles).map((profile) => {
    const plan = planFor(
      circumstancesOf(profile, {
        security: "https",
        available: { webrtc: true },
        device: { battery: "ok", network: "fixed" },
        peers: 3,
      }),
    );
    return [profile.genre, ...planCells(transport, plan)];
  });
  const head = [
    "profile",
    "states over",
    "states are",
    "commands over",
    "events live",
    "commands leave",
    "states",
    "threshold",
  ];
  return table(head, rows);
}

/** @param {Transport} transport @param {Words} words @returns {string} */
function bandTable({ measuredBands }, { bandSources }) {
  const names = /** @type {const} */ ({
    lossRatio: ["loss", "%"],
    rttMs: ["rtt", "ms"],
    queuedBytes: ["queue", "bytes"],
    stallRatio: ["stalls", "%"],
    uploadRatio: ["upload", "%"],
  });
  const quantities = /** @type {(keyof typeof measuredBands)[]} */ (Object.keys(measuredBands));
  const rows = quantities.flatMap((quantity) =>
    measuredBands[quantity].map(({ name, from }) => [
      `\`${names[quantity][0]}\``,
      name,
      `${names[quantity][1] === "%" ? from * 100 : from} ${names[quantity][1]}`,
      /** @type {Record<string, string>} */ (bandSources)[name] ?? "–",
    ]),
  );
  return table(["quantity", "band", "from", "who says so"], rows);
}

const PERIODS_AND_BUDGETS = `Events obey a new \`eventLifetimeMs\` at once while they wait here; what an open data channel has taken, 2.4 kB at most, it
repeats for as long as it was opened for, and \`explain()\` says how long. Where a game asks for more states than its genre's, and names no \`sendPeriodMs\`, packets follow as often. \`tickHz\` counts where
the game runs in steps: in lockstep, and where the game names it; a server that decides has its own. In a room with an
authority the server sends to each player as that player's plan says, within the room's own limits
([Rooms with an authority](guides/authority.md#how-often-and-how-exactly-players-get-states)). \`stateBytesPerSecond\` is a
share of the uplink where players send to each other. In a room with an authority its default is what 64 moving entities
need from the server: \`stateHz\` × (64 × 16 bytes + 40 of heads), so 1064 bytes for each state per second. A game that sets the
number gets its own in every room. With
more other players that could be direct than \`maxDirectPeers\` nothing is direct: that many states of 150 bytes fill
300 kbit/s of uplink, or 16 connections are open. Players whom only the relay reaches do not count. What is sent in fact is
measured: while direct links to all would take more than \`uploadBytesPerSecond\` of a player's uplink, headers included,
that player's links go through the relay too. Both are left for good only after 15 s, so that nobody's links open and
close all the time; \`room.peers[i].reason\` and \`room.transport.explain()\` say which it was.`;

/** @param {Transport} transport @returns {string} */
function introduction(transport) {
  return `<!-- Written by \`pnpm docs\` from packages/transport/src/profiles: change that folder, not this file. -->

# Profiles and the decision tree

A browser can move a game's data in several ways. A **WebSocket** reaches nearly everybody, but it is one ordered
stream: one lost packet delays everything after it. **WebRTC** connects players directly, or a player with the server,
and can let lost packets be lost, but not every browser and not every network has it. What does not get through directly
is **relayed**: it goes to the other player through the server.

Which of them is right depends on the game, the page, the browser, the device and the network. So a game names its
**profile**, which is its genre, and a **decision tree** does the rest: a table of questions and answers that ends in a
**plan**. The plan says which links to open, how each class of traffic is delivered, how
often to send, and why. The client makes a new plan when something changes, such as a measurement.

\`\`\`ts
import { Client } from "@paceline/client";

const client = new Client("wss://play.example.com", { profile: "racing" });
const room = await client.joinOrCreate("race");
console.table(await room.transport.explain()); // what is in force, and why
\`\`\`

A game that knows better says so. An option or a value that there is not throws a \`ConfigError\` that lists the known
ones, and so does a contradiction, such as a mesh whose \`transports\` leave out \`webrtc\`. Nothing has happened then, and
nothing has changed. \`room.transport.configure({ profile })\` takes the same while the game runs, but for \`tickHz\`, which
is fixed when a room is joined. States cannot be more frequent than its steps:

\`\`\`ts
import { Client } from "@paceline/client";

const client = new Client("wss://play.example.com", {
  profile: {
    base: "racing",
    favour: "bandwidth", // or "latency", "cpu"
    topology: "relay", // or "mesh", "authority": refused where the room has another one
    exposeAddress: false, // no direct links: players do not learn each other's addresses
    numbers: { stateHz: 20, thresholdM: 0.2 }, // any of the table below
    traffic: { bulk: { priority: 1, share: 0.1 } }, // what goes first where not all can go, see below
    device: { network: "mobile" }, // where the game knows more than a browser tells
  },
});
\`\`\`

\`movement: "bound"\` is for games in which nothing changes between two moves: then everything arrives, in order.

## Profiles

${profileTables(transport)}

Topology: **authority**, a server decides, and each player talks with it alone; **mesh**, players with each other,
directly where a pair can and through the relay where it cannot; **relay**, players with each other, all of it through the relay. A profile's own topology is a
preference: a room with an authority is that, whatever the profile says. A game that asks for a \`topology\` gets that or a
\`ConfigError\`. A browser without WebRTC is in a mesh all the same: each player still holds its own entities, the relay
carries them, and \`room.peers[i].reason\` says that this browser has no WebRTC. Only the game's own contradiction is refused:
a mesh without \`webrtc\` among its \`transports\`, or with \`exposeAddress: false\`. \`stateHz\` is the limit of states of an entity that
are sent in a second; far fewer are sent while receivers foresee the motion within \`thresholdM\` and \`headingRad\`.
${PERIODS_AND_BUDGETS}

## What the tree makes of them

In a browser with WebRTC, on an https page, three other players, a fixed network, a server that speaks WebSocket only,
before anything was measured:

${ordinaryPlans(transport)}`;
}

/** @param {Transport} transport @returns {string} */
function classesText({ ordinaryTraffic }) {
  /** @param {keyof typeof ordinaryTraffic} name */
  const weight = (name) => [String(ordinaryTraffic[name].priority), `${ordinaryTraffic[name].share * 100} %`];
  return `## Classes of traffic

A game says what its data is, the plan says how it travels: by which link first, whether it may be lost, how long it is
worth something, how often packets of it leave.

Where less can be sent than wants to go, because the path takes no more or because it would be more than the profile's
\`sendBytesPerSecond\` over all links, the class with the greatest priority goes first. While others wait, each gets at
least its share of the bytes: no class starves. The shares of all classes are at most 1 together.

${table(
  ["class", "is", "delivery unless a row says otherwise", "priority", "share"],
  [
    [
      "state",
      "where an entity is now",
      "newest-wins: a newer one replaces it, even before it was sent",
      ...weight("state"),
    ],
    [
      "event",
      "something to see or hear",
      "lifetime: dropped when it could not be sent in time",
      ...weight("event"),
    ],
    [
      "command",
      "something that decides the game",
      "ordered-reliable: arrives exactly once, in order",
      ...weight("command"),
    ],
    ["input", "what a player pressed", "newest-wins, with the last few repeated", ...weight("input")],
    ["bulk", "chat, downloads", "ordered-reliable, yields to all others", ...weight("bulk")],
  ],
)}

Links: **direct**, WebRTC to the other player; **webrtc**, WebRTC to the server; **websocket**, the WebSocket to the
server. Of those that the plan allows, a session uses the first that is open, in this order. What goes to another player over one of the latter two is relayed.`;
}

/** @param {Transport} transport @param {Words} words @returns {string} */
function thesisText(transport, words) {
  const { rows, departures, figures } = thesisRows(
    transport,
    (question, row) => words.treeWords.find((one) => one.question === question)?.rows[row]?.reason ?? "",
  );
  return `## Against the thesis

The tree begins with chapter 6 of Discart's thesis (2014). Of these ${rows.length} situations ${departures} depart from
it. On https, three others, a fixed network and a full battery unless it says otherwise.

${table(["", "situation", "thesis", "states here", "", "reason"], rows)}

What commands of ours measured of the thesis' choice and of ours, from \`docs/results\`. \`pnpm bench paths\` counts payloads
without headers, and the CPU of the players alone. A pair that fell back to the relay, since the machine was too slow for all
direct links, counts as direct (\`pairsThatWay\`). Headers and fallbacks make direct links look cheaper than they are.
\`pnpm unit path-bytes\` counts on a virtual network, with headers and acks of TCP.

${table(["", "situation", "measured", "thesis", "here", "command"], figures)}`;
}

/** @param {Transport} transport @param {Words} words @returns {string} */
function treeText(transport, words) {
  return `## What the tree looks at

${table(
  ["field", "values"],
  [
    ["`genre`, `topology`, `favour`, `movement`", "those of the profile, with the game's changes"],
    ["`address`", "hidden: the game hides players' addresses from each other"],
    ["`page`", "https, http, or unknown: there is no page"],
    ["`webrtc`", "whether this environment has it (probed, not guessed) and the game allows it"],
    ["`serverWebrtc`", "whether the server speaks WebRTC; unknown until it says so"],
    ["`battery`, `network`", "ok or low, fixed or mobile; unknown where the environment does not tell"],
    ["`peers`", "few: at most `maxDirectPeers` other players could be direct; many: more"],
    ["`receivers`", "one: at most one other player; several: more"],
    [
      "`loss`, `rtt`, `queue`, `stalls`, `upload`",
      "measured, in the bands below; each unknown while it is not measured",
    ],
    ["`content`", "the answer to an earlier question"],
  ],
)}

${bandTable(transport, words)}

## The tree

Begin at the top. The first row whose condition holds is the answer; it leads to the next question. The last row of
every question has no condition, so there is always an answer. Factors of several rows multiply; a number never leaves
the range that profiles may have.

${flowchart(transport, words)}

${transport.decisionTree.map((question) => questionText(question, transport, words)).join("\n\n")}`;
}

/** @returns {Promise<string>} the whole document */
export async function profilesMarkdown() {
  const transport = await import("../../packages/transport/dist/index.js");
  const words = await import("../../packages/transport/dist/profiles/tree-words.js");
  const text = [
    introduction(transport),
    classesText(transport),
    thesisText(transport, words),
    treeText(transport, words),
  ].join("\n\n");
  return format(text, { ...(await resolveConfig(TARGET)), filepath: TARGET });
}
