/** A page with two local players of one client. e2e/local-players.spec.ts builds and opens it. */
import { Client } from "@paceline/client";

export interface LocalPlayer {
  readonly sessionId: string;
  readonly number: number;
}

/** Joins with both players at once, the first one first. */
async function enter(url: string): Promise<LocalPlayer[]> {
  const client = new Client(url, { profile: "racing", transports: ["websocket"] });
  const rooms = await Promise.all([client.joinOrCreate("race"), client.joinOrCreate("race")]);
  return rooms.map(({ sessionId, myNumber: number }) => ({ sessionId, number }));
}

Object.assign(window, { players: { enter } });
