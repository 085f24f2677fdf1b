import { ConfigError } from "@paceline/protocol";
import { DEFAULT_TURN_LENGTH, TurnLength, type TurnLengthOptions, type TurnNeeds } from "./turn-length.js";
import { TurnTable, type TurnMessage } from "./turn-table.js";

/** A turn to simulate: the commands of all peers, sorted by peer number, equal on all machines. */
export interface Turn<Command> {
  readonly turn: number;
  readonly lengthMs: number;
  readonly commands: readonly { readonly peer: number; readonly commands: readonly Command[] }[];
}

/** Two peers have different states after the same turn. */
export interface Desync {
  readonly turn: number;
  readonly peer: number;
  readonly mine: number;
  readonly theirs: number;
}

/** The players, and the game's simulation of a turn. */
export interface LockstepOptions<Command> {
  readonly me: number;
  /** Numbers of all players, including `me`. */
  readonly peers: readonly number[];
  /** Simulates a turn. Returns the hash of the state after it, or undefined to skip the check. */
  readonly onTurn: (turn: Turn<Command>) => number | undefined;
  readonly onDesync?: (desync: Desync) => void;
  readonly turnLength?: TurnLengthOptions;
  readonly nowMs: number;
}

/** Turns between giving and executing a command (Age of Empires, Bettner and Terrano 2001). */
const INPUT_DELAY_TURNS = 2;
/** Longest time between two updates that counts as a wait for others, ms: that of a hidden page's timers. */
const MAX_STALL_MS = 1000;

/**
 * Lockstep for deterministic games: only commands are sent, and every peer simulates the same. A turn begins
 * when its time has come and the commands of all players have arrived. Until then the game waits for
 * {@link waitingFor}. Send the messages of `takeOutgoing` to all peers over a reliable channel; they may
 * arrive in any order.
 */
export class Lockstep<Command> {
  readonly #options: LockstepOptions<Command>;
  readonly #length: TurnLength;
  readonly #table: TurnTable<Command>;
  readonly #outgoing: TurnMessage<Command>[] = [];
  readonly #hashes = new Map<number, number>();
  #given: Command[] = [];
  /** The current turn; 0 before the first. */
  turn = 0;
  lengthMs: number;
  /** End of the current turn, ms. */
  endsAtMs: number;
  #updatedAtMs: number;
  /** How long {@link waitingFor} had been awaited at the last update, ms. */
  #waitedMs = 0;
  #lastHash: { turn: number; hash: number } | undefined;
  #wishMs: number;

  constructor(options: LockstepOptions<Command>) {
    const { me, peers, turnLength = DEFAULT_TURN_LENGTH, nowMs } = options;
    if (!peers.includes(me)) throw new ConfigError("peers", peers, `a list with ${me} (me) in it`);
    this.#options = options;
    this.#length = new TurnLength(turnLength);
    this.lengthMs = turnLength.minMs;
    this.#wishMs = turnLength.minMs;
    this.endsAtMs = nowMs + this.lengthMs;
    this.#updatedAtMs = nowMs;
    this.#table = new TurnTable(peers, INPUT_DELAY_TURNS - 1);
  }

  /** Peers whose commands for the next turn are missing. */
  get waitingFor(): readonly number[] {
    return this.#table.missing(this.turn + 1);
  }

  /**
   * Returns how long the game has been waiting for {@link waitingFor}, ms. A stall of this machine counts for a
   * second at most, because the commands that arrived meanwhile are not read yet.
   */
  stalledMs(nowMs: number): number {
    if (this.waitingFor.length === 0) return 0;
    const sinceMs = nowMs - Math.max(this.endsAtMs, this.#updatedAtMs);
    return this.#waitedMs + Math.min(Math.max(0, sinceMs), MAX_STALL_MS);
  }

  /** Adds a command of the local player. */
  give(command: Command): void {
    this.#given.push(command);
  }

  /**
   * Updates the turn length that the paths to the peers and this machine's frames need: see
   * {@link TurnLength.wish}.
   */
  measure(needs: TurnNeeds): void {
    this.#wishMs = this.#length.wish(needs);
  }

  /**
   * Takes a peer's message. Returns false if the peer is not a remote player, or the turn is past or too far
   * ahead.
   */
  receive(peer: number, message: TurnMessage<Command>): boolean {
    if (peer === this.#options.me || !this.#table.put(peer, message, this.turn)) return false;
    if (message.hash !== undefined) this.#compare(peer, message.hash.turn, message.hash.hash);
    return true;
  }

  /**
   * Removes a peer that has left. Its commands up to and including `lastTurn` still count. All peers must use
   * the same turn, so the server chooses it.
   */
  drop(peer: number, lastTurn: number): void {
    this.#table.drop(peer, lastTurn);
  }

  /** Begins every due turn. Call it once per frame. */
  update(nowMs: number): void {
    if (!Number.isFinite(nowMs)) return;
    this.#waitedMs = this.stalledMs(nowMs);
    this.#updatedAtMs = nowMs;
    while (nowMs >= this.endsAtMs && this.waitingFor.length === 0) {
      this.#begin(this.turn + 1);
      this.#waitedMs = 0;
      // After a stall or a sleep the lost time is not recovered: turns continue from now.
      const isLate = nowMs - this.endsAtMs > this.lengthMs;
      this.endsAtMs = (isLate ? nowMs : this.endsAtMs) + this.lengthMs;
    }
  }

  /** Takes the messages to send to every peer. */
  takeOutgoing(): TurnMessage<Command>[] {
    return this.#outgoing.splice(0);
  }

  #begin(turn: number): void {
    const { me, onTurn } = this.#options;
    const message: TurnMessage<Command> = {
      // The commands were given in the turn that ends now.
      turn: turn - 1 + INPUT_DELAY_TURNS,
      commands: this.#given,
      wishMs: this.#wishMs,
      ...(this.#lastHash && { hash: this.#lastHash }),
    };
    this.#given = [];
    this.#table.put(me, message, this.turn);
    this.#outgoing.push(message);
    const { commands, wishes } = this.#table.take(turn);
    this.turn = turn;
    this.lengthMs = this.#length.next(this.lengthMs, wishes);
    const hash = onTurn({ turn, lengthMs: this.lengthMs, commands });
    if (hash !== undefined) this.#noteHash(turn, hash >>> 0);
  }

  #noteHash(turn: number, hash: number): void {
    this.#lastHash = { turn, hash };
    this.#hashes.set(turn, hash);
    this.#hashes.delete(turn - 64);
    for (const { peer, hash: theirs } of this.#table.takeHashes(turn)) this.#compare(peer, turn, theirs);
  }

  #compare(peer: number, turn: number, theirs: number): void {
    const mine = this.#hashes.get(turn);
    if (mine === undefined) this.#table.keepHash(peer, turn, theirs, this.turn);
    else if (mine !== theirs) this.#options.onDesync?.({ turn, peer, mine, theirs });
  }
}
