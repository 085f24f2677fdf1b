import {
  ByteWriter,
  CloseCode,
  ConfigError,
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
import { EntityTable, defineFields } from "@paceline/netcode";
import type { HostedParticipant, HostedSeat } from "@paceline/relay";
import { lostAfterMsOf } from "@paceline/netcode";
import { Requests, type Scheduler } from "@paceline/transport";
import { PlayerSnapshotStream } from "../states/player-snapshot-stream.js";
import { MessageAllowance, type MessageLimits } from "../players/message-allowance.js";
import { Player } from "../players/player.js";
import { AuthorityBuckets, type PlayerLimits } from "../players/player-limits.js";
import { PlayerInputs } from "../players/player-inputs.js";
import type { RoomCounters } from "../ops/room-counters.js";
import type { World } from "../entities/world.js";

export interface PlayerLineOptions {
  readonly participant: HostedParticipant;
  readonly seat: HostedSeat;
  readonly world: World;
  readonly inputs: InputDefinition | undefined;
  readonly counters: RoomCounters;
  readonly scheduler: Scheduler;
  readonly messageLimits: MessageLimits;
  readonly playerLimits: PlayerLimits;
  /** Limit of entities that the player may own. */
  readonly mayOwn: number;
}

const MAX_SECONDS_AWAY = 3600;

const NO_FEEDBACK: InputFeedback = { processed: undefined, leadErrorTicks: 0 };
/** Bytes that wait for the link before it counts as slow. */
const SLOW_BYTES = 4096;
/** Round trip until one was measured, ms. */
const ASSUMED_RTT_MS = 200;

/** The room's end of one player: its present participant, its snapshot stream, its inputs. */
export class PlayerConnection {
  readonly player = new Player(this);
  readonly requests: Requests;
  readonly #allowance: MessageAllowance;
  readonly #buckets: AuthorityBuckets;
  readonly #options: PlayerLineOptions;
  /** The row that {@link inputView} shows. */
  readonly #input: Float32Array | undefined;
  readonly #head = new ByteWriter(4);
  readonly inputView: object | undefined;
  /** Kinds that this page has described, and that were described to it. */
  readonly described = new Set<number>();
  /** The player's view terms. */
  #view: Pick<ViewTerms, "eventLifetimeMs" | "messagePeriodMs"> = {};
  participant: HostedParticipant;
  snapshots: PlayerSnapshotStream;
  inputs: PlayerInputs | undefined;
  isConnected = true;
  /** `onJoin` has let it in. */
  isIn = false;
  /** Told when the player is back, or will not come any more. */
  onSettled: ((isBack: boolean) => void) | undefined;

  constructor(options: PlayerLineOptions) {
    const { participant, inputs } = options;
    this.#options = options;
    this.participant = participant;
    const nowMs = options.scheduler.nowMs();
    this.#allowance = new MessageAllowance(options.messageLimits, nowMs);
    this.#buckets = new AuthorityBuckets(options.playerLimits, options.mayOwn, nowMs);
    this.requests = new Requests(options.scheduler);
    this.snapshots = this.#newSnapshotStream();
    if (!inputs) return;
    const table = new EntityTable(inputs.definition, 1);
    const place = { table, row: table.allocate() };
    this.#input = table.stateOf(place.row);
    const row = { place, layer: "state", isWritable: false } as const;
    this.inputView = defineFields({}, inputs.definition, row);
    this.inputs = new PlayerInputs(inputs);
  }

  /** Whether it only watches. */
  get isSpectator(): boolean {
    return this.#options.seat.isSpectator;
  }

  get address(): string {
    return this.#options.seat.address;
  }

  /** Whether it can be told of states now. */
  get isThere(): boolean {
    return this.isIn && this.isConnected;
  }

  get auth(): unknown {
    return this.#options.seat.auth;
  }

  get options(): HostedSeat["options"] {
    return this.#options.seat.options;
  }

  /** Replaces the participant after a reload. */
  rebind(participant: HostedParticipant): void {
    this.participant = participant;
    this.described.clear();
    this.#view = {};
    this.snapshots = this.#newSnapshotStream();
    const { inputs } = this.#options;
    if (inputs) this.inputs = new PlayerInputs(inputs);
  }

  /** Sends a reliable payload while the player is in. */
  send(payload: Uint8Array): void {
    if (this.participant.session.isClosed) return;
    const { messagePeriodMs = 0 } = payload[0] === PayloadKind.command ? this.#view : {};
    this.participant.send(payload, messagePeriodMs > 0 ? messagePeriodMs : undefined);
  }

  /** Sends a message that may be lost, unless the player wants all that is sent to it. */
  sendEvent(type: string, message: unknown): void {
    const { eventLifetimeMs, messagePeriodMs } = this.#view;
    if (eventLifetimeMs === 0) return this.send(writePeerPayload({ kind: "command", type, message }));
    const { session } = this.participant;
    const body = writeEvent(type, message);
    if (!session.isClosed) session.sendEvent(body, eventLifetimeMs, messagePeriodMs);
  }

  /** Takes a request about the states that the player sees. Returns the name of a kind that the room defines differently. */
  hear(message: Parameters<PlayerSnapshotStream["hear"]>[0]): string | undefined {
    if (message.type === "view") this.#view = message;
    return this.snapshots.hear(message);
  }

  /** Puts the input of this tick where the game reads it. */
  takeInput(tick: number): void {
    if (this.inputs) this.#input?.set(this.inputs.take(tick));
  }

  get feedback(): InputFeedback {
    return this.inputs?.feedback ?? NO_FEEDBACK;
  }

  /** Whether a message may pass. Too many are dropped; a question gets its answer, or somebody would wait for it. */
  admits(message: PeerPayload & { readonly kind: "command" | "request" }): boolean {
    const { scheduler, counters } = this.#options;
    const nowMs = scheduler.nowMs();
    if (this.#allowance.admit(message.type, nowMs)) return true;
    counters.messagesLimited += 1;
    const reason = "too many messages";
    if (message.kind === "request") {
      this.send(writePeerPayload({ kind: "reply", id: message.id, ok: false, message: reason }));
    } else if (this.isToBeTold()) {
      this.send(writeAuthority({ type: "refused", what: "message", reason }));
    }
    return false;
  }

  /** Whether a message to the authority is within its rate. One beyond it is counted; whoever goes on is cut. */
  admitsToAuthority(type: ToAuthority["type"]): boolean {
    if (this.#buckets.admit(type, this.#options.scheduler.nowMs())) return true;
    this.participant.reportExceeded("authorityMessagesPerSession");
    return false;
  }

  /** Counts, in the room and for the whole server, what the player has no right to. */
  countNotAllowed(): void {
    this.#options.counters.notAllowed += 1;
    this.participant.session.drops.count("not-allowed");
  }

  /** Whether the player is to be told now that something was refused. */
  isToBeTold(): boolean {
    return this.#allowance.isToBeTold(this.#options.scheduler.nowMs());
  }

  /** Asks the player's game. */
  request(type: string, message: unknown, timeoutMs: number): Promise<unknown> {
    return this.requests.start(timeoutMs, (id) =>
      this.send(writePeerPayload({ kind: "request", id, type, message })),
    );
  }

  /** Keeps the player for so long without a link; resolves when it is back, rejects when it will not come. */
  allowReconnection(seconds: number): Promise<Player> {
    if (!(seconds >= 0 && seconds <= MAX_SECONDS_AWAY)) {
      throw new ConfigError({ field: "seconds", value: seconds, expected: `0 to ${MAX_SECONDS_AWAY} s` });
    }
    const settled = new Promise<Player>((resolve, reject) => {
      this.onSettled = (isBack) => {
        if (isBack) resolve(this.player);
        else reject(new NetError("session/ended", "the player did not come back"));
      };
    });
    // A game that does not wait for it has not failed.
    settled.catch(() => undefined);
    this.participant.keepFor(seconds * 1000);
    return settled;
  }

  kick(reason: string): void {
    this.participant.end(CloseCode.kicked, reason);
  }

  #newSnapshotStream(): PlayerSnapshotStream {
    const { world, counters } = this.#options;
    const { participant } = this;
    const { session } = participant;
    const snapshots = new PlayerSnapshotStream({
      world,
      line: {
        inOrder: () => participant.inOrderLink,
        isSlow: () => session.isStateSlow || session.queuedBytes > SLOW_BYTES,
        takesStates: () => session.takesStates,
        limited: (limits) => this.send(writeAuthority({ type: "limits", ...limits })),
        lostAfterMs: () => lostAfterMsOf(session.rttMs ?? ASSUMED_RTT_MS),
        send: (states, key) => {
          const sequence = session.sendState(
            states,
            key,
            writeFeedback(this.#head.reset(), this.feedback).view(),
          );
          if (sequence === undefined) return undefined;
          counters.statePackets += 1;
          counters.stateBytes += states.length;
          return sequence;
        },
      },
    });
    // Until it says otherwise its game reads all kinds: then it need not wait for a round trip.
    snapshots.setKinds(world.kinds);
    return snapshots;
  }
}
