import { ConfigError, NetError, writePeerPayload } from "@paceline/protocol";
import { Lockstep, type Desync, type Turn, type TurnMessage } from "@paceline/netcode";
import { checkKeys } from "@paceline/transport";
import { guarded } from "../events/listeners.js";
import { MAX_COMMANDS, readLockstepMessage, type LockstepMessage } from "./lockstep-messages.js";
import type { Room } from "../api/room.js";

/** A command with the number of the player who gave it. */
export interface PlayerCommand<Command> {
  readonly player: number;
  readonly command: Command;
}

/** The start values, equal on every machine. */
export interface LockstepStart {
  /** Numbers of those who play, lowest first. */
  readonly players: readonly number[];
  /** 32 bits of chance, for a seeded generator of the game's. */
  readonly seed: number;
}

/** The players, the check of a command, and the game's tick. */
export interface LockstepSessionOptions<Command> {
  /** Number of players, 1 to 64: the session begins when this many are ready. */
  readonly players: number;
  /** Checks a command that a peer sent; undefined where it is none. Every peer must come to the same answer. */
  readCommand(value: unknown): Command | undefined;
  /**
   * Simulates one tick, numbered from 1: executes the commands in their order, then moves everything on. Must do exactly
   * the same on every machine: no clock, no `Math.random`, no number that a browser may round differently.
   */
  step(commands: readonly PlayerCommand<Command>[], tick: number): void;
  /** Hash of all that {@link step} reads: players compare it once a turn. Without it nothing is compared. */
  hash?(): number;
  /** All are ready: sets the state that the first tick begins with. */
  onStart?(start: LockstepStart): void;
  /** Called when another player's state differs from this one at the end of a turn. */
  onDesync?(desync: Desync): void;
  /** A player has left, or was given up: everybody goes on without after the same turn. One's own number: the others do. */
  onGone?(player: number): void;
  /** The session begins without this player, or has begun: nobody can join it later. */
  onRefused?(reason: string): void;
  /** Type of the session's messages, where a room has several. Default `lockstep`. */
  readonly type?: string;
}

/** Turns of a player that are kept for others who may lack them: two at most, since nobody is further ahead of anybody. */
const KEPT_TURNS = 4;
/** Commands of one player in one turn, encoded: those of all kept turns fit into one message. */
const MAX_TURN_BYTES = 3500;
/** Messages of a session that has not begun here yet. */
const MAX_EARLY = 64;
const MAX_TURN_MS = 1000;
/** Share of a new measurement in the running mean. */
const SMOOTHING = 0.1;
/** Share of a tick: times are sums of fractions of a millisecond. */
const ROUNDING = 1e-6;

const optionNames: Readonly<Record<keyof LockstepSessionOptions<unknown>, true>> = {
  players: true,
  readCommand: true,
  step: true,
  hash: true,
  onStart: true,
  onDesync: true,
  onGone: true,
  onRefused: true,
  type: true,
};

/**
 * Lockstep over a room whose players are among themselves: commands travel as reliable messages, everybody simulates the
 * same ticks. Runs by itself, on the room's timers, until {@link stop} or the end of the room.
 *
 * The rates are those of the room's profile: `tickHz` ticks per second; turns, after two of which a command is executed,
 * are as long as the plan's `stateHz`, its bundling of messages and the slowest path ask for.
 *
 * The one who joined the room first says who plays. When a player is gone, the others tell each other which of its turns
 * they have, and all go on without it after the last that any of them has.
 */
export class LockstepSession<Command> {
  readonly #room: Room;
  readonly #options: LockstepSessionOptions<Command>;
  readonly #type: string;
  readonly #tickHz: number;
  readonly #ends: (() => void)[];
  /** Other players that wait for the start with the same tick rate. */
  readonly #ready = new Set<number>();
  /** Late turns of every player but this one. */
  readonly #kept = new Map<number, Map<number, TurnMessage<Command>>>();
  /** For each player that is gone: whose account of it is there. */
  readonly #accounts = new Map<number, Set<number>>();
  /** Turns that could not be sent yet: without them no player could go on. */
  readonly #unsent: unknown[] = [];
  #start: LockstepStart | undefined;
  #me = 0;
  #lockstep: Lockstep<Command> | undefined;
  #early: { readonly from: number; readonly message: LockstepMessage<Command> }[] = [];
  /** Own commands of the turn that runs. */
  #given: Command[] = [];
  /** Commands of the turn that runs, for its first tick. */
  #commands: readonly PlayerCommand<Command>[] = [];
  #ticksLeft = 0;
  #tick = 0;
  #lastUpdateMs: number | undefined;
  #frameMs = 16;
  #rttMs: number | undefined;
  #jitterMs = 0;

