import { ConfigError, NetError, checkKeys, firstNumber, writePeerPayload } from "@paceline/protocol";
import { Lockstep, type Desync, type Turn, type TurnMessage } from "@paceline/netcode";
import { guarded } from "../listeners.js";
import { MAX_COMMANDS, readLockstepMessage, type LockstepMessage } from "./lockstep-messages.js";
import type { Room } from "../room/room.js";

/** A command with the number of the player who gave it. */
export interface PlayerCommand<Command> {
  readonly player: number;
  readonly command: Command;
}

/** The start values, equal on every machine. */
export interface LockstepStart {
  /** Numbers of the players, lowest first. */
  readonly players: readonly number[];
  /** Random seed of 32 bits, for the game's own generator. */
  readonly seed: number;
}

/** Options of a {@link LockstepSession}: the players, the check of a command, and the game's tick. */
export interface LockstepSessionOptions<Command> {
  /** Number of players, 1 to 64: the session begins when this many are ready. */
  readonly players: number;
  /**
   * Checks a peer's command. Returns undefined if it is invalid. Must give the same result for every player.
   */
  readCommand(value: unknown): Command | undefined;
  /**
   * Simulates one tick, numbered from 1: executes the commands in their order, then moves everything on. Must
   * do exactly the same on every machine: without clocks, `Math.random`, or functions that browsers round
   * differently.
   */
  step(commands: readonly PlayerCommand<Command>[], tick: number): void;
  /**
   * Returns a hash of all that {@link step} reads. Players compare it once a turn. Without it, nothing is
   * compared.
   */
  hash?(): number;
  /** Called when all players are ready. Sets the state with which the first tick begins. */
  onStart?(start: LockstepStart): void;
  /** Called when another player's state differs from this one at the end of a turn. */
  onDesync?(desync: Desync): void;
  /**
   * Called when a player has left or was given up. Everybody else continues after the same turn. With this
   * player's own number, the others continue without this player.
   */
  onGone?(player: number): void;
  /** Called when the session begins or has begun without this player. Nobody can join it later. */
  onRefused?(reason: string): void;
  /** Type of the session's messages, for a room with several sessions. Default `lockstep`. */
  readonly type?: string;
}

/**
 * Stored turns of each player, for others that may lack them. They lack two at most, because no player gets
 * farther ahead.
 */
const KEPT_TURNS = 4;
/**
 * Limit of one player's encoded commands in one turn, bytes. Those of all stored turns fit into one message.
 */
const MAX_TURN_BYTES = 3500;
/** Limit of messages that arrive before the session begins here. */
const MAX_EARLY = 64;
const MAX_TURN_MS = 1000;
/** Weight of a new measurement in the running mean. */
const SMOOTHING = 0.1;
/** Tolerance in ticks, because times are sums of fractions of a millisecond. */
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
 * Lockstep in a room without an authority: commands travel as reliable messages, and every player simulates
 * the same ticks. Runs on the room's timers until {@link stop} or the end of the room.
 *
 * The rates follow from the room's profile: `tickHz` ticks per second. A command is executed two turns after
 * it is given. The length of a turn depends on the plan's `stateHz`, its bundling of messages and the slowest
 * path.
 *
 * The player that joined the room first names the players. When a player is gone, the others exchange the
 * turns that they have of it. All of them continue without it after the last turn that any of them has.
 */
export class LockstepSession<Command> {
  readonly #room: Room;
  readonly #options: LockstepSessionOptions<Command>;
  readonly #type: string;
  readonly #tickHz: number;
  readonly #ends: (() => void)[];
  /** Other players that wait for the start with the same tick rate. */
  readonly #ready = new Set<number>();
  /** Latest turns of every player but this one. */
  readonly #kept = new Map<number, Map<number, TurnMessage<Command>>>();
  /** For each gone player: the players whose account of it has arrived. */
  readonly #accounts = new Map<number, Set<number>>();
  /** Messages that could not be sent yet. Without them no player could continue. */
  readonly #unsent: unknown[] = [];
  #start: LockstepStart | undefined;
  #me = 0;
  #lockstep: Lockstep<Command> | undefined;
  #early: { readonly from: number; readonly message: LockstepMessage<Command> }[] = [];
  /** Own commands of the present turn. */
  #ownCommands: Command[] = [];
  /** Commands of all players in the present turn, for its first tick. */
  #commands: readonly PlayerCommand<Command>[] = [];
  #ticksLeft = 0;
  #tick = 0;
  #lastUpdateMs: number | undefined;
  /** True while messages are posted: skipped players have then missed one of them. */
  #isPosting = false;
  /** Players whose full queues did not take a message of the session. */
  readonly #skipped: number[] = [];
  #frameMs = 16;
  #rttMs: number | undefined;
  #jitterMs = 0;

