import { Client } from "@paceline/client";

/**
 * Loads the code of rooms of both topologies. A join that has to load code takes real time, while the time of
 * its room is virtual: call it before.
 */
export async function preloadRooms(): Promise<void> {
  await Promise.all([Client.preload("racing"), Client.preload({ base: "racing", topology: "authority" })]);
}
