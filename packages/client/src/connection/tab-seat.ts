import type { Tab } from "../browser/tab.js";
import type { Credentials } from "./credentials.js";
import type { JoinCall, OwnSeat } from "./match-request.js";

/** A seat as the tab keeps it. */
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
}

const KEY = "paceline:seats";
/** The oldest is forgotten: a tab that joins rooms all day must not fill its storage. */
const MAX_KEPT = 8;
/** A busy browser ends the page before this one a little later; a duplicate of the tab has the lock for good. */
const LOCK_PATIENCE_MS = 1000;

/** Sessions of this page's rooms. A game that joins twice has two seats, not one of them twice. */
const used = new Set<string>();

/**
 * The seat of one room, kept for the page that follows in the same tab. The lock says that no other page uses it: a
 * duplicated tab has a copy of the storage.
 */
export class TabSeat {
  readonly #tab: Tab | undefined;
  readonly #server: string;
  #session: string | undefined;
  #unlock: (() => void) | undefined;

  constructor(tab: Tab | undefined, serverUrl: string) {
    this.#tab = tab;
    this.#server = serverUrl;
  }

  /** A seat that this tab has had for such a call, and that this page does not use. It is this room's from now on. */
  find(call: JoinCall): KeptSeat | undefined {
    const { method, target } = call;
    if (method === "create" || method === "reconnect" || call.ticket !== undefined) return undefined;
    const asked = askedOf(call);
    const spectate = call.terms?.spectate ?? false;
    const found = this.#read().find((seat) => {
      const isMine = seat.server === this.#server && seat.spectate === spectate && !used.has(seat.session);
      return isMine && (seat.asked === asked || (method === "joinById" && seat.roomId === target));
    });
    if (found) this.#use(found.session);
    return found;
  }

  /** Proof of the seat for the server; undefined if another page uses the seat. */
  async claim({ session, token, who }: KeptSeat): Promise<OwnSeat | undefined> {
    const lock = await this.#lock(session);
    if (lock === "taken") this.#drop();
    return lock === "taken" ? undefined : { session, token, who, ifAway: lock === "unknown" };
  }

  /** The seat of this room as the tab has it now, for a page that the server has forgotten. */
  get again(): OwnSeat | undefined {
    const kept = this.#read().find(({ session }) => session === this.#session);
    return kept && { session: kept.session, token: kept.token, who: kept.who, ifAway: true };
  }

  /** The room's session has begun: the tab keeps its seat, in the place of the one before. */
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
    // The newest first: where a page has joined twice, that is the room that it plays in.
    this.#write([{ server: this.#server, asked, spectate, who, ...seat }, ...others]);
  }

  /** The seat is given up. */
  forget(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#write(this.#read().filter((kept) => kept.session !== session));
    this.release();
  }

  /** This room does not use the seat; it stays kept. */
  release(): void {
    this.sleep();
    this.#drop();
  }

  /** The page sleeps: another one of the tab may take the seat. Browsers let no page sleep that has a lock. */
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

  /** `unknown`: nobody can say whether another page uses the seat, but the server. */
  #lock(session: string): Promise<"mine" | "taken" | "unknown"> {
    const locks = this.#tab?.locks;
    if (!locks) return Promise.resolve("unknown");
    return new Promise((resolve) => {
      const hold = (): Promise<void> => {
        resolve("mine");
        // The room may have gone on to another seat meanwhile.
        if (this.#session !== session) return Promise.resolve();
        return new Promise((unlock) => (this.#unlock = unlock));
      };
      const isTimeout = (error: unknown): boolean =>
        error instanceof DOMException && (error.name === "TimeoutError" || error.name === "AbortError");
      try {
        locks
          .request(`${KEY}:${session}`, { signal: AbortSignal.timeout(LOCK_PATIENCE_MS) }, hold)
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
      // A page may be denied its storage, or have filled it: then a reloaded page is a new player.
    }
  }
}

/** Whether credentials are those of the same player: another user of the same tab has no right to the seat. */
export function whoOf(credentials: Credentials | undefined): string {
  const shown = credentials?.shown ?? "";
  return shown === "" ? "" : hashOf(subjectOf(shown) ?? shown);
}

/** The subject of a JSON Web Token, which may be another token after each login. */
function subjectOf(token: string): string | undefined {
  try {
    const [, claims = ""] = token.split(".");
    const { sub } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))) as { sub?: unknown };
    return typeof sub === "string" ? sub : undefined;
  } catch {
    return undefined;
  }
}

/** 32 bits (FNV-1a): enough to notice another player, and no way back to the secret. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16);
}

function askedOf({ method, target, options }: JoinCall): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([method === "joinById" ? "id" : "name", target, sorted]);
}

function isKeptSeat(value: unknown): value is KeptSeat {
  if (typeof value !== "object" || value === null) return false;
  const { server, asked, roomId, spectate, session, token, who } = value as Record<string, unknown>;
  const isText = [server, asked, roomId, who].every((text) => typeof text === "string");
  const isSecret = [session, token].every((text) => typeof text === "string" && /^[\w-]{1,128}$/.test(text));
  return isText && isSecret && typeof spectate === "boolean";
}
