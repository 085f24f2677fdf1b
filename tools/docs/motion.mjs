/** docs/MOTION.md: how remote entities move, with the figures of the last full run of `pnpm bench motion`. */
import { readFileSync } from "node:fs";
import path from "node:path";

const RESULT = path.resolve(import.meta.dirname, "../../docs/results/motion.json");

/**
 * @typedef {{ system: string, trace: string, network: string, link: string, positionErrorRmsM: number,
 *   positionErrorP95M: number, positionErrorMaxM: number, headingErrorRmsDeg: number, headingErrorP95Deg: number,
 *   headingErrorMaxDeg: number, jerkRatioRms: number, jerkRatioP95: number,
 *   jumpsPerMinute: number, updatesPerSecond: number, wireBytesPerSecond: number, starvedShare?: number }} Row
 * @typedef {{ bound: string, value: number, limit: number, holds: boolean }} Bound
 * @typedef {{ date: string, node: string, rows: Row[], bounds: Bound[],
 *   cost: { sampleMsPer1000: number, ratioToCopy: number } }} Result
 */

/** @param {string[]} head @param {string[][]} rows @returns {string} */
function table(head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  /** @param {string[]} row */
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** @param {Row[]} rows @param {(row: Row) => string} name @param {string} title */
function figures(rows, name, title) {
  return table(
    [
      title,
      "error rms",
      "p95",
      "max",
      "heading rms",
      "p95",
      "max",
      "jerk rms",
      "p95",
      "jumps/min",
      "updates/s",
      "bytes/s",
    ],
    rows.map((row) => [
      name(row),
      `${row.positionErrorRmsM.toFixed(3)} m`,
      `${row.positionErrorP95M.toFixed(3)} m`,
      `${row.positionErrorMaxM.toFixed(1)} m`,
      `${row.headingErrorRmsDeg.toFixed(1)}°`,
      `${row.headingErrorP95Deg.toFixed(1)}°`,
      `${row.headingErrorMaxDeg.toFixed(0)}°`,
      `${row.jerkRatioRms.toFixed(1)} x`,
      `${row.jerkRatioP95.toFixed(1)} x`,
      row.jumpsPerMinute.toFixed(2),
      row.updatesPerSecond.toFixed(1),
      row.wireBytesPerSecond.toFixed(0),
    ]),
  );
}

/** Parts that only some games use. */
const FOR_SOME_GAMES = `\`room.predict\` returns a \`Prediction\`: its \`stats\` say how far it was from what the authority decided.

### Lockstep

For games that are the same everywhere when the same is done in them: strategy, puzzles. Commands travel, states do not;
everybody simulates the same ticks. \`@paceline/client/lockstep\` has \`LockstepSession\` and \`StateHash\`, apart from the
rest so that other games do not load them. The session runs by itself on the room's timers, also in a hidden page, in any room
whose players are among themselves.

\`\`\`ts
import type { Room } from "@paceline/client";
import { LockstepSession, StateHash } from "@paceline/client/lockstep";

function startMatch(room: Room, units: number[]) {
  return new LockstepSession<number>(room, {
    players: 2,
    readCommand: (value) => (typeof value === "number" && units[value] !== undefined ? value : undefined),
    onStart: ({ players, seed }) => units.fill(seed % 10, 0, players.length),
    step(commands, tick) {
      for (const { command: unit } of commands) units[unit]! += 1;
      if (tick % 20 === 0) units[0]! += 1;
    },
    hash: () => new StateHash().numbers(units).digest(),
    onDesync: ({ turn, peer }) => console.error("player", peer, "has another state after turn", turn),
  });
}
\`\`\`

\`match.give(unit)\` gives a command: everybody executes it in the same tick, two turns later.
The types of what the session takes and calls with are \`LockstepSessionOptions\`, \`LockstepStart\`, \`PlayerCommand\` and \`Desync\`. Two whole games of eighty
lines are in [examples](../examples/README.md).

- **Rates** are those of the room's profile: \`tickHz\` ticks per second (20 in strategy, 30 in puzzle), the same at all
  players. A turn is a whole number of ticks: as long as the plan's \`stateHz\` says (200 ms and 100 ms), as it bundles
  messages, and as the slowest path needs, of the player who asks for most.
- **The start.** When \`players\` are ready, the one who joined the room first says who plays, and a seed of chance. Nobody can
  join later, or with another tick rate: \`onRefused\` says why.
- **The step** must come to the same everywhere: whole numbers, a seeded generator; no clock, no \`Math.random\`, none of
  \`Math.sin\` and its like, which browsers round differently. With \`hash\` players compare their states once a turn;
  \`onDesync\` names the turn and the player. Nothing repairs it: end the match.
- **Who stands still** is waited for: \`match.waitingFor\` and \`match.stalledMs\` say for whom and how long,
  \`match.giveUp(player)\` goes on without. After one who leaves or was given up all go on from the same turn (\`onGone\`). A
  drop from which a player comes back within the room's time is only a pause.

### Lag compensation

A room with an authority has it: [\`Room.rewind\`](guides/lag-compensation.md). It is made of \`LagCompensation\`, which a
server of your own gets from \`@paceline/netcode\`:

\`\`\`ts
import { LagCompensation } from "@paceline/netcode";

const history = new LagCompensation<number>({ layout: { position: 0, dimensions: 2 }, tickSeconds: 1 / 60 });
const target = new Float64Array(2);

/** After every tick of the server, for everybody. */
const record = (id: number, tick: number, x: number, y: number) =>
  history.record(id, tick, Float64Array.of(x, y));

/** A shot is judged by what the shooter saw, at most 250 ms ago. */
const isHit = (id: number, shownTick: number, x: number, y: number): boolean =>
  history.rewind(shownTick, (world) => {
    return world.poseOf(id, target) && Math.hypot(target[0]! - x, target[1]! - y) < 1;
  });
\`\`\`
`;

const RULES = `- **Looking ahead.** An update that leaves now is shown a one-way delay later. So the owner compares the old and the new
  prediction for that moment, not for now: a car that begins to brake is still where it is expected, and will not be.
- **Thresholds** in position and heading, wider when the budget runs out, and with the distance of those who see the
  entity, where its owner's game says it: \`car.viewDistanceM = 180\`. A state goes to all alike, so the nearest counts.
- **Heartbeats**: a moving entity is sent every 300 ms at the latest, so that a lost update is soon made good; where a
  path loses 2.5 % or more, an update that none has followed for 67 ms is repeated once.
- **Ticks** are the time stamps, 60 a second or the game's steps. Send time and arrival time are not simulation time.
- An acceleration of more than 48 m/s² is an impact, over when it is noticed: it is continued as 48 m/s² at most.

`;

const INTERPOLATION = `## Interpolation

All interpolated entities of a room are shown at one time, \`room.clock.renderNow()\`: behind the server's by a delay that
follows the arrivals, so that nothing newer is there for 0.1 % of the time. A stream that waits for a lost packet is left out of
this: several states that arrive together after the wait give it away, and extrapolation bridges it, so a WebSocket shows nothing later than it
must. The delay is that of the peer who needs the longest, and goes over to a new one slowly. Positions go along a Hermite curve, headings the short way. With nothing newer, an entity goes
on with its velocity up to the profile's limit, and comes back without a jump. One that rests is sent twice and then only
at heartbeats; when it sets off, the silence before is no motion. The code is fetched when the first entity needs it.

`;

const TIME = `## Time

What a game writes belongs to a moment, and the game says to which.

- **In a game of frames** states belong to moments. \`room.loop((seconds) => ...)\` calls the game once a frame and publishes
  after it; a game with a loop of its own calls \`room.advance()\` after its writes. Both mean the start of the page's current
  frame, not the time of the call: a frame that computes for 10 ms shows no other motion. In Node they mean now. Any
  frame rate shows the others the same motion, dropped frames too. A game that knows better says so: \`room.advance(atMs)\`, on
  the clock of \`performance.now\`, for a simulation that is behind the frame, for example.
- **In a game of fixed steps** inputs and states belong to steps: where \`tickHz\` is given to the client, where a server
  decides (its \`tickHz\`), and in lockstep. \`room.loop((seconds) => ...)\` calls the step 0 to n times a frame, at that rate on
  average, takes one input after each, and publishes. \`room.advance\` throws there. In lockstep the session calls the game.
- **After a pause** the loop leaves out what is more than 250 ms old.
- **A hidden page** draws no frames: the loop goes on from a timer that the Worker wakes. A game with a loop of its own stands still there,
  and others see it so; a game that calls neither is published by that timer always.
- **A step that throws** is reported as any code of the game's, and the next one runs. The loop ends with the room, or when
  the function that \`room.loop\` returned is called. After the room was left \`advance\` has no effect.
- **A time that cannot be meant** is told once (\`time/misfit\`): a count of steps, seconds, a date, one that goes back. The
  frame's start is taken instead. Frames that come late are no mistake: the page is slow. What is no number throws.

\`\`\`ts
import { Client, defineEntity, vec2 } from "@paceline/client";

const Ball = defineEntity(
  "ball",
  { position: vec2({ range: [-100, 100], precision: 0.01 }) },
  { motion: "velocity" },
);
const client = new Client("wss://play.example.com", { profile: "action", tickHz: 50 });
const room = await client.joinOrCreate("court");
const ball = room.spawn(Ball);
let x = 0;
const stop = room.loop((seconds) => ball.position.set((x += 5 * seconds), 0)); // seconds is 1/50, always
room.onMessage("end", stop);
\`\`\`

`;

/** @returns {string} the part of a game in motion */
function gameMarkdown() {
  return `## In a game

The definition of an entity says how it moves; owner and receivers do the rest. What the game does not write is derived
from its ticks: velocity, acceleration, turn rate. A field \`velocity\` or \`acceleration\` of the kind of \`position\` is
taken as the game writes it, which is better.

\`\`\`ts
import { angle, defineEntity, scalar, vec2 } from "@paceline/client";

const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-2048, 2048], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-120, 120], precision: 0.01, unit: "m/s" }),
    heading: angle({ precision: 0.002, unit: "rad" }),
  },
  { motion: "turn", threshold: { position: 0.1, heading: 0.035 } },
);

// The game's own model: fields only, the same result on every machine, any number of seconds up to a step.
const Cart = defineEntity(
  "cart",
  {
    position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-20, 20], precision: 0.01, unit: "m/s" }),
    throttle: scalar({ range: [-1, 1], precision: 0.01 }),
  },
  {
    motion: "step",
    step: (cart, seconds) => {
      cart.velocity.x += 5 * cart.throttle * seconds;
      cart.position.x += cart.velocity.x * seconds;
    },
  },
);
\`\`\`

\`car.teleport()\`: where it is written to next is shown there at once, and the distance is no velocity.

A model that throws or computes NaN is \`motion/fault\` at \`room.onError\`; its entity holds its last good pose.
How far to look ahead follows from the measured round trips; whether to repeat, from the loss of direct paths.

**What nobody reads costs next to nothing.** \`shown\` is computed when it is read, and all that one turn of the event loop
reads is of one moment. An entity that is read for the first time after a while shows what it would show if every frame
had read it, to a millimetre; after more than 16 states that nobody saw, older corrections are not blended any more.
Whatever is interpolated and ran out of states while nobody looked goes on where it is, without blending.

In a room with an authority, the time of its ticks follows from the arrival of states and the round trip, within limits
from pongs: a pong left the server after the tick that arrived before it, and before the one that arrives next. A page
that draws slowly handles both late, but in that order. Without these limits it would take half of the time that states
wait for a frame for a delay of the network: with 20 frames a second, that showed cars 16 to 28 ms off, and after a
standstill of 450 ms up to 360 ms. The limits need states and pongs in one stream, so they rest while states travel over
WebRTC or over several sockets, and between players.

\`room.clock\` has \`now()\`, \`serverNow()\` and \`renderNow()\`, in ms, none of which runs backwards. Timers of the
SDK share one wake-up. In a hidden page it is a Worker's, which browsers do not slow down; where a page may have none, it
is the page's own.

${FOR_SOME_GAMES}`;
}

/** @returns {string} what the parts do */
function partsMarkdown() {
  return `<!-- Written by \`pnpm docs\` from docs/results/motion.json and tools/docs/motion.mjs: change those, not this. -->

# Motion

How a remote entity is where it is. Everything here is in \`packages/netcode\`, without clocks or timers of its own.

An entity of another player is shown in one of two ways. The profile chooses; the definition of an entity may choose
otherwise with \`show\`; an entity with a model of the game's own is extrapolated unless it says otherwise.

${table(
  ["`show`", "shows", "sent", "good for", "profiles"],
  [
    [
      "`extrapolate`",
      "where it is now, as far as its model knows",
      "when the model is off by the threshold",
      "what drives and flies: it is where it is",
      "racing",
    ],
    [
      "`interpolate`",
      "where it was, between two states",
      "at the profile's rate while it moves",
      "what turns on its heel; what is shot at under lag compensation",
      "shooter, action, rpg, mmo, party",
    ],
  ],
)}

## Dead reckoning

Owner and receivers run the same model from the state that was sent last. The owner sends when the model will be wrong.

${table(
  ["model", "DIS (IEEE 1278.1)", "what goes on", "on the wire"],
  [
    ["`hold`", "1 Static", "nothing: it stays", "pose"],
    ["`velocity`", "2 FPW, 3 RPW", "constant velocity", "pose, velocity, turn rate"],
    [
      "`acceleration`",
      "5 FVW, 4 RVW",
      "constant acceleration in axes of the world",
      "the same, and acceleration",
    ],
    [
      "`turn`",
      "like 9 FVB, 8 RVB",
      "a constant turn rate; a change of speed that fades",
      "the same, and acceleration",
    ],
    ["`history`", "none", "a parabola through the last three positions (Singhal and Cheriton)", "pose"],
    ["`step`", "none", "the game's own physics, under the input that was sent last", "what it needs"],
  ],
)}

${RULES}${gameMarkdown()}
${TIME}${INTERPOLATION}## Convergence

A correction is blended in. \`cubic\` eases the difference out in 65 ms, or as long as it takes at 9 m/s on average, and
begins with the speed of a correction that is still going on, but no faster than that; beyond 10 m the entity jumps. Without blending the error is
smallest and the picture worst; the table of variants has all four.

## Clocks

One offset per session from pings: those that had to wait in a queue are left out, the rest averaged; shown by a clock
that never runs backwards: it corrects a small error by 5 % of elapsed time, and a larger one within half a second or so. In simulation, 40 seeds each: within 2 ms of truth from 2 s on at
50 ± 5 ms, within 5 ms at 100 ± 20 ms with 2 % loss. Half of a constant difference between the directions is invisible to anybody.
`;
}

/** @param {Result} result @returns {string} the measurement, and whether its bounds hold */
function measureMarkdown({ date, node, bounds, cost }) {
  const lines = bounds.map(({ bound, value, limit, holds }) => [
    bound,
    value.toPrecision(3),
    limit.toPrecision(3),
    holds ? "yes" : "**no**",
  ]);
  return `## The measure

\`pnpm bench motion --data DIR\` plays recorded movement through simulated networks in virtual time. The error is what is
shown against where the entity truly is at that same moment: delay counts. Jerk is the 95th percentile of what is shown
over that of the truth. A jump is a frame whose step is 0.3 m out of line where the truth has none.

Bytes are IP datagrams with one message each: data channels over DTLS 1.3 (78 bytes, padding to four) or a WebSocket over
TLS 1.3 (80 bytes). Packets that only acknowledge, and clock pings, are not counted: all systems have them. Paceline's
payload is what its codec writes, with all heads: as in a room of two, from what the receiver has acknowledged, and, as
\`paceline-references\`, as for several receivers, with the references that they share (a reference that is lost and sent
again is not played). The others' are 18 bytes of int16 and a time stamp of 4. The interpolation that
others default to shows 100 ms after the arrival of snapshots.

Run of ${date.slice(0, 10)}, Node ${node}, recorded cars:

${table(["bound (50 ± 5 ms, 1 % loss, unreliable)", "measured", "limit", "holds"], lines)}

A receiver samples 1,000 entities in ${cost.sampleMsPer1000.toFixed(2)} ms, ${cost.ratioToCopy.toFixed(1)} times what copying their rows takes.

![Error against bytes per second](results/motion.svg)
`;
}

/** @returns {string} the whole document */
export function motionMarkdown() {
  const result = /** @type {Result} */ (JSON.parse(readFileSync(RESULT, "utf8")));
  const all = result.rows.filter(({ trace }) => trace === "all-cars");
  const cells = [...new Set(all.map(({ network, link }) => `${network}, ${link}`))];
  const cellTables = cells.map((cell) => {
    const rows = all.filter(({ network, link }) => `${network}, ${link}` === cell);
    return `### ${cell}\n\n${figures(rows, (row) => `\`${row.system}\``, "system")}`;
  });
  const busy = result.rows.filter(
    ({ trace, network, link, system }) =>
      network === "50-5-1" &&
      link === "unreliable" &&
      system === "paceline" &&
      trace !== "variants" &&
      trace !== "curve",
  );
  const variants = result.rows.filter(({ trace }) => trace === "variants");
  return `${partsMarkdown()}
${measureMarkdown(result)}
## All cars together

${cellTables.join("\n\n")}

## Trace by trace

50 ± 5 ms, 1 % loss, unreliable; \`paceline\`.

${figures(busy, (row) => row.trace, "trace")}

## What each part is worth

One part changed at a time, two minutes of each trace of cars, 50 ± 5 ms, 1 % loss, unreliable.

${figures(variants, (row) => `\`${row.system}\``, "variant")}
`;
}
