import { randomFillSync } from "node:crypto";

/** One call of the CSPRNG costs about as much for 4 KiB as for the few bytes of an id, and a join needs three ids. */
const POOL_BYTES = 4096;

const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** An id or secret of so many bytes (at most 4096) from the CSPRNG, as base64url. */
export function randomId(bytes: number): string {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const given = pool.subarray(used, used + bytes);
  used += bytes;
  const id = given.toString("base64url");
  // A secret is not left behind in memory that lives as long as the process.
  given.fill(0);
  return id;
}
