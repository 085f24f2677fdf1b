import type { Unsubscribe } from "../events/listeners.js";
import { browserTab, type Tab } from "./tab.js";

/**
 * Events of the page around a client:
 *
 * - `hidden`, `visible`: its timers may slow down, or run at full rate again;
 * - `offline`: the browser reports no network, perhaps wrongly;
 * - `online`: there is a network again, or another one;
 * - `suspend`, `wake`: the page is put to sleep and may wake later, or is awake again;
 * - `unload`: the page ends for good.
 */
export type PageEvent = "hidden" | "visible" | "offline" | "online" | "suspend" | "wake" | "unload";

/** The animation frames of a page. */
export interface PageFrames {
  /**
   * Returns the start of the newest frame, ms on the clock of `performance.now`. Undefined if the page cannot
   * tell.
   */
  startedAtMs(): number | undefined;
  /**
   * Calls `fn` once at the start of the next frame, with its time, ms. Never runs while the page is hidden.
   */
  request(fn: (startedAtMs: number) => void): Unsubscribe;
}

/** The page around a client. Node has none; tests use their own. */
export interface Page {
  readonly isHidden: boolean;
  /**
   * Frames of the page. Default: none, as in Node. Values then belong to the moment at which the game
   * publishes them.
   */
  readonly frames?: PageFrames | undefined;
  /** Storage of seats for the next page of this tab. Default: none, and seats are not stored. */
  readonly tab?: Tab;
  onEvent(listener: (event: PageEvent) => void): Unsubscribe;
}

/** Returns the browser's page, or undefined without a browser. */
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

const browserFrames: PageFrames = {
  // The timeline's time is that of the present frame, and stays the same until the next one.
  startedAtMs: () => {
    const timeMs: unknown = document.timeline?.currentTime;
    return typeof timeMs === "number" ? timeMs : undefined;
  },
  request(fn) {
    const frame = requestAnimationFrame(fn);
    return () => cancelAnimationFrame(frame);
  },
};

/** Network Information API (Chromium), which reports a change of network while the page stays online. */
interface NetworkConnection extends EventTarget {
  /** `wifi`, `cellular` and so on; unknown on most desktops. */
  readonly type?: string;
  readonly effectiveType?: string;
}

/** Reports a change of network. Skips the API's events about a new estimate of speed. */
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
  // A page in the back/forward cache may come back; any other one is gone.
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
