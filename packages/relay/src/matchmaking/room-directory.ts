import {
  decodeValue,
  type RoomOptions,
  type RoomListing,
  type Group,
  type MatchRefusal,
} from "@paceline/protocol";
import { randomBytes, randomInt } from "node:crypto";
import { addressBuckets, type AddressBuckets } from "../limits/address-buckets.js";
import { AddressShares } from "../limits/address-shares.js";
import { GroupPlaces } from "./group-places.js";
import { busy, full, notFound, outdated, roomEnded, roomFailed, unknownKind } from "./match-refusals.js";
import { canonicalOptions, isRefusal, type MatchRequest } from "./match-request.js";
import type { RelaySettings, RoomSettings } from "../options/relay-options.js";
import type { SavedRoom } from "../saving/saved-room.js";
import type { OpenMatch, RestoredRoom, RoomAuthority } from "../sessions/authority.js";
import { Room, type RoomDescription } from "../sessions/room.js";

/** Hears of each room that opens and closes. */
export interface RoomWatcher {
  opened(room: Room): void;
  closed(room: Room): void;
  /** Returns true for a room that goes on in the next process. */
  has(room: Room): boolean;
}

const ROOM_ID_BYTES = 9;
const MAX_LISTED = 100;
const ROOM_CODE_CHARACTERS = 6;
const CODE_CHARACTERS = "23456789BCDFGHJKMNPQRSTVWXZ";

/** All rooms. A room opens for a request and closes when the last participant has left. */
export class RoomDirectory {
  readonly groups: GroupPlaces;
  readonly #settings: RelaySettings;
  readonly #openMatch: OpenMatch;
  readonly #rooms = new Map<string, Room>();
  readonly #openings: AddressBuckets;
  readonly #friends: AddressBuckets;
  readonly #shares: AddressShares;
  #isDraining = false;

  readonly #watcher: RoomWatcher;

  /** `openMatch`: opens a room for players of another room. */
  constructor(settings: RelaySettings, openMatch: OpenMatch, watcher: RoomWatcher) {
    const { limits, scheduler } = settings;
    this.#settings = settings;
    this.#openMatch = openMatch;
    this.#watcher = watcher;
    const onFreed = (room: Room): void => this.disposeIfEmpty(room);
    this.groups = new GroupPlaces(scheduler, limits.groupPlaceMs, onFreed);
    this.#friends = addressBuckets(settings, "groupPlacesPerMinutePerAddress", "groupPlaceBurstPerAddress");
    this.#shares = new AddressShares(limits.maxRooms, limits.addressSharePercent);
    this.#openings = addressBuckets(settings, "roomsPerMinutePerAddress", "roomBurstPerAddress");
  }

  get size(): number {
    return this.#rooms.size;
  }

  get all(): Iterable<Room> {
    return this.#rooms.values();
  }

