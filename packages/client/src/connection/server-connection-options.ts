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

/** What the server says to who has come in. */
export type Welcome = ServerMessage & { readonly type: "welcome" };

/** What is about the room, not about the connection itself. */
export type RoomControl = Exclude<
  ServerMessage,
  { readonly type: "welcome" | "resumed" | "stripe" | "moving" }
>;

/** What a connection tells the room. */
interface ServerConnectionHandlers {
  /** In the room: after joining, or anew after the server had forgotten the session. */
  onWelcome(welcome: Welcome): void;
  /** The same session goes on. */
  onResumed(): void;
  /** The same session goes on over another link, without having been away. */
  onMoved(reason: string): void;
  onDrop(reason: string): void;
  /** Final. */
  onLeft(code: number, reason: string): void;
  /** A control message that is the room's, not the connection's. */
  onControl(message: RoomControl): void;
  /** What a room's authority sends; false where it makes no sense. */
  onAuthority(payload: Uint8Array): boolean;
  onAuthorityEvent(body: Uint8Array): boolean;
  readonly onAuthorityState: (body: Uint8Array, tick: number) => void;
  readonly onAcknowledged: (sequence: number) => void;
  onPong(times: PongTimes): void;
  /** States go over another number of sockets. */
  onSockets(sockets: number, reason: string): void;
}

/** What a connection is made of. */
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
  /** What this room may send over all its links. */
  readonly budget: ByteBudget;
  webrtc(): boolean;
  /** There is a new link; returns it. */
  interpose(link: Link): Link;
  currentTick(): number;
}
