import { ConfigError } from "@paceline/protocol";
import {
  profileNamed,
  workerScheduler,
  type Genre,
  type Scheduler,
  type WebRtcLinkMaker,
  type WebSocketConstructor,
} from "@paceline/transport";
import { serverUrlOf } from "./endpoint.js";
import { checkedTransports, webRtcOf, webSocketOf, type TransportKind } from "./environment.js";
import { checkedCall, reconnectCall, type JoinCall, type RoomOptions } from "./match-request.js";
import { Room } from "./room.js";

/** What a {@link Client} needs to know of the game. */
export interface ClientOptions {
  /** The game's genre: rates, thresholds and the choice of channels follow from it. */
  readonly profile: Genre;
  /** Transports that may be used; default: all that this environment has. WebSocket must be among them. */
  readonly transports?: readonly TransportKind[];
  /** Steps per second of the game's simulation, 1 to 255. Default 60. */
  readonly tickHz?: number;
  /** Default: `mesh` (players talk directly where they can) unless the profile prefers `relay`. */
  readonly topology?: "mesh" | "relay";
  /** In Node: `NodeWebSocket` from `@paceline/client/node`. Default: the browser's. */
  readonly webSocket?: unknown;
  /** In Node: what `nodeWebRtc()` from `@paceline/client/node` resolves to. Default: the browser's WebRTC. */
  readonly webRtc?: unknown;
  /** Clock and timers; tests give a virtual one. Default: timers of a Worker where there is one, else the page's. */
  readonly scheduler?: Scheduler;
}

/**
 * The way into rooms of one server.
 *
 * Every method rejects with {@link NetError} (see docs/ERRORS.md) when the server refuses or cannot be reached, and
 * throws {@link ConfigError} for arguments that can never work.
 */
export class Client {
  readonly #serverUrl: string;
  readonly #webSocket: WebSocketConstructor;
  readonly #newLink: WebRtcLinkMaker | undefined;
  readonly #transports: readonly TransportKind[];
  readonly #options: ClientOptions;
  readonly #tickHz: number;

  /** @param endpoint the server's address: http(s) or ws(s) */
  constructor(endpoint: string, options: ClientOptions) {
    this.#serverUrl = serverUrlOf(endpoint);
    profileNamed(options.profile);
    this.#transports = checkedTransports(options.transports);
    this.#webSocket = webSocketOf(options.webSocket);
    this.#newLink = webRtcOf(options.webRtc);
    this.#tickHz = options.tickHz ?? 60;
    if (!Number.isInteger(this.#tickHz) || this.#tickHz < 1 || this.#tickHz > 255) {
      const expected = "a whole number of steps per second from 1 to 255";
      throw new ConfigError({ field: "tickHz", value: this.#tickHz, expected });
    }
    const { topology } = options;
    if (topology !== undefined && topology !== "mesh" && topology !== "relay") {
      throw new ConfigError({ field: "topology", value: topology, expected: `"mesh" or "relay"` });
    }
    this.#options = options;
  }

  /** Joins an open room of that name and with equal options, or creates one. */
  joinOrCreate(roomName: string, options: RoomOptions = {}): Promise<Room> {
    return this.#enter(checkedCall("joinOrCreate", roomName, options));
  }

  /** Creates a room. */
  create(roomName: string, options: RoomOptions = {}): Promise<Room> {
    return this.#enter(checkedCall("create", roomName, options));
  }

  /** Joins an open room; rejects with `match/not-found` where there is none. */
  join(roomName: string, options: RoomOptions = {}): Promise<Room> {
    return this.#enter(checkedCall("join", roomName, options));
  }

  /** Joins the room with that id. */
  joinById(roomId: string): Promise<Room> {
    return this.#enter(checkedCall("joinById", roomId, {}));
  }

  /**
   * Takes the place of an earlier session of this player, in the same room, even if that is full: after the page was
   * loaded anew. The earlier session ends at once, if it is still there; entities and messages begin anew. Rejects with
   * `match/not-found` when the server has forgotten the session: join as usual then.
   */
  reconnect(reconnectionToken: string): Promise<Room> {
    return this.#enter(reconnectCall(reconnectionToken));
  }

  #enter(call: JoinCall): Promise<Room> {
    const room = new Room({
      serverUrl: this.#serverUrl,
      call,
      scheduler: this.#options.scheduler ?? workerScheduler,
      webSocket: this.#webSocket,
      newLink: this.#newLink,
      profile: this.#options.profile,
      transports: this.#transports,
      topology: this.#options.topology,
      tickHz: this.#tickHz,
    });
    return room.join().then(() => room);
  }
}
