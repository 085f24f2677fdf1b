import {
  INPUT_COLUMNS,
  describeColumns,
  writeAuthority,
  writePeerPayload,
  type DropReason,
  type PeerPayload,
  type ToAuthority,
} from "@paceline/protocol";
import type { Hooks } from "../hooks/hooks.js";
import type { RoomCounters } from "../ops/room-counters.js";
import type { MessageHandlers } from "./message-handlers.js";
import type { Player } from "./player.js";
import type { RoomEntities } from "./room-entities.js";
import type { Room } from "./room.js";

export interface PlayerInboxOptions {
  readonly room: Room;
  readonly hooks: Hooks;
  readonly counters: RoomCounters;
  readonly handlers: MessageHandlers;
  readonly entities: RoomEntities;
}

/**
 * A player with more unacknowledged messages gets no refusals, because they could fill its queue until it is
 * disconnected.
 */
const MAX_UNACKNOWLEDGED_REFUSALS = 256;

/** Takes the messages of a room's players: to the game's handlers, or to the room itself. */
export class PlayerInbox {
  readonly #options: PlayerInboxOptions;

  constructor(options: PlayerInboxOptions) {
    this.#options = options;
  }

  receive(player: Player, message: PeerPayload): void {
    const { entities, hooks, handlers, room } = this.#options;
    // Data that arrives before onJoin has ended is dropped: an honest client waits for its welcome.
    if (!player.isIn) return player.countNotAllowed();
    // The room asked for this reply, so no limit applies.
    if (message.kind === "reply") return player.requests.reply(message.id, message.ok, message.message);
    if (message.kind === "columns") return this.#receiveColumns(player, message.stream, message.columns);
    if (message.kind === "changes" && message.changes.length === 0)
      return entities.lists.repeat(player, message.stream);
    if (player.isSpectator) return entities.spectators.refuse(player, message);
    if (message.kind !== "command" && message.kind !== "request") {
      // All other kinds belong to meshes.
      return player.countNotAllowed();
    }
    if (!player.admits(message)) return;
    if (message.kind === "request") return hooks.guard("onRequest", () => handlers.reply(player, message));
    const fallback =
      room.onAnyMessage &&
      ((from: Player, type: string, content: unknown) => room.onAnyMessage?.(from, type, content));
    handlers.receive(player, message, fallback);
  }

  receiveAuthority(player: Player, message: ToAuthority): void {
    const { owned, spectators } = this.#options.entities;
    const isOwning = message.type === "own" || message.type === "disown";
    if (isOwning && player.isSpectator) return spectators.refuse(player);
    if (isOwning && !player.isIn) return player.countNotAllowed();
    const isAdmitted = player.admitsToAuthority(message.type);
    if (message.type === "own") return this.#receiveSpawn(player, message, isAdmitted);
    // Also beyond the rate: an entity whose end was dropped would stay for ever.
    if (message.type === "disown") return owned.disown(player, message.localId);
    if (!isAdmitted) return;
    const other = player.setView(message);
    if (other !== undefined) player.send(writeAuthority({ type: "refused", what: "kind", reason: other }));
  }

  /** Counts bytes that no honest player sends. The relay disconnects a player with too many of them. */
  malformed(player: Player, reason: DropReason = "bad-message"): void {
    this.#options.counters.malformed += 1;
    player.participant.session.reportViolation(reason);
  }

  /**
   * Takes another build's description of a kind, or of its inputs. Sends the room's own in return, once for
   * each.
   */
  #receiveColumns(player: Player, kind: number, columns: Uint8Array): void {
    const { entities, room } = this.#options;
    const isInput = kind === INPUT_COLUMNS;
    const definition = isInput ? room.inputs?.definition : entities.world.plans[kind]?.definition;
    if (!definition) return this.malformed(player);
    if (player.described.has(kind)) return player.participant.session.drops.count("rate-limit");
    player.described.add(kind);
    const isTaken = isInput
      ? player.inputs?.describe(columns)
      : entities.owned.describe(player, kind, columns);
    if (!isTaken) return this.malformed(player);
    player.send(writePeerPayload({ kind: "columns", stream: kind, columns: describeColumns(definition) }));
  }

  /** Answers every `own`, in order, unless too many answers are unacknowledged. */
  #receiveSpawn(player: Player, message: ToAuthority & { readonly type: "own" }, isAdmitted: boolean): void {
    const { owned } = this.#options.entities;
    const reason = isAdmitted ? owned.spawn(player, message) : "too many entities a second";
    if (reason === undefined) return;
    if (isAdmitted) player.countNotAllowed();
    if (player.participant.session.commands.length >= MAX_UNACKNOWLEDGED_REFUSALS) return;
    player.send(writeAuthority({ type: "refused", what: "entity", reason }));
  }
}
