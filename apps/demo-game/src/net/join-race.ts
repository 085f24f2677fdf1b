import { Client, NetError, type Genre, type Room, type TransportKind } from "@paceline/client";
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
  const { server, profile, transports, mode } = options;
  const client = new Client(server, {
    profile: mode === "relay" ? { base: profile, topology: "relay" } : profile,
    ...(transports === undefined ? {} : { transports }),
  });
  await import("../track/salt-flats.js");
  return askForRoom(client, options);
}

function askForRoom(client: Client, options: JoinOptions): Promise<Room> {
  const { mode, driver, isSpectator, invitation } = options;
  const isDecided = mode === "server";
  const kind = isDecided ? GRAND_PRIX : ROOM_NAME;
  const card = isDecided ? { ...driver } : {};
  const terms = isDecided ? { spectate: isSpectator } : {};
  if (!invitation) return client.joinOrCreate(kind, card, terms);
  if ("roomId" in invitation) return client.joinById(invitation.roomId, card, terms);
  return joinFriends(client, kind, invitation.friends, card, terms);
}

/** Returns true if the server takes no new players because it is about to restart. */
export function isDraining(error: unknown): boolean {
  return error instanceof NetError && error.code === "match/full" && /takes nobody new/.test(error.message);
}

/** Returns true if another attempt would get the same answer: the race is full, or over. */
function isFinal(error: unknown): boolean {
  return (
    !isDraining(error) &&
    error instanceof NetError &&
    (error.code === "match/full" || error.code === "match/not-found")
  );
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
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
