import { ConfigError } from "@paceline/protocol";
import {
  Lockstep,
  type Desync,
  type Turn,
  type TurnLengthOptions,
  type TurnMessage,
} from "@paceline/netcode";
import { readLockstepMessage, type LockstepMessage } from "./lockstep-messages.js";
import type { Room } from "./room.js";

/** Who plays, how a command is told from nonsense, and what a turn does. */
export interface LockstepSessionOptions<Command> {
  /** How many play: the session begins when so many are in the room. */
  readonly players: number;
  /** Checks a command that a peer sent; undefined where it is none. Every peer must come to the same answer. */
  readCommand(value: unknown): Command | undefined;
  /** Simulates a turn; returns the hash of the state after it, or nothing to skip the check. */
  onTurn(turn: Turn<Command>): number | undefined;
  /** All have met; the numbers of those who play, the same list everywhere. */
  onStart?(players: readonly number[]): void;
  /** Two players simulated the same turn to different states. */
  onDesync?(desync: Desync): void;
  /** A player has left, or was given up: everybody goes on without after the same turn. */
  onGone?(player: number): void;
  readonly turnLength?: TurnLengthOptions;
  /** Type of the session's messages, where a room has several. Default `lockstep`. */
  readonly type?: string;
}

/** Turns of a player that are kept for others who may lack them: nobody is further ahead of anybody. */
const KEPT_TURNS = 8;
/** Messages of a session that has not begun here yet. */
const MAX_EARLY = 64;
/** Shares of a new measurement in the running mean. */
const SMOOTHING = 0.1;

/**
 * Lockstep over a room: commands travel as reliable messages, everybody simulates the same turns. The one who joined
 * first says who plays. When a player is gone, the others tell each other which of its turns they have, and all go on
 * without it after the last that any of them has.
 *
 * Call {@link update} in every frame and {@link give} when the player does something.
 */
export class LockstepSession<Command> {
  readonly #room: Room;
  readonly #options: LockstepSessionOptions<Command>;
  readonly #type: string;
  readonly #unsubscribe: (() => void)[];
  /** Of every player the turns of late, own ones left out. */
  readonly #kept = new Map<number, Map<number, TurnMessage<Command>>>();
  /** For each player that is gone: whose account of it is there. */
  readonly #accounts = new Map<number, Set<number>>();
  #players: readonly number[] = [];
  #lockstep: Lockstep<Command> | undefined;
  #early: { readonly from: number; readonly message: LockstepMessage<Command> }[] = [];
  #lastUpdateMs: number | undefined;
  #frameMs = 16;
  #rttMs: number | undefined;
  #jitterMs = 0;