  /** Throws {@link ConfigError} for options or a room that do not fit. */
  constructor(room: Room, options: LockstepSessionOptions<Command>) {
    checkOptions(options);
    if (room.authority) {
      const expected = "a room whose players are among themselves: in this one the server decides";
      throw new ConfigError({ field: "room", value: room.name, expected });
    }
    this.#room = room;
    this.#options = options;
    this.#type = options.type ?? "lockstep";
    this.#tickHz = room.setup.tickHz;
    this.#ends = [
      room.onMessage(this.#type, (value, { number }) => {
        const message = readLockstepMessage(value, (command) => options.readCommand(command));
        if (message) this.#hear(number, message);
      }),
      room.onPeerLeave(({ number }) => this.#peerLeft(number)),
      // Commands may be missing that all others have.
      room.onPeerReset(({ number }) => this.#peerLeft(number)),
      room.onReconnect(({ resumed }) => resumed || this.#joinedAnew()),
      room.onLeave(() => this.stop()),
      room.enterLockstep(),
      room.setup.scheduler.every(1000 / this.#tickHz, () => this.#update()),
    ];
    this.#post({ here: this.#tickHz });
    this.#meet();
  }

  /** Numbers of those who play; empty before the session has begun. */
  get players(): readonly number[] {
    return this.#start?.players ?? [];
  }

  /** The turn that is being simulated; 0 before the first. */
  get turn(): number {
    return this.#lockstep?.turn ?? 0;
  }

  /** The tick that was simulated last; 0 before the first. */
  get tick(): number {
    return this.#tick;
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

  /**
   * The player gives a command: everybody executes it two turns later. Before the session has begun it is lost. Throws
   * {@link ConfigError} for what `readCommand` does not take, and {@link NetError} `limit/queue` for more in one turn
   * than 256 commands or 3500 bytes.
   */
  give(command: Command): void {
    if (this.#options.readCommand(command) === undefined) {
      throw new ConfigError({ field: "command", value: command, expected: "what readCommand takes" });
    }
    if (!this.#lockstep) return;
    const given = [...this.#given, command];
    const { length } = writePeerPayload({ kind: "command", type: this.#type, message: given });
    if (given.length > MAX_COMMANDS || length > MAX_TURN_BYTES) {
      const most = `${MAX_COMMANDS} commands and ${MAX_TURN_BYTES} bytes`;
      throw new NetError("limit/queue", `a player gives at most ${most} in a turn`, { retryable: true });
    }
    this.#given = given;
    this.#lockstep.give(command);
  }

  /** Removes a player that sends no turn for too long, and tells all players. */
  giveUp(player: number): void {
    if (player !== this.#me && this.players.includes(player)) this.#giveUp(player);
  }

  /** Hears and says nothing any more: the others wait for this player until they give it up, or it leaves the room. */
  stop(): void {
    for (const end of this.#ends.splice(0)) end();
    this.#lockstep = undefined;
  }

  #meet(): void {
    const { myNumber, peers } = this.#room;
    const { players: count } = this.#options;
    if (this.#start || peers.some(({ number }) => number < myNumber) || this.#ready.size + 1 < count) return;
    const players = [myNumber, ...this.#ready].sort((a, b) => a - b).slice(0, count);
    // The only unseeded random value; every player receives it.
    this.#begin({ players, seed: Math.floor(Math.random() * 2 ** 32) });
    this.#post(this.#startMessage);
  }

  get #startMessage(): object {
    const { players, seed } = this.#start!;
    return { start: players, seed, tickHz: this.#tickHz };
  }

  #begin(start: LockstepStart): void {
    const options = this.#options;
    const tickMs = 1000 / this.#tickHz;
    this.#start = start;
    this.#me = this.#room.myNumber;
    this.#lockstep = new Lockstep<Command>({
      me: this.#me,
      peers: start.players,
      onTurn: (turn) => this.#beginTurn(turn, tickMs),
      // Players compare the state before a turn's first tick.
      onDesync: (desync) => guarded(() => options.onDesync?.({ ...desync, turn: desync.turn - 1 })),
      nowMs: this.#room.clock.now(),
      turnLength: { minMs: tickMs, maxMs: MAX_TURN_MS, stepMs: tickMs },
    });
    guarded(() => options.onStart?.(start));
    for (const { from, message } of this.#early.splice(0)) this.#hear(from, message);
    const present = new Set(this.#room.peers.map(({ number }) => number));
    // Players that left before this participant heard of the start.
    for (const player of start.players) {
      if (player !== this.#me && !present.has(player)) this.#giveUp(player);
    }
  }

  #hear(from: number, message: LockstepMessage<Command>): void {
    if (message.kind === "here") return this.#hearHere(from, message);
    if (message.kind === "start") return this.#hearStart(from, message);
    if (!this.#start) {
      // Messages of players who have begun may come before the one that begins.
      if (this.#early.length < MAX_EARLY) this.#early.push({ from, message });
    } else if (!this.players.includes(from) || this.#accounts.has(from)) return;
    else if (message.kind === "turn") this.#take(from, message.turn);
    else this.#hearGone(from, message.player, message.turns);
  }

  #hearHere(from: number, { tickHz, isAnswer }: Extract<LockstepMessage<Command>, { kind: "here" }>): void {
    const peer = this.#room.peers.find(({ number }) => number === from);
    if (!peer) return;
    if (this.#start) return this.#room.send(this.#type, this.#startMessage, peer);
    if (tickHz === this.#tickHz) this.#ready.add(from);
    if (!isAnswer) this.#room.send(this.#type, { here: this.#tickHz, answer: true }, peer);
    this.#meet();
  }

  #hearStart(
    from: number,
    { players, seed, tickHz }: Extract<LockstepMessage<Command>, { kind: "start" }>,
  ): void {
    const [first] = players;
    const isFirstGone = !this.#room.peers.some(({ number }) => number === first);
    if (this.#start || !players.includes(from) || (from !== first && !isFirstGone)) return;
    if (players.some((player, index) => index > 0 && player <= players[index - 1]!)) return;
    if (tickHz !== this.#tickHz) {
      return this.#refuse(`the others simulate ${tickHz} ticks per second, this player ${this.#tickHz}`);
    }
    if (!players.includes(this.#room.myNumber)) {
      return this.#refuse("the match has begun with others, and nobody can join it later");
    }
    this.#begin({ players, seed });
  }

  #refuse(reason: string): void {
    this.stop();
    this.#options.onRefused?.(reason);
  }

  #take(player: number, message: TurnMessage<Command>): void {
    if (!this.#lockstep?.receive(player, message)) return;
    const turns = this.#kept.get(player) ?? new Map<number, TurnMessage<Command>>();
    this.#kept.set(player, turns);
    turns.set(message.turn, message);
    for (const turn of turns.keys()) if (turn <= message.turn - KEPT_TURNS) turns.delete(turn);
  }

  #hearGone(from: number, player: number, turns: readonly TurnMessage<Command>[]): void {
    if (!this.players.includes(player)) return;
    // The others go on without this participant.
    if (player === this.#me) return this.#isGone();
    for (const turn of turns) this.#take(player, turn);
    this.#giveUp(player);
    this.#accounts.get(player)?.add(from);
    this.#settle();
  }

  #isGone(): void {
    this.stop();
    this.#options.onGone?.(this.#me);
  }

  #peerLeft(player: number): void {
    this.#ready.delete(player);
    if (this.#start) return this.#giveUp(player);
    // Somebody may have heard the start that this one has missed; or it is this one's turn to say it.
    this.#post({ here: this.#tickHz });
    this.#meet();
  }

  /** The server had forgotten the session: the others have seen this participant leave. */
  #joinedAnew(): void {
    this.#ready.clear();
    if (this.#start) this.#isGone();
    else this.#post({ here: this.#tickHz });
  }

  #giveUp(player: number): void {
    if (!this.#lockstep || !this.players.includes(player)) return;
    if (!this.#accounts.has(player)) {
      this.#accounts.set(player, new Set([this.#me]));
      this.#post({ gone: player, turns: [...(this.#kept.get(player)?.values() ?? [])] });
      guarded(() => this.#options.onGone?.(player));
    }
    this.#settle();
  }

  /** Once everybody who plays on has given its account of a player, all know the same turns of it. */
  #settle(): void {
    const staying = this.players.filter((player) => !this.#accounts.has(player));
    for (const [player, heard] of this.#accounts) {
      if (!staying.every((each) => heard.has(each))) continue;
      const last = Math.max(0, ...(this.#kept.get(player)?.keys() ?? []));
      this.#lockstep?.drop(player, last);
    }
  }

  /** Sends to everybody, in this order, now or when the room's queue has space again. */
  #post(message: unknown): void {
    this.#unsent.push(message);
    this.#flush();
  }

  #flush(): void {
    try {
      while (this.#unsent.length > 0) {
        this.#room.send(this.#type, this.#unsent[0]);
        this.#unsent.shift();
      }
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
    }
  }

  #update(): void {
    const lockstep = this.#lockstep;
    if (lockstep) {
      const nowMs = this.#room.clock.now();
      this.#measure(lockstep, nowMs);
      lockstep.update(nowMs);
      const ticksToGo = ((lockstep.endsAtMs - nowMs) * this.#tickHz) / 1000;
      this.#stepUntil(Math.ceil(ticksToGo - ROUNDING) - 1);
      this.#unsent.push(...lockstep.takeOutgoing());
    }
    this.#flush();
  }

  #beginTurn({ lengthMs, commands }: Turn<Command>, tickMs: number): number | undefined {
    this.#stepUntil(0);
    this.#given = [];
    this.#commands = commands.flatMap(({ peer: player, commands: given }) =>
      given.map((command) => ({ player, command })),
    );
    this.#ticksLeft = Math.round(lengthMs / tickMs);
    return this.#options.hash?.();
  }

  /** Simulates ticks of the turn that runs until only so many are left. */
  #stepUntil(left: number): void {
    while (this.#lockstep && this.#ticksLeft > Math.max(0, left)) {
      const commands = this.#commands;
      this.#commands = [];
      this.#ticksLeft -= 1;
      this.#tick += 1;
      guarded(() => this.#options.step(commands, this.#tick));
    }
  }

  #measure(lockstep: Lockstep<Command>, nowMs: number): void {
    if (this.#lastUpdateMs !== undefined) {
      // A machine that slept is no slow machine.
      const frameMs = Math.min(nowMs - this.#lastUpdateMs, 250);
      this.#frameMs += (frameMs - this.#frameMs) * SMOOTHING;
    }
    this.#lastUpdateMs = nowMs;
    const rtts = this.#room.peers.flatMap(({ number, rttMs }) =>
      this.players.includes(number) ? (rttMs ?? []) : [],
    );
    if (rtts.length > 0) {
      const rttMs = Math.max(...rtts);
      this.#rttMs ??= rttMs;
      this.#jitterMs += (Math.abs(rttMs - this.#rttMs) - this.#jitterMs) * SMOOTHING;
      this.#rttMs += (rttMs - this.#rttMs) * SMOOTHING;
    }
    const { numbers, channels } = this.#room.transport.plan;
    lockstep.measure({
      rttMs: this.#rttMs ?? 0,
      jitterMs: this.#jitterMs,
      frameMs: this.#frameMs,
      // A turn is a bundle of commands: shorter ones would have their messages wait for each other.
      leastMs: Math.max(1000 / numbers.stateHz, channels.command.periodMs),
    });
  }
}

function checkOptions<Command>(options: LockstepSessionOptions<Command>): void {
  checkKeys("", options, Object.keys(optionNames));
  const { players } = options;
  if (!Number.isInteger(players) || players < 1 || players > 64) {
    throw new ConfigError({ field: "players", value: players, expected: "1 to 64 players" });
  }
  for (const field of ["readCommand", "step"] as const) {
    const value: unknown = options[field];
    if (typeof value !== "function") throw new ConfigError({ field, value, expected: "a function" });
  }
}
