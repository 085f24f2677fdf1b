import { Client, type Room as ClientRoom, type JoinTerms, type RoomOptions } from "@paceline/client";
import type { NetworkSettings, Random } from "@paceline/transport/simulated";
import { WebSocketLink, type Link } from "@paceline/transport";
import { simulatedPair } from "../simulated-pair.js";
import type { VirtualScheduler } from "../virtual-scheduler.js";
import { VirtualSocket } from "./virtual-socket.js";

/** Who joins a staged room, and over what network. */
export interface StageJoin {
  readonly options?: RoomOptions;
  /** To watch only, or with friends. */
  readonly terms?: JoinTerms;
  /** Of both directions; a connection is reliable and ordered, as a WebSocket is: what is lost comes late. */
  readonly network?: Partial<NetworkSettings>;
}

export interface StagePlayerOptions {
  readonly scheduler: VirtualScheduler;
  readonly random: Random;
  readonly network: Partial<NetworkSettings>;
  /** Where match requests over HTTP go: those that bring a secret. */
  readonly serverUrl?: string;
  /** Gives the server its end of a new connection. */
  accept(link: Link, protocols: readonly string[]): void;
}

/** A player of a staged room: a whole client of the SDK, on a simulated network. */
export class StagePlayer {
  readonly client: Client;
  readonly #options: StagePlayerOptions;
  readonly #open = new Set<readonly [VirtualSocket, VirtualSocket]>();
  #isOffline = false;
  #room: ClientRoom | undefined;

  constructor(options: StagePlayerOptions) {
    this.#options = options;
    const connect = (protocols: readonly string[]): VirtualSocket => this.#connect(protocols);
    // Called with `new`, as a page calls its WebSocket.
    const webSocket = function socket(_url: string, protocols: readonly string[] = []): VirtualSocket {
      return connect(protocols);
    };
    this.client = new Client(options.serverUrl ?? "http://stage.example", {
      profile: "racing",
      transports: ["websocket"],
      scheduler: options.scheduler,
      webSocket,
      sockets: 1,
    });
  }

  /** The room as this player has it. */
  get room(): ClientRoom {
    if (this.#room) return this.#room;
    throw new Error("the player is not in the room yet");
  }

  /** @internal */
  enter(room: ClientRoom): void {
    this.#room = room;
  }

  /** The connection is lost, and there is no other until {@link online}. */
  offline(): void {
    this.#isOffline = true;
    for (const ends of this.#open) for (const end of ends) end.end(1006, "the network has gone");
    this.#open.clear();
  }

  online(): void {
    this.#isOffline = false;
  }

  #connect(protocols: readonly string[]): VirtualSocket {
    const { scheduler, random, network } = this.#options;
    const { a, b } = simulatedPair({ scheduler, random, settings: network, ordered: true, reliable: true });
    const [player, server] = [new VirtualSocket(a), new VirtualSocket(b)];
    if (this.#isOffline) {
      scheduler.after(1, () => player.end(1006, "no network"));
      return player;
    }
    const pair = [player, server] as const;
    this.#open.add(pair);
    const delayMs = Math.max(1, network.delayMs ?? 0);
    const closing =
      (other: VirtualSocket) =>
      (code: number, reason: string): void => {
        this.#open.delete(pair);
        scheduler.after(delayMs, () => other.end(code, reason));
      };
    player.onClosed = closing(server);
    server.onClosed = closing(player);
    this.#options.accept(new WebSocketLink(server, { scheduler }), protocols);
    return player;
  }
}