  constructor(room: Room, options: LockstepSessionOptions<Command>) {
    const { players, type = "lockstep" } = options;
    if (!Number.isInteger(players) || players < 1 || players > 64) {
      throw new ConfigError({ field: "players", value: players, expected: "1 to 64 players" });
    }
    this.#room = room;
    this.#options = options;
    this.#type = type;
    this.#unsubscribe = [
      room.onMessage(type, (value, { number }) => {
        const message = readLockstepMessage(value, (command) => options.readCommand(command));
        if (message) this.#hear(number, message);
      }),
      room.onPeerJoin(() => this.#meet()),
      room.onPeerLeave(({ number }) => this.#giveUp(number)),
      // Commands may be missing that all others have.
      room.onPeerReset(({ number }) => this.#giveUp(number)),
    ];
    this.#meet();
  }

  /** Numbers of those who play; empty before the session has begun. */
  get players(): readonly number[] {
    return this.#players;
  }

  /** The turn that is being simulated; 0 before the first. */
  get turn(): number {
    return this.#lockstep?.turn ?? 0;
  }

  get turnLengthMs(): number {
    return this.#lockstep?.lengthMs ?? 0;
  }

  /** Players whose commands for the next turn are missing. */
  get waitingFor(): readonly number[] {
    return this.#lockstep?.waitingFor ?? [];
  }

  /** For how long the game has been standing still for {@link waitingFor}, ms. */
  get stalledMs(): number {
    return this.#lockstep?.stalledMs(this.#room.clock.now()) ?? 0;
  }

  /** The player gives a command: everybody executes it two turns later. Before the session has begun it is lost. */
  give(command: Command): void {
    this.#lockstep?.give(command);
  }

  /** Begins the turns that are due. Call in every frame. */
  update(): void {
    const lockstep = this.#lockstep;
    if (!lockstep || this.#room.state === "left") return;
    const nowMs = this.#room.clock.now();
    this.#measure(lockstep, nowMs);
    lockstep.update(nowMs);
    for (const message of lockstep.takeOutgoing()) this.#room.send(this.#type, message);
  }

  /** Goes on without a player who stands still for too long; the others are told, that one too. */
  giveUp(player: number): void {
    if (player !== this.#room.myNumber && this.#players.includes(player)) this.#giveUp(player);
  }

  /** Hears and says nothing any more. */
  stop(): void {
    for (const stop of this.#unsubscribe.splice(0)) stop();
    this.#lockstep = undefined;
  }

  #meet(): void {
    const { myNumber, peers } = this.#room;
    if (this.#lockstep) return;
    const numbers = [myNumber, ...peers.map(({ number }) => number)].sort((a, b) => a - b);
    if (numbers[0] !== myNumber || numbers.length < this.#options.players) return;
    const players = numbers.slice(0, this.#options.players);
    this.#room.send(this.#type, { start: players });
    this.#begin(players);
  }

  #begin(players: readonly number[]): void {
    const options = this.#options;
    const { turnLength } = options;
    this.#players = players;
    this.#lockstep = new Lockstep<Command>({
      me: this.#room.myNumber,
      peers: players,
      onTurn: (turn) => options.onTurn(turn),
      onDesync: (desync) => options.onDesync?.(desync),
      nowMs: this.#room.clock.now(),
      ...(turnLength && { turnLength }),
    });
    options.onStart?.(players);
    for (const { from, message } of this.#early.splice(0)) this.#hear(from, message);
    const present = new Set(this.#room.peers.map(({ number }) => number));
    // Who left before this participant heard of the start.
    for (const player of players) {
      if (player !== this.#room.myNumber && !present.has(player)) this.#giveUp(player);
    }
  }

  #hear(from: number, message: LockstepMessage<Command>): void {
    const isStart = message.kind === "start";
    if (!this.#lockstep && !isStart) {
      // Those who have begun may be heard before the one who began it.
      if (this.#early.length < MAX_EARLY) this.#early.push({ from, message });
      return;
    }
    if (isStart) {
      const isFirst = this.#room.peers.every(({ number }) => number >= from) && from < this.#room.myNumber;
      const isMine = message.players.includes(this.#room.myNumber) && message.players.includes(from);
      if (!this.#lockstep && isFirst && isMine) this.#begin(message.players);
    } else if (!this.#players.includes(from) || this.#accounts.has(from)) return;
    else if (message.kind === "turn") this.#take(from, message.turn);
    else this.#hearGone(from, message.player, message.turns);
  }

  #take(player: number, message: TurnMessage<Command>): void {
    if (!this.#lockstep?.receive(player, message)) return;
    const turns = this.#kept.get(player) ?? new Map<number, TurnMessage<Command>>();
    this.#kept.set(player, turns);
    turns.set(message.turn, message);
    for (const turn of turns.keys()) if (turn <= message.turn - KEPT_TURNS) turns.delete(turn);
  }

  #hearGone(from: number, player: number, turns: readonly TurnMessage<Command>[]): void {
    if (!this.#players.includes(player)) return;
    if (player === this.#room.myNumber) {
      // The others go on without this participant.
      this.stop();
      this.#options.onGone?.(player);
      return;
    }
    for (const turn of turns) this.#take(player, turn);
    this.#giveUp(player);
    this.#accounts.get(player)?.add(from);
    this.#settle();
  }

  #giveUp(player: number): void {
    if (!this.#lockstep || !this.#players.includes(player)) return;
    if (!this.#accounts.has(player)) {
      this.#accounts.set(player, new Set([this.#room.myNumber]));
      const turns = [...(this.#kept.get(player)?.values() ?? [])];
      if (this.#room.state !== "left") this.#room.send(this.#type, { gone: player, turns });
      this.#options.onGone?.(player);
    }
    this.#settle();
  }

  /** Once everybody who plays on has given its account of a player, all know the same turns of it. */
  #settle(): void {
    const staying = this.#players.filter((player) => !this.#accounts.has(player));
    for (const [player, heard] of this.#accounts) {
      if (!staying.every((each) => heard.has(each))) continue;
      const last = Math.max(0, ...(this.#kept.get(player)?.keys() ?? []));
      this.#lockstep?.drop(player, last);
    }
  }

  #measure(lockstep: Lockstep<Command>, nowMs: number): void {
    if (this.#lastUpdateMs !== undefined) {
      // A machine that slept is no slow machine.
      const frameMs = Math.min(nowMs - this.#lastUpdateMs, 250);
      this.#frameMs += (frameMs - this.#frameMs) * SMOOTHING;
    }
    this.#lastUpdateMs = nowMs;
    const measured = this.#room.peers.flatMap(({ rttMs }) => rttMs ?? []);
    if (measured.length === 0) return;
    const rttMs = Math.max(...measured);
    this.#rttMs ??= rttMs;
    this.#jitterMs += (Math.abs(rttMs - this.#rttMs) - this.#jitterMs) * SMOOTHING;
    this.#rttMs += (rttMs - this.#rttMs) * SMOOTHING;
    lockstep.measure({ rttMs: this.#rttMs, jitterMs: this.#jitterMs, frameMs: this.#frameMs });
  }
}
