import type { ByteBudget, DropCounters, ProfileChoice, WebRtcLinkMaker } from "@paceline/transport";
import type { DoorTo } from "../browser/door.js";
import type { TransportKind } from "../browser/environment.js";
import type { FirstAttempt, JoinParts, SeatCode } from "../connection/first-attempt.js";
import type { Welcome } from "../connection/server-connection-options.js";
import type { ServerConnection } from "../connection/server-connection.js";
import type { LoadStripes, SocketCount } from "../connection/stripes.js";
import type { MotionDoors } from "../entities/motion.js";
import type { EarlyTasks } from "../connection/early-tasks.js";
import type { ClientInterest } from "../policy/client-interest.js";
import type { CellCode, LoadColumns, ModeCode, SendingCode } from "../modes/room-mode.js";
import type { LoadDirectPath } from "../peers/lazy-direct-path.js";
import type { PlanInForce } from "../policy/plan-in-force.js";
import type { Interpolation } from "../policy/view-policy.js";
import type { LoadExplanation } from "../room-transport/room-transport.js";
import type { Simulation, SimulationOptions } from "../room-transport/simulation.js";
import type { GameTime } from "../time/game-time.js";

/** Modes of rooms, by who decides: players, or a server. Each has code of its own. */
export type ModeName = "mesh" | "authority";

type DoorOf<Load extends () => Promise<object>> = DoorTo<Awaited<ReturnType<Load>>>;

/** Code that a room fetches when it needs it. */
interface RoomDoors extends MotionDoors, Readonly<Record<ModeName, DoorTo<ModeCode>>> {
  readonly seats: DoorTo<SeatCode>;
  readonly sending: DoorTo<SendingCode>;
  readonly cells: DoorTo<CellCode>;
  readonly webRtc: DoorOf<LoadDirectPath>;
  readonly columns: DoorOf<LoadColumns>;
  readonly interpolation: DoorTo<Interpolation>;
  readonly stripes: DoorOf<LoadStripes>;
  readonly msgpackr: DoorTo<{ readonly useMsgpackr: () => void }>;
  readonly words: DoorOf<LoadExplanation>;
  readonly simulation: DoorOf<SimulationOptions["loadSimulation"]>;
}

/** The parts of a room: the client's options, checked and completed, and the join in progress. */
export interface RoomSetup extends JoinParts {
  /** The join in progress. */
  readonly first: FirstAttempt;
  readonly doors: RoomDoors;
  readonly profile: ProfileChoice;
  readonly transports: readonly TransportKind[];
  readonly newLink: WebRtcLinkMaker | undefined;
  /** Steps per second of a game that runs in steps, from the game or from its profile. */
  readonly tickHz: number;
  /** True if the game set the steps per second: inputs and states then belong to steps, else to moments. */
  readonly isStepped: boolean;
  /** Receives the build that the server serves. */
  readonly onBuild: (build: string) => void;
  readonly sockets: SocketCount;
  readonly interest?: ClientInterest | undefined;
}

/** The parts of a join that its room goes on with. */
export interface JoinedParts {
  readonly setup: RoomSetup;
  readonly connection: ServerConnection;
  /** Holds what the server sends until the room exists, and what concerns the game until it can listen. */
  readonly early: EarlyTasks;
  readonly inForce: PlanInForce;
  readonly simulation: Simulation;
  /** Budget in bytes per second for all links of this room: to the server and to players. */
  readonly budget: ByteBudget;
  readonly time: GameTime;
  readonly drops: DropCounters;
}

/** Returns the mode of the room that the server's welcome describes. */
export function modeOf({ authority }: Welcome): ModeName {
  return authority ? "authority" : "mesh";
}

/** Returns the steps per second of the room's authority; undefined in a mesh. */
export function authorityHzOf({ authority }: Welcome): number | undefined {
  return authority?.tickHz;
}
