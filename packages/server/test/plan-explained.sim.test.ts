import { expect, test } from "vitest";
import { someOf } from "../../testkit/test/some-of.js";
import { treeCells } from "./plan-cells.js";
import { comparedRows, differences, inWords } from "./plan-claims.js";
import { probe, type Probe, type ProbeCell } from "./plan-probe.js";

// Cells for each row of the decision tree that sets something. plan-explained.slow.test.ts has further ones.

/**
 * Cells that `npm test` plays: of each kind of answer one, and those in which the probe has to notice a lie. In the
 * others a room says the same kinds of things for other reasons, and decision-tree.test.ts says which rows give them.
 */
const quick = [
  "racing, mesh",
  "rpg, mesh",
  "strategy, mesh, 3 players",
  "racing for the CPU, 3 players",
  "racing, low battery, 3 players",
  "racing, mobile network",
  "rpg, mesh, narrow",
  "racing for bandwidth",
  "racing, hidden addresses",
  "racing, one direct peer, 3 players",
  "racing, mesh, more sheep than the budget",
  "racing, authority, more sheep than the room's budget",
  "racing, authority, WebRTC, more sheep than the profile's budget",
  "racing, more messages than the budget",
  "racing, relay, 5 players",
  "racing, mesh, 5 players, two of them without WebRTC",
  "racing, mesh, loss 20 %",
  "shooter, mesh, jitter",
  "racing, relay",
  "racing, relay, WebRTC",
  "racing, relay, WebRTC, loss 5 %",
  "racing, relay, WebRTC, loss 20 %",
  "rpg, relay, WebRTC, loss 5 %",
  "racing, relay, own WebRTC missing",
  "puzzle for the CPU, moving, authority, WebRTC",
  "strategy, authority, inputs over a narrow line",
  "strategy, relay, lockstep",
  "shooter, authority",
  "shooter, authority, WebRTC",
  "action, relay, loss 10 %",
];

/**
 * Rooms with a minute in which no link may change: one that always uses WebRTC, and one only for losses. The slow test
 * watches such rooms for five minutes.
 */
const watched = ["racing, relay, WebRTC, loss 20 %", "rpg, relay, WebRTC, loss 5 %"];
const watchMs = 60_000;

const names = Object.keys(treeCells).filter((name) => treeCells[name]!.page === undefined);
const inOrder = [...quick, ...names.filter((name) => !quick.includes(name))];
const cells = someOf(inOrder, quick.length)
  .map((name) => [name, treeCells[name]!] as const)
  .map(([name, cell]): [string, ProbeCell] => [name, watched.includes(name) ? { ...cell, watchMs } : cell]);
const plays = new Map<ProbeCell, Promise<Probe>>();

/** Returns the probe of a cell, which is played once. */
function played(cell: ProbeCell): Promise<Probe> {
  const play = plays.get(cell) ?? probe(cell);
  plays.set(cell, play);
  return play;
}

function cellOf(name: string): ProbeCell {
  return cells.find(([each]) => each === name)![1];
}

/** Returns the rows that differ from what the cell showed, if the room said this in a row. */
async function differingRows(cell: ProbeCell, about: string, choice: string): Promise<string[]> {
  const seen = await played(cell);
  const explained = seen.explained.map((row) => (row.about === about ? { ...row, choice } : row));
  return [...new Set(differences(cell, { ...seen, explained }).map((each) => each.about))];
}

async function choiceOf(cell: ProbeCell, about: string): Promise<string> {
  return (await played(cell)).explained.find((row) => row.about === about)!.choice;
}

test.each(cells)("what a room says of itself matches the packets: %s", async (_, cell) => {
  const seen = await played(cell);
  expect(inWords(differences(cell, seen), seen.explained)).toBe("");
});

test("the probe compares a row of each kind, and notices a row without a check", async () => {
  const abouts = new Set<string>();
  for (const [, cell] of cells)
    for (const { about } of (await played(cell)).explained) abouts.add(about.replace(/ \d+$/, ""));
  expect(comparedRows.filter((about) => !abouts.has(about))).toEqual([]);
  const cell = cellOf("racing, mesh");
  const seen = await played(cell);
  const explained = [...seen.explained, { about: "weather", choice: "fine", reason: "" }];
  expect(differences(cell, { ...seen, explained }).map(({ about }) => about)).toEqual(["weather"]);
});