  /** Throws {@link ConfigError} for invalid options, or for a room with an authority. */
  constructor(room: Room, options: LockstepSessionOptions<Command>) {
    checkOptions(options);
    if (room.authority) {
      const expected = "a room whose players are among themselves: in this one the server decides";
      throw new ConfigError("room", room.name, expected);
    }
    this.#room = room;
    this.#options = options;
    this.#type = options.type ?? "lockstep";
    this.#tickHz = room.setup.tickHz;
    this.#ends = [
      room.onMessage(this.#type, (value, { number }) => {
        const message = readLockstepMessage(value, (command) => options.readCommand(command));
        if (message) this.#receive(number, message);
      }),
      room.onPeerLeave(({ number }) => this.#peerLeft(number)),
      // The reset may have lost commands that all others have.
      room.onPeerReset(({ number }) => this.#peerLeft(number)),
      room.onReconnect(({ resumed }) => resumed || this.#rejoined()),
      room.onLeave(() => this.stop()),
      room.enterLockstep((players) => this.#isPosting && this.#skipped.push(...players)),
      room.setup.scheduler.every(1000 / this.#tickHz, () => this.#update()),
    ];
    this.#post({ here: this.#tickHz });
    this.#startIfFirst();
  }

  /** Numbers of the players; empty before the session has begun. */
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

  /** Time for which the game has been waiting for the players in {@link waitingFor}, ms. */
  get stalledMs(): number {
    return this.#lockstep?.stalledMs(this.#room.clock.now()) ?? 0;
  }

  /**
   * Gives a command of this player, which everybody executes two turns later. Drops it if the session has not
   * begun. Throws {@link ConfigError} if `readCommand` refuses it, and {@link NetError} `limit/queue` for
   * more than 256 commands or 3500 bytes in one turn.
   */
  give(command: Command): void {
    if (this.#options.readCommand(command) === undefined) {
      throw new ConfigError("command", command, "what readCommand takes");
    }
    if (!this.#lockstep) return;
    const given = [...this.#ownCommands, command];
    const { length } = writePeerPayload({ kind: "command", type: this.#type, message: given });
    if (given.length > MAX_COMMANDS || length > MAX_TURN_BYTES) {
      const limit = `${MAX_COMMANDS} commands and ${MAX_TURN_BYTES} bytes`;
      throw new NetError("limit/queue", `a player gives at most ${limit} in a turn`, { retryable: true });
    }
    this.#ownCommands = given;
    this.#lockstep.give(command);
  }

  /** Removes a player that sends no turn for too long, and tells all players. */
  giveUp(player: number): void {
    if (player !== this.#me && this.players.includes(player)) this.#removePlayer(player);
  }

  /**
   * Stops the session here. The others wait for this player until they give it up, or until it leaves the
   * room.
   */
  stop(): void {
    for (const end of this.#ends.splice(0)) end();
    this.#lockstep = undefined;
  }

  #startIfFirst(): void {
    const { myNumber, peers } = this.#room;
    const { players: count } = this.#options;
    const first = firstNumber([myNumber, ...peers.map(({ number }) => number)]);
    if (this.#start || first !== myNumber || this.#ready.size + 1 < count) return;
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
    for (const { from, message } of this.#early.splice(0)) this.#receive(from, message);
    const present = new Set(this.#room.peers.map(({ number }) => number));
    // Gives up the players that left before this participant heard of the start.
    for (const player of start.players) {
      if (player !== this.#me && !present.has(player)) this.#removePlayer(player);
    }
  }

  #receive(from: number, message: LockstepMessage<Command>): void {
    if (message.kind === "here") return this.#receiveHere(from, message);
    if (message.kind === "start") return this.#receiveStart(from, message);
    if (!this.#start) {
      // Messages of players that have begun may arrive before the start.
      if (this.#early.length < MAX_EARLY) this.#early.push({ from, message });
    } else if (!this.players.includes(from) || this.#accounts.has(from)) return;
    else if (message.kind === "turn") void this.#receiveTurn(from, message.turn);
    else this.#receiveGone(from, message.player, message.turns);
  }

  #receiveHere(
    from: number,
    { tickHz, isAnswer }: Extract<LockstepMessage<Command>, { kind: "here" }>,
  ): void {
    const peer = this.#room.peers.find(({ number }) => number === from);
    if (!peer) return;
    if (this.#start) return this.#room.send(this.#type, this.#startMessage, peer);
    if (tickHz === this.#tickHz) this.#ready.add(from);
    if (!isAnswer) this.#room.send(this.#type, { here: this.#tickHz, answer: true }, peer);
    this.#startIfFirst();
  }

  #receiveStart(
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

  /** Returns false if the turn is not needed. */
  #receiveTurn(player: number, message: TurnMessage<Command>): boolean {
    if (!this.#lockstep?.receive(player, message)) return false;
    const turns = this.#kept.get(player) ?? new Map<number, TurnMessage<Command>>();
    this.#kept.set(player, turns);
    turns.set(message.turn, message);
    for (const turn of turns.keys()) if (turn <= message.turn - KEPT_TURNS) turns.delete(turn);
    return true;
  }

  #receiveGone(from: number, player: number, turns: readonly TurnMessage<Command>[]): void {
    if (!this.players.includes(player)) return;
    // The others continue without this participant.
    if (player === this.#me) return this.#endAsGone();
    const known = this.#accounts.has(player);
    const isNews = turns.filter((turn) => this.#receiveTurn(player, turn)).length > 0;
    this.#removePlayer(player);
    // The sender may leave before all others have its account.
    if (known && isNews) this.#postAccount(player);
    this.#accounts.get(player)?.add(from);
    this.#dropGone();
  }

  #endAsGone(): void {
    this.stop();
    this.#options.onGone?.(this.#me);
  }

  #peerLeft(player: number): void {
    if (this.#start) return this.#removePlayer(player);
    // Another player may have heard the start that this one missed, or this player may now be the first. So the
    // others have to answer once more before this player may start: one that has begun answers with its start.
    this.#ready.clear();
    this.#post({ here: this.#tickHz });
    if (this.#options.players === 1) this.#startIfFirst();
  }

  /** Ends the session after another join: the others have seen this participant leave. */
  #rejoined(): void {
    this.#ready.clear();
    if (this.#start) this.#endAsGone();
    else this.#post({ here: this.#tickHz });
  }

  #removePlayer(player: number): void {
    if (!this.#lockstep || !this.players.includes(player)) return;
    if (!this.#accounts.has(player)) {
      this.#accounts.set(player, new Set([this.#me]));
      this.#postAccount(player);
      guarded(() => this.#options.onGone?.(player));
    }
    this.#dropGone();
  }

  #postAccount(player: number): void {
    this.#post({ gone: player, turns: [...(this.#kept.get(player)?.values() ?? [])] });
  }

  /**
   * Drops the gone players when all remaining players have sent an account of each: everybody then knows the
   * same turns of them. One of them may have passed on turns of another to only some of the others, who pass
   * them on before they send their account of it.
   */
  #dropGone(): void {
    const staying = this.players.filter((player) => !this.#accounts.has(player));
    for (const reporters of this.#accounts.values())
      if (!staying.every((each) => reporters.has(each))) return;
    for (const player of this.#accounts.keys()) {
      const last = Math.max(0, ...(this.#kept.get(player)?.keys() ?? []));
      this.#lockstep?.drop(player, last);
    }
  }

  /** Sends a message to everybody, in order: at once, or when the room's queue has space again. */
  #post(message: unknown): void {
    this.#unsent.push(message);
    this.#flush();
  }

  #flush(): void {
    if (this.#isPosting) return;
    this.#isPosting = true;
    try {
      while (this.#unsent.length > 0) {
        this.#room.send(this.#type, this.#unsent[0]);
        this.#unsent.shift();
      }
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
    } finally {
      this.#isPosting = false;
    }
    // A player that has missed a message cannot go on in step with the others.
    const skipped = this.#skipped.splice(0);
    if (this.#start) for (const player of skipped) this.#removePlayer(player);
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
    this.#ownCommands = [];
    this.#commands = commands.flatMap(({ peer: player, commands: given }) =>
      given.map((command) => ({ player, command })),
    );
    this.#ticksLeft = Math.round(lengthMs / tickMs);
    return this.#options.hash?.();
  }

  /** Simulates ticks of the present turn until `left` ticks remain. */
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
      // A pause of the machine says nothing about its frame rate.
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
      // A turn bundles commands. Messages of shorter turns would wait for each other.
      leastMs: Math.max(1000 / numbers.stateHz, channels.command.periodMs),
    });
  }
}

function checkOptions<Command>(options: LockstepSessionOptions<Command>): void {
  checkKeys("", options, Object.keys(optionNames));
  const { players } = options;
  if (!Number.isInteger(players) || players < 1 || players > 64) {
    throw new ConfigError("players", players, "1 to 64 players");
  }
  for (const field of ["readCommand", "step"] as const) {
    const value: unknown = options[field];
    if (typeof value !== "function") throw new ConfigError(field, value, "a function");
  }
}
