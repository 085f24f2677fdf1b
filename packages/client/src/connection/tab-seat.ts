import { hashOf } from "@paceline/protocol";
import type { Tab } from "../browser/tab.js";
import type { OwnedSeat } from "./connection-state.js";
import type { Credentials } from "./credentials.js";
import type { JoinCall, OwnSeat } from "./match-request.js";

interface KeptSeat {
  readonly server: string;
  /** The game's request for this seat. */
  readonly asked: string;
  readonly roomId: string;
  readonly spectate: boolean;
  readonly session: string;
  readonly token: string;
  /** Fingerprint of the player's credentials. */
  readonly who: string;
  /** The place of the room in the order in which the page has joined its rooms. */
  readonly place: number;
}

const KEY = "paceline:seats";
/**
 * Limit of stored seats. The oldest one is dropped, so that a tab that joins rooms all day does not fill its
 * storage.
 */
const MAX_KEPT = 8;
/** Time limit of the lock, ms. The tab's earlier page releases it soon; a duplicate of the tab keeps it. */
const LOCK_TIMEOUT_MS = 1000;

/** Sessions of this page's rooms, so that a game that joins twice gets two seats. */
const used = new Set<string>();
/** Number of joins that this page has begun. */
let joins = 0;

/**
 * Seat of one room, stored for the next page in the same tab. A lock shows that no other page uses it,
 * because a duplicated tab has a copy of the storage.
 */
export class TabSeat {
  readonly #tab: Tab | undefined;
  readonly #server: string;
  readonly #place = (joins += 1);
  #session: string | undefined;
  #unlock: (() => void) | undefined;

  constructor(tab: Tab | undefined, serverUrl: string) {
    this.#tab = tab;
    this.#server = serverUrl;
  }

