import type * as Protocol from "@paceline/protocol";
import type {
  EntityDefinition,
  InputDefinition,
  PeerInfo,
  PeerPayload,
  ServerMessage,
  ViewLimits,
} from "@paceline/protocol";
import type { InputStep, WritableFields } from "@paceline/netcode";
import type { DropCounters, Uplink } from "@paceline/transport";
import type { Prediction } from "./prediction.js";
import type { ServerConnection } from "../connection/server-connection.js";
import type { Entity } from "../entities/entity.js";
import type { OwnedEntities, OwnedRecord } from "../entities/owned-entities.js";
import type { PairParts, Peer, PeerConnection } from "../peers/peer.js";
import type { RoomMessages } from "../peers/room-messages.js";
import type { Router } from "../peers/router.js";
import type { ViewPlan } from "../plan/view-plan.js";
import type { RoomTransport } from "../report/room-transport.js";
import type { GameTime, ReachedTick } from "../time/game-time.js";
import type { RoomNews } from "./room-news.js";

/** Fetches the code for streams of other builds. */
export type LoadColumns = () => Promise<Pick<typeof Protocol, "describeColumns" | "matchColumns">>;

/** The parts of a room that its mode uses. Functions stand for parts that the room creates after its first mode. */
export interface RoomParts extends PairParts {
  readonly loadColumns: LoadColumns;
  readonly news: RoomNews;
  readonly owned: OwnedEntities;
  readonly messages: RoomMessages;
  readonly router: Router;
  readonly time: GameTime;
  readonly drops: DropCounters;
  /** The view settings of the present plan. */
  readonly view: ViewPlan;
  readonly connection: () => ServerConnection;
  readonly transport: () => RoomTransport;
  /** The way to the server for each class of traffic; undefined while there is none. */
  readonly uplink: () => Uplink | undefined;
  /** {@link Peer.number} of this participant. */
  readonly myNumber: () => number;
  /** Whether the game's loop runs, and with it the steps of the inputs. */
  readonly isLooping: () => boolean;
  /** {@link RoomMode.neededDelayMs} may have changed. */
  readonly reviewDelay: () => void;
  /** The traffic through the server may have changed. */
  readonly reviewServerPath: () => void;
}

/** Steps that a room prescribes. */
export interface PrescribedSteps {
  readonly hz: number;
  /** The source of these settings, in words. */
  readonly why: string;
}

export interface SoleWriter {
  readonly peer: Peer;
  readonly name: string;
}

/**
 * Moves the entities and messages of a room, from one welcome of the server until the next one or the end: among
 * players themselves, or to a server that decides and back.
 */
export interface RoomMode {
  /** The server that decides; undefined where nobody does. */
  readonly server: Peer | undefined;
  readonly peers: readonly Peer[];
  /** Peers with whom this participant has a session of its own. */
  readonly pairs: Iterable<PeerConnection>;
  readonly steps: PrescribedSteps | undefined;
  /** The parts of the plan that this room overrides. */
  readonly limits: ViewLimits;
  /** Whether values are published after each step; otherwise once for all steps of a frame. */
  readonly publishesSteps: boolean;
  /** The interpolation delay that this path needs, ms; undefined before the first measurement. */
  readonly neededDelayMs: number | undefined;
  /** {@link RoomClock.shownTick} */
  readonly shownTick: number;
  /** Reliable messages without a receipt, to whom this participant has a session of its own. */
  readonly unacknowledged: number;

  /** The participant that writes the room's only entity of a kind; undefined if it is this one, or not known yet. */
  soleWriter(): SoleWriter | undefined;
  /** Whether nothing would be sent if the values of a moment were published. */
  readonly isIdle: boolean;

  /** The game can listen. */
  begin(): void;
  /** The player left the room, or joins it again. */
  end(reason: string): void;
  joined(info: PeerInfo): void;
  left(number: number): void;
  /** Called when another player has lost its link to the server; `closed`: its page was closed, or sleeps. */
  away(number: number, closed: boolean): void;
  back(number: number): void;
  /** A peer has WebRTC, or has none any more. */
  learn(number: number, hasWebRtc: boolean): void;
  signal(from: number, attempt: number, data: unknown): void;
  /** The server had kept states of a peer for newcomers. */
  takeRetained(message: ServerMessage & { readonly type: "retained" }): void;
  relayMoved(): void;
  relayLost(): void;
  networkChanged(): void;
  planChanged(): void;
  /** Measures, once a second. */
  sample(): void;

  /** The game has begun to use a kind. */
  use(definition: EntityDefinition): void;
  /** Entities of others. */
  entities(definition: EntityDefinition): Iterable<Entity>;
  spawned(record: OwnedRecord): void;
  despawned(record: OwnedRecord): void;
  teleported(record: OwnedRecord): void;
  /** Makes the own entities' states those of a tick, and sends what has to be sent of them. */
  replicate(reached: ReachedTick): void;
  /** Throws {@link NetError} where nobody takes inputs, or takes others. */
  input(definition: InputDefinition): WritableFields<InputDefinition["definition"]["fields"]>;
  predict(definition: EntityDefinition, inputs: InputDefinition, step: InputStep): Prediction;
  /** Takes the inputs of the steps that are due by that moment, after `step`. False where nobody takes any. */
  play(untilMs: number, step: (atMs: number) => void): boolean;

  /** Sends a reliable message to one or to all: to none where it cannot be sent to each. */
  post(payload: PeerPayload, to: Peer | undefined, isBulk: boolean): void;
  sendEvent(body: Uint8Array, to: Peer | undefined): void;
  request(type: string, message: unknown, to: Peer | undefined, timeoutMs: number): Promise<unknown>;
  /** Sends at once what waits for others to share its packet. */
  flush(): void;

  /** A reliable message of the server that is not about the connection; false where it makes no sense. */
  receive(payload: Uint8Array): boolean;
  receiveEvent(body: Uint8Array): boolean;
  /** @param cameAtMs when the states arrived; they may have waited for the game */
  receiveState(body: Uint8Array, tick: number, cameAtMs: number): void;
  /** The server has the packet of that sequence. */
  acknowledged(sequence: number): void;
}
