import { NetError, type Client, type JoinTerms, type Room, type RoomOptions } from "@paceline/client";

/**
 * Names a race: one among friends by a name that they can say, such as "fox-42", any other by its room's id.
 */
export type Invitation = { readonly friends: string } | { readonly roomId: string };

const FRIENDS_NAME = /^[a-z]{2,12}-[0-9]{1,4}$/;
const ROOM_ID = /^[A-Za-z0-9_-]{6,64}$/;
const ANIMALS = [
  "badger",
  "falcon",
  "fox",
  "hare",
  "heron",
  "lynx",
  "otter",
  "raven",
  "stag",
  "swift",
  "viper",
  "wolf",
];

/** Reads the address's `room`. Returns undefined if the text names no race. */
export function readInvitation(text: string): Invitation | undefined {
  if (FRIENDS_NAME.test(text)) return { friends: text };
  return ROOM_ID.test(text) ? { roomId: text } : undefined;
}

/** Returns a random name for a new race among friends. */
export function newFriendsName(): string {
  const animal = ANIMALS[Math.floor(Math.random() * ANIMALS.length)] as string;
  return `${animal}-${Math.floor(10 + Math.random() * 990)}`;
}

/** Returns the address with which another browser joins the same race. */
export function invitationUrl(page: string, mode: string, room: string): string {
  const url = new URL(page);
  const server = url.searchParams.get("server");
  url.search = new URLSearchParams({ ...(server === null ? {} : { server }), mode, room }).toString();
  url.hash = "";
  return url.href;
}

/** Returns true if only this machine can use the link: its page or its server has an address of this machine alone. */
export function isOnlyForThisMachine(link: string): boolean {
  const url = new URL(link);
  const server = url.searchParams.get("server");
  return (
    isLoopback(url.hostname) ||
    (server !== null && URL.canParse(server) && isLoopback(new URL(server).hostname))
  );
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host.startsWith("127.") || host === "[::1]";
}

/**
 * Joins the race among friends with that name, or opens it. Rejects with `match/full` if it is full: in a second
 * race of the same name friends would race apart without knowing. The server's list holds only races with a place,
 * so only the welcome of a second race tells of the full one.
 */
export async function joinFriends(
  client: Client,
  kind: string,
  friends: string,
  options: RoomOptions = {},
  terms: JoinTerms = {},
): Promise<Room> {
  const room = await client.joinOrCreate(kind, { ...options, room: friends }, terms);
  if (room.fullRooms === 0) return room;
  room.leave();
  throw new NetError("match/full", `the race ${friends} is full`);
}
