import type { TurnMessage } from "@paceline/netcode";

/** Limit of one player's commands in one turn. No person gives more. */
export const MAX_COMMANDS = 256;
const MAX_PLAYERS = 64;

/** The messages between the players of a lockstep session. */
export type LockstepMessage<Command> =
  /** The sender is ready to begin. `isAnswer`: it replies to another player's `here`. */
  | { readonly kind: "here"; readonly tickHz: number; readonly isAnswer: boolean }
  | {
      readonly kind: "start";
      readonly players: readonly number[];
      readonly seed: number;
      readonly tickHz: number;
    }
  | { readonly kind: "turn"; readonly turn: TurnMessage<Command> }
  /** The sender gives up a player, and has these turns of it. */
  | { readonly kind: "gone"; readonly player: number; readonly turns: readonly TurnMessage<Command>[] };

type CommandReader<Command> = (value: unknown) => Command | undefined;
type Properties = Readonly<Record<string, unknown>>;

/** Reads a peer's message. Returns undefined if it is no lockstep message. */
export function readLockstepMessage<Command>(
  value: unknown,
  readCommand: CommandReader<Command>,
): LockstepMessage<Command> | undefined {
  const { here, answer, start, seed, tickHz, gone, turns } = propertiesOf(value);
  if (here !== undefined) {
    return typeof here === "number" ? { kind: "here", tickHz: here, isAnswer: answer === true } : undefined;
  }
  if (start !== undefined) {
    if (!isNumbers(start, MAX_PLAYERS) || !Number.isSafeInteger(seed)) return undefined;
    return { kind: "start", players: start, seed: seed as number, tickHz: Number(tickHz) };
  }
  if (gone === undefined) {
    const turn = readTurn(value, readCommand);
    return turn && { kind: "turn", turn };
  }
  if (!Number.isSafeInteger(gone) || !Array.isArray(turns) || turns.length > MAX_COMMANDS) return undefined;
  const read = turns.map((turn) => readTurn(turn, readCommand));
  if (!read.every((turn) => turn !== undefined)) return undefined;
  return { kind: "gone", player: gone as number, turns: read };
}

function readTurn<Command>(
  value: unknown,
  readCommand: CommandReader<Command>,
): TurnMessage<Command> | undefined {
  const { turn, commands, wishMs, hash } = propertiesOf(value);
  if (!Number.isSafeInteger(turn) || !Array.isArray(commands) || commands.length > MAX_COMMANDS) {
    return undefined;
  }
  const read = commands.map((command) => readCommand(command));
  if (!read.every((command) => command !== undefined)) return undefined;
  const message = { turn: turn as number, commands: read, wishMs: Number(wishMs) };
  const { turn: ofTurn, hash: digest } = propertiesOf(hash);
  if (!Number.isSafeInteger(ofTurn) || !Number.isSafeInteger(digest)) return message;
  return { ...message, hash: { turn: ofTurn as number, hash: digest as number } };
}

function propertiesOf(value: unknown): Properties {
  return typeof value === "object" && value !== null ? (value as Properties) : {};
}

function isNumbers(value: unknown, max: number): value is number[] {
  return Array.isArray(value) && value.length <= max && value.every((each) => Number.isSafeInteger(each));
}
