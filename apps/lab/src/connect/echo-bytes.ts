/** A message that a client sends and expects back. */
export interface Echo {
  readonly client: number;
  readonly sequence: number;
  readonly sentMs: number;
}

/** Size of each message, the same for all systems. */
export const ECHO_BYTES = 100;
const HEAD_BYTES = 14;

export function writeEcho({ client, sequence, sentMs }: Echo): Uint8Array {
  const bytes = Buffer.from(new ArrayBuffer(ECHO_BYTES));
  bytes.writeUInt16LE(client, 0);
  bytes.writeUInt32LE(sequence, 2);
  bytes.writeDoubleLE(sentMs, 6);
  return bytes.fill(fillOf(client, sequence), HEAD_BYTES);
}

/** Returns the message, or undefined if the bytes are damaged. */
export function readEcho(given: Uint8Array): Echo | undefined {
  if (given.length !== ECHO_BYTES) return undefined;
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
  const echo = {
    client: bytes.readUInt16LE(0),
    sequence: bytes.readUInt32LE(2),
    sentMs: bytes.readDoubleLE(6),
  };
  const fill = fillOf(echo.client, echo.sequence);
  return bytes.subarray(HEAD_BYTES).every((byte) => byte === fill) ? echo : undefined;
}

function fillOf(client: number, sequence: number): number {
  return (client * 31 + sequence) % 256;
}
