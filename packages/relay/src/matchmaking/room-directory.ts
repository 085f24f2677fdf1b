import { type RoomOptions, type RoomListing, type Group, type MatchRefusal } from "@paceline/protocol";
import { randomBytes, randomInt } from "node:crypto";
import { AddressBuckets } from "../limits/address-buckets.js";
import { AddressShares } from "../limits/address-shares.js";
import { GroupPlaces } from "./group-places.js";
import { busy, full, notFound, outdated, roomFailed, unknownKind } from "./match-refusals.js";
import { canonicalOptions, isRefusal, type MatchRequest } from "./match-request.js";
import type { RelaySettings, RoomSettings } from "../options/relay-options.js";
import type { HostedRoom, RoomAuthority } from "../authority/room-host.js";
import { Room } from "../sessions/room.js";

const ROOM_ID_BYTES = 9;
const MAX_LISTED = 100;
const ROOM_CODE_CHARACTERS = 6;
const CODE_CHARACTERS = "23456789BCDFGHJKMNPQRSTVWXZ";

/** The rooms that there are: opened when somebody asks for one, closed when the last has left. */
export class RoomDirectory {
  /** Friends who go into one room. */
  readonly groups: GroupPlaces;
  readonly #settings: RelaySettings;
  readonly #onMeeting: HostedRoom["meet"];
  readonly #rooms = new Map<string, Room>();
  readonly #openings: AddressBuckets;
  readonly #friends: AddressBuckets;
  readonly #shares: AddressShares;

