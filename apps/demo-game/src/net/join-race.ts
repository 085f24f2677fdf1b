import { Client, type Genre, type Room, type TransportKind } from "@paceline/client";
import type { DriverCard } from "../race/race-messages.js";
import { GRAND_PRIX } from "./grand-prix.js";

export const ROOM_NAME = "race";

export interface JoinOptions {
  readonly mode: "mesh" | "relay" | "server";
  readonly driver: DriverCard;
  readonly isSpectator: boolean;
  readonly server: string;
  readonly profile: Genre;
  readonly transports: readonly TransportKind[] | undefined;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 8_000;

/** The pause before the n-th try again (0, 1, 2, ...). */
function retryDelayMs(attempt: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10));
}

export async function joinRace(options: JoinOptions): Promise<Room> {
  const { server, profile, transports, mode, driver, isSpectator } = options;
  const client = new Client(server, {
    profile: mode === "relay" ? { base: profile, topology: "relay" } : profile,
    ...(transports === undefined ? {} : { transports }),
  });
  if (mode !== "server") return client.joinOrCreate(ROOM_NAME);
  return client.joinOrCreate(GRAND_PRIX, { ...driver }, { spectate: isSpectator });
}

/** Tries until it works or `signal` says stop; `onFailure` hears of every failure and of the pause after it. */
export async function joinUntilItWorks(
  join: () => Promise<Room>,
  onFailure: (error: unknown, retryInMs: number) => void,
  signal: AbortSignal,
): Promise<Room | undefined> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const room = await join();
      if (!signal.aborted) return room;
      room.leave();
    } catch (error) {
      if (signal.aborted) break;
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
