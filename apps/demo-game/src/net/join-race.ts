import { Client, type Genre, type Room, type TransportKind } from "@paceline/client";

export const ROOM_NAME = "race";

export interface JoinOptions {
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
  const client = new Client(options.server, {
    profile: options.profile,
    ...(options.transports === undefined ? {} : { transports: options.transports }),
  });
  return client.joinOrCreate(ROOM_NAME);
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
