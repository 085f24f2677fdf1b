import {
  Client,
  NetError,
  profiles,
  type Genre,
  type ProfileChoice,
  type Room,
  type TransportKind,
} from "@paceline/client";
import type { DriverCard } from "../race/race-messages.js";
import { GRAND_PRIX } from "./grand-prix.js";
import { joinFriends, type Invitation } from "./invitation.js";

export const ROOM_NAME = "race";

export interface JoinOptions {
  readonly mode: "mesh" | "relay" | "server";
  readonly driver: DriverCard;
  readonly isSpectator: boolean;
  /** Undefined for a race with anybody. */
  readonly invitation: Invitation | undefined;
  readonly server: string;
  readonly profile: Genre;
  readonly transports: readonly TransportKind[] | undefined;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 8_000;

/** Returns the pause before an attempt. The first repetition is number 0. */
function retryDelayMs(attempt: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10));
}

/**
 * Joins a race. Loads the second circuit before, while the client loads its own code: a room begins to deliver
 * messages as soon as it is joined, and what nobody listens to yet is lost.
 */
export async function joinRace(options: JoinOptions): Promise<Room> {
  const { server, transports } = options;
  const client = new Client(server, {
    profile: profileIn(options),
    ...(transports === undefined ? {} : { transports }),
  });
  await import("../track/salt-flats.js");
  return askForRoom(client, options);
}

/**
 * Names the topology of a race among players. This page also describes the inputs of races that a server
 * decides, from which the client would conclude that it joins one.
 */
function profileIn({ mode, profile: base, transports }: JoinOptions): ProfileChoice {
  if (mode === "server") return base;
  const isRelayed = mode === "relay" || profiles[base].topology === "relay";
  const hasWebRtc = transports?.includes("webrtc") ?? true;
  return { base, topology: isRelayed || !hasWebRtc ? "relay" : "mesh" };
}

function askForRoom(client: Client, options: JoinOptions): Promise<Room> {
  const { mode, driver, isSpectator, invitation } = options;
  const isDecided = mode === "server";
  const kind = isDecided ? GRAND_PRIX : ROOM_NAME;
  const card = isDecided ? { ...driver } : {};
  const terms = isDecided ? { spectate: isSpectator } : {};
  if (!invitation && isSpectator && !isDecided) return watchAny(client);
  if (!invitation) return client.joinOrCreate(kind, card, terms);
  if ("roomId" in invitation) return client.joinById(invitation.roomId, card, terms);
  return joinFriends(client, kind, invitation.friends, card, terms);
}

/**
 * Joins any race among players to watch it. Only a race that the server decides has places for spectators besides its
 * drivers. Rejects with `match/full` if all races are full: a race of its own would show the spectator nobody.
 */
async function watchAny(client: Client): Promise<Room> {
  const room = await client.joinOrCreate(ROOM_NAME);
  if (room.fullRooms === 0 || room.peers.length > 0) return room;
  room.leave();
  throw new NetError(
    "match/full",
    "every race is full, and this kind of race has no more places for spectators",
  );
}

/** Returns true if the server takes no new players because it is about to restart. */
function isDraining(error: unknown): boolean {
  return error instanceof NetError && error.code === "match/full" && /takes nobody new/.test(error.message);
}

/** The page's own security policy forbids requests to the server. */
export class ForbiddenServerError extends Error {
  constructor(server: string) {
    super(`the content security policy of this page forbids ${server}`);
    this.name = "ForbiddenServerError";
  }
}

/** Returns true if another attempt would fail, too: the race is full or over, or the player is not let in. */
function isFinal(error: unknown): boolean {
  if (error instanceof ForbiddenServerError) return true;
  if (isDraining(error) || !(error instanceof NetError)) return false;
  return error.code === "match/full" || error.code === "match/not-found" || !error.retryable;
}

/** Returns true if nothing answered: the race server, or the page's own when it fetches the code of the race. */
function isUnanswered(error: unknown): boolean {
  if (error instanceof NetError) return error.code === "match/unreachable";
  // Browsers reject an import whose file does not come with a TypeError, each in words of its own.
  return error instanceof TypeError && /import|module/i.test(error.message);
}

/** Returns why the player could not join, and what helps. `isOnline`: the browser's word for the device. */
export function troubleInWords(error: unknown, server: string, isOnline: boolean): string {
  if (error instanceof ForbiddenServerError)
    return `This page may not talk to ${server}: the page's own server has to allow it (--connect-to ${server}).`;
  if (isDraining(error)) return "The race server is about to restart and takes nobody new for now.";
  if (isUnanswered(error)) {
    const why = isOnline ? ": it is down, or this device cannot reach it" : ", and this device is offline";
    return `The race server at ${server} does not answer${why}.`;
  }
  return `The race could not be joined: ${error instanceof Error ? error.message : String(error)}`;
}

/**
 * Repeats `join` until it succeeds, `signal` is aborted, or the answer is final. `onFailure` gets each failure and
 * the pause before the next attempt, undefined for a final answer.
 */
export async function joinUntilItWorks(
  join: () => Promise<Room>,
  onFailure: (error: unknown, retryInMs: number | undefined) => void,
  signal: AbortSignal,
): Promise<Room | undefined> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const room = await join();
      if (!signal.aborted) return room;
      room.leave();
    } catch (error) {
      if (signal.aborted) break;
      if (isFinal(error)) {
        onFailure(error, undefined);
        break;
      }
      const delayMs = retryDelayMs(attempt);
      onFailure(error, delayMs);
      await pause(delayMs, signal);
    }
  }
  return undefined;
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
