import { ByteReader } from "../bytes/byte-reader.js";
import { ByteWriter } from "../bytes/byte-writer.js";
import { limits } from "../limits.js";

/** Cells along an edge of the ground: half of them on each side of the origin. */
export const GROUND_CELLS = 32_768;
const HALF = GROUND_CELLS / 2;
const NO_CELL = -1;

/**
 * A square cell of the ground by one number: rows of {@link GROUND_CELLS} cells, of which the one at column and row 0 is
 * north-east of the origin. On the wire, column and row are small numbers near the origin.
 */
export function cellNumber(column: number, row: number): number {
  return (row + HALF) * GROUND_CELLS + column + HALF;
}

const columnOf = (cell: number): number => (cell % GROUND_CELLS) - HALF;
const rowOf = (cell: number): number => Math.floor(cell / GROUND_CELLS) - HALF;

/** Returns false for what {@link readCell} returns if the cell does not exist. */
export const isCell = (cell: number): boolean => cell !== NO_CELL;

export function writeCell(writer: ByteWriter, cell: number): void {
  writer.varint(zigzag(columnOf(cell))).varint(zigzag(rowOf(cell)));
}

/** Reads a cell. One that does not exist is no {@link isCell}. */
export function readCell(reader: ByteReader): number {
  const column = reader.varint();
  const row = reader.varint();
  return column < GROUND_CELLS && row < GROUND_CELLS ? cellNumber(signed(column), signed(row)) : NO_CELL;
}

/** Whole numbers of small size, whatever their sign, become small numbers. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const signed = (number: number): number => (number % 2 === 1 ? -(number + 1) / 2 : number / 2);

/**
 * Writes the cells that a participant sees: for each stretch of a row its first cell and its length.
 * @param cells ascending, each once
 */
export function writeView(cells: readonly number[]): Uint8Array {
  const writer = new ByteWriter();
  for (let at = 0; at < cells.length;) {
    const first = at;
    do at += 1;
    while (
      at < cells.length &&
      cells[at] === cells[at - 1]! + 1 &&
      rowOf(cells[at]!) === rowOf(cells[first]!)
    );
    writeCell(writer, cells[first]!);
    writer.varint(at - first);
  }
  return writer.take();
}

/** Reads the bytes of {@link writeView}. Returns undefined if they are malformed, or name too many cells. */
export function readView(bytes: Uint8Array): number[] | undefined {
  const reader = new ByteReader(bytes);
  const cells: number[] = [];
  while (reader.remaining > 0) {
    const first = readCell(reader);
    const length = reader.varint();
    if (!reader.ok || first === NO_CELL || length === 0) return undefined;
    const last = first + length - 1;
    const isLater = cells.length === 0 || first > cells.at(-1)!;
    // A view names few cells, so a long stretch is not read cell by cell.
    if (!isLater || cells.length + length > limits.viewCells || rowOf(last) !== rowOf(first))
      return undefined;
    for (let cell = first; cell <= last; cell++) cells.push(cell);
  }
  return cells;
}
