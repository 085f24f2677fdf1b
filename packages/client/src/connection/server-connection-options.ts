import type { ServerMessage } from "@paceline/protocol";
import type { ByteBudget, ChannelPolicyOf, Link, PongTimes } from "@paceline/transport";
import type { FirstAttempt, JoinParts } from "./first-attempt.js";
import type { LoadStripes } from "./stripes.js";

/** The server's message to a participant that has joined. */
export type Welcome = ServerMessage & { readonly type: "welcome" };

/** Control messages about the room, not about the connection. */
export type RoomControl = Exclude<
  ServerMessage,
  { readonly type: "welcome" | "resumed" | "stripe" | "moving" }
>;

/** Takers of what a connection reports. */
export interface ServerConnectionHandlers {
  /** Called when a session for another seat begins. Its reports before the welcome are for the room of that seat. */
  onNewSession(): void;
  /** Called after another join, because the server has dropped the session. */
  onWelcome(welcome: Welcome): void;
  onResumed(): void;
  /** Called when the session moves to another link without a drop. */
  onMoved(reason: string): void;
  onDrop(reason: string): void;
  /** Called once, at the end of the connection. */
  onLeft(code: number, reason: string): void;
  onControl(message: RoomControl): void;
  /** Takes a message of the room's authority. Returns false if it is malformed. */
  onAuthority(payload: Uint8Array): boolean;
  onAuthorityEvent(body: Uint8Array): boolean;
  onAuthorityState(body: Uint8Array, tick: number, cameAtMs: number): void;
  /** Takes a packet that the server has forwarded. */
  readonly onRouted: (packet: Uint8Array) => void;
  onAcknowledged(sequence: number): void;
  onPong(times: PongTimes): void;
  /** Called when states use another number of sockets. */
  onSockets(sockets: number, reason: string): void;
  /** Called when round trips over the WebSocket begin to wait behind lost segments. */
  onStalls(): void;
}

export interface ServerConnectionOptions extends JoinParts {
  /** The join in progress. */
  readonly first: FirstAttempt;
  readonly handlers: ServerConnectionHandlers;
  readonly channel: ChannelPolicyOf;
  readonly budget: ByteBudget;
  readonly loadStripes: LoadStripes;
  webrtc(): boolean;
  /** Takes the build that the server serves, which may be another one than that of the welcome. */
  readonly onBuild: (build: string) => void;
  /** Takes a new link and returns the link to use instead, for example a filtered one. */
  interpose(link: Link): Link;
  currentTick(): number;
}
