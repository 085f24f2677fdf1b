/** Rejects the rule that runs, naming what differs. */
export function same(actual: unknown, expected: unknown, what: string): void {
  check(actual === expected, `${what}: expected ${String(expected)}, got ${String(actual)}`);
}

export function check(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

/** Returns bytes that differ for each seed. */
export function pattern(bytes: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, index) => (index * 31 + seed * 17 + 5) & 0xff);
}

export function hex(packet: Uint8Array): string {
  return Array.from(packet, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
