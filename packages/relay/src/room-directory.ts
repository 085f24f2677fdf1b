import { randomBytes, randomInt } from "node:crypto";
import { AddressBuckets } from "./address-buckets.js";
import { busy, full, notFound, unknownKind } from "./match-refusals.js";
import {
  canonicalOptions,
  isRefusal,
  type MatchRefusal,
  type MatchRequest,
  type RoomOptions,
} from "./match-request.js";
import type { RelaySettings, RoomKind } from "./relay-options.js";
import { Room, type RoomListing } from "./room.js";

const ROOM_ID_BYTES = 9;
const MOST_LISTED = 100;
const ROOM_CODE_CHARACTERS = 6;
const CODE_CHARACTERS = "23456789BCDFGHJKMNPQRSTVWXZ";

/** The rooms that there are: opened when somebody asks for one, closed when the last has left. */
export class RoomDirectory {
  readonly #settings: RelaySettings;
  readonly #rooms = new Map<string, Room>();
  readonly #openings: AddressBuckets;

  constructor(settings: RelaySettings) {
    const { limits, scheduler } = settings;
    this.#settings = settings;
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

  /** By its id or its code. */
  find(idOrCode: string): Room | undefined {
    return this.#rooms.get(idOrCode) ?? this.#roomWithCode(idOrCode);
  }

  /** Finds a room as it is asked for, or opens one; `address`: who asks. Not for `reconnect`, which names a session. */
  roomFor(request: MatchRequest, address: string): Room | MatchRefusal {
    const { method, target } = request;
    if (method === "joinById") {
      const room = this.find(target);
      if (!room || room.isLocked) return notFound("there is no room with this id");
      return room.isFull ? full(409, "the room is full") : room;
    }
    const kind = this.#settings.rooms.get(target);
    if (!kind) return unknownKind(target);
    const optionsKey = optionsKeyOf(request.options, kind.authority?.filterBy);
    const found = method === "create" ? undefined : this.#match(target, optionsKey);
    if (found) return found;
    if (method === "join") return notFound("no room is open");
    if (this.#rooms.size >= this.#settings.limits.maxRooms)
      return full(503, "the server opens no more rooms");
    if (!this.#openings.take(address)) {
      this.#settings.counters.limitReached("roomsPerAddress");
      return busy("too many rooms opened by this address");
    }
    return this.#open(target, kind, request.options);
  }

  /** Open rooms of a kind, of which every filter holds; at most 100, the oldest first. */
  list(name: string, filter: RoomOptions): RoomListing[] | MatchRefusal {
    if (!this.#settings.rooms.has(name)) return unknownKind(name);
    const wanted = Object.entries(filter);
    const open = [...this.#rooms.values()].filter(
      (room) => room.name === name && room.isOpen && wanted.every(([key, value]) => room.says(key, value)),
    );
    return open.slice(0, MOST_LISTED).map((room) => room.listing);
  }

  /** Closes a room that nobody is in, and for which nobody has a seat. */
  disposeIfEmpty(room: Room): void {
    if (!room.isEmpty || room.isKept || !this.#rooms.delete(room.id)) return;
    room.host?.close();
    this.#settings.log.debug("room closed", { roomId: room.id });
  }

  #roomWithCode(code: string): Room | undefined {
    if (code.length !== ROOM_CODE_CHARACTERS) return undefined;
    for (const room of this.#rooms.values()) if (room.code === code) return room;
    return undefined;
  }

  #match(name: string, optionsKey: string): Room | undefined {
    for (const room of this.#rooms.values()) {
      if (room.name === name && room.optionsKey === optionsKey && room.isOpen) return room;
    }
    return undefined;
  }

  #open(name: string, { maxPeers, authority }: RoomKind, options: RoomOptions): Room {
    const optionsKey = optionsKeyOf(options, authority?.filterBy);
    const onEnd = (ended: Room): void => this.disposeIfEmpty(ended);
    const id = randomBytes(ROOM_ID_BYTES).toString("base64url");
    const { limits, scheduler } = this.#settings;
    const place = { id, name, options, optionsKey, maxPeers, code: randomCode() };
    const room = new Room({ ...place, limits, nowMs: scheduler.nowMs(), onEnd });
    this.#rooms.set(room.id, room);
    if (authority) {
      room.opening = authority.open(room, options).then((host) => {
        if (isRefusal(host)) {
          // Nobody shall find it, and those who have waited for it are told.
          this.#rooms.delete(room.id);
          return host;
        }
        room.host = host;
        // All who waited may have gone.
        if (!this.#rooms.has(room.id)) host.close();
        return undefined;
      });
    }
    this.#settings.log.debug("room opened", { roomId: room.id, name });
    return room;
  }
}

/** What rooms of a kind are told apart by. */
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
