import type { ProfileChoice, Scheduler, WebRtcLinkMaker, WebSocketConstructor } from "@paceline/transport";
import type { TransportKind } from "../browser/environment.js";
import type { FirstAttempt } from "../connection/first-attempt.js";
import type { JoinCall } from "../connection/match-request.js";
import type { Page } from "../browser/page.js";
import type { SocketCount } from "../connection/stripes.js";

/** The parts of a room: the client's options, checked and completed, and the join in progress. */
export interface RoomSetup {
  readonly serverUrl: string;
  readonly call: JoinCall;
  /** The join in progress. */
  readonly first: FirstAttempt;
  readonly scheduler: Scheduler;
  readonly webSocket: WebSocketConstructor;
  readonly profile: ProfileChoice;
  readonly transports: readonly TransportKind[];
  readonly newLink: WebRtcLinkMaker | undefined;
  /** Steps per second of a game that runs in steps, from the game or from its profile. */
  readonly tickHz: number;
  /** True if the game set the steps per second: inputs and states then belong to steps, else to moments. */
  readonly isStepped: boolean;
  readonly page: Page | undefined;
  /** Receives the build that the server serves. */
  readonly onBuild: (build: string) => void;
  readonly sockets: SocketCount;
}
