import {
  Client,
  type ClientOptions,
  type JoinTerms,
  type Room as ClientRoom,
  type RoomOptions,
} from "@paceline/client";
import type { NetworkSettings, Random } from "@paceline/transport/simulated";
import { WebSocketLink, type Link } from "@paceline/transport";
import type { VirtualScheduler } from "../virtual-scheduler.js";
import { type VirtualSocket, type VirtualSocketPair, virtualSocketPair } from "../virtual-socket.js";

/** `readyState` of a closed WebSocket. */
const CLOSED = 3;

/** Options of a player in a staged room, with its network. */
export interface StageJoin {
  readonly options?: RoomOptions;
  /** Terms of joining, for example to watch only, or with friends. */
  readonly terms?: JoinTerms;
  /**
   * Network settings for both directions. Like a WebSocket, the connection is reliable and ordered: a lost
   * packet comes late.
   */
  readonly network?: Partial<NetworkSettings>;
  /** Number of WebSockets that carry states; default 1. */
  readonly sockets?: ClientOptions["sockets"];
  /** Further options of this player's client. Default: a racing game over WebSocket alone. */
  readonly client?: Partial<ClientOptions>;
}

export interface StagePlayerOptions {
  readonly scheduler: VirtualScheduler;
  readonly random: Random;
  readonly network: Partial<NetworkSettings>;
  readonly sockets?: ClientOptions["sockets"];
  readonly client?: Partial<ClientOptions>;
  /** Address for match requests by HTTP, which carry a secret. */
  readonly serverUrl?: string;
  /** Called with the server's end of each new connection. */
  accept(link: Link, protocols: readonly string[]): void;
}

/** A player of a staged room: a whole client of the SDK on a simulated network. */
export class StagePlayer {
  readonly client: Client;
  readonly #options: StagePlayerOptions;
  readonly #open = new Set<VirtualSocketPair>();
  #network: Partial<NetworkSettings>;
  #isOffline = false;
  #room: ClientRoom | undefined;

  constructor(options: StagePlayerOptions) {
    this.#options = options;
    this.#network = options.network;
    const connect = (protocols: readonly string[]): VirtualSocket => this.#connect(protocols);
    // The client calls it with `new`.
    const webSocket = function socket(_url: string, protocols: readonly string[] = []): VirtualSocket {
      return connect(protocols);
    };
    this.client = new Client(options.serverUrl ?? "http://stage.example", {
      profile: "racing",
      transports: ["websocket"],
      scheduler: options.scheduler,
      webSocket,
      sockets: options.sockets ?? 1,
      ...options.client,
    });
  }

  /** This player's room. Throws if the player has not joined. */
  get room(): ClientRoom {
    if (this.#room) return this.#room;
    throw new Error("the player is not in the room yet");
  }

  /** @internal */
  enter(room: ClientRoom): void {
    this.#room = room;
  }

  /** Changes the network of all WebSockets of this player, present and future. */
  change(network: Partial<NetworkSettings>): void {
    this.#network = { ...this.#network, ...network };
    for (const pair of this.#open) pair.change(network);
  }

  /** Closes the connection, and refuses new ones until {@link online}. */
  offline(): void {
    this.#isOffline = true;
    for (const { player, server } of this.#open) {
      player.end(1006, "the network has gone");
      server.end(1006, "the network has gone");
    }
    this.#open.clear();
  }

  /**
   * Stops the page as in a crash or with an unplugged cable: the server gets nothing more, not even a close.
   */
  vanish(): void {
    this.#isOffline = true;
    for (const { player } of this.#open) player.readyState = CLOSED;
    this.#open.clear();
  }

  online(): void {
    this.#isOffline = false;
  }

  #connect(protocols: readonly string[]): VirtualSocket {
    const { scheduler, random } = this.#options;
    const pair = virtualSocketPair({ scheduler, random, settings: this.#network }, () =>
      this.#open.delete(pair),
    );
    const { player, server } = pair;
    if (this.#isOffline) {
      scheduler.after(1, () => player.end(1006, "no network"));
      return player;
    }
    this.#open.add(pair);
    this.#options.accept(new WebSocketLink(server, { scheduler }), protocols);
    return player;
  }
}
