// A small puzzle that players solve together: blocks fall onto one board, all may steer them, full rows vanish. The
// pieces come from a seed that all have, so that only key presses travel.
import type { Room } from "@paceline/client";
import { LockstepSession, StateHash, type PlayerCommand } from "@paceline/client/lockstep";

const WIDTH = 8;
const HEIGHT = 14;
const TICKS_PER_ROW = 12;
const PIECES = ["00 10 20", "00 10 01 11", "00 01 11", "00 01 02", "10 01 11"].map((cells) =>
  cells.split(" ").map(([x, y]) => ({ x: Number(x), y: Number(y) })),
);

const keys = ["left", "right", "drop"] as const;
export type Key = (typeof keys)[number];

export class PuzzleGame {
  /** Rows from the top; 0 is empty, else the number of the player who moved the block last. */
  board = Array.from({ length: HEIGHT }, () => Array.from({ length: WIDTH }, () => 0));
  falling = { piece: 0, x: 0, y: 0, player: 0 };
  rowsCleared = 0;
  readonly match: LockstepSession<Key>;
  #chance = 0;

  constructor(room: Room, players: number) {
    this.match = new LockstepSession<Key>(room, {
      players,
      readCommand: (value) => keys.find((key) => key === value),
      onStart: (start) => this.setUp(start.players, start.seed),
      step: (pressed, tick) => this.step(pressed, tick),
      hash: () => this.hash(),
      onDesync: ({ turn, peer }) => console.error(`player ${peer} has another board after turn ${turn}`),
    });
  }

  setUp(players: readonly number[], seed: number): void {
    this.#chance = seed;
    this.#next(players[0]!);
  }

  /** One tick, the same on every machine. */
  step(pressed: readonly PlayerCommand<Key>[], tick: number): void {
    for (const { player, command } of pressed) {
      this.falling.player = player;
      if (command === "drop") while (this.#move(0, 1));
      else this.#move(command === "left" ? -1 : 1, 0);
    }
    if (tick % TICKS_PER_ROW === 0 && !this.#move(0, 1)) this.#land();
  }

  hash(): number {
    const { piece, x, y, player } = this.falling;
    return new StateHash().numbers(this.board.flat()).numbers([piece, x, y, player, this.#chance]).digest();
  }

  /** Cells of the falling block. */
  cells(x = this.falling.x, y = this.falling.y): { x: number; y: number }[] {
    return PIECES[this.falling.piece]!.map((cell) => ({ x: x + cell.x, y: y + cell.y }));
  }

  #move(byX: number, byY: number): boolean {
    const [x, y] = [this.falling.x + byX, this.falling.y + byY];
    const isFree = this.cells(x, y).every((cell) => this.board[cell.y]?.[cell.x] === 0);
    if (isFree) Object.assign(this.falling, { x, y });
    return isFree;
  }

  #land(): void {
    for (const { x, y } of this.cells()) this.board[y]![x] = this.falling.player;
    // Empties a board that is full to the top.
    const kept = this.falling.y === 0 ? [] : this.board.filter((row) => row.includes(0));
    this.rowsCleared += HEIGHT - kept.length;
    while (kept.length < HEIGHT) kept.unshift(Array.from({ length: WIDTH }, () => 0));
    this.board = kept;
    this.#next(this.falling.player);
  }

  #next(player: number): void {
    this.#chance = (Math.imul(this.#chance, 1664525) + 1013904223) >>> 0;
    this.falling = { piece: (this.#chance >>> 8) % PIECES.length, x: WIDTH / 2 - 1, y: 0, player };
  }
}
