import type { PeerInfo } from "@paceline/protocol";
import type { Peer } from "../peer.js";

/** Number and id of the server, which nobody else has. */
export const SERVER_NUMBER = 0;

/** Nothing goes between players; what goes to the server is in the room's own figures. */
const NO_TRAFFIC: Peer["stats"] = {
  updatesInPerSecond: 0,
  updatesOutPerSecond: 0,
  bytesInPerSecond: 0,
  bytesOutPerSecond: 0,
  packetsOutPerSecond: 0,
  lossRatio: 0,
  jitterMs: 0,
  queuedBytes: 0,
};

/** Somebody in a room with an authority: another player, or the server. All traffic is with the server. */
export class HostedPeer implements Peer {
  readonly id: string;
  readonly number: number;
  readonly path = "server";
  readonly channel = "the link to the server";
  readonly reason = "the room has an authority: players talk with it alone";
  /** What was dropped is in {@link Room.drops}: it came over one link. */
  readonly drops: Peer["drops"] = {};
  readonly #rttMs: () => number | undefined;

  constructor({ id, number }: Pick<PeerInfo, "id" | "number">, rttMs: () => number | undefined) {
    this.id = id;
    this.number = number;
    this.#rttMs = rttMs;
  }

  /** To the server, ms. */
  get rttMs(): number | undefined {
    return this.#rttMs();
  }

  get stats(): Peer["stats"] {
    return NO_TRAFFIC;
  }
}
