import type { Unsubscribe } from "../listeners.js";
import { browserTab, type Tab } from "./tab.js";

/**
 * Events of the page around a client:
 *
 * - `hidden`, `visible`: its timers may slow down, and run freely again;
 * - `offline`: the browser sees no network; it may be wrong;
 * - `online`: there is a network again, or another one;
 * - `suspend`, `wake`: the page is put to sleep and may come back; it is awake again;
 * - `unload`: it ends for good.
 */
export type PageEvent = "hidden" | "visible" | "offline" | "online" | "suspend" | "wake" | "unload";

/** The frames that a page draws. */
interface PageFrames {
  /** When the newest one began, on the clock of `performance.now`; undefined where the page cannot say. */
  startedAtMs(): number | undefined;
  /** Calls `fn` once, at the start of the next one, with its time; never while the page is hidden. */
  request(fn: (startedAtMs: number) => void): Unsubscribe;
}

/** The page that a client runs in. A client in Node has no page; tests pass one that they control. */
export interface Page {
  readonly isHidden: boolean;
  /** Default: none, as in Node; what is written then belongs to the moment of the call. */
  readonly frames?: PageFrames | undefined;
  /** Storage of seats for the next page of this tab; undefined: seats are not stored. */
  readonly tab?: Tab;
  onEvent(listener: (event: PageEvent) => void): Unsubscribe;
}

/** The browser's page; undefined where there is none. */
export function browserPage(): Page | undefined {
  if (typeof document !== "object" || typeof addEventListener !== "function") return undefined;
  return {
    get isHidden() {
      return document.visibilityState === "hidden";
    },
    frames: typeof requestAnimationFrame === "function" ? browserFrames : undefined,
    tab: browserTab(),
    onEvent: (listener) => listenToPage(listener),
  };
}

/**
 * True in a browser's Worker. It has no page of which it would hear, and no storage of its tab, so that the next page
 * finds no seat. The browser closes its sockets with 1001 when it ends.
 */
export function isWorker(): boolean {
  return typeof document !== "object" && "WorkerGlobalScope" in globalThis;
}

const browserFrames: PageFrames = {
  // The time that a frame's callbacks get stands still until the next frame.
  startedAtMs: () => {
    const timeMs: unknown = document.timeline?.currentTime;
    return typeof timeMs === "number" ? timeMs : undefined;
  },
  request(fn) {
    const frame = requestAnimationFrame(fn);
    return () => cancelAnimationFrame(frame);
  },
};

/** The Network Information API, where it exists (Chromium): tells of a change while the page stays online. */
interface NetworkConnection extends EventTarget {
  /** `wifi`, `cellular` and so on; not known on most desktops. */
  readonly type?: string;
  readonly effectiveType?: string;
}

/**
 * Calls the listener when the type of network changes, or the class of its speed if the browser hides the
 * type. The browser's event also fires at every new estimate of speed.
 */
function watchNetwork(listener: () => void): Unsubscribe {
  const { connection } = navigator as { readonly connection?: NetworkConnection };
  const kind = (): string | undefined => connection?.type ?? connection?.effectiveType;
  let known = kind();
  const changed = (): void => {
    if (kind() === known) return;
    known = kind();
    listener();
  };
  connection?.addEventListener("change", changed);
  return () => connection?.removeEventListener("change", changed);
}

function listenToPage(listener: (event: PageEvent) => void): Unsubscribe {
  const ends: Unsubscribe[] = [watchNetwork(() => listener("online"))];
  const on = (target: EventTarget, type: string, handle: (event: Event) => void): void => {
    target.addEventListener(type, handle);
    ends.push(() => target.removeEventListener(type, handle));
  };
  on(document, "visibilitychange", () =>
    listener(document.visibilityState === "hidden" ? "hidden" : "visible"),
  );
  on(globalThis.window, "offline", () => listener("offline"));
  on(globalThis.window, "online", () => listener("online"));
  // A page that goes into the back/forward cache may come back; one that does not is gone.
  on(globalThis.window, "pagehide", (event) =>
    listener((event as PageTransitionEvent).persisted ? "suspend" : "unload"),
  );
  on(globalThis.window, "pageshow", (event) => {
    if ((event as PageTransitionEvent).persisted) listener("wake");
  });
  on(document, "freeze", () => listener("suspend"));
  on(document, "resume", () => listener("wake"));
  return () => ends.forEach((end) => end());
}
