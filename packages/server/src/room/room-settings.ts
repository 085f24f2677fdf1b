import { ConfigError, MAX_KINDS, assertFunction, limits, type EntityDefinition } from "@paceline/protocol";
import { assertRoomInterest } from "../interest/room-interest.js";
import { Room, type RoomClass } from "./room.js";

/**
 * Numbers that a room class may set: least value, largest value, unit, and whether it must be a whole number.
 */
export const settingRanges = {
  tickHz: [1, 255, "Hz", false],
  maxPlayers: [1, 1000, "players", true],
  maxSpectators: [0, 1000, "spectators", true],
  spectatorDelayMs: [0, 60_000, "ms", false],
  maxRewindMs: [0, 1000, "ms", false],
  reconnectSeconds: [0, 3600, "s", false],
  stateBytesPerSecond: [1000, 100_000_000, "bytes per second", false],
} as const;

const hookNames = [
  "onCreate",
  "onJoin",
  "onAnyMessage",
  "onTick",
  "onBreach",
  "onDrop",
  "onReconnect",
  "onLeave",
  "onSave",
  "onRestore",
  "migrate",
  "onDrain",
  "onDispose",
  "onUncaughtException",
] as const satisfies readonly (keyof Room)[];

class PlainRoom extends Room {}
const settingNames: readonly string[] = Object.keys(new PlainRoom());

/**
 * Throws {@link ConfigError} for a wrong static field or hook of a room class, and for a class that extends
 * nothing, or the `Room` of another copy of this package, as in a bundle.
 */
export function assertRoomClass(name: string, roomClass: RoomClass): void {
  if (!((roomClass.prototype as object) instanceof Room)) {
    const expected =
      'a class that extends Room of the server\'s own "@paceline/server": a bundle leaves that package out';
    throw new ConfigError(`rooms.${name}`, roomClass, expected);
  }
  assertFunction("onAuth", (roomClass as { readonly onAuth: unknown }).onAuth);
  assertSizeName(roomClass);
  assertSizeName(roomClass.prototype as object);
  assertSpelling(roomClass, ["onAuth", "optionsSchema", "filterBy", "mixesBuilds", "persistent"]);
  assertSpelling(roomClass.prototype as object, hookNames);
}

/** Names of `maxPlayers` in other libraries. Without this check such a room would have the default size. */
const otherSizes = ["maxClients", "maxPeers"] as const;

/** @param of a room class, its prototype, or a room */
function assertSizeName(of: object): void {
  for (const field of otherSizes) {
    if (!(field in of)) continue;
    const value = (of as Readonly<Record<string, unknown>>)[field];
    throw new ConfigError(field, value, "nothing: say maxPlayers");
  }
}

/**
 * Refuses a name that differs from a known one by upper and lower case alone: nobody would call such a hook,
 * and such a setting would keep its default.
 * @param of a room class, its prototype, or a room
 */
function assertSpelling(of: object, known: readonly string[]): void {
  const names = new Map(known.map((name) => [name.toLowerCase(), name]));
  for (let owner = of; owner !== Room && owner !== Room.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const field of Object.getOwnPropertyNames(owner)) {
      const name = names.get(field.toLowerCase());
      if (name === undefined || name === field) continue;
      const value = (owner as Readonly<Record<string, unknown>>)[field];
      throw new ConfigError(field, value, `nothing: it is spelt ${name}`);
    }
  }
}

/** Throws {@link ConfigError} for a wrong field of a room. */
export function assertRoom(room: Room): void {
  const { entities } = room;
  assertKinds(entities);
  assertSizeName(room);
  assertSpelling(room, [...hookNames, ...settingNames]);
  for (const name of hookNames) if (room[name] !== undefined) assertFunction(name, room[name]);
  for (const [field, [least, most, unit, isCount]] of Object.entries(settingRanges)) {
    const value = room[field as keyof typeof settingRanges];
    if (value >= least && value <= most && (!isCount || Number.isInteger(value))) continue;
    throw new ConfigError(field, value, `${least} to ${most} ${unit}`);
  }
  if (room.interest !== undefined) assertRoomInterest(room.interest, entities);
  assertPlayerEntities(room);
}

function assertPlayerEntities({ entities, playerEntities }: Room): void {
  for (const { definition, most = 1 } of playerEntities) {
    if (!entities.includes(definition)) {
      throw new ConfigError("playerEntities", definition.name, "one of the room's entities");
    }
    const [list] = definition.collections;
    if (list) {
      const expected =
        "a kind without lists and maps of changing length: the room has to spawn what has some";
      throw new ConfigError("playerEntities", list.path, expected);
    }
    if (Number.isInteger(most) && most >= 1 && most <= limits.ownedEntities) continue;
    const expected = `1 to ${limits.ownedEntities} entities of a player`;
    throw new ConfigError(`playerEntities.${definition.name}.most`, most, expected);
  }
}

function assertKinds(entities: unknown): void {
  if (!Array.isArray(entities))
    throw new ConfigError("entities", entities, "a list of definitions by defineEntity");
  if (entities.length > MAX_KINDS)
    throw new ConfigError("entities", entities.length, `at most ${MAX_KINDS} kinds`);
  const names = new Set<string>();
  for (const [index, kind] of entities.entries()) {
    const field = `entities[${index}]`;
    const name: unknown = (kind as Partial<EntityDefinition> | undefined)?.name;
    const isKind = typeof name === "string" && typeof kind === "object" && "schemaHash" in kind;
    if (!isKind) throw new ConfigError(field, kind, "a definition by defineEntity");
    // Clients find a kind by its name.
    if (names.has(name)) throw new ConfigError(field, name, "a kind with a name of its own");
    names.add(name);
  }
}
