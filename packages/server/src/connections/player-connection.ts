import {
  ByteWriter,
  CloseCode,
  NetError,
  PayloadKind,
  type InputDefinition,
  type InputFeedback,
  writeAuthority,
  writeEvent,
  writeFeedback,
  writePeerPayload,
  type PeerPayload,
  type ToAuthority,
  type ViewTerms,
} from "@paceline/protocol";
import { EntityTable, newFields } from "@paceline/netcode";
import { assertRange, type HostedParticipant, type HostedSeat } from "@paceline/relay";
import { lostAfterMsOf } from "@paceline/netcode";
import { Requests, type Cancel, type Scheduler, type Session } from "@paceline/transport";
import { PlayerSnapshotStream } from "../states/player-snapshot-stream.js";
import { MessageAllowance, type MessageLimits } from "../players/message-allowance.js";
import { Player } from "../players/player.js";
import { authorityAllowance, type PlayerLimits } from "../players/player-limits.js";
import { PlayerInputs } from "../players/player-inputs.js";
import type { RoomCounters } from "../ops/room-counters.js";
import type { World } from "../entities/world.js";

export interface PlayerConnectionOptions {
  readonly participant: HostedParticipant;
  readonly seat: HostedSeat;
  readonly world: World;
  readonly inputs: InputDefinition | undefined;
  readonly counters: RoomCounters;
  readonly scheduler: Scheduler;
  readonly messageLimits: MessageLimits;
  readonly playerLimits: PlayerLimits;
  /** Most entities that the player may own. */
  readonly maxEntities: number;
}

const MAX_SECONDS_AWAY = 3600;
const LEFT = "the player has left";
/** Writes the feedback of all connections. The session copies it at once. */
const head = new ByteWriter(4);

const NO_FEEDBACK: InputFeedback = { processed: undefined, leadErrorTicks: 0 };
/** A link counts as slow if more bytes than this wait for it. */
const SLOW_BYTES = 4096;
/** Assumed round trip until one is measured, ms. */
const ASSUMED_RTT_MS = 200;

/** The room's side of one player: its current participant, its snapshot stream, its inputs and its limits. */
export class PlayerConnection {
  readonly player: Player;
  readonly isSpectator: boolean;
  readonly requests: Requests;
  readonly #allowance: MessageAllowance;
  readonly #admitToAuthority: ReturnType<typeof authorityAllowance>;
  readonly #options: PlayerConnectionOptions;
  readonly #input: Float32Array | undefined;
  readonly inputView: object | undefined;
  /** Kinds whose columns the room and the player's page have exchanged. */
  readonly described = new Set<number>();
  /** How the player wants events and messages sent. */
  #view: Pick<ViewTerms, "eventLifetimeMs" | "messagePeriodMs"> = {};
  participant: HostedParticipant;
  snapshots: PlayerSnapshotStream;
  inputs: PlayerInputs | undefined;
  isConnected = true;
  /** True from the end of `onJoin` until the player leaves. */
  isIn = false;
  /** Time at which the room has forgotten the player, who has left, ms; undefined before. */
  leftAtMs: number | undefined;
  /** The code with which the player left while `onJoin` ran. */
  closeCode: number | undefined;
  /** The reason if the room has kicked the player. */
  kickedFor: string | undefined;
  /** Cancels the end of the entities of a page that was closed. */
  cancelDisown: Cancel | undefined;
  /** Called with true when the player is back, with false when it is out for good. */
  readonly #awaiting: ((isBack: boolean) => void)[] = [];

  constructor(options: PlayerConnectionOptions) {
    const { participant, inputs } = options;
    this.#options = options;
    this.participant = participant;
    this.player = new Player(this, options.seat);
    this.isSpectator = options.seat.isSpectator;
    const nowMs = options.scheduler.nowMs();
    this.#allowance = new MessageAllowance(options.messageLimits, nowMs);
    this.#admitToAuthority = authorityAllowance(options.playerLimits, options.maxEntities);
    this.requests = new Requests(options.scheduler);
    this.snapshots = this.#newSnapshotStream();
    if (!inputs) return;
    const table = new EntityTable(inputs.definition, 1);
    const place = { table, row: table.allocate() };
    this.#input = table.stateOf(place.row);
    const row = { place, layer: "state", isWritable: false } as const;
    this.inputView = newFields(inputs.definition, row);
    this.inputs = new PlayerInputs(inputs, options.counters);
  }

  /** True if the player can receive states: it is in the room, and its link is open. */
  get isReachable(): boolean {
    return this.isIn && this.isConnected;
  }

