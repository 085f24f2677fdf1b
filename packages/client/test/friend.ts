import { Client, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { Car } from "./definitions.js";

interface Seen {
  readonly what: "joined" | "away" | "back" | "left" | "car" | "car gone";
  readonly number: number;
  readonly atMs: number;
}

/** A player in Node who plays with the player of a page, and records that player's events. */
export class Friend {
  readonly room: Room;
  readonly #seen: Seen[] = [];

  private constructor(room: Room) {
    this.room = room;
    const note = (what: Seen["what"], number: number): void =>
      void this.#seen.push({ what, number, atMs: performance.now() });
    room.onPeerJoin(({ number }) => note("joined", number));
    room.onPeerAway(({ number }) => note("away", number));
    room.onPeerBack(({ number }) => note("back", number));
    room.onPeerLeave(({ number }) => note("left", number));
    room.onSpawn(Car, ({ owner }) => note("car", owner?.number ?? 0));
    room.onDespawn(Car, ({ owner }) => note("car gone", owner?.number ?? 0));
  }

  static async join(serverUrl: string): Promise<Friend> {
    const client = new Client(serverUrl, {
      profile: "racing",
      transports: ["websocket"],
      webSocket: NodeWebSocket,
    });
    return new Friend(await client.joinOrCreate("race"));
  }

  get others(): readonly string[] {
    return this.room.peers.map(({ number, state }) => `${number} ${state}`);
  }

  /** Returns how long after `sinceMs` the event was last seen, ms; undefined if it was not seen since. */
  sawAfter(sinceMs: number, what: Seen["what"], number: number): number | undefined {
    const seen = this.#seen.findLast((one) => one.what === what && one.number === number);
    return seen && seen.atMs >= sinceMs ? seen.atMs - sinceMs : undefined;
  }
}
