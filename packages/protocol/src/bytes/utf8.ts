/** The platform's UTF-8, declared here since this package is compiled without any platform's types. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: "utf-8",
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
// Without `ignoreBOM` a leading U+FEFF would vanish: two encodings of one text.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Undefined where the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The beginning of a text that takes at most so many bytes as UTF-8; halves of surrogate pairs become U+FFFD. */
export function truncateUtf8(text: string, maxBytes: number): string {
  const bytes = encoder.encode(text);
  let end = Math.min(bytes.length, maxBytes);
  // Not inside a character: the bytes of one after its first are 10xxxxxx.
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return decoder.decode(bytes.subarray(0, end));
}
