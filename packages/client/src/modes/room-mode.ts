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
import type { DropCounters, PongTimes } from "@paceline/transport";
import type { Prediction } from "./prediction.js";
import type { DoorTo } from "../browser/door.js";
import type { ServerConnection } from "../connection/server-connection.js";
import type { Welcome } from "../connection/server-connection-options.js";
import type { Entity } from "../entities/entity.js";
import type { OwnedEntities, OwnedRecord } from "../entities/owned-entities.js";
import type { PairParts, PeerConnection } from "../peers/peer-connection.js";
import type { Peer } from "../peers/peer.js";
import type { RoomMessages } from "../peers/room-messages.js";
import type { Router } from "../peers/router.js";
import type { ViewPolicy } from "../policy/view-policy.js";
import type { RoomTransport } from "../room-transport/room-transport.js";
import type { GameTime, PublishedTick } from "../time/game-time.js";
import type { RoomClock } from "../time/room-clock.js";
import type { CellPackets } from "./cells/cell-packets.js";
import type { RoomCells } from "./cells/room-cells.js";
import type { InputSender } from "./authoritative/input-sender.js";
import type { RoomListeners } from "./room-listeners.js";
import type { OwnStates } from "./authoritative/own-states.js";
import type { StateSender } from "./mesh/state-sender.js";

/** Fetches the code for streams of other builds. It is tried again until it is there. */
export type LoadColumns = () => Promise<Pick<typeof Protocol, "describeColumns" | "matchColumns">>;

/** The code that sends the states of own entities: to players, or to the room's authority. */
export interface SendingCode {
  readonly StateSender: typeof StateSender;
  readonly OwnStates: typeof OwnStates;
}

/** The code of interest in rooms without an authority. */
export interface CellCode {
  readonly CellPackets: typeof CellPackets;
  readonly RoomCells: typeof RoomCells;
}

/** Parts of a room that its mode uses. */
export interface RoomParts extends PairParts {
  readonly loadColumns: LoadColumns;
  readonly sending: DoorTo<SendingCode>;
  readonly listeners: RoomListeners;
  readonly owned: OwnedEntities;
  /** The cells that this player sees, and those of its entities; undefined if it sees everything. */
  readonly cells: RoomCells | undefined;
  readonly cellCode: CellCode | undefined;
  /** Inputs and prediction in a room with an authority. The next welcome's mode goes on with them. */
  readonly play: { inputs?: InputSender; prediction?: Prediction };
  readonly messages: RoomMessages;
  readonly router: Router;
  readonly time: GameTime;
  readonly clock: RoomClock;
  /** The game's loop. While it runs, the steps of the inputs run with it. */
  readonly loop: { readonly isRunning: boolean };
  readonly drops: DropCounters;
  readonly view: ViewPolicy;
  readonly connection: ServerConnection;
  readonly transport: RoomTransport;
  /** Called when {@link RoomMode.neededDelayMs} may have changed. */
  readonly reviewDelay: () => void;
  /** Called when the traffic through the server may have changed. */
  readonly reviewServerPath: () => void;
}

/** The code of a mode. It opens the room that a welcome describes. */
export interface ModeCode {
  readonly Mode: new (parts: RoomParts, welcome: Welcome) => RoomMode;
}

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
 * Handles the entities and messages of a room, from one welcome of the server to the next one or to the end:
 * between players, or with a server that decides. A mode leaves out a method if it has nothing to do there.
 */
export interface RoomMode {
  /** The authority on the server; undefined in a mesh. */
  readonly server: Peer | undefined;
  readonly peers: readonly Peer[];
  /** Peers with which this participant has a session of its own. */
  readonly pairs: Iterable<PeerConnection>;
  readonly steps: PrescribedSteps | undefined;
  /** The parts of the plan that this room overrides, and the states that wait because the budget is too small. */
  readonly limits: ViewLimits;
  /** True if values are published after each step; otherwise once for all steps of a frame. */
  readonly publishesSteps: boolean;
  /** The interpolation delay that this path needs, ms; undefined before the first measurement. */
  readonly neededDelayMs: number | undefined;
  /** The authority's tick at which entities are shown; 0 in a mesh. */
  readonly shownTick: number;
  /** Number of reliable messages without a receipt, over the sessions with peers. */
  readonly unacknowledged: number;

  /**
   * Returns the participant that writes the room's only entity of a kind. Undefined if it is this one, or is
   * not known.
   */
  soleWriter(): SoleWriter | undefined;
  /** True if nothing would be sent when values are published. */
  readonly isIdle: boolean;

  /** Resolves when nothing waits for code that the first own states need. */
  readonly isPrepared?: Promise<void>;

  /** Called when the game can listen. */
  begin?(): void;
  /** Ends the mode, because the player leaves the room or joins it again. */
  end(reason: string): void;
  joined(info: PeerInfo): void;
  left(number: number): void;
  /** Called when another player has lost its link to the server; `closed`: its page was closed, or sleeps. */
  away(number: number, closed: boolean): void;
  back(number: number): void;
  /** Called when a peer has WebRTC, or no longer has it. */
  learn?(number: number, hasWebRtc: boolean): void;
  signal?(from: number, attempt: number, data: unknown): void;
  /** Reads the slot of a stream of a peer, which the server gives to newcomers. */
  takeSlot(message: ServerMessage & { readonly type: "slot" }): void;
  relayMoved?(): void;
  relayLost?(): void;
  networkChanged?(): void;
  planChanged(): void;
  /** Takes measurements; called once a second. */
  sample?(): void;

  use(definition: EntityDefinition): void;
  entities(definition: EntityDefinition): Iterable<Entity>;
  spawned(record: OwnedRecord): void;
  despawned(record: OwnedRecord): void;
  teleported(record: OwnedRecord): void;
  /** Stores the own entities' states of a tick, and sends those that are due. */
  replicate(moment: PublishedTick): void;
  /**
   * Returns the input to write. Throws `NetError` if the room takes no inputs, or inputs of another
   * definition.
   */
  input(definition: InputDefinition): WritableFields<InputDefinition["definition"]["fields"]>;
  predict(definition: EntityDefinition, inputs: InputDefinition, step: InputStep): Prediction;
  /**
   * Samples the inputs of the steps that are due by that moment, each after `step`. Returns false without
   * inputs.
   */
  play(untilMs: number, step: (atMs: number) => void): boolean;

  /** Sends a reliable message to one peer or to all that have room. Throws if none of them has. */
  post(payload: PeerPayload, to: Peer | undefined, isBulk: boolean): void;
  sendEvent(body: Uint8Array, to: Peer | undefined): void;
  request(type: string, message: unknown, to: Peer | undefined, timeoutMs: number): Promise<unknown>;
  /** Sends at once the messages that wait for others to share their packet. */
  flush?(): void;

  /** Handles a reliable message of the server about the game. Returns false if it is malformed. */
  receive?(payload: Uint8Array): boolean;
  receiveEvent?(body: Uint8Array): boolean;
  /**
   * Reads states of the server.
   * @param cameAtMs time of arrival; the states may have waited for the game
   */
  receiveState(body: Uint8Array, tick: number, cameAtMs: number): void;
  acknowledged?(sequence: number): void;
  /** Takes a pong of the server. */
  answered?(times: PongTimes): void;
}
