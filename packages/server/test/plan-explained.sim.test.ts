import { expect, test } from "vitest";
import { treeCells } from "./plan-cells.js";
import { comparedRows, differences, inWords } from "./plan-claims.js";
import { probe } from "./plan-probe.js";

// One cell for each row of the decision tree that sets something. plan-explained.slow.test.ts has all cells.

const cells = Object.entries(treeCells).filter(([, { page }]) => page === undefined);

test.each(cells)("what a room says of itself matches the packets: %s", async (_, cell) => {
  const played = await probe(cell);
  expect(inWords(differences(cell, played), played.explained)).toBe("");
});

test("the probe compares a row of each kind, and notices a false one", async () => {
  const cell = treeCells["racing, mesh"]!;
  const played = await probe(cell);
  const abouts = new Set(played.explained.map(({ about }) => about.replace(/ \d+$/, "")));
  expect(comparedRows.filter((about) => !abouts.has(about))).toEqual([]);
  const lies: Readonly<Record<string, string>> = {
    states: "0 of 1 players over WebRTC, the others relayed over WebSocket; all arrive, in order",
    messages: "events are dropped after 10 ms; commands arrive, in order; in packets 100 ms apart",
    budget: "at most 64000 bytes/s; states get 4000 bytes/s: 1 entities wait, 8000 bytes/s would do",
    rates: "up to 10 states/s, packets 100 ms apart, sent when 0.1 m or 0.03 rad off, or after 100 ms",
    "others are shown": "where they are now, moved on for at most 300 ms without news",
    "measured now": "loss 12.0 % (high), round trip 10 ms (short)",
    server: "states on webrtc, the rest on websocket",
    "peer 2": "relay: WebSocket to the server, relayed from there",
  };
  for (const [about, choice] of Object.entries(lies)) {
    const explained = played.explained.map((row) => (row.about === about ? { ...row, choice } : row));
    const found = differences(cell, { ...played, explained });
    expect([about, [...new Set(found.map((each) => each.about))]]).toEqual([about, [about]]);
  }
});

test.each([
  "racing, mesh, more sheep than the budget",
  "racing, authority, more sheep than the room's budget",
])("the probe notices a false budget of states, and a false number that would do: %s", async (name) => {
  const cell = treeCells[name]!;
  const played = await probe(cell);
  const row = played.explained.find(({ about }) => about === "budget")!;
  expect(row.choice).toContain("entities wait");
  const lies = [
    row.choice.replace(/; states get.*/, ""),
    row.choice.replace("states get 2000", "states get 4000"),
    row.choice.replace(/(\d+) bytes\/s would do/, (_, needed) => `${Number(needed) / 2} bytes/s would do`),
    row.choice.replace(/: \d+ entities wait/, ": 40 entities wait"),
  ];
  for (const lie of lies) {
    const explained = played.explained.map((each) => (each === row ? { ...row, choice: lie } : each));
    const abouts = differences(cell, { ...played, explained }).map(({ about }) => about);
    expect([lie, abouts.includes("budget")]).toEqual([lie, true]);
  }
});

test.each(["racing, mesh", "rpg, mesh", "shooter, authority"])(
  "the probe notices a false number of present states: %s",
  async (name) => {
    const cell = treeCells[name]!;
    const played = await probe(cell);
    const row = played.explained.find(({ about }) => about === "rates")!;
    for (const lie of ["now 1", "now 60"]) {
      const changed = { ...row, choice: row.choice.replace(/now [\d.]+/, lie) };
      const explained = played.explained.map((each) => (each === row ? changed : each));
      const abouts = differences(cell, { ...played, explained }).map(({ about }) => about);
      expect([lie, abouts]).toEqual([lie, ["rates"]]);
    }
  },
);

test.each(["racing, mesh", "rpg, mesh", "racing, relay", "puzzle for the CPU, moving, authority, WebRTC"])(
  "the probe notices thresholds that are not those in force: %s",
  async (name) => {
    const cell = treeCells[name]!;
    const played = await probe(cell);
    const row = played.explained.find(({ about }) => about === "rates")!;
    const [, metres = "", radians = ""] = /([\d.]+) m or (?:turned )?([\d.]+) rad/.exec(row.choice)!;
    for (const factor of [0.5, 2]) {
      for (const [said, unit] of [
        [metres, "m"],
        [radians, "rad"],
      ] as const) {
        const lie = row.choice.replace(`${said} ${unit}`, `${Number(said) * factor} ${unit}`);
        const explained = played.explained.map((each) => (each === row ? { ...row, choice: lie } : each));
        const abouts = differences(cell, { ...played, explained }).map(({ about }) => about);
        expect([lie, abouts.includes("rates")]).toEqual([lie, true]);
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
