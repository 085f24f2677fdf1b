import type { ServerMessage } from "@paceline/protocol";
import type {
  ByteBudget,
  ChannelPolicyOf,
  Link,
  PongTimes,
  Scheduler,
  WebSocketConstructor,
} from "@paceline/transport";
import type { FirstAttempt } from "./first-attempt.js";
import type { JoinCall } from "./match-request.js";
import type { Page } from "../browser/page.js";

/** The server's message to a participant that has joined. */
export type Welcome = ServerMessage & { readonly type: "welcome" };

/** Control messages about the room, not about the connection. */
export type RoomControl = Exclude<
  ServerMessage,
  { readonly type: "welcome" | "resumed" | "stripe" | "moving" }
>;

/** Calls from a connection to its room. */
interface ServerConnectionHandlers {
  /** Joined the room: the first time, or again after the server had forgotten the session. */
  onWelcome(welcome: Welcome): void;
  /** Called when the same session goes on. */
  onResumed(): void;
  /** Called when the session goes on over another link, without having been away. */
  onMoved(reason: string): void;
  onDrop(reason: string): void;
  /** Final. */
  onLeft(code: number, reason: string): void;
  /** A control message that is the room's, not the connection's. */
  onControl(message: RoomControl): void;
  /** Takes a message of the room's authority; false if it is malformed. */
  onAuthority(payload: Uint8Array): boolean;
  onAuthorityEvent(body: Uint8Array): boolean;
  readonly onAuthorityState: (body: Uint8Array, tick: number) => void;
  readonly onAcknowledged: (sequence: number) => void;
  onPong(times: PongTimes): void;
  /** States go over another number of sockets. */
  onSockets(sockets: number, reason: string): void;
  /** Round trips over the WebSocket wait behind lost segments since now. */
  onStalls(): void;
}

/** The parts of a connection. */
export interface ServerConnectionOptions {
  readonly serverUrl: string;
  readonly call: JoinCall;
  /** The join, as far as it has come. */
  readonly first: FirstAttempt;
  readonly scheduler: Scheduler;
  readonly webSocket: WebSocketConstructor;
  readonly handlers: ServerConnectionHandlers;
  /** Takes the packets of other participants. */
  readonly router: { readonly receive: (packet: Uint8Array) => void };
  /** The page around, where there is one. */
  readonly page: Page | undefined;
  /** The plan's policy of a class of traffic. */
  readonly channel: ChannelPolicyOf;
  /** The uplink budget of the room. */
  readonly budget: ByteBudget;
  webrtc(): boolean;
  /** There is a new link; returns it. */
  interpose(link: Link): Link;
  currentTick(): number;
}