const full = "racing, more messages than the budget";
test.each<[cell: string, about: string, lie: string | ((said: string) => string)]>([
  ["racing, mesh", "game", "shooter, favours latency: players talk with each other"],
  ["racing, mesh", "game", "racing, favours cpu: players talk with each other"],
  ["racing, mesh", "game", "racing, favours latency: a server decides"],
  ["racing, mesh", "game", "racing, favours latency: players talk through the relay"],
  ["racing, mesh", "device", "battery low, network unknown"],
  ["racing, mesh", "device", "battery unknown, network mobile"],
  ["racing, mesh", "states", "all relayed over WebSocket; all arrive, in order"],
  [
    "racing, mesh",
    "messages",
    "events are dropped after 10 ms; commands arrive, in order; in packets 100 ms apart",
  ],
  [
    "racing, relay, WebRTC",
    "messages",
    "events arrive, in order; commands arrive, in order; each leaves at once",
  ],
  [
    "racing, mesh",
    "rates",
    "up to 10 states/s, packets 100 ms apart, sent when 0.1 m or 0.03 rad off, or after 100 ms",
  ],
  ["racing, mesh", "others are shown", "where they are now, moved on for at most 300 ms without news"],
  ["racing, mesh", "others are shown", "between two states, 100 ms late at first, then as measured"],
  ["rpg, mesh", "others are shown", "where they are now, moved on for at most 500 ms without news"],
  ["racing, mesh", "measured now", "loss 12.0 % (high), round trip 10 ms (short)"],
  ["racing, mesh", "server", "states on webrtc, the rest on websocket"],
  ["racing, mesh", "server", "3 websockets, round trip 20.0 ms"],
  ["racing, mesh", "peer 2", "relay: WebSocket to the server, relayed from there"],
  ["racing, relay, 5 players", "players", "4: 1 direct, 0 through TURN, 3 relayed"],
  [
    "racing, mesh",
    "rates",
    (said) => said.replace(/ rad off/, "$&, once more if nothing newer follows within 67 ms"),
  ],
  ["racing, mesh, loss 20 %", "rates", (said) => said.replace(/, once more[^,]*/, "")],
  ["racing, relay, WebRTC, loss 20 %", "rates", (said) => said.replace(/, once more[^,]*/, "")],
  ["racing, relay, WebRTC, loss 5 %", "measured now", (said) => said.replace(/loss [^,]*/, "loss unknown")],
  [full, "budget", (said) => said.replace("8000", "4000")],
  [full, "budget", (said) => `${said}; states are held back: those before them take much longer`],
  [full, "budget", (said) => said.replace("8000", "16000")],
  [full, "budget", (said) => said.replace(/(command .*?\)), (input .*?\))/, "$2, $1")],
  [full, "budget", (said) => said.replace("at least 15 %", "at least 60 %")],
  ...["racing, mesh", "rpg, mesh", "shooter, authority"].flatMap((name) =>
    ["now 1", "now 60"].map((lie): [string, string, (said: string) => string] => [
      name,
      "rates",
      (said) => said.replace(/now [\d.]+/, lie),
    ]),
  ),
])("the probe notices a false row: %s, %s", async (name, about, lie) => {
  const cell = cellOf(name);
  const said = await choiceOf(cell, about);
  const choice = typeof lie === "string" ? lie : lie(said);
  expect(choice).not.toBe(said);
  expect(await differingRows(cell, about, choice)).toContain(about);
});

test("the probe notices a plan that is not the decision tree's, and a link that changes", async () => {
  const cell = cellOf("racing, mesh");
  const seen = await played(cell);
  const plans = [{ ...seen.plan, repeats: true }];
  const times = { ...seen.times, watchMs: -1 };
  const abouts = [
    { ...seen, plans },
    { ...seen, times },
  ].map((lie) => differences(cell, lie)[0]?.about);
  expect(abouts).toEqual(["plan", "links"]);
});

test.each([
  "racing, mesh, more sheep than the budget",
  "racing, authority, more sheep than the room's budget",
])("the probe notices a false budget of states, and a false number that would do: %s", async (name) => {
  const cell = cellOf(name);
  const said = await choiceOf(cell, "budget");
  expect(said).toContain("entities wait");
  const lies = [
    said.replace(/; states get.*/, ""),
    said.replace("states get 2000", "states get 4000"),
    said.replace(/(\d+) bytes\/s would do/, (_, needed) => `${Number(needed) / 2} bytes/s would do`),
    said.replace(/: \d+ entities wait/, ": 40 entities wait"),
  ];
  for (const lie of lies)
    expect([lie, await differingRows(cell, "budget", lie)]).toEqual([
      lie,
      expect.arrayContaining(["budget"]),
    ]);
});

test.each(["racing, mesh", "rpg, mesh", "racing, relay", "puzzle for the CPU, moving, authority, WebRTC"])(
  "the probe notices thresholds that are not those in force: %s",
  async (name) => {
    const cell = cellOf(name);
    const said = await choiceOf(cell, "rates");
    const [, metres = "", radians = ""] = /([\d.]+) m or (?:turned )?([\d.]+) rad/.exec(said)!;
    for (const factor of [0.5, 2]) {
      for (const [number, unit] of [
        [metres, "m"],
        [radians, "rad"],
      ] as const) {
        const lie = said.replace(`${number} ${unit}`, `${Number(number) * factor} ${unit}`);
        expect([lie, await differingRows(cell, "rates", lie)]).toEqual([lie, ["rates"]]);
      }
    }
  },
);

test.each(["mesh", "relay"] as const)(
  "lost events are sent again during their lifetime: %s",
  async (topology) => {
    const network = { delayMs: 20, loss: { kind: "uniform", ratio: 0.05 } } as const;
    const { recording, sent } = await probe({ profile: "racing", topology, network, serverHasWebRtc: true });
    expect(recording.direct.length + recording.server.length).toBeGreaterThan(0);
    const arrived = new Set(recording.events.map(({ value }) => value)).size;
    // An event that was lost twice may arrive after 33 later packets. The receiver remembers no more, and
    // drops it.
    expect(arrived).toBeGreaterThanOrEqual(topology === "mesh" ? sent : sent - 1);
  },
);
