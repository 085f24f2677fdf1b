import { NetError } from "@paceline/protocol";
import type { Scheduler } from "@paceline/transport";

/** Pauses before further attempts to load, ms. */
const RETRY_PAUSES_MS = [250, 750];
/** Pause before code that a room waits for is fetched another time, ms. */
const LATER_PAUSE_MS = 3000;

/** Code of ours that the page fetches at its first use, once. */
export class Door<Module extends object> {
  readonly #name: string;
  readonly #load: () => Promise<Module>;
  #opening: Promise<Module> | undefined;
  #code: Module | undefined;

  /** @param name what the code is for, in the error */
  constructor(name: string, load: () => Promise<Module>) {
    this.#name = name;
    this.#load = load;
  }

  /** The code; undefined until it has arrived. */
  get code(): Module | undefined {
    return this.#code;
  }

  /**
   * Fetches the code. Tries three times within a second or two, and then rejects with {@link NetError}
   * `session/code`; the next call tries again.
   */
  open(): Promise<Module> {
    this.#opening ??= this.#fetch().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Fetches the code however often it takes. Rejects with the last error once it is not wanted any more. */
  async openWhile(scheduler: Pick<Scheduler, "after">, isWanted: () => boolean): Promise<Module> {
    for (;;) {
      try {
        return await this.open();
      } catch (error) {
        await new Promise<void>((resolve) => scheduler.after(LATER_PAUSE_MS, resolve));
        if (!isWanted()) throw error;
      }
    }
  }

  /** Starts to fetch the code before its first use. That use reports a failure. */
  prefetch(): void {
    this.open().catch(() => undefined);
  }

  async #fetch(): Promise<Module> {
    for (let attempt = 0; ; attempt++) {
      try {
        return (this.#code = await this.#load());
      } catch (cause) {
        const pauseMs = RETRY_PAUSES_MS[attempt];
        if (pauseMs === undefined) throw this.#failure(cause);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  #failure(cause: unknown): NetError {
    const words = `the code for "${this.#name}" did not load: the page is offline, or something blocks it`;
    return new NetError("session/code", words, { retryable: true, cause });
  }
}

/** Returns a door for each function that loads code, under the same name. */
export function doorsTo<Loads extends Readonly<Record<string, () => Promise<object>>>>(loads: Loads) {
  const doors = Object.entries(loads).map(([name, load]) => [name, new Door(name, load)]);
  return Object.fromEntries(doors) as {
    readonly [Name in keyof Loads]: Door<Awaited<ReturnType<Loads[Name]>>>;
  };
}

/** Door to code with these exports. */
export type DoorTo<Module extends object> = Pick<Door<Module>, "code" | "open" | "openWhile" | "prefetch">;
