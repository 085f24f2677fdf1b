import type { PeerInfo } from "@paceline/protocol";
import type { Peer } from "../peer.js";

/** Number and id of the server, which nobody else has. */
export const SERVER_NUMBER = 0;

const NO_RATES = { updatesInPerSecond: 0, updatesOutPerSecond: 0, bytesInPerSecond: 0, bytesOutPerSecond: 0 };

/** Somebody in a room with an authority: another player, or the server. All traffic is with the server. */
export class HostedPeer implements Peer {
  readonly id: string;
  readonly number: number;
  readonly path = "server";
  readonly channel = "the link to the server";
  readonly reason = "the room has an authority: players talk with it alone";
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
    return { ...NO_RATES, lossRatio: 0 };
  }
}
