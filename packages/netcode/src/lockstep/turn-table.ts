/** A peer's message of one turn. */
export interface TurnMessage<Command> {
  /** The turn in which the commands are executed. */
  readonly turn: number;
  readonly commands: readonly Command[];
  /** The turn length that this peer asks for, ms. */
  readonly wishMs: number;
  /** The state that this peer came to in an earlier turn. */
  readonly hash?: { readonly turn: number; readonly hash: number };
}

interface Player {
  readonly peer: number;
  lastTurn: number;
}

/** Turns that a message may lie ahead: more is nobody that plays by the rules. */
const MAX_AHEAD = 16;
/** Hashes of others that may wait for one's own simulation. */
const MAX_WAITING_HASHES = 256;

/** The received messages by turn and peer. */
export class TurnTable<Command> {
  readonly #players: Player[];
  readonly #messages = new Map<number, Map<number, TurnMessage<Command>>>();
  #waitingHashes: { peer: number; turn: number; hash: number }[] = [];
  readonly #firstTurn: number;

  /** @param silentTurns the first turns, for which nobody could have given commands */
  constructor(peers: readonly number[], silentTurns: number) {
    this.#players = [...new Set(peers)].sort((a, b) => a - b).map((peer) => ({ peer, lastTurn: Infinity }));
    this.#firstTurn = silentTurns + 1;
  }

  /** Takes a message; false where it is not from a player, not new, or not near `present`. */
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

  /** Players whose message for a turn is not there. */
  missing(turn: number): number[] {
    if (turn < this.#firstTurn) return [];
    const ofTurn = this.#messages.get(turn);
    return this.#players
      .filter(({ peer, lastTurn }) => turn <= lastTurn && !ofTurn?.has(peer))
      .map(({ peer }) => peer);
  }

  /** From the turn after `lastTurn` on nobody waits for this peer. */
  drop(peer: number, lastTurn: number): void {
    const player = this.#players.find((candidate) => candidate.peer === peer);
    if (player) player.lastTurn = Math.min(player.lastTurn, lastTurn);
  }

  /** The messages of a turn, which are then forgotten. */
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

  /** Keeps another's hash of a turn that is not simulated here yet. */
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
