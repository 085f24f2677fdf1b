/** Counts the objects that a join makes, in a bundle whose classes count their own constructions. */
import { Room } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";

class Plain extends Room {}

/** Returns the constructions that one player more and one room more cause, by class. */
export async function constructionsOf(counts: ReadonlyMap<string, number>): Promise<{
  readonly ofPlayer: Record<string, number>;
  readonly ofRoom: Record<string, number>;
}> {
  const stage = roomStage(Plain);
  const joined = async (): Promise<Map<string, number>> => {
    const before = new Map(counts);
    await stage.join();
    return grown(before, counts);
  };
  // The first player's join opens the room.
  const both = await joined();
  const player = await joined();
  await stage.stop();
  return { ofPlayer: Object.fromEntries(player), ofRoom: Object.fromEntries(grown(player, both)) };
}

function grown(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Map<string, number> {
  const more = Array.from(after, ([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return new Map(more.filter(([, count]) => count > 0));
}
