import { SERVER_NUMBER, type PeerInfo } from "@paceline/protocol";
import type { ServerStats } from "../../stats/path-stats.js";
import type { Peer, PeerState } from "../../peers/peer.js";

/** Rates of another player, with whom no traffic is exchanged. */
const NO_TRAFFIC: Peer["stats"] = {
  updatesInPerSecond: 0,
  updatesOutPerSecond: 0,
  bytesInPerSecond: 0,
  bytesOutPerSecond: 0,
  packetsOutPerSecond: 0,
  lossRatio: undefined,
  outgoingLossRatio: undefined,
  jitterMs: 0,
  queuedBytes: 0,
};

/** A peer in a room with an authority: another player, or the server. All traffic is with the server. */
export class HostedPeer implements Peer {
  readonly id: string;
  readonly number: number;
  state: PeerState;
  readonly path = "server";
  readonly channel = "the link to the server";
  readonly reason = "the room has an authority: players talk with it alone";
  /** Always empty: data of all peers arrives over one link and is counted in `room.drops`. */
  readonly drops: Peer["drops"] = {};
  readonly #server: () => ServerStats;

  constructor({ id, number, away }: Pick<PeerInfo, "id" | "number" | "away">, server: () => ServerStats) {
    this.id = id;
    this.number = number;
    this.state = away ? "away" : "connected";
    this.#server = server;
  }

  /** Round trip to the server, ms. */
  get rttMs(): number | undefined {
    return this.#server().rttMs;
  }

  /** Traffic of all links to the server. Zero for another player, because no link leads to it. */
  get stats(): Peer["stats"] {
    if (this.number !== SERVER_NUMBER) return NO_TRAFFIC;
    const { bytesInPerSecond, bytesOutPerSecond, jitterMs, queuedBytes, loss, outgoingLoss } = this.#server();
    const losses = { lossRatio: loss?.ratio, outgoingLossRatio: outgoingLoss?.ratio };
    return { ...NO_TRAFFIC, bytesInPerSecond, bytesOutPerSecond, jitterMs, queuedBytes, ...losses };
  }
}
