import { setImmediate as nextTurn } from "node:timers/promises";
import type { Genre, Room } from "@paceline/client";
import { createRelay } from "@paceline/relay";
import { seededRandom, VirtualScheduler } from "@paceline/testkit";
import { StagePlayer, virtualWebRtc, preloadRooms } from "@paceline/testkit/room";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { someOf } from "../../packages/testkit/test/some-of.js";
import { PuzzleGame } from "../puzzle/game.js";
import { StrategyGame, type Order } from "../strategy/game.js";

type Game = StrategyGame | PuzzleGame;

interface Player {
  readonly stage: StagePlayer;
  readonly room: Room;
  readonly game: Game;
  /** After each tick, from the first. */
  readonly hashes: number[];
}

interface Wire {
  readonly genre: Genre & ("strategy" | "puzzle");
  readonly topology: "relay" | "mesh";
  readonly loss: number;
}

const PLAYERS = 3;
const STEP_MS = 20;

/** Three players of a game, 100 ms from each other through a real relay, 50 ms directly, over a wire that loses packets. */
class Match {
  readonly scheduler = new VirtualScheduler({ startMs: 1000 });
  readonly players: Player[] = [];
  readonly #random = seededRandom(7);
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  static async begin(wire: Wire): Promise<Match> {
    // Virtual time does not wait for a module.
    await preloadRooms();
    const match = new Match(wire);
    const { scheduler } = match;
    const relay = createRelay({
      rooms: { game: { maxPlayers: PLAYERS } },
      scheduler,
      wallClockMs: () => scheduler.nowMs(),
    });
    const loss = { kind: "uniform", ratio: wire.loss } as const;
    const settings = { delayMs: 50, jitterMs: 10, loss };
    const webRtc = virtualWebRtc({ random: match.#random.fork(), settings });
    for (let count = 0; count < PLAYERS; count++) {
      const stage = new StagePlayer({
        scheduler,
        random: match.#random.fork(),
        network: settings,
        client: {
          // A puzzle spares the computing time of direct links, unless it is asked to have them.
          profile: { base: wire.genre, topology: wire.topology, favour: "latency" },
          transports: ["webrtc", "websocket"],
          webRtc,
        },
        accept: (link, protocols) => relay.takeLink(link, { address: "stage", headers: {}, protocols }),
      });
      const room = await match.until(stage.client.joinOrCreate("game"));
      match.#play(stage, room);
    }
    onTestFinished(() => match.players.forEach(({ room }) => void room.leave()));
    // Nor for that of direct links, which rooms fetch when they know each other.
    await match.run(1000);
    await vi.dynamicImportSettled();
    return match;
  }

  #play(stage: StagePlayer, room: Room): void {
    const game =
      this.#wire.genre === "strategy" ? new StrategyGame(room, PLAYERS) : new PuzzleGame(room, PLAYERS);
    const hashes: number[] = [];
    const step: (commands: never, tick: number) => void = game.step.bind(game);
    game.step = (commands: unknown, tick?: number): void => {
      step(commands as never, tick ?? 0);
      hashes.push(game.hash());
    };
    const random = this.#random.fork();
    this.scheduler.every(350, () => give(game, (below) => Math.floor(random.next() * below)));
    this.players.push({ stage, room, game, hashes });
  }

  async run(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.scheduler.advance(STEP_MS);
      await nextTurn();
    }
  }

  async until<Value>(promise: Promise<Value>): Promise<Value> {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    promise.then(settle, settle);
    for (let step = 0; step < 1000 && !isSettled; step++) await this.run(STEP_MS);
    return promise;
  }
}

/** The player does something. */
function give(game: Game, upTo: (below: number) => number): void {
  if (game instanceof PuzzleGame) game.match.give((["left", "right", "drop"] as const)[upTo(3)]!);
  else game.match.give({ unit: upTo(9), x: upTo(1600), y: upTo(1600) } satisfies Order);
}

/** Every tick that all have simulated came out the same; returns how many. */
function expectSameWorld(players: readonly Player[]): number {
  const ticks = Math.min(...players.map(({ hashes }) => hashes.length));
  const [first, ...others] = players.map(({ hashes }) => hashes.slice(0, ticks));
  for (const other of others) expect(other).toEqual(first);
  // A world in which nothing happens would agree too.
  expect(new Set(first).size).toBeGreaterThan(ticks / 20);
  return ticks;
}

/** Which path is in use at the moment, the measurements decide. */
function hasBeenDirect({ transport }: Room): boolean {
  return transport.history.some(
    ({ about, choice }) => about.startsWith("peer") && choice.startsWith("direct"),
  );
}

const HZ = { strategy: 20, puzzle: 30 } as const;
// The first two have each genre and each topology.
const cells = [0.2, 0.05].flatMap((loss) => [
  { genre: "strategy", topology: "mesh", loss } as const,
  { genre: "puzzle", topology: "relay", loss } as const,
  { genre: "strategy", topology: "relay", loss } as const,
  { genre: "puzzle", topology: "mesh", loss } as const,
]);

afterEach(() => vi.restoreAllMocks());

describe("three players in lockstep over a lossy wire", () => {
  test.each(someOf(cells, 2))(
    "$genre by $topology at $loss loss: all worlds are equal at every tick",
    async (wire) => {
      const errors = vi.spyOn(console, "error").mockReturnValue();
      const match = await Match.begin(wire);
      await match.run(60_000);
      const before = expectSameWorld(match.players);
      // Lost turns are repeated while all players wait for them: a part of the profile's rate remains.
      const leastHz = HZ[wire.genre] * (wire.loss > 0.1 ? 0.3 : 0.6);
      expect(before).toBeGreaterThan(60 * leastHz);
      for (const { room } of match.players) expect(hasBeenDirect(room)).toBe(wire.topology === "mesh");
      const [, cut, leaver] = match.players as [Player, Player, Player];
      cut.room.transport.killDirect();
      cut.stage.offline();
      await match.run(2000);
      cut.stage.online();
      await match.run(28_000);
      const after = expectSameWorld(match.players);
      expect(after).toBeGreaterThan(before + 20 * leastHz);
      leaver.room.leave();
      // The server keeps the seat for 20 s where the farewell is lost.
      await match.run(45_000);
      const staying = match.players.filter((player) => player !== leaver);
      expect(expectSameWorld(staying)).toBeGreaterThan(after + 20 * leastHz);
      expect(errors).not.toHaveBeenCalled();
    },
  );

  test.each(["strategy", "puzzle"] as const)(
    "%s: all players report a desync if one machine computes another step",
    async (genre) => {
      const errors = vi.spyOn(console, "error").mockReturnValue();
      const match = await Match.begin({ genre, topology: "relay", loss: 0.05 });
      const [, cheat] = match.players as [Player, Player];
      await match.run(10_000);
      expect(errors).not.toHaveBeenCalled();
      const { game } = cheat;
      if (game instanceof StrategyGame) game.units[0]!.x += 1;
      else game.board[13]![0] = 9;
      const { turn } = game.match;
      await match.run(2000);
      const said = errors.mock.calls.map(([text]) => String(text));
      expect(said[0]).toMatch(
        new RegExp(`has another ${genre === "strategy" ? "world" : "board"} after turn ${turn}$`),
      );
      // The two honest ones name it, and it names both.
      for (const player of [1, 2, 3]) expect(said.join()).toContain(`player ${player} has another`);
    },
  );
});
