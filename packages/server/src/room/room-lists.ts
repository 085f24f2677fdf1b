import {
  ByteWriter,
  CollectionSender,
  limits,
  writePeerPayload,
  type CollectionMessage,
  type HeldCollections,
} from "@paceline/protocol";
import type { EntityRecord, World } from "../entities/world.js";
import type { PlayerStates } from "../states/player-states.js";
import type { Player } from "./player.js";
import type { PlayerRegistry } from "./player-registry.js";
import type { SpectatorStream } from "./spectator-stream.js";

export interface RoomListsOptions {
  readonly world: World;
  readonly tickHz: number;
  readonly players: PlayerRegistry;
  readonly spectators: SpectatorStream;
  /** True if players see a part of the room only. */
  readonly hasInterest: boolean;
}

/** The kinds that a player has read until now. */
interface Seen {
  readonly states: PlayerStates;
  kindsKey: string;
}

/** Time between two looks at who sees which entity, s: see {@link RoomLists.flush}. */
const REVIEW_SECONDS = 0.1;

/** Sends the lists and maps of a room's entities to its players. */
export class RoomLists {
  readonly #options: RoomListsOptions;
  readonly #reviewTicks: number;
  readonly #sender: CollectionSender<Player>;
  readonly #seen = new Map<Player, Seen>();
  #hasNewOwners = false;

  constructor(options: RoomListsOptions) {
    this.#options = options;
    this.#reviewTicks = Math.max(1, Math.round(REVIEW_SECONDS * options.tickHz));
    this.#sender = new CollectionSender({
      newWriter: () => new ByteWriter(),
      sees: (player, held) => this.#sees(player, held),
      hasRoom: (player, bytes) => this.#hasRoom(player, bytes),
      send: (messages, players) => this.#send(messages, players),
    });
  }

  /** An entity has got another owner. */
  given(): void {
    this.#hasNewOwners = true;
  }

  /** Call it before the world forgets the entity. */
  removed(id: number): void {
    this.#sender.remove(id);
  }

  /** The player asks for all lists and maps of a kind. */
  repeat(player: Player, kind: number): void {
    this.#sender.repeat(player, kind);
  }

  /** Sends what has changed since the last tick, and all to those who lack it. Call it when states are written. */
  flush(tick: number): void {
    const { world, hasInterest } = this.#options;
    let isEmpty = true;
    for (const { definition } of world.plans) {
      if (definition.collections.length === 0) continue;
      for (const record of world.records.ofKind(definition)) {
        isEmpty = false;
        this.#add(record, false);
        this.#add(record, true);
      }
    }
    if (isEmpty && this.#seen.size === 0) return;
    const isDue = this.#review() || this.#hasNewOwners;
    this.#hasNewOwners = false;
    // An entity that comes into view has its contents a tenth of a second later at most.
    if (isDue || (hasInterest && tick % this.#reviewTicks === 0)) this.#sender.review();
    this.#sender.flush();
  }

  /** Adds those lists and maps of an entity that are for its owner alone, or those for all, unless the sender has them. */
  #add({ id, kind: stream, collections }: EntityRecord, isForOwner: boolean): void {
    if (this.#sender.holds({ id, isForOwner })) return;
    const some = collections.filter((each) => each.isForOwner === isForOwner);
    if (some.length > 0) this.#sender.add({ id, stream, collections: some, isForOwner });
  }

  /** Takes who has joined, come back on another page, or left. Returns true if a player reads other kinds now. */
  #review(): boolean {
    let hasOtherKinds = false;
    const gone = new Set(this.#seen.keys());
    for (const player of this.#options.players.values()) {
      if (!player.isIn) continue;
      gone.delete(player);
      const { states } = player;
      const seen = this.#seen.get(player);
      if (seen?.states !== states) {
        this.#seen.set(player, { states, kindsKey: states.kindsKey });
        this.#sender.join(player);
      } else if (seen.kindsKey !== states.kindsKey) {
        seen.kindsKey = states.kindsKey;
        hasOtherKinds = true;
      }
    }
    for (const player of gone) {
      this.#seen.delete(player);
      this.#sender.leave(player);
    }
    return hasOtherKinds;
  }

  #sees(player: Player, { id, stream, isForOwner }: HeldCollections): boolean {
    const { states } = player;
    if (!states.kinds.has(stream)) return false;
    const { hasInterest, spectators, world } = this.#options;
    const record = world.records.get(id);
    if (isForOwner && record?.owner !== player) return false;
    return !hasInterest || spectators.isDelayed(player) || states.sees?.(id) === true;
  }

  #hasRoom(player: Player, bytes: number): boolean {
    const { isGone, session } = player.participant;
    return !isGone && session.commands.bytes + bytes <= limits.sessionQueueBytes / 4;
  }

  #send(messages: readonly CollectionMessage[], players: readonly Player[]): void {
    const { spectators } = this.#options;
    for (const message of messages) {
      const payload = writePeerPayload({ kind: "changes", ...message });
      for (const player of players) {
        if (player.isSpectator) spectators.send(payload, player);
        else player.send(payload);
      }
    }
  }
}
