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

/** The server's options, and the seed of the network's chance. */
export interface RoomStageOptions extends Partial<
  Omit<ServerOptions<{ staged: RoomEntry }>, "rooms" | "scheduler">
> {
  readonly seed?: number;
}

/** A kind of rooms in which players are among themselves, as `defineServer` takes it. */
type PeerRooms = Exclude<RoomEntry, RoomClass>;

/**
 * A kind of rooms under virtual time: a whole server, whole clients, simulated networks between them, and no waiting.
 * Seconds pass when {@link RoomStage.advance} says so; the same seed gives the same run.
 */
export class RoomStage<R extends Room> {
  readonly scheduler = new VirtualScheduler();
  readonly server: Server<{ staged: RoomEntry }>;
  /** Rooms with an authority that were opened, in order. */
  readonly rooms: R[] = [];
  readonly #random;
  readonly #players: StagePlayer[] = [];
  /** HTTP takes real time, and a port of the loopback: only tests that need it switch it on. */
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

  /** The class, whose rooms a test can look at. */
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

  /** The room; the newest, where there were several. */
  get room(): R {
    const room = this.rooms.at(-1);
    if (room) return room;
    throw new Error("no room was opened yet: somebody has to join");
  }

  /** A player comes; resolves when it is in, rejects where it is not let in. */
  join({ options = {}, terms, network = {}, sockets = 1, client }: StageJoin = {}): Promise<StagePlayer> {
    const player = this.#newPlayer(network, sockets, undefined, client);
    return this.#enter(player, () => player.client.joinOrCreate(ROOM, options, terms));
  }

  /** A client that is not in any room yet, for what {@link join} does not do; kinds of rooms are "staged". */
  client(network: NonNullable<StageJoin["network"]> = {}): Client {
    return this.#newPlayer(network, 1).client;
  }

  /** Lets time pass until a promise is settled. */
  async until<Value>(promise: Promise<Value>): Promise<Value> {
    let isSettled = false;
    const waited = promise.finally(() => (isSettled = true));
    waited.catch(() => undefined);
    // Code that comes in real time would begin rooms at another virtual time in each run.
    await Client.preload();
    for (let step = 0; step < MAX_JOIN_STEPS && !isSettled; step++) {
      await this.advance(STEP_MS);
      // Code that is fetched on demand takes real time.
      if (!isSettled) await realPause(3);
    }
    return waited;
  }

  /** The player reloads the page: another client, the same seat. */
  async reload(player: StagePlayer, { network = {} }: Pick<StageJoin, "network"> = {}): Promise<StagePlayer> {
    const token = player.room.reconnectionToken;
    player.offline();
    this.#url ??= await this.server.listen(0);
    const next = this.#newPlayer(network, 1, this.#url);
    return this.#enter(next, () => next.client.reconnect(token));
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.scheduler.advance(Math.min(STEP_MS, left));
      // Promises have their turn between two steps.
      await nextTurn();
    }
  }

  /** Everybody leaves, the server ends. */
  async stop(): Promise<void> {
    for (const player of this.#players) player.room.leave();
    await this.advance(50);
    const stopped = this.server.stop({ drainMs: 10 });
    await this.advance(50);
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
 * Stages a room class, or a kind of rooms in which players are among themselves: `roomStage({ maxPlayers: 4 })`.
 * See {@link RoomStage}.
 */
export function roomStage<R extends Room = Room>(
  rooms: (new () => R) | PeerRooms,
  options: RoomStageOptions = {},
): RoomStage<R> {
  return new RoomStage(rooms, options);
}
