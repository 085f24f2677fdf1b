import { setImmediate as nextTurn, setTimeout as realPause } from "node:timers/promises";
import { Client, type Room as ClientRoom } from "@paceline/client";
import {
  defineServer,
  type Room,
  type RoomClass,
  type RoomEntry,
  type Server,
  type ServerOptions,
} from "@paceline/server";
import { seededRandom } from "@paceline/transport/simulated";
import { VirtualScheduler } from "../virtual-scheduler.js";
import { StagePlayer, type StageJoin } from "./stage-player.js";

const ROOM = "staged";
const STEP_MS = 5;
const MAX_JOIN_STEPS = 700;

/** The server's options, and the seed of the random network. */
export interface RoomStageOptions extends Partial<
  Omit<ServerOptions<{ staged: RoomEntry }>, "rooms" | "scheduler">
> {
  readonly seed?: number;
}

/** A kind of rooms without an authority, in the form of `defineServer`. */
type PeerRooms = Exclude<RoomEntry, RoomClass>;

/**
 * A kind of rooms under virtual time: a whole server, whole clients, and simulated networks between them,
 * without waiting.
 * Time passes in {@link RoomStage.advance}; the same seed gives the same run.
 */
export class RoomStage<R extends Room> {
  readonly scheduler = new VirtualScheduler();
  readonly server: Server<{ staged: RoomEntry }>;
  /** The opened rooms with an authority, in order. */
  readonly rooms: R[] = [];
  readonly #random;
  readonly #players: StagePlayer[] = [];
  /** Address for HTTP, which takes real time and a loopback port. Only tests that need it listen on it. */
  #url: string | undefined;

  constructor(rooms: (new () => R) | PeerRooms, { seed = 1, ...options }: RoomStageOptions = {}) {
    const { scheduler } = this;
    this.#random = seededRandom(seed);
    this.server = defineServer({
      scheduler,
      wallClockMs: () => scheduler.nowMs(),
      ...options,
      rooms: { [ROOM]: typeof rooms === "function" ? this.#noted(rooms) : rooms },
    });
  }

  /** Returns a subclass that records its rooms for the test. */
  #noted(roomClass: new () => R): RoomClass {
    const { rooms } = this;
    const noted = class extends (roomClass as unknown as new () => Room) {
      constructor() {
        super();
        rooms.push(this as unknown as R);
      }
    };
    return noted as unknown as RoomClass;
  }

  /** The newest room. Throws if no player has joined. */
  get room(): R {
    const room = this.rooms.at(-1);
    if (room) return room;
    throw new Error("no room was opened yet: somebody has to join");
  }

  /** Joins a player; resolves when it is in the room, rejects if the server refuses it. */
  join({ options = {}, terms, network = {}, sockets = 1, client }: StageJoin = {}): Promise<StagePlayer> {
    const player = this.#newPlayer(network, sockets, undefined, client);
    return this.#enter(player, () => player.client.joinOrCreate(ROOM, options, terms));
  }

  /**
   * Makes a client that is in no room yet, for uses beyond {@link join}. The name of the kind of rooms is
   * "staged".
   */
  client(network: NonNullable<StageJoin["network"]> = {}): Client {
    return this.#newPlayer(network, 1).client;
  }

  /** Lets time pass until a promise is settled; returns its result. */
  async until<Value>(promise: Promise<Value>): Promise<Value> {
    let isSettled = false;
    const waited = promise.finally(() => (isSettled = true));
    waited.catch(() => undefined);
    // Loads code on demand first: its real loading time would shift the virtual time of rooms.
    await preloadRooms();
    for (let step = 0; step < MAX_JOIN_STEPS && !isSettled; step++) {
      await this.advance(STEP_MS);
      // Loading code takes real time.
      if (!isSettled) await realPause(3);
    }
    return waited;
  }

  /** Reloads the player's page: a new client with the same seat. */
  async reload(player: StagePlayer, { network = {} }: Pick<StageJoin, "network"> = {}): Promise<StagePlayer> {
    const token = player.room.reconnectionToken;
    player.offline();
    this.#url ??= await this.server.listen(0);
    const next = this.#newPlayer(network, 1, this.#url);
    return this.#enter(next, () => next.client.reconnect(token));
  }

  /** Lets time pass, ms. */
  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.scheduler.advance(Math.min(STEP_MS, left));
      // Gives promises a turn between two steps.
      await nextTurn();
    }
  }

  /** Lets all players leave, and stops the server. */
  async stop(): Promise<void> {
    for (const player of this.#players) player.room.leave();
    await this.advance(50);
    let isStopped = false;
    const stopped = this.server.stop({ drainMs: 10 }).finally(() => (isStopped = true));
    // The server waits for the rooms' hooks, which wait for the virtual time.
    while (!isStopped) await this.advance(50);
    await stopped;
  }

  #newPlayer(
    network: NonNullable<StageJoin["network"]>,
    sockets: StageJoin["sockets"],
    serverUrl?: string,
    client?: StageJoin["client"],
  ): StagePlayer {
    return new StagePlayer({
      scheduler: this.scheduler,
      random: this.#random.fork(),
      network,
      sockets,
      ...(serverUrl !== undefined && { serverUrl }),
      ...(client && { client }),
      accept: (link, protocols) => this.server.takeLink(link, { address: "stage", protocols }),
    });
  }

  async #enter(player: StagePlayer, join: () => Promise<ClientRoom>): Promise<StagePlayer> {
    player.enter(await this.until(join()));
    this.#players.push(player);
    return player;
  }
}

/**
 * Stages a room class, or a kind of rooms without an authority: `roomStage({ maxPlayers: 4 })`.
 * See {@link RoomStage}.
 */
export function roomStage<R extends Room = Room>(
  rooms: (new () => R) | PeerRooms,
  options: RoomStageOptions = {},
): RoomStage<R> {
  return new RoomStage(rooms, options);
}

/**
 * Loads the code of rooms of both topologies. A join that has to load code takes real time, while the time of
 * its room is virtual: call it before.
 */
export async function preloadRooms(): Promise<void> {
  await Promise.all([Client.preload("racing"), Client.preload({ base: "racing", topology: "authority" })]);
}