  find(idOrCode: string): Room | undefined {
    const room = this.#rooms.get(idOrCode);
    if (room || idOrCode.length !== ROOM_CODE_CHARACTERS) return room;
    for (const each of this.#rooms.values()) if (each.code === idOrCode) return each;
    return undefined;
  }

  /**
   * Finds or opens a room for a request. Not for `reconnect`, which names a session. `address`: that of the
   * request.
   */
  roomFor(request: MatchRequest, address: string): Room | MatchRefusal {
    const { method, target, options, group, spectate = false } = request;
    if (method === "joinById") return this.#roomWithId(request);
    const kind = this.#settings.rooms.get(target);
    if (!kind) return unknownKind(target, this.#settings.rooms.keys());
    const reservation = group && this.groups.find(this.#groupIdOf(request, group));
    if (reservation) return placeBesideFriends(reservation, spectate);
    const players = spectate ? 1 : (group?.size ?? 1);
    if (players > 1 && !this.#friends.take(address, players - 1)) {
      this.#settings.counters.count("limited", "groupPlacesPerAddress");
      return busy("too many places kept for this address");
    }
    const build = this.#buildOf(request, target);
    const optionsKey = this.#keyOf(target, options);
    const wanted: Wanted = { name: target, optionsKey, build, spectate, players };
    const found = method === "create" ? undefined : this.#match(wanted);
    if (found) return found;
    if (method === "join") return notFound("no room is open");
    return this.#openFor(wanted, options, address);
  }

  /** Records the seat of a group's member, so that the room keeps places for the others. */
  recordGroupSeat(request: MatchRequest, room: Room, sessionId: string): void {
    const { group, method, spectate } = request;
    if (!group || spectate || method === "joinById") return;
    this.groups.seated(this.#groupIdOf(request, group), room, group, sessionId);
  }

  /** Opens a room for players of another one. `players`: their number. */
  openFor(name: string, options: RoomOptions, players: number, build: string): Room | MatchRefusal {
    return this.#openFor({ name, optionsKey: "", build, spectate: false, players }, options);
  }

  /** Returns the refusal of a player who has a seat in the room, which may have been restored by a newer server. */
  seatRefusal(room: Room, request: Pick<MatchRequest, "build">): MatchRefusal | undefined {
    return room.isRestored ? undefined : this.buildRefusal(room, request);
  }

  buildRefusal(room: Room, request: Pick<MatchRequest, "build">): MatchRefusal | undefined {
    const build = this.#buildOf(request, room.name);
    return build === room.build ? undefined : outdated(room.build, build);
  }

  /**
   * Returns the open rooms of a kind and of the player's build that match every filter; at most 100, the
   * oldest first.
   */
  list(
    name: string,
    { options, build }: Pick<MatchRequest, "options" | "build">,
  ): RoomListing[] | MatchRefusal {
    if (!this.#settings.rooms.has(name)) return unknownKind(name, this.#settings.rooms.keys());
    const wanted = Object.entries(options);
    const mine = this.#buildOf({ build }, name);
    const open = [...this.#rooms.values()].filter((room) => {
      const isAlike = room.name === name && room.build === mine && room.isOpen;
      return isAlike && wanted.every(([key, value]) => room.hasValue(key, value));
    });
    return open.slice(0, MAX_LISTED).map((room) => room.listing);
  }

  /** Returns the number of other rooms like this one that a player cannot join only because they are full. */
  fullLike(like: Room): number {
    let count = 0;
    for (const room of this.#rooms.values()) {
      const isOther = room.id !== like.id && isAlike(room, like);
      if (isOther && !room.isPrivate && !room.isLocked && !room.admits(false)) count += 1;
    }
    return count;
  }

  /** Closes a room without participants, reserved seats and kept places. */
  disposeIfEmpty(room: Room): void {
    if (room.isEmpty && !room.isKept) this.#close(room);
  }

  /** Tells every authority that the server takes nobody new; one that still opens hears it when it is open. */
  drain(): void {
    this.#isDraining = true;
    for (const room of [...this.#rooms.values()])
      if (!this.#watcher.has(room)) room.callHost((host) => host.draining());
  }

  #close(room: Room): void {
    if (!this.#forget(room)) return;
    const { host } = room;
    if (host) this.#settings.faults.contain("room", () => host.close(), { roomId: room.id });
    this.#settings.log.debug("room closed", { roomId: room.id });
  }

  /** Removes a room. Returns false if it was removed before. */
  #forget(room: Room): boolean {
    if (!this.#rooms.delete(room.id)) return false;
    this.groups.forget(room);
    this.#shares.release(room.openedBy);
    this.#watcher.closed(room);
    return true;
  }

  #roomWithId({ target, spectate = false, build }: MatchRequest): Room | MatchRefusal {
    const room = this.find(target);
    if (!room || (room.isLocked && !spectate)) return notFound("there is no room with this id");
    const refusal = this.buildRefusal(room, { build });
    if (refusal) return refusal;
    if (room.admits(spectate)) return room;
    if (spectate) return full(409, "the room takes no more spectators");
    return full(409, "the room is full: joinOrCreate finds or opens another");
  }

  #match(wanted: Wanted): Room | undefined {
    for (const room of this.#rooms.values()) {
      const isFound = isAlike(room, wanted) && !room.isPrivate;
      if (isFound && room.admits(wanted.spectate, wanted.players)) return room;
    }
    return undefined;
  }

  /** `address`: that of the request; undefined if the server opens the room. */
  #openFor(
    { name, build, spectate, players }: Wanted,
    options: RoomOptions,
    address?: string,
  ): Room | MatchRefusal {
    const kind = this.#settings.rooms.get(name);
    if (!kind) return unknownKind(name, this.#settings.rooms.keys());
    if (this.#rooms.size >= this.#settings.limits.maxRooms)
      return full(503, "the server opens no more rooms");
    if (address !== undefined && !this.#shares.admits(address)) {
      this.#settings.counters.count("limited", "openRoomsPerAddress");
      return busy("this network has its share of the rooms of a busy server");
    }
    if (address !== undefined && !this.#openings.take(address)) {
      this.#settings.counters.count("limited", "roomsPerAddress");
      return busy("too many rooms opened by this address");
    }
    const room = this.#open({ name, build, openedBy: address ?? "" }, kind, options);
    if (room.admits(spectate, players)) return room;
    this.disposeIfEmpty(room);
    return spectate
      ? full(409, "rooms of this kind take no spectators")
      : full(409, `rooms of this kind take no ${players} players`);
  }

  /** Returns the key that separates rooms of one name by their options. */
  #keyOf(name: string, options: RoomOptions): string {
    const filterBy = this.#settings.rooms.get(name)?.authority?.filterBy;
    const entries = Object.entries(options).filter(([key]) => filterBy?.includes(key) !== false);
    return canonicalOptions(Object.fromEntries(entries));
  }

  /** Returns the build that separates rooms of this kind; empty if the kind mixes builds. */
  #buildOf({ build = "" }: Pick<MatchRequest, "build">, name: string): string {
    return this.#settings.rooms.get(name)?.mixesBuilds ? "" : build;
  }

  #groupIdOf(request: MatchRequest, { key }: Group): string {
    const { target, options } = request;
    return JSON.stringify([target, this.#keyOf(target, options), this.#buildOf(request, target), key]);
  }

  #open(
    { name, build, openedBy }: Pick<Room, "name" | "build" | "openedBy">,
    { maxPlayers, authority }: RoomSettings,
    options: RoomOptions,
  ): Room {
    const optionsKey = this.#keyOf(name, options);
    const id = randomBytes(ROOM_ID_BYTES).toString("base64url");
    const room = this.#add({ id, name, optionsKey, build, maxPlayers, code: randomCode(), openedBy });
    this.#watcher.opened(room);
    if (authority) room.opening = this.#give(room, authority, options);
    this.#settings.log.debug("room opened", { roomId: room.id, name });
    return room;
  }

  #add(place: Omit<RoomDescription, "settings" | "onEnd" | "onFreed" | "openMatch">): Room {
    const onEnd = (ended: Room): void => this.#close(ended);
    const onFreed = (freed: Room): void => this.disposeIfEmpty(freed);
    const settings = this.#settings;
    const openMatch: OpenMatch = (match) => this.#openMatch({ ...match, build: place.build });
    const room = new Room({ ...place, settings, onEnd, onFreed, openMatch });
    this.#rooms.set(room.id, room);
    this.#shares.take(room.openedBy);
    return room;
  }

  /**
   * Goes on with a room of an earlier process. `seat`: called with the room, to seat its participants; returns what
   * its authority needs. Resolves with a refusal if the authority cannot go on.
   */
  async restore(
    saved: SavedRoom,
    seat: (room: Room) => RestoredRoom | undefined,
  ): Promise<MatchRefusal | undefined> {
    const { place } = saved;
    const { build: own = "" } = this.#settings;
    // A room that had the build of its server has that of this one: newcomers load this one's.
    const build = place.build === saved.build ? own : place.build;
    const room = this.#add({ ...place, build });
    const { authority } = this.#settings.rooms.get(place.name)!;
    room.maxSpectators = place.maxSpectators;
    room.metadata = decodeValue(place.metadata)!.value as Room["metadata"];
    room.isLocked = place.isLocked;
    room.isPrivate = place.isPrivate;
    const restored = seat(room);
    if (authority) room.opening = this.#give(room, authority, room.separatingOptions, restored);
    const refusal = await room.opening;
    // What `onCreate` has set counts for a new room.
    room.metadata = decodeValue(place.metadata)!.value as Room["metadata"];
    room.isLocked = place.isLocked;
    room.isPrivate = place.isPrivate;
    // A save that could not be used stays in the store.
    if (refusal) return refusal;
    this.#watcher.opened(room);
    room.isKept = place.isKept;
    return undefined;
  }

  /** Opens the authority of a room. Resolves with the reason if that fails; never rejects. */
  async #give(
    room: Room,
    authority: RoomAuthority,
    options: RoomOptions,
    restored?: RestoredRoom,
  ): Promise<MatchRefusal | undefined> {
    try {
      const host = await authority.open(room, options, restored);
      if (!isRefusal(host)) {
        room.host = host;
        // All players who waited for the room may have left, or its authority has ended it.
        if (!this.#rooms.has(room.id)) host.close();
        else if (this.#isDraining && !this.#watcher.has(room)) room.callHost(() => host.draining());
        return this.#rooms.has(room.id) ? undefined : roomEnded;
      }
      // Requests no longer find the room, and waiting ones are refused.
      this.#forget(room);
      return host;
    } catch (error) {
      this.#settings.faults.report("room", error, { roomId: room.id });
      this.#forget(room);
      return roomFailed;
    }
  }
}

interface Wanted {
  readonly name: string;
  readonly optionsKey: string;
  readonly build: string;
  readonly spectate: boolean;
  /** Number of free places that the request needs together. */
  readonly players: number;
}

/** Returns true if the room is of the kind, the options and the build of a request. */
function isAlike(room: Room, like: Pick<Room, "name" | "optionsKey" | "build">): boolean {
  return room.name === like.name && room.optionsKey === like.optionsKey && room.build === like.build;
}

/** Returns the group's room, or a refusal. Members of a group are never placed in different rooms. */
function placeBesideFriends(
  { room, isKept }: { readonly room: Room; readonly isKept: boolean },
  spectate: boolean,
): Room | MatchRefusal {
  const isWaitedFor = isKept && !spectate && !room.isLocked && room.taken <= room.maxPlayers;
  return isWaitedFor || room.admits(spectate) ? room : full(409, "the group's room takes nobody more");
}

/** Returns a random code. Its characters do not look alike and form no words. */
function randomCode(): string {
  let code = "";
  for (let index = 0; index < ROOM_CODE_CHARACTERS; index++) {
    code += CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)];
  }
  return code;
}