  /** Replaces the participant after a reload. */
  rebind(participant: HostedParticipant): void {
    this.participant = participant;
    this.described.clear();
    this.#view = {};
    this.snapshots = this.#newSnapshotStream();
    const { inputs } = this.#options;
    if (inputs) this.inputs = new PlayerInputs(inputs, this.#options.counters);
  }

  /** Sends a reliable payload, unless the session is closed. */
  send(payload: Uint8Array): void {
    if (this.participant.isGone) return;
    const { messagePeriodMs = 0 } = payload[0] === PayloadKind.command ? this.#view : {};
    this.participant.send(payload, messagePeriodMs > 0 ? messagePeriodMs : undefined);
  }

  /** Sends an event, which may be lost. Sends a command instead if the player wants no event to be lost. */
  sendEvent(type: string, message: unknown): void {
    const { eventLifetimeMs, messagePeriodMs } = this.#view;
    if (eventLifetimeMs === 0) return this.send(writePeerPayload({ kind: "command", type, message }));
    const { isGone, session } = this.participant;
    const body = writeEvent(type, message);
    if (!isGone) session.sendEvent(body, eventLifetimeMs, messagePeriodMs);
  }

  /**
   * Applies a player's request about its states. Returns the name of a kind that the room defines
   * differently.
   */
  setView(message: Parameters<PlayerSnapshotStream["setView"]>[0]): string | undefined {
    if (message.type === "view") this.#view = message;
    return this.snapshots.setView(message);
  }

  /** Copies the input of this tick to the row that the game reads. */
  takeInput(tick: number): void {
    const row = this.#input;
    if (!row || !this.inputs) return;
    const input = this.inputs.take(tick);
    // For so few numbers, `set` takes longer than a loop.
    for (let index = 0; index < row.length; index++) row[index] = input[index]!;
  }

  get feedback(): InputFeedback {
    return this.inputs?.feedback ?? NO_FEEDBACK;
  }

  /**
   * Returns true if a message is within the player's limits, and earlier ones did not make the room send far
   * too much. Answers a dropped request, because the player
   * waits for the reply.
   */
  admits(message: PeerPayload & { readonly kind: "command" | "request" }): boolean {
    const { scheduler, counters } = this.#options;
    const nowMs = scheduler.nowMs();
    if (!this.participant.isOverdrawn && this.#allowance.admit(message.type, nowMs)) return true;
    counters.messagesLimited += 1;
    this.refuse("message", "too many messages", message);
    return false;
  }

  /** Refuses a message: a request by an error reply, another one by a notice, at most once a second. */
  refuse(what: "message" | "spectator", reason: string, message?: PeerPayload): void {
    if (message?.kind === "request") {
      this.send(writePeerPayload({ kind: "reply", id: message.id, ok: false, message: reason }));
    } else if (this.#allowance.mayNotify(this.#options.scheduler.nowMs())) {
      this.send(writeAuthority({ type: "refused", what, reason }));
    }
  }

  /**
   * Returns true if a message to the authority is within its rate. Reports one beyond it: the relay
   * disconnects a player that floods.
   */
  admitsToAuthority(type: ToAuthority["type"]): boolean {
    if (this.#admitToAuthority(type, this.#options.scheduler.nowMs())) return true;
    this.participant.reportExceeded("authorityMessagesPerSession");
    return false;
  }

  /** Counts a message that the player has no right to send, for the room and for the whole server. */
  countNotAllowed(): void {
    this.#options.counters.notAllowed += 1;
    this.participant.session.drops.count("not-allowed");
  }

  /** Sends a request to the player's game. Resolves with the reply. */
  request(type: string, message: unknown, timeoutMs: number): Promise<unknown> {
    return this.requests.start(timeoutMs, (id) => {
      if (this.participant.isGone) throw new NetError("transport/closed", LEFT);
      this.send(writePeerPayload({ kind: "request", id, type, message }));
    });
  }

  /**
   * Keeps a disconnected player's seat for this time. Resolves when the player is back, rejects when it
   * leaves for good.
   */
  allowReconnection(seconds: number): Promise<Player> {
    assertRange("seconds", seconds, [0, MAX_SECONDS_AWAY, "s"]);
    const settled = new Promise<Player>((resolve, reject) => {
      this.#awaiting.push((isBack) => {
        if (isBack) resolve(this.player);
        else reject(new NetError("session/ended", "the player did not come back"));
      });
    });
    // A game may ignore the result: that must not cause an unhandled rejection.
    settled.catch(() => undefined);
    this.participant.keepFor(seconds * 1000);
    if (!this.isIn) this.settle(false);
    return settled;
  }

  /** Settles what waits for the player's return. */
  settle(isBack: boolean): void {
    for (const each of this.#awaiting.splice(0)) each(isBack);
  }

  /** Ends what waits for the player, who has left. */
  end(): void {
    this.isIn = false;
    this.isConnected = false;
    this.cancelDisown?.();
    this.requests.failAll("transport/closed", LEFT);
    this.settle(false);
  }

  kick(reason: string): void {
    this.kickedFor = reason;
    this.participant.end(CloseCode.kicked, reason);
  }

  #newSnapshotStream(): PlayerSnapshotStream {
    const { world, counters } = this.#options;
    const { participant } = this;
    const { session } = participant;
    const snapshots = new PlayerSnapshotStream(world, {
      inOrder: () => participant.inOrderLink,
      isSlow: (nowMs) => session.isStateSlow(nowMs) || bytesBeforeStates(session) > SLOW_BYTES,
      takesStates: () => session.takesStates,
      sendLimits: (limits) => this.send(writeAuthority({ type: "limits", ...limits })),
      lostAfterMs: () => lostAfterMsOf(session.rttMs ?? ASSUMED_RTT_MS),
      send: (states, key, moment) => {
        const feedback = writeFeedback(head.reset(), this.feedback).view();
        const sequence = session.sendState(states, key, feedback, moment);
        if (sequence === undefined) return undefined;
        counters.statePackets += 1;
        counters.stateBytes += states.length;
        return sequence;
      },
    });
    // Start with all kinds, so that the first states need not wait for the player's list of kinds.
    snapshots.setKinds(world.kinds);
    return snapshots;
  }
}

/**
 * Returns the bytes that a further state would wait for: in the session, and in the socket that carries states.
 * Data channels are not asked, because each answer is a call into native code. States without room in one wait
 * in the session.
 */
export function bytesBeforeStates(session: Pick<Session, "linkFor" | "outbox">): number {
  const link = session.linkFor("state");
  return session.outbox.queuedBytes + (link && link.kind !== "webrtc" ? link.queuedBytes : 0);
}
