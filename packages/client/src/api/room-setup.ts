import type { ProfileChoice, WebRtcLinkMaker } from "@paceline/transport";
import type { TransportKind } from "../browser/environment.js";
import type { FirstAttempt, JoinParts } from "../connection/first-attempt.js";
import type { SocketCount } from "../connection/stripes.js";

/** The parts of a room: the client's options, checked and completed, and the join in progress. */
export interface RoomSetup extends JoinParts {
  /** The join in progress. */
  readonly first: FirstAttempt;
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
}
