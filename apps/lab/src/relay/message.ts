/** Size of a message: sender, number and time, then a filling that shows damage. */
const MESSAGE_BYTES = 100;
const FILL_AT = 14;

interface Message {
  readonly sender: number;
  readonly number: number;
  readonly sentMs: number;
}

/** Returns the machine's monotonic clock, ms. All processes share it. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function writeMessage({ sender, number, sentMs }: Message): Uint8Array {
  const bytes = new Uint8Array(MESSAGE_BYTES);
  const data = new DataView(bytes.buffer);
  data.setUint16(0, sender);
  data.setUint32(2, number);
  data.setFloat64(6, sentMs);
  return bytes.fill(fillOf(sender, number), FILL_AT);
}

/** Returns the message, or undefined if it is damaged. */
export function readMessage(bytes: Uint8Array): Message | undefined {
  if (bytes.length !== MESSAGE_BYTES) return undefined;
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [sender, number] = [data.getUint16(0), data.getUint32(2)];
  const fill = fillOf(sender, number);
  if (bytes[FILL_AT] !== fill || bytes[MESSAGE_BYTES - 1] !== fill) return undefined;
  return { sender, number, sentMs: data.getFloat64(6) };
}

function fillOf(sender: number, number: number): number {
  return (sender * 31 + number) & 0xff;
}
