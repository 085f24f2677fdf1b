import { ConfigError, writeControl, type ClientMessage } from "@paceline/protocol";

/**
 * A signal as its receiver gets it; undefined where its data, though it could be decoded, is not what may be sent
 * (NaN, for example, or too deeply nested).
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
