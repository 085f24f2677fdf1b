import { seededRandom } from "@paceline/testkit";
import { MilmoWalk, PARTITIONS, PARTITION_M } from "./milmo-walk.js";
import type { Combination } from "./paper.js";
import { TcpDown } from "./tcp-down.js";

export const MESSAGES_PER_SECOND = 3;
/** A message of those who stand: one in so many. */
const STANDING_SHARE = 30;
export const MESSAGE_BYTES = 26;
const SMALL_MESSAGE_BYTES = 17;
/** One message of so many goes to a partition whose nearest place is so many partitions away; farther ones get none. */
const DIVISORS = [1, 1, 2, 3];
const SEED = 11;

/** Lets the paper's clients walk under virtual time. Returns the server's outgoing traffic, bytes a second. */
export function modelBytesPerSecond(combination: Combination, users: number, seconds: number): number {
  const { hasSmallMessages, hasStandingStill, hasPartitions } = combination;
  const bytes = hasSmallMessages ? SMALL_MESSAGE_BYTES : MESSAGE_BYTES;
  const walk = new MilmoWalk(users, SEED);
  const random = seededRandom(SEED);
  // All send at the same rate, so the order of a turn is that of every turn.
  const offsetsMs = Array.from(
    { length: users },
    () => random.next() * (1000 / MESSAGES_PER_SECOND),
  ).toSorted((a, b) => a - b);
  const downs = offsetsMs.map(() => new TcpDown({ hasNagle: true }));
  const counters = new Uint32Array(users);
  const send = (sender: number, atMs: number): void => {
    counters[sender]! += 1;
    for (const [receiver, down] of downs.entries()) {
      if (receiver === sender) down.receive(atMs);
      else if (!hasPartitions || passes(walk.places, sender, receiver, counters[sender]!))
        down.write(atMs, bytes);
    }
  };
  for (let turn = 0; turn < seconds * MESSAGES_PER_SECOND; turn++) {
    for (const [sender, offsetMs] of offsetsMs.entries()) {
      const atMs = (turn * 1000) / MESSAGES_PER_SECOND + offsetMs;
      walk.walk(sender, atMs / 1000, 1 / MESSAGES_PER_SECOND);
      const stands = !walk.moves(sender, atMs / 1000);
      if (!hasStandingStill || !stands || (turn + sender) % STANDING_SHARE === 0) send(sender, atMs);
    }
  }
  for (const down of downs) down.advance(seconds * 1000);
  return downs.reduce((sum, down) => sum + down.bytes, 0) / seconds;
}

/** Returns true if a message goes from one to the other, by their partitions. */
function passes(places: Float64Array, sender: number, receiver: number, counter: number): boolean {
  const apart = (axis: 0 | 1): number =>
    Math.abs(partitionOf(places[2 * sender + axis]!) - partitionOf(places[2 * receiver + axis]!));
  const divisor = DIVISORS[Math.max(apart(0), apart(1))];
  return divisor !== undefined && counter % divisor === 0;
}

function partitionOf(placeM: number): number {
  return Math.min(Math.floor(placeM / PARTITION_M), PARTITIONS - 1);
}
