import { ConfigError } from "@paceline/protocol";
import { NetworkSimulator, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { describe, expect, test } from "vitest";
import { Lockstep, StateHash, type Desync, type Turn, type TurnMessage } from "../src/index.js";
import { TurnLength } from "../src/lockstep/turn-length.js";

interface Player {
  readonly game: Lockstep<string>;
  readonly log: string[];
  readonly turns: Turn<string>[];
  readonly desyncs: Desync[];
  readonly turnAtMs: number[];
}

interface MatchOptions {
  readonly delaysMs: readonly number[];
  readonly frameMs?: readonly number[];
  /** One player computes different states from this turn on. */
  readonly cheat?: { readonly player: number; readonly fromTurn: number };
}

/** Players in a full mesh of reliable, ordered paths. Packets of player i take `delaysMs[i]`. */
class Match {
  readonly scheduler = new VirtualScheduler();
  readonly players: Player[] = [];
  readonly silent = new Set<number>();
  readonly #options: MatchOptions;

  constructor(options: MatchOptions) {
    this.#options = options;
    const peers = options.delaysMs.map((_, peer) => peer);
    for (const me of peers) this.players.push(this.#join(me, peers));
    for (const me of peers) this.#run(me, peers);
  }

  #join(me: number, peers: readonly number[]): Player {
    const player: Omit<Player, "game"> = { log: [], turns: [], desyncs: [], turnAtMs: [] };
    const hash = new StateHash();
    const game = new Lockstep<string>({
      me,
      peers,
      nowMs: 0,
      onDesync: (desync) => player.desyncs.push(desync),
      onTurn: (turn) => {
        player.turns.push(turn);
        player.turnAtMs.push(this.scheduler.nowMs());
        for (const { peer, commands } of turn.commands) {
          for (const command of commands) {
            player.log.push(`${turn.turn}:${peer}:${command}`);
            hash.number(peer).text(command);
          }
        }
        const { cheat } = this.#options;
        return cheat?.player === me && turn.turn >= cheat.fromTurn ? hash.digest() ^ 1 : hash.digest();
      },
    });
    return { ...player, game };
  }

  #run(me: number, peers: readonly number[]): void {
    const { delaysMs, frameMs = [] } = this.#options;
    const paths = peers.map((peer) => this.#path(me, peer));
    const slowestMs = Math.max(...delaysMs);
    const { game } = this.players[me]!;
    this.scheduler.every(frameMs[me] ?? 16, () => {
      if (this.silent.has(me)) return;
      game.measure({ rttMs: delaysMs[me]! + slowestMs, jitterMs: 2, frameMs: frameMs[me] ?? 16 });
      game.update(this.scheduler.nowMs());
      for (const message of game.takeOutgoing()) for (const send of paths) send?.(message);
    });
  }

  #path(from: number, to: number): ((message: TurnMessage<string>) => void) | undefined {
    if (from === to) return undefined;
    const waiting: TurnMessage<string>[] = [];
    const simulator = new NetworkSimulator({
      scheduler: this.scheduler,
      random: seededRandom(from * 16 + to + 1),
      settings: {
        delayMs: this.#options.delaysMs[from]!,
        jitterMs: 2,
        loss: { kind: "uniform", ratio: 0.01 },
      },
      ordered: true,
      reliable: true,
      deliver: () => this.players[to]!.game.receive(from, waiting.shift()!),
    });
    return (message) => {
      waiting.push(message);
      simulator.send(new Uint8Array(20));
    };
  }
}

