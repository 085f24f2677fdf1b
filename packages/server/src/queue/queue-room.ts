import { CloseCode } from "@paceline/protocol";
import { groupOf, networkOf, type MatchedPlayer, type RoomOptions, type Seat } from "@paceline/relay";
import { afterOwnTime, type Cancel } from "@paceline/transport";
import { Refusal } from "../hooks/hooks.js";
import type { Player } from "../room/player.js";
import { Room, type RoomClass } from "../room/room.js";
import { matchQueue, spreadAfter, type Party } from "./match-queue.js";
import type { QueueSettings } from "./queue-options.js";

/** Returns the name of the queue of a kind of room. */
export function queueNameOf(roomName: string): string {
  return `${roomName}.queue`;
}

interface QueueTypes {
  messages: { enter: unknown; progress: QueueProgress; matched: { ticket: string; roomId: string } };
}

interface QueueProgress {
  readonly waiting: number;
  readonly waitedMs: number;
  /** The accepted difference of ranks at present. */
  readonly spread: number;
  /** The number of the group's members in the queue. */
  readonly friends: number;
}

const MATCH_PERIOD_MS = 500;
/** Longest time between two looks at the queue that counts as a wait, ms. The rest was a pause of this process. */
const MAX_LOOK_MS = 2 * MATCH_PERIOD_MS;
const PROGRESS_PERIOD_MS = 1000;
/** Time in which a newcomer must send its request, and in which a matched player must leave, ms. */
const CLIENT_TIMEOUT_MS = 10_000;
const MAX_WAITING = 1000;

interface Waiting {
  readonly player: Player;
  readonly rank: number;
  readonly sinceMs: number;
}

/** Friends who wait together, or one player alone. */
interface QueuedGroup {
  readonly size: number;
  readonly waiting: Waiting[];
  /** True while a room is opened for them. */
  isMatched: boolean;
}

/**
 * Holds the players that wait for a match. It opens a room of another kind for each match, and sends its
 * players there.
 */
class QueueRoom extends Room<QueueTypes> {
  override maxPlayers = MAX_WAITING;
  override readonly tickHz = 1;
  override readonly reconnectSeconds = 5;
  override readonly messageLimits = { perSecond: 2, burst: 10 };
  readonly #target: string;
  readonly #settings: QueueSettings;
  readonly #groups = new Map<string, QueuedGroup>();
  readonly #groupOf = new Map<Player, QueuedGroup>();
  /** Seats of matched players, until the players have left for them. */
  readonly #seats = new Map<Player, QueueTypes["messages"]["matched"]>();
  #options: RoomOptions = {};
  #lookedAtMs = 0;
  #ranMs = 0;

  constructor(target: string, settings: QueueSettings) {
    super();
    this.#target = target;
    this.#settings = settings;
  }

