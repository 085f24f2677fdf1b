/**
 * The platform's UTF-8 classes. They are declared here because this package compiles without platform types.
 */
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: "utf-8",
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
// Without `ignoreBOM` a leading U+FEFF would vanish, and one text would have two encodings.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Decodes UTF-8. Returns undefined if the bytes are malformed. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns the longest beginning of a text that takes at most `maxBytes` as UTF-8. Unpaired surrogates become
 * U+FFFD.
 */
export function truncateUtf8(text: string, maxBytes: number): string {
  const bytes = encoder.encode(text);
  let end = Math.min(bytes.length, maxBytes);
  // Never cut inside a character: all its bytes after the first are 10xxxxxx.
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return decoder.decode(bytes.subarray(0, end));
}