describe("lockstep", () => {
  test("all peers execute the same commands in the same turns, two turns after they were given", () => {
    const match = new Match({ delaysMs: [10, 40, 80] });
    const given: { turn: number; command: string }[] = [];
    match.scheduler.every(170, () => {
      for (const [peer, { game }] of match.players.entries()) {
        const command = `c${given.length}`;
        given.push({ turn: game.turn, command: `${peer}:${command}` });
        game.give(command);
      }
    });
    match.scheduler.advance(20_000);
    const shortest = Math.min(...match.players.map(({ log }) => log.length));
    expect(shortest).toBeGreaterThan(250);
    const [first] = match.players;
    for (const { log, desyncs } of match.players) {
      expect(log.slice(0, shortest)).toEqual(first!.log.slice(0, shortest));
      expect(desyncs).toEqual([]);
    }
    for (const { turn, command } of given.slice(0, 100)) {
      expect(first!.log).toContain(`${turn + 2}:${command}`);
    }
  });

  test("turns are as long as the slowest path or machine needs, and equal on all peers", () => {
    const near = new Match({ delaysMs: [5, 5] });
    const far = new Match({ delaysMs: [5, 150] });
    const slow = new Match({ delaysMs: [5, 5], frameMs: [16, 200] });
    for (const match of [near, far, slow]) match.scheduler.advance(10_000);
    const lengths = (match: Match): number[] => match.players.map(({ turns }) => turns.at(-10)!.lengthMs);
    expect(Math.max(...lengths(near))).toBe(50);
    expect(Math.min(...lengths(far))).toBeGreaterThan(90);
    expect(Math.min(...lengths(slow))).toBeGreaterThan(200);
    for (const match of [near, far, slow]) {
      const turns = match.players.map((player) => player.turns.slice(0, 40).map(({ lengthMs }) => lengthMs));
      expect(turns[0]).toEqual(turns[1]);
    }
  });

  test("a peer that computes a different state is detected in that turn", () => {
    const match = new Match({ delaysMs: [20, 30], cheat: { player: 1, fromTurn: 25 } });
    match.scheduler.advance(5000);
    expect(match.players[0]!.desyncs[0]).toMatchObject({ turn: 25, peer: 1 });
    expect(match.players[1]!.desyncs[0]).toMatchObject({ turn: 25, peer: 0 });
  });

  test("the stalled peer is named, and lost time is not recovered after its return", () => {
    const match = new Match({ delaysMs: [20, 20, 20] });
    match.scheduler.advance(3000);
    match.silent.add(2);
    match.scheduler.advance(4000);
    const { game, turnAtMs } = match.players[0]!;
    expect(game.waitingFor).toEqual([2]);
    expect(game.stalledMs(match.scheduler.nowMs())).toBeGreaterThan(3000);
    const before = turnAtMs.length;
    match.silent.delete(2);
    match.scheduler.advance(1000);
    expect(game.waitingFor.length === 0 || game.stalledMs(match.scheduler.nowMs()) < 100).toBe(true);
    expect(turnAtMs.length - before).toBeGreaterThan(8);
    expect(turnAtMs.length - before).toBeLessThan(25);
  });

  test("after a peer leaves, the others continue from the agreed turn", () => {
    const match = new Match({ delaysMs: [20, 20, 20] });
    match.scheduler.advance(3000);
    match.silent.add(2);
    match.scheduler.advance(1000);
    const [a, b] = match.players as [Player, Player, Player];
    const lastTurn = Math.min(a.game.turn, b.game.turn);
    for (const { game } of [a, b]) game.drop(2, lastTurn);
    match.scheduler.advance(2000);
    expect(a.game.turn).toBeGreaterThan(lastTurn + 10);
    expect(a.turns.at(-1)!.commands.map(({ peer }) => peer)).toEqual([0, 1]);
    const shared = Math.min(a.log.length, b.log.length);
    expect(a.log.slice(0, shared)).toEqual(b.log.slice(0, shared));
    expect([...a.desyncs, ...b.desyncs]).toEqual([]);
  });

  test("commands are executed in the order of peer numbers, for any order of the list of peers", () => {
    const executed = [
      [1, 2, 10],
      [10, 1, 2, 1],
      [2, 10, 1],
    ].map((peers, index) => {
      const turns: Turn<string>[] = [];
      const me = [1, 2, 10][index]!;
      const onTurn = (turn: Turn<string>): undefined => void turns.push(turn);
      const game = new Lockstep<string>({ me, peers, nowMs: 0, onTurn });
      game.give(`of ${me}`);
      game.update(50);
      for (const peer of peers.filter((each) => each !== me)) {
        game.receive(peer, { turn: 2, commands: [`of ${peer}`], wishMs: 50 });
      }
      game.update(100);
      return turns.at(-1);
    });
    expect(executed[0]).toMatchObject({
      turn: 2,
      commands: [1, 2, 10].map((peer) => ({ peer, commands: [`of ${peer}`] })),
    });
    expect(executed[1]).toEqual(executed[0]);
    expect(executed[2]).toEqual(executed[0]);
  });

  test("a turn begins on time, and after a stall of more than a turn the next turns count from then", () => {
    const game = new Lockstep<string>({ me: 1, peers: [1, 2], nowMs: 1000, onTurn: () => undefined });
    const turnAt = (nowMs: number): number => {
      game.update(nowMs);
      return game.turn;
    };
    const message = { commands: [], wishMs: 50 };
    // The first turn has no commands, so it does not wait.
    expect([turnAt(1049.9), turnAt(1050), game.endsAtMs, game.lengthMs]).toEqual([0, 1, 1100, 50]);
    expect([game.waitingFor, game.stalledMs(1100), game.stalledMs(1130)]).toEqual([[2], 0, 30]);
    // If a turn is late by at most its own length, the schedule stays.
    expect([turnAt(1150), game.receive(2, { ...message, turn: 2 }), game.waitingFor]).toEqual([1, true, []]);
    expect([game.stalledMs(1150), turnAt(1150), game.endsAtMs]).toEqual([0, 2, 1150]);
    game.receive(2, { ...message, turn: 3 });
    expect([turnAt(1200.1), game.endsAtMs]).toEqual([3, 1250.1]);
    expect(game.takeOutgoing().map(({ turn }) => turn)).toEqual([2, 3, 4]);
    expect(game.takeOutgoing()).toEqual([]);
  });

  test("a stall of this machine is no wait for the others", () => {
    const game = new Lockstep<string>({ me: 1, peers: [1, 2], nowMs: 0, onTurn: () => undefined });
    game.update(50);
    game.update(110);
    expect([game.waitingFor, game.stalledMs(110)]).toEqual([[2], 10]);
    // The other one's command came while this machine slept, and is read after the first frame.
    expect(game.stalledMs(30_110)).toBe(1010);
    game.update(30_110);
    expect(game.stalledMs(30_126)).toBe(1026);
    game.receive(2, { commands: [], wishMs: 50, turn: 2 });
    game.update(30_126);
    expect([game.turn, game.stalledMs(30_126)]).toEqual([2, 0]);
  });

  test("a peer's hash is compared when both are known, unless it is older than 64 turns", () => {
    const desyncs: Desync[] = [];
    const game = new Lockstep<string>({
      me: 1,
      peers: [1, 2],
      nowMs: 0,
      onTurn: ({ turn }) => turn,
      onDesync: (desync) => desyncs.push(desync),
    });
    const receive = (turn: number, hash: { turn: number; hash: number }): void => {
      expect(game.receive(2, { turn, commands: [], wishMs: 50, hash })).toBe(true);
    };
    game.update(50);
    receive(2, { turn: 1, hash: 1 });
    receive(3, { turn: 3, hash: 99 });
    expect(desyncs).toEqual([]);
    for (let turn = 4; turn <= 6; turn++) receive(turn, { turn: 2, hash: 2 });
    for (let nowMs = 100; game.turn < 6; nowMs += 50) game.update(nowMs);
    expect(desyncs).toEqual([{ turn: 3, peer: 2, mine: 3, theirs: 99 }]);
    for (let turn = 7; turn <= 70; turn++) {
      receive(turn, { turn, hash: turn });
      game.update(turn * 1000);
    }
    receive(71, { turn: 7, hash: 0 });
    receive(72, { turn: 6, hash: 0 });
    expect(desyncs.map(({ turn }) => turn)).toEqual([3, 7]);
    expect(game.takeOutgoing().at(-1)).toMatchObject({ turn: 71, hash: { turn: 69, hash: 69 } });
  });

  test("turn lengths are multiples of a step, and at least the longest wish", () => {
    const length = new TurnLength({ minMs: 50, maxMs: 1000, stepMs: 50 });
    expect([1, 50, 51, 199, 200, 200.4, 5000].map((wish) => length.next(50, [wish]))).toEqual([
      50, 50, 100, 200, 200, 250, 1000,
    ]);
    expect(length.next(400, [10])).toBe(350);
    const third = new TurnLength({ minMs: 1000 / 30, maxMs: 1000, stepMs: 1000 / 30 });
    for (let steps = 1; steps <= 30; steps++) {
      expect(third.next(0, [(steps * 1000) / 30]) / (1000 / 30)).toBeCloseTo(steps, 9);
    }
    expect(length.wish({ rttMs: 100, jitterMs: 5, frameMs: 16, leastMs: 200 })).toBe(200);
    expect(length.wish({ rttMs: 600, jitterMs: 5, frameMs: 16, leastMs: 200 })).toBe(326);
  });

  test("messages of unknown peers, and of past or far turns, change nothing", () => {
    const game = new Lockstep<string>({ me: 1, peers: [1, 2], nowMs: 0, onTurn: () => undefined });
    const message = { turn: 2, commands: [], wishMs: 50 };
    expect(game.receive(3, message)).toBe(false);
    expect(game.receive(1, message)).toBe(false);
    expect(game.receive(2, { ...message, turn: 0 })).toBe(false);
    expect(game.receive(2, { ...message, turn: 1e6 })).toBe(false);
    expect(game.receive(2, { ...message, turn: NaN })).toBe(false);
    expect(game.receive(2, { ...message, wishMs: NaN })).toBe(true);
    expect(game.receive(2, message)).toBe(false);
    game.update(NaN);
    game.update(1e9);
    expect(game.turn).toBe(1);
    expect(() => new Lockstep({ me: 1, peers: [2], nowMs: 0, onTurn: () => undefined })).toThrow(ConfigError);
    expect(() => new TurnLength({ minMs: 0, maxMs: 5 })).toThrow(ConfigError);
    expect(new TurnLength().wish({ rttMs: NaN, jitterMs: 0, frameMs: 0 })).toBe(1000);
  });
});

describe("state hash", () => {
  test("depends on every bit, but not on the sign of zero or the payload of NaN", () => {
    const of = (value: number): number => new StateHash().number(value).digest();
    expect(of(0.1 + 0.2)).not.toBe(of(0.3));
    expect(of(-0)).toBe(of(0));
    const odd = new Float64Array(Uint8Array.of(1, 0, 0, 0, 0, 0, 0xf8, 0x7f).buffer)[0]!;
    expect(of(odd)).toBe(of(NaN));
    expect(new StateHash().numbers([1, 2]).digest()).not.toBe(new StateHash().numbers([2, 1]).digest());
    expect(new StateHash().text("ab").digest()).not.toBe(new StateHash().text("ba").digest());
  });
});