  override onCreate(options: object): void {
    this.#options = options as RoomOptions;
    this.onMessage("enter", (player, message) => this.#enter(player, message));
    this.clock.setInterval(() => this.#match(), MATCH_PERIOD_MS);
    this.clock.setInterval(() => this.#sendProgress(), PROGRESS_PERIOD_MS);
  }

  override onJoin(player: Player): void {
    const sameNetwork = [...this.players.values()].filter(
      ({ address }) => networkOf(address) === networkOf(player.address),
    );
    if (sameNetwork.length > this.#settings.maxPerAddress)
      throw new Refusal("too many wait from this address");
    const after = (delayMs: number, fn: () => void): Cancel => this.clock.setTimeout(fn, delayMs);
    afterOwnTime({ after }, CLIENT_TIMEOUT_MS, () => {
      if (!this.#groupOf.has(player)) this.#end(player, "the client has not said what it wants");
    });
  }

  override onLeave(player: Player): void {
    this.#remove(player);
    this.#seats.delete(player);
  }

  /** Ends the queue: a server that stops gives no more seats. */
  override onDrain(): void {
    this.disconnect("the server takes nobody new");
  }

  /** Returns how long this process has run since the queue was opened, ms. Nobody is found during its pauses. */
  #nowMs(): number {
    const { elapsedMs } = this.clock;
    this.#ranMs += Math.min(elapsedMs - this.#lookedAtMs, MAX_LOOK_MS);
    this.#lookedAtMs = elapsedMs;
    return this.#ranMs;
  }

  async #enter(player: Player, message: unknown): Promise<void> {
    const wish = wishOf(message);
    if (!wish) return this.#end(player, "the client wants what makes no sense");
    if (wish.size > this.#settings.players) return this.#end(player, "the group is larger than a match");
    const rank = await this.#rankOf(player, wish.rank);
    // While `rankOf` ran, the player may have left.
    if (!this.players.has(player.number)) return;
    // The page that was told of the match is gone: this is the request of the next one.
    const seat = this.#seats.get(player);
    if (seat) return this.send(player, "matched", seat);
    const id = wish.key === undefined ? `one ${player.id}` : `group ${wish.key}`;
    const known = this.#groupOf.get(player);
    if (known && (known.isMatched || known === this.#groups.get(id))) return;
    this.#remove(player);
    const group = this.#groups.get(id) ?? { size: wish.size, waiting: [], isMatched: false };
    if (group.isMatched || group.waiting.length >= group.size)
      return this.#end(player, "the group is complete without this player");
    this.#groups.set(id, group);
    group.waiting.push({ player, rank, sinceMs: this.#nowMs() });
    this.#groupOf.set(player, group);
    await this.#match();
  }

  async #rankOf(player: Player, requestedRank: number): Promise<number> {
    try {
      const rank = await this.#settings.rankOf(player, requestedRank);
      if (Number.isFinite(rank)) return rank;
      throw new TypeError(`rankOf returned ${String(rank)}: expected a finite number`);
    } catch (error) {
      this.#end(player, "the player's rank could not be read");
      throw error;
    }
  }

  /** Looks for matches. Resolves when the matched players have their seats. */
  async #match(): Promise<void> {
    const parties = new Map<Party<Waiting>, QueuedGroup>();
    for (const group of this.#groups.values()) {
      if (!group.isMatched) parties.set(partyOf(group), group);
    }
    const { matches, late } = matchQueue([...parties.keys()], this.#settings, this.#nowMs());
    for (const { members, isReady } of late) {
      const why = isReady ? "nobody was found in time" : "the group was not complete in time";
      // Count first: the room ends with its last player, and its counters with it.
      Room.partsOf(this).counters.queueTimeouts += members.length;
      for (const { player } of members) this.#end(player, why);
    }
    await Promise.all(matches.map((match) => this.#seatMatch(match.map((party) => parties.get(party)!))));
  }

  /** Opens a room for a match. If that fails, the players continue to wait. */
  async #seatMatch(groups: readonly QueuedGroup[]): Promise<void> {
    for (const group of groups) group.isMatched = true;
    const players = groups.flatMap(({ waiting }) => waiting.map(({ player }) => player));
    let seats: readonly Seat[] | undefined;
    try {
      seats = await this.#seatsFor(players);
    } finally {
      if (!seats) for (const group of groups) group.isMatched = false;
    }
    if (!seats) return;
    Room.partsOf(this).counters.queueMatches += 1;
    for (const [index, player] of players.entries()) {
      const { ticket, roomId } = seats[index]!;
      const seat = { ticket, roomId };
      this.#remove(player);
      if (!this.players.has(player.number)) continue;
      this.#seats.set(player, seat);
      this.send(player, "matched", seat);
      this.clock.setTimeout(() => this.#end(player, "matched"), CLIENT_TIMEOUT_MS);
    }
  }

  /**
   * Returns a seat in one room for each player, in their order. Returns undefined if no room can be opened.
   */
  async #seatsFor(players: readonly Player[]): Promise<readonly Seat[] | undefined> {
    const { hosted, players: known } = Room.partsOf(this);
    const matched = players.map((player): MatchedPlayer => {
      const { webrtc } = known.of(player).participant.info;
      const isGone = (): boolean => !this.players.has(player.number);
      const { auth, address } = player;
      return { options: player.options as RoomOptions, auth, address, webrtc, isGone };
    });
    const seats = await hosted.openMatch({
      roomName: this.#target,
      options: this.#options,
      players: matched,
    });
    return "status" in seats ? undefined : seats;
  }

  #sendProgress(): void {
    const waiting = this.#groupOf.size;
    for (const [player, group] of this.#groupOf) {
      const waitedMs = this.#nowMs() - partyOf(group).sinceMs;
      const spread = spreadAfter(this.#settings, waitedMs);
      this.send(player, "progress", { waiting, waitedMs, spread, friends: group.waiting.length });
    }
  }

  #remove(player: Player): void {
    const group = this.#groupOf.get(player);
    if (!group) return;
    this.#groupOf.delete(player);
    const at = group.waiting.findIndex((each) => each.player === player);
    group.waiting.splice(at, 1);
    if (group.waiting.length > 0) return;
    for (const [id, each] of this.#groups) if (each === group) this.#groups.delete(id);
  }

  #end(player: Player, reason: string): void {
    this.#remove(player);
    if (!this.players.has(player.number)) return;
    Room.partsOf(this).players.of(player).participant.end(CloseCode.roomClosed, reason);
  }
}

/**
 * Returns the room class of the queue of a kind of room. Its `onAuth` and join options are those of that
 * kind.
 */
export function queueFor(roomName: string, target: RoomClass, settings: QueueSettings): RoomClass {
  return class extends QueueRoom {
    static override readonly optionsSchema = target.optionsSchema;
    static override readonly filterBy = target.filterBy;
    static override readonly mixesBuilds = target.mixesBuilds;
    static override readonly onAuth = (request: Parameters<RoomClass["onAuth"]>[0]): unknown =>
      target.onAuth(request);
    constructor() {
      super(roomName, settings);
    }
  };
}

function partyOf({ size, waiting }: QueuedGroup): Party<Waiting> {
  return {
    members: [...waiting],
    rank: waiting.reduce((sum, { rank }) => sum + rank, 0) / waiting.length,
    sinceMs: Math.min(...waiting.map(({ sinceMs }) => sinceMs)),
    isReady: waiting.length === size && waiting.every(({ player }) => player.isConnected),
  };
}

/** Reads a client's request: a rank and a group. Returns undefined if it is malformed. */
function wishOf(message: unknown): { rank: number; key: string | undefined; size: number } | undefined {
  const { rank = 0, group } = (message ?? {}) as { readonly rank?: unknown; readonly group?: unknown };
  if (typeof rank !== "number" || !Number.isFinite(rank)) return undefined;
  if (group === undefined || group === null) return { rank, key: undefined, size: 1 };
  const friends = groupOf(group);
  return friends && { rank, ...friends };
}