  /** `onMeeting`: a room's authority wants guests of its own to meet in another one. */
  constructor(settings: RelaySettings, onMeeting: HostedRoom["meet"]) {
    const { limits, scheduler } = settings;
    this.#settings = settings;
    this.#onMeeting = onMeeting;
    this.groups = new GroupPlaces({
      scheduler,
      keptMs: limits.groupPlaceMs,
      onFreed: (room) => this.disposeIfEmpty(room),
    });
    this.#friends = new AddressBuckets(
      limits.groupPlacesPerMinutePerAddress / 60,
      limits.groupPlaceBurstPerAddress,
      scheduler,
    );
    this.#shares = new AddressShares({
      capacity: limits.maxRooms,
      sharePercent: limits.addressSharePercent,
    });
    this.#openings = new AddressBuckets(
      limits.roomsPerMinutePerAddress / 60,
      limits.roomBurstPerAddress,
      scheduler,
    );
  }

  get size(): number {
    return this.#rooms.size;
  }

  get all(): Iterable<Room> {
    return this.#rooms.values();
  }

  /** Finds a room by its id or its code. */
  find(idOrCode: string): Room | undefined {
    return this.#rooms.get(idOrCode) ?? this.#roomWithCode(idOrCode);
  }

  /** Finds a room as it is asked for, or opens one; `address`: who asks. Not for `reconnect`, which names a session. */
  roomFor(request: MatchRequest, address: string): Room | MatchRefusal {
    const { method, target, options, group, spectate = false } = request;
    if (method === "joinById") return this.#roomWithId(request);
    const kind = this.#settings.rooms.get(target);
    if (!kind) return unknownKind(target, this.#settings.rooms.keys());
    const gathering = group && this.groups.find(this.#groupIdOf(request, group));
    if (gathering) return placeBesideFriends(gathering, spectate);
    const players = spectate ? 1 : (group?.size ?? 1);
    if (players > 1 && !this.#friends.take(address, players - 1)) {
      this.#settings.counters.limitReached("groupPlacesPerAddress");
      return busy("too many places kept for this address");
    }
    const build = this.#buildOf(request, target);
    const wanted: Wanted = {
      name: target,
      optionsKey: this.#keyOf(target, options),
      build,
      spectate,
      players,
    };
    const found = method === "create" ? undefined : this.#match(wanted);
    if (found) return found;
    if (method === "join") return notFound("no room is open");
    return this.#openFor(wanted, options, address);
  }

  /** A member of a group has got a seat: places for the others wait beside it. */
  seatedOf(request: MatchRequest, room: Room, sessionId: string): void {
    const { group, method, spectate } = request;
    if (!group || spectate || method === "joinById") return;
    this.groups.seated(this.#groupIdOf(request, group), room, group, sessionId);
  }

  /** Opens a room for so many guests of another one. */
  openFor(name: string, options: RoomOptions, guests: number, build: string): Room | MatchRefusal {
    return this.#openFor({ name, optionsKey: "", build, spectate: false, players: guests }, options);
  }

  /** Refuses a player whose build is not the room's. */
  buildRefusal(room: Room, request: Pick<MatchRequest, "build">): MatchRefusal | undefined {
    const build = this.#buildOf(request, room.name);
    return build === room.build ? undefined : outdated(room.build, build);
  }

  /** Open rooms of a kind and of the player's build, of which every filter holds; at most 100, the oldest first. */
  list(
    name: string,
    { options, build }: Pick<MatchRequest, "options" | "build">,
  ): RoomListing[] | MatchRefusal {
    if (!this.#settings.rooms.has(name)) return unknownKind(name, this.#settings.rooms.keys());
    const wanted = Object.entries(options);
    const mine = this.#buildOf({ build }, name);
    const open = [...this.#rooms.values()].filter((room) => {
      const isAlike = room.name === name && room.build === mine && room.isOpen;
      return isAlike && wanted.every(([key, value]) => room.says(key, value));
    });
    return open.slice(0, MAX_LISTED).map((room) => room.listing);
  }

  /** Rooms that a player who looks for one like this could have got into, were they not full. */
  fullLike(like: Room): number {
    let count = 0;
    for (const room of this.#rooms.values()) {
      const isOther = room.id !== like.id && isAlike(room, like);
      if (isOther && !room.isPrivate && !room.isLocked && !room.admits(false)) count += 1;
    }
    return count;
  }

  /** Closes a room that nobody is in, and for which nobody has a seat. */
  disposeIfEmpty(room: Room): void {
    if (!room.isEmpty || room.isKept || !this.#forget(room)) return;
    const { host } = room;
    if (host) this.#settings.faults.contain("room", () => host.close(), { roomId: room.id });
    this.#settings.log.debug("room closed", { roomId: room.id });
  }

  /** False where it was forgotten before. */
  #forget(room: Room): boolean {
    if (!this.#rooms.delete(room.id)) return false;
    this.#shares.give(room.openedBy);
    return true;
  }

  #roomWithCode(code: string): Room | undefined {
    if (code.length !== ROOM_CODE_CHARACTERS) return undefined;
    for (const room of this.#rooms.values()) if (room.code === code) return room;
    return undefined;
  }

  #roomWithId({ target, spectate = false, build }: MatchRequest): Room | MatchRefusal {
    const room = this.find(target);
    if (!room || (room.isLocked && !spectate)) return notFound("there is no room with this id");
    const refusal = this.buildRefusal(room, { build });
    if (refusal) return refusal;
    if (room.admits(spectate)) return room;
    return full(
      409,
      spectate
        ? "the room takes no more spectators"
        : "the room is full: joinOrCreate finds or opens another",
    );
  }

  #match(wanted: Wanted): Room | undefined {
    for (const room of this.#rooms.values()) {
      const isFound = isAlike(room, wanted) && !room.isPrivate;
      if (isFound && room.admits(wanted.spectate, wanted.players)) return room;
    }
    return undefined;
  }

  /** `address`: who opens it; undefined: the server itself. */
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
      this.#settings.counters.limitReached("openRoomsPerAddress");
      return busy("this network has its share of the rooms of a busy server");
    }
    if (address !== undefined && !this.#openings.take(address)) {
      this.#settings.counters.limitReached("roomsPerAddress");
      return busy("too many rooms opened by this address");
    }
    const room = this.#open({ name, build, openedBy: address ?? "" }, kind, options);
    if (room.admits(spectate, players)) return room;
    this.disposeIfEmpty(room);
    return spectate
      ? full(409, "rooms of this kind take no spectators")
      : full(409, `rooms of this kind take no ${players} players`);
  }

  #keyOf(name: string, options: RoomOptions): string {
    return optionsKeyOf(options, this.#settings.rooms.get(name)?.authority?.filterBy);
  }

  /** The build that tells rooms of this kind apart; empty if it does not. */
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
    const onEnd = (ended: Room): void => this.disposeIfEmpty(ended);
    const id = randomBytes(ROOM_ID_BYTES).toString("base64url");
    const { limits, scheduler } = this.#settings;
    const place = { id, name, options, optionsKey, build, maxPlayers, code: randomCode(), openedBy };
    const onMeeting: HostedRoom["meet"] = (meeting) => this.#onMeeting({ ...meeting, build });
    const room = new Room({ ...place, limits, nowMs: scheduler.nowMs(), onEnd, onMeeting });
    this.#rooms.set(room.id, room);
    this.#shares.take(openedBy);
    if (authority) room.opening = this.#give(room, authority, options);
    this.#settings.log.debug("room opened", { roomId: room.id, name });
    return room;
  }

  /** Gives a room its authority; resolves with the reason if there is none. Never rejects. */
  async #give(room: Room, authority: RoomAuthority, options: RoomOptions): Promise<MatchRefusal | undefined> {
    try {
      const host = await authority.open(room, options);
      if (!isRefusal(host)) {
        room.host = host;
        // All who waited may have gone.
        if (!this.#rooms.has(room.id)) host.close();
        return undefined;
      }
      // No request finds it any more, and waiting ones are refused.
      this.#forget(room);
      return host;
    } catch (error) {
      this.#settings.faults.report("room", error, { roomId: room.id });
      this.#forget(room);
      return roomFailed;
    }
  }
}

/** A request for a room. */
interface Wanted {
  readonly name: string;
  readonly optionsKey: string;
  readonly build: string;
  readonly spectate: boolean;
  /** The number of places that are needed together. */
  readonly players: number;
}

/** Whether a player who looks for a room like the second one may get into the first. */
function isAlike(
  room: Room,
  { name, optionsKey, build }: Pick<Wanted, "name" | "optionsKey" | "build">,
): boolean {
  return room.name === name && room.optionsKey === optionsKey && room.build === build;
}

/** A member of a group joins the group's room or none: the directory never splits friends. */
function placeBesideFriends(
  { room, isKept }: { readonly room: Room; readonly isKept: boolean },
  spectate: boolean,
): Room | MatchRefusal {
  const isWaitedFor = isKept && !spectate && !room.isLocked && room.taken <= room.maxPlayers;
  return isWaitedFor || room.admits(spectate) ? room : full(409, "the group's room takes nobody more");
}

/** The key that separates rooms of one name. */
function optionsKeyOf(options: RoomOptions, filterBy: readonly string[] | undefined): string {
  if (!filterBy) return canonicalOptions(options);
  return canonicalOptions(
    Object.fromEntries(Object.entries(options).filter(([key]) => filterBy.includes(key))),
  );
}

/** Without characters that look alike, or that make words. */
function randomCode(): string {
  let code = "";
  for (let index = 0; index < ROOM_CODE_CHARACTERS; index++) {
    code += CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)];
  }
  return code;
}
