import { ConfigError, writeControl, type ClientMessage } from "@paceline/protocol";

/**
 * Returns the payload of a signal for its receiver. Returns undefined if its data could be decoded but must
 * not be sent (NaN, for example, or too deeply nested).
 */
export function signalPayload(
  from: number,
  { attempt, data }: ClientMessage & { type: "signal" },
): Uint8Array | undefined {
  try {
    return writeControl({ type: "signal", from, attempt, data });
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
