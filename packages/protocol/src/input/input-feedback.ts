import type { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";

/** The part before an authority's states that differs between players. */
export interface InputFeedback {
  /** Number of the last input that the states include, 16 bits, circular; undefined before the first. */
  readonly processed: number | undefined;
  /** Ticks that the player should be further ahead: -31.75 to 31.75, in quarters. */
  readonly leadErrorTicks: number;
}

const QUARTERS = 4;
const MAX_QUARTERS = 127;

/** Writes one byte if no input was processed yet, else four. */
export function writeFeedback(writer: ByteWriter, { processed, leadErrorTicks }: InputFeedback): ByteWriter {
  if (processed === undefined) return writer.u8(0);
  const quarters = Math.round(leadErrorTicks * QUARTERS);
  const kept = Math.max(-MAX_QUARTERS, Math.min(MAX_QUARTERS, quarters));
  return writer
    .u8(1)
    .u16(processed)
    .u8(kept & 0xff);
}

/**
 * Reads the bytes of {@link writeFeedback} and leaves the reader after them. Returns undefined if they are
 * malformed.
 */
export function readFeedback(reader: ByteReader): InputFeedback | undefined {
  const has = reader.u8();
  if (!reader.ok || has > 1) return undefined;
  if (has === 0) return { processed: undefined, leadErrorTicks: 0 };
  const processed = reader.u16();
  const quarters = (reader.u8() << 24) >> 24;
  return reader.ok ? { processed, leadErrorTicks: quarters / QUARTERS } : undefined;
}
