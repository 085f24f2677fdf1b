import type { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import type { DropReason } from "../drop-reasons.js";
import { MoreFlag, readBody, writeEnvelopeFlags, type Envelope } from "./envelope.js";
import { isCell, readCell, writeCell } from "./cells.js";

/**
 * An envelope to the server of states in one cell of the ground. The server knows who sees a cell, so that `peers`
 * are those who do not get the packet; 0 alone: nobody is left out. From the server it is an ordinary envelope.
 */
export interface CellEnvelope extends Envelope {
  readonly cell: number;
  /** The cell in which its entities were before. Those who see it learn that the entities have left. */
  readonly left?: number | undefined;
}

/** Writes the head of an envelope of class state for those who see a cell. The packet follows it. */
export function writeCellEnvelopeHead(
  writer: ByteWriter,
  { cell, left, ...envelope }: Omit<CellEnvelope, "packet" | "trafficClass">,
): void {
  const flags = MoreFlag.cell | (left === undefined ? 0 : MoreFlag.left);
  writeEnvelopeFlags(writer, { ...envelope, trafficClass: "state" }, flags);
  writeCell(writer, cell);
  if (left !== undefined) writeCell(writer, left);
  if (envelope.peers.length !== 1) writer.u8(envelope.peers.length);
  for (const peer of envelope.peers) writer.varint(peer);
}

/** Reads an envelope as the server does: also one that names a cell. Returns the reason to drop it. */
export function readUpwardEnvelope(bytes: Uint8Array): (Envelope & Partial<CellEnvelope>) | DropReason {
  let cells: { readonly cell?: number; readonly left?: number } = {};
  const envelope = readBody(bytes, MoreFlag.cell | MoreFlag.left, (reader, more) => {
    const said = cellsOf(reader, more);
    if (said) cells = said;
    return said !== undefined;
  });
  if (typeof envelope === "string" || cells.cell === undefined) return envelope;
  const { trafficClass, epoch } = envelope;
  return trafficClass === "state" && epoch === undefined ? { ...envelope, ...cells } : "unknown-kind";
}

/** Returns the cells of an envelope, which may have none; undefined if they are malformed. */
function cellsOf(
  reader: ByteReader,
  more: number,
): { readonly cell?: number; readonly left?: number } | undefined {
  if ((more & MoreFlag.cell) === 0) return (more & MoreFlag.left) === 0 ? {} : undefined;
  const cell = readCell(reader);
  const left = more & MoreFlag.left ? readCell(reader) : undefined;
  if (!reader.ok) return {};
  if (!isCell(cell) || left === cell || (left !== undefined && !isCell(left))) return undefined;
  return left === undefined ? { cell } : { cell, left };
}