  /**
   * Returns a stored seat for such a call that this page does not use yet, and reserves it for this room. Of
   * several local players, the first to join again gets the seat of the first.
   */
  find(call: JoinCall): KeptSeat | undefined {
    const { method, target } = call;
    if (method === "create" || method === "reconnect" || call.ticket !== undefined) return undefined;
    const asked = askedOf(call);
    const spectate = call.terms?.spectate ?? false;
    const fitting = this.#read().filter((seat) => {
      const isMine = seat.server === this.#server && seat.spectate === spectate && !used.has(seat.session);
      return isMine && (seat.asked === asked || (method === "joinById" && seat.roomId === target));
    });
    const [found] = fitting.sort((a, b) => a.place - b.place);
    if (found) this.#use(found.session);
    return found;
  }

  /** Proof of the seat for the server; undefined if another page uses the seat. */
  async claim({ session, token, who }: KeptSeat): Promise<OwnSeat | undefined> {
    const lock = await this.#lock(session);
    if (lock === "taken") this.#drop();
    return lock === "taken" ? undefined : { session, token, who, ifAway: lock === "unknown" };
  }

  /** This room's seat as the tab stores it, for a page whose session the server has dropped. */
  get ownSeat(): OwnSeat | undefined {
    const kept = this.#read().find(({ session }) => session === this.#session);
    return kept && { session: kept.session, token: kept.token, who: kept.who, ifAway: true };
  }

  /** Stores the seat of the room's new session in place of the earlier one. */
  keep(seat: Pick<KeptSeat, "session" | "token" | "roomId">, call: JoinCall): void {
    const { session } = seat;
    const others = this.#read().filter((kept) => kept.session !== session && kept.session !== this.#session);
    if (this.#session !== session) {
      this.release();
      this.#use(session);
      void this.#lock(session);
    }
    const asked = call.ticket === undefined ? askedOf(call) : "";
    const spectate = call.terms?.spectate ?? false;
    const who = whoOf(call.credentials);
    // The newest comes first, since the last ones are dropped.
    this.#write([{ server: this.#server, asked, spectate, who, place: this.#place, ...seat }, ...others]);
  }

  /** Gives the seat up, and deletes it from the tab. */
  forget(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#write(this.#read().filter((kept) => kept.session !== session));
    this.release();
  }

  /** Frees the seat for other rooms and pages. It stays stored. */
  release(): void {
    this.sleep();
    this.#drop();
  }

  /**
   * Releases the lock, so that another page of the tab may take the seat. Browsers do not suspend a page that
   * holds a lock.
   */
  sleep(): void {
    this.#unlock?.();
    this.#unlock = undefined;
  }

  wake(): void {
    if (this.#session !== undefined && !this.#unlock) void this.#lock(this.#session);
  }

  #use(session: string): void {
    this.#session = session;
    used.add(session);
  }

  #drop(): void {
    if (this.#session !== undefined) used.delete(this.#session);
    this.#session = undefined;
  }

  /** Requests the lock. Resolves to `unknown` if only the server knows whether another page uses the seat. */
  #lock(session: string): Promise<"mine" | "taken" | "unknown"> {
    const locks = this.#tab?.locks;
    if (!locks) return Promise.resolve("unknown");
    return new Promise((resolve) => {
      const hold = (): Promise<void> => {
        resolve("mine");
        // The room may have taken another seat in the meantime.
        if (this.#session !== session) return Promise.resolve();
        return new Promise((unlock) => (this.#unlock = unlock));
      };
      const isTimeout = (error: unknown): boolean =>
        error instanceof DOMException && (error.name === "TimeoutError" || error.name === "AbortError");
      try {
        locks
          .request(`${KEY}:${session}`, { signal: AbortSignal.timeout(LOCK_TIMEOUT_MS) }, hold)
          .catch((error: unknown) => resolve(isTimeout(error) ? "taken" : "unknown"));
      } catch {
        resolve("unknown");
      }
    });
  }

  #read(): KeptSeat[] {
    try {
      const kept: unknown = JSON.parse(this.#tab?.storage?.getItem(KEY) ?? "[]");
      return Array.isArray(kept) ? kept.filter(isKeptSeat) : [];
    } catch {
      return [];
    }
  }

  #write(seats: readonly KeptSeat[]): void {
    try {
      this.#tab?.storage?.setItem(KEY, JSON.stringify(seats.slice(0, MAX_KEPT)));
    } catch {
      // The page has no access to its storage, or it is full: a reloaded page is then a new player.
    }
  }
}

/** Returns the seat of a session as a claim, for a page that stores none in its tab. */
export function ownSeatOf(seat: OwnedSeat | undefined, { credentials }: JoinCall): OwnSeat | undefined {
  return seat && { session: seat.sessionId, token: seat.token, who: whoOf(credentials), ifAway: true };
}

/**
 * Returns a fingerprint of the player's credentials: another user of the same tab has no right to the seat.
 */
export function whoOf(credentials: Credentials | undefined): string {
  const shown = credentials?.shown ?? "";
  return shown === "" ? "" : hashOf(subjectOf(shown) ?? shown).toString(16);
}

/** Returns the subject of a JSON Web Token. The token itself may differ after each login. */
function subjectOf(token: string): string | undefined {
  try {
    const [, claims = ""] = token.split(".");
    const { sub } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))) as { sub?: unknown };
    return typeof sub === "string" ? sub : undefined;
  } catch {
    return undefined;
  }
}

function askedOf({ method, target, options }: JoinCall): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([method === "joinById" ? "id" : "name", target, sorted]);
}

function isKeptSeat(value: unknown): value is KeptSeat {
  if (typeof value !== "object" || value === null) return false;
  const { server, asked, roomId, spectate, session, token, who, place } = value as Record<string, unknown>;
  const isText = [server, asked, roomId, who].every((text) => typeof text === "string");
  const isSecret = [session, token].every((text) => typeof text === "string" && /^[\w-]{1,128}$/.test(text));
  return isText && isSecret && typeof spectate === "boolean" && typeof place === "number";
}
