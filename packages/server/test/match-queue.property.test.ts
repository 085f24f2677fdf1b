import { seededRandom } from "@paceline/transport/simulated";
import { array, assert, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { matchQueue, spreadAfter, type Party } from "../src/queue/match-queue.js";
import { queueSettings, type QueueOptions } from "../src/queue/queue-options.js";

const limitsOf = (options: Partial<QueueOptions> = {}) => queueSettings("race", { players: 4, ...options });

function party(name: string, rank: number, { size = 1, sinceMs = 0, isReady = true } = {}): Party<string> {
  return { members: Array.from({ length: size }, (_, index) => `${name}${index}`), rank, sinceMs, isReady };
}

const named = (match: readonly Party<string>[] | undefined): string[] =>
  (match ?? []).flatMap(({ members }) => members).sort();

describe("a look at the queue", () => {
  it("matches the players nearest by rank", () => {
    const ranks = [1000, 1010, 1020, 1030, 1040, 1300, 1310];
    const parties = ranks.map((rank) => party(`${rank}-`, rank));
    const { matches } = matchQueue(parties, limitsOf({ players: 2, spread: 50 }), 0);
    expect(matches.map(named)).toEqual([
      ["1000-0", "1010-0"],
      ["1020-0", "1030-0"],
      ["1300-0", "1310-0"],
    ]);
  });

  it("widens with waiting time, up to its limit", () => {
    const limits = limitsOf({ players: 2, spread: 50, spreadPerSecond: 10, maxSpread: 300 });
    const far = (apart: number) => [party("a", 1000), party("b", 1000 + apart, { sinceMs: 20_000 })];
    expect(matchQueue(far(250), limits, 19_999).matches).toHaveLength(0);
    expect(matchQueue(far(250), limits, 20_000).matches).toHaveLength(1);
    expect(matchQueue(far(301), limits, 60_000).matches).toHaveLength(0);
    expect(spreadAfter(limits, 10_000)).toBe(150);
    expect(spreadAfter(limits, 1e9)).toBe(300);
  });

  it("lets the party with the longest wait choose first", () => {
    const parties = [
      party("new", 1000, { sinceMs: 900 }),
      party("old", 1030, { sinceMs: 100 }),
      party("mid", 1015, { sinceMs: 500 }),
    ];
    const { matches } = matchQueue(parties, limitsOf({ players: 2 }), 1000);
    expect(matches.map(named)).toEqual([["mid0", "old0"]]);
  });

  it("never splits friends: the sizes of a match add up", () => {
    const three = party("three", 1000, { size: 3 });
    const two = party("two", 1001, { size: 2 });
    expect(matchQueue([three, two], limitsOf(), 0).matches).toEqual([]);
    const one = party("one", 1050);
    expect(matchQueue([three, two, one], limitsOf(), 0).matches.map(named)).toEqual([
      ["one0", "three0", "three1", "three2"],
    ]);
    const other = party("other", 1060, { size: 2 });
    expect(matchQueue([two, other, three], limitsOf(), 0).matches.map(named)).toEqual([
      ["other0", "other1", "two0", "two1"],
    ]);
    expect(matchQueue([party("four", 1, { size: 4 })], limitsOf(), 0).matches).toHaveLength(1);
  });

  it("after the longest wait accepts fewer players if allowed, and gives up the others", () => {
    const limits = limitsOf({ leastPlayers: 2, maxWaitSeconds: 30, spreadPerSecond: 0 });
    const parties = [party("a", 1000), party("b", 1010, { sinceMs: 5000 }), party("c", 5000)];
    expect(matchQueue(parties, limits, 29_999)).toEqual({ matches: [], late: [] });
    const { matches, late } = matchQueue(parties, limits, 30_000);
    expect(matches.map(named)).toEqual([["a0", "b0"]]);
    expect(late.map(({ rank }) => rank)).toEqual([5000]);
    const half = party("half", 1000, { isReady: false });
    expect(matchQueue([half], limits, 30_000)).toEqual({ matches: [], late: [half] });
  });

  it("matches nobody twice, only ready players, in the right number, for any queue", () => {
    const given = record({
      rank: integer({ min: 0, max: 400 }),
      size: integer({ min: 1, max: 4 }),
      sinceMs: integer({ min: 0, max: 60_000 }),
      ready: integer({ min: 0, max: 4 }),
    });
    assert(
      property(array(given, { maxLength: 60 }), integer({ min: 1, max: 4 }), (wishes, leastPlayers) => {
        const limits = limitsOf({ leastPlayers, maxWaitSeconds: 50 });
        const parties = wishes.map(({ rank, size, sinceMs, ready }, index) =>
          party(`${index}-`, rank, { size, sinceMs, isReady: ready > 0 }),
        );
        const { matches, late } = matchQueue(parties, limits, 60_000);
        const all = [...matches.flat(), ...late];
        expect(new Set(all).size).toBe(all.length);
        for (const match of matches) {
          const [first] = match;
          const isLate = 60_000 - first!.sinceMs >= 50_000;
          const size = named(match).length;
          expect(size).toBeLessThanOrEqual(4);
          expect(size).toBeGreaterThanOrEqual(isLate ? leastPlayers : 4);
          const within = spreadAfter(limits, 60_000 - first!.sinceMs);
          for (const { isReady, rank } of match) {
            expect(isReady).toBe(true);
            expect(Math.abs(rank - first!.rank)).toBeLessThanOrEqual(within);
          }
        }
      }),
    );
  });

  it("with a thousand random players, waits are short and ranks near", () => {
    const random = seededRandom(7);
    const limits = limitsOf({ spread: 20, spreadPerSecond: 10 });
    let waiting: Party<string>[] = [];
    const [waits, widths]: [number[], number[]] = [[], []];
    for (let second = 0; second < 500; second++) {
      for (let count = 0; count < 2; count++) {
        const size = random.bool(0.2) ? 2 : 1;
        waiting.push(
          party(`${second}-${count}-`, random.normal(1500, 300), { size, sinceMs: second * 1000 }),
        );
      }
      const { matches } = matchQueue(waiting, limits, second * 1000);
      for (const match of matches) {
        for (const { sinceMs } of match) waits.push(second - sinceMs / 1000);
        widths.push(Math.max(...match.map(({ rank }) => rank)) - Math.min(...match.map(({ rank }) => rank)));
      }
      const gone = new Set(matches.flat());
      waiting = waiting.filter((each) => !gone.has(each));
    }
    expect(waits.length).toBeGreaterThan(950);
    expect(waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.95)]).toBeLessThan(40);
    expect(widths.sort((a, b) => a - b)[widths.length >> 1]).toBeLessThan(200);
  });
});

describe("options of a queue", () => {
  it.each([
    [{ players: 0 }, "queues.race.players: expected 1 to 64 players, got 0"],
    [{ players: 2.5 }, "queues.race.leastPlayers: expected a whole number, at most players (2.5), got 2.5"],
    [{ players: 2, leastPlayers: 3 }, "at most players (2), got 3"],
    [{ spread: -1 }, "queues.race.spread: expected 0 to "],
    [{ spreadPerSecond: Number.NaN }, "queues.race.spreadPerSecond"],
    [{ maxWaitSeconds: 0 }, "queues.race.maxWaitSeconds: expected 1 to 3600 s, got 0"],
    [{ maxPerAddress: 5000 }, "queues.race.maxPerAddress: expected 1 to 1000 players, got 5000"],
  ])("%j is refused: %s", (options, message) => {
    expect(() => limitsOf(options)).toThrow(message);
  });
});
