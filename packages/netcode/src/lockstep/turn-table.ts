/** A peer's message of one turn. */
export interface TurnMessage<Command> {
  /** The turn in which the commands are executed. */
  readonly turn: number;
  readonly commands: readonly Command[];
  /** The turn length that this peer needs, ms. */
  readonly wishMs: number;
  /** Hash of this peer's state after an earlier turn. */
  readonly hash?: { readonly turn: number; readonly hash: number };
}

interface Player {
  readonly peer: number;
  lastTurn: number;
}

/** Limit of turns by which a message is ahead. Correct peers are never further ahead. */
const MAX_AHEAD = 16;
/** Limit of hashes of other peers that wait for the local simulation. */
const MAX_WAITING_HASHES = 256;

/** The received messages by turn and peer. */
export class TurnTable<Command> {
  readonly #players: Player[];
  readonly #messages = new Map<number, Map<number, TurnMessage<Command>>>();
  #waitingHashes: { peer: number; turn: number; hash: number }[] = [];
  readonly #firstTurn: number;

  /** @param silentTurns number of first turns, which have no commands */
  constructor(peers: readonly number[], silentTurns: number) {
    this.#players = [...new Set(peers)].sort((a, b) => a - b).map((peer) => ({ peer, lastTurn: Infinity }));
    this.#firstTurn = silentTurns + 1;
  }

  /**
   * Stores a message. Returns false if it is not from a player, a duplicate, past, or too far ahead of
   * `present`.
   */
  put(peer: number, message: TurnMessage<Command>, present: number): boolean {
    const player = this.#players.find((candidate) => candidate.peer === peer);
    const { turn } = message;
    if (!player || !Number.isSafeInteger(turn) || turn <= present || turn > present + MAX_AHEAD) return false;
    const ofTurn = this.#messages.get(turn) ?? new Map<number, TurnMessage<Command>>();
    if (ofTurn.has(peer)) return false;
    ofTurn.set(peer, message);
    this.#messages.set(turn, ofTurn);
    return true;
  }

  /** Returns the players whose message for a turn is missing. */
  missing(turn: number): number[] {
    if (turn < this.#firstTurn) return [];
    const ofTurn = this.#messages.get(turn);
    return this.#players
      .filter(({ peer, lastTurn }) => turn <= lastTurn && !ofTurn?.has(peer))
      .map(({ peer }) => peer);
  }

  /** Stops waiting for a peer after `lastTurn`. */
  drop(peer: number, lastTurn: number): void {
    const player = this.#players.find((candidate) => candidate.peer === peer);
    if (player) player.lastTurn = Math.min(player.lastTurn, lastTurn);
  }

  /** Removes and returns the messages of a turn. */
  take(turn: number): {
    commands: { peer: number; commands: readonly Command[] }[];
    wishes: number[];
  } {
    const ofTurn = this.#messages.get(turn);
    this.#messages.delete(turn);
    const taken = this.#players.flatMap(({ peer, lastTurn }) => {
      const message = turn <= lastTurn ? ofTurn?.get(peer) : undefined;
      return message ? [{ peer, message }] : [];
    });
    return {
      commands: taken.map(({ peer, message }) => ({ peer, commands: message.commands })),
      wishes: taken.map(({ message }) => message.wishMs).filter((wish) => Number.isFinite(wish)),
    };
  }

  /** Keeps a peer's hash of a turn that is not simulated here yet. */
  keepHash(peer: number, turn: number, hash: number, present: number): void {
    if (turn <= present || turn > present + MAX_AHEAD) return;
    if (this.#waitingHashes.length < MAX_WAITING_HASHES) this.#waitingHashes.push({ peer, turn, hash });
  }

  takeHashes(turn: number): { peer: number; hash: number }[] {
    const ready = this.#waitingHashes.filter((waiting) => waiting.turn === turn);
    this.#waitingHashes = this.#waitingHashes.filter((waiting) => waiting.turn > turn);
    return ready;
  }
}
