import { ByteBudget, DropCounters, profileOf } from "@paceline/transport";
import { environmentOf } from "../browser/environment.js";
import type { Welcome } from "../connection/server-connection-options.js";
import { ServerConnection } from "../connection/server-connection.js";
import { EarlyTasks, earlyHandlers } from "../connection/early-tasks.js";
import { PlanInForce, firstPlan } from "../policy/plan-in-force.js";
import { assertTopology, topologyOf } from "../policy/topology.js";
import { Simulation } from "../room-transport/simulation.js";
import { GameTime, TIME_TICK_HZ } from "../time/game-time.js";
import { modeOf, type JoinedParts, type RoomSetup } from "./room-setup.js";
import { Room } from "./room.js";
import { keepMode } from "./tab-modes.js";

/** Limit of the server's messages and packets that wait for the room, or for the game to listen. */
const MAX_EARLY = 2048;

/** A join, from the game's call to its room. Its room is made from the server's welcome. */
export class RoomJoin {
  readonly #parts: JoinedParts;
  /** The newest welcome: the server may drop the session while the code of the room's mode loads. */
  #welcome: Welcome | undefined;
  #room: Room | undefined;

  constructor(setup: RoomSetup) {
    const { scheduler, page, isStepped, tickHz, doors } = setup;
    const early = new EarlyTasks(MAX_EARLY);
    const inForce = new PlanInForce(planBefore(setup));
    const loadSimulation = () => doors.simulation.open();
    const simulation = new Simulation({ scheduler, loadSimulation });
    const budget = new ByteBudget(scheduler, () => inForce.plan.numbers.sendBytesPerSecond);
    const time = new GameTime({
      clock: scheduler,
      page,
      isStepped,
      tickHz: isStepped ? tickHz : TIME_TICK_HZ,
    });
    const connection: ServerConnection = new ServerConnection({
      ...setup,
      budget,
      channel: inForce.channel,
      loadStripes: () => doors.stripes.open(),
      webrtc: () => inForce.isDirectWanted,
      interpose: (link) => simulation.interpose(link),
      currentTick: () => time.tick,
      handlers: earlyHandlers(early, () => connection.handlers, {
        onNewSession: () => early.clear(),
        onWelcome: (welcome) => void (this.#welcome = welcome),
        onLeft: () => undefined,
      }),
    });
    connection.setSockets(setup.sockets);
    this.#parts = { setup, connection, early, inForce, simulation, budget, time, drops: new DropCounters() };
  }

  /**
   * Resolves to the room after the server's welcome, once the code of the room's mode is there. Rejects with
   * `NetError`, and with `ConfigError` if the game itself chose a topology that the room does not have.
   */
  async room(): Promise<Room> {
    const { connection } = this.#parts;
    const first = await connection.join();
    for (;;) {
      const welcome = (this.#welcome ??= first);
      const mode = await this.#modeFor(welcome);
      // The server may have ended the session right after its welcome.
      if (connection.endError) throw connection.endError;
      if (welcome !== this.#welcome) continue;
      this.#room = new Room(this.#parts, welcome, mode);
      if (welcome.fullRooms) reportFullRooms(welcome.fullRooms, welcome.roomName);
      this.#room.start();
      return this.#room;
    }
  }

  /** Aborts the join, or leaves the room if it is joined. */
  abort(): void {
    const { connection } = this.#parts;
    if (this.#room) void this.#room.leave();
    else if (connection.state === "joining") connection.abort();
    else void connection.leave();
  }

  /** Fetches the code of the room's mode. Leaves the room if the game cannot play in it. */
  async #modeFor(welcome: Welcome) {
    const { connection, setup } = this.#parts;
    const { serverUrl, page } = setup;
    keepMode(page?.tab, serverUrl, welcome.roomName, modeOf(welcome));
    try {
      assertTopology(setup.profile, modeOf(welcome) === "authority");
      if (setup.interest) await setup.doors.cells.open();
      const door = setup.doors[modeOf(welcome)];
      return door.code ?? (await door.open());
    } catch (error) {
      void connection.leave();
      throw error;
    }
  }
}

/** Returns the plan until the welcome. It suits rooms of both modes. */
function planBefore({ profile: choice, transports, newLink }: RoomSetup) {
  const profile = profileOf(choice);
  const around = environmentOf(transports, { peers: 0 }, newLink);
  return firstPlan(profile, around, topologyOf(profile.topology, false));
}

function reportFullRooms(fullRooms: number, name: string): void {
  // oxlint-disable-next-line no-console -- friends who test a game would not find each other
  console.info(
    `paceline: ${fullRooms} full room(s) of "${name}", so this player came into another one; ` +
      "friends stay together with the same { group: { key, size } } after the options, or come by joinById",
  );
}
