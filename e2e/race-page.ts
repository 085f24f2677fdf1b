/** The race in one browser, as a scenario uses it: the page's `window.paceline`, and its keys. */
import { distanceM, positionError, type PositionError, type Sample } from "./position-error.js";
import { waitInPage, type RaceBrowser, type RaceKey } from "./browsers/race-browser.js";

/** The part of the page's debugging handle that scenarios use. */
interface PageHandle {
  readonly room: {
    readonly sessionId: string;
    readonly state: string;
    readonly isSpectator: boolean;
    readonly peers: readonly PeerView[];
    readonly transport: {
      readonly serverPath: { readonly choice: string; readonly reason: string };
      readonly server: { readonly stateLink?: string };
      readonly history: readonly { atMs: number; about: string; choice: string; reason: string }[];
    };
    send(type: string, message: unknown): void;
    leave(): Promise<void>;
  };
  readonly game: {
    readonly phase: string;
    /** Number of the shown car: the own one, or the one that a spectator follows; 0 without one. */
    readonly carNumber: number;
    readonly car: object;
    readonly progressM: number;
    readonly others: readonly { ownerId: string; name: string; x: number; y: number }[];
    readonly laps: readonly { from: string; lap: number; timeMs: number }[];
    readonly chat: readonly { from: string; text: string }[];
    say(text: string): void;
    startRecording(): void;
    recording(): readonly Frame[];
  };
}

interface PeerView {
  readonly id: string;
  readonly number: number;
  readonly path: "direct" | "turn" | "relay";
  readonly channel: string;
  readonly reason: string;
}

export interface Frame {
  readonly atMs: number;
  readonly mine: { readonly x: number; readonly y: number };
  readonly others: readonly {
    readonly ownerId: string;
    readonly x: number;
    readonly y: number;
    readonly ageMs: number;
  }[];
}

/** The page's globals while the game runs. {@link RacePage.join} adds `firstShownAtMs`. */
export interface PageWindow {
  paceline: PageHandle;
  /** First time at which each owner's car was shown, on the page's clock. */
  firstShownAtMs: Record<string, number>;
}

/** Durations of a pair's steps from the request for a room, ms. */
export interface ConnectTimes {
  readonly firstStateMs?: number;
  readonly directMs?: number;
}

const JOIN_LIMIT_MS = 15_000;

export class RacePage {
  readonly browser: RaceBrowser;
  #sessionId = "";
  #frames: readonly Frame[] = [];

  constructor(browser: RaceBrowser) {
    this.browser = browser;
  }

  get name(): string {
    return this.browser.name;
  }

  /** This participant's id in the room; {@link join} and {@link rejoined} read it again. */
  get sessionId(): string {
    return this.#sessionId;
  }

  /** Opens the page, and starts with the Enter key, which accepts the offered name. */
  async join(serverUrl: string, query: Record<string, string> = {}): Promise<void> {
    const address = new URL(serverUrl);
    address.search = new URLSearchParams({ name: this.name, ...query }).toString();
    await this.browser.open(address.href);
    await this.browser.evaluate(() => {
      const page = window as unknown as PageWindow;
      page.firstShownAtMs = {};
      // The game appears when the page has joined, a car when its first state has arrived.
      setInterval(() => {
        for (const { ownerId } of page.paceline?.game.others ?? []) {
          page.firstShownAtMs[ownerId] ??= performance.now();
        }
      }, 4);
    });
    await this.press("Enter");
    await this.rejoined("");
  }

  /** Waits until this participant is in a room under a new id. */
  async rejoined(before: string, timeoutMs = JOIN_LIMIT_MS): Promise<void> {
    this.#sessionId = await this.waitFor(
      "to be in a room",
      (known) => {
        const { paceline } = window as unknown as Partial<PageWindow>;
        return (
          paceline?.room.state === "joined" && paceline.room.sessionId !== known && paceline.room.sessionId
        );
      },
      { argument: before, timeoutMs },
    );
  }

  waitFor<Result, Argument>(
    what: string,
    work: (argument: Argument) => Result | Promise<Result>,
    options: { argument: Argument; timeoutMs: number },
  ): Promise<Exclude<Result, undefined | null | false>> {
    return waitInPage(this.browser, what, work, options);
  }

  /** Waits until this page shows the other participant's car. */
  async sees(other: RacePage, timeoutMs = JOIN_LIMIT_MS): Promise<void> {
    await this.waitFor(
      `the car of ${other.name}`,
      (id) => (window as unknown as PageWindow).paceline.game.others.some(({ ownerId }) => ownerId === id),
      { argument: other.sessionId, timeoutMs },
    );
  }

  /** Waits until this page uses that path to the other; returns the page's reason for it. */
  async reaches(other: RacePage, path: PeerView["path"], timeoutMs = JOIN_LIMIT_MS): Promise<string> {
    try {
      return await this.waitFor(
        `the path to ${other.name} to be ${path}`,
        ({ id, wanted }) => {
          const { peers } = (window as unknown as PageWindow).paceline.room;
          return peers.find((peer) => peer.id === id && peer.path === wanted)?.reason;
        },
        { argument: { id: other.sessionId, wanted: path }, timeoutMs },
      );
    } catch (error) {
      throw new Error(`${String(error)}\n${await this.#history()}`, { cause: error });
    }
  }

  /** Returns this page's changes of paths, for the report of a failure. */
  #history(): Promise<string> {
    return this.browser.evaluate(() => {
      const { history } = (window as unknown as PageWindow).paceline.room.transport;
      const lines = history.map(
        ({ atMs, about, choice, reason }) => `${atMs.toFixed(0)} ms: ${about}: ${choice} (${reason})`,
      );
      return [...lines, `now: ${performance.now().toFixed(0)} ms`].join("\n");
    });
  }

  async waitForPhase(phase: string, timeoutMs: number): Promise<void> {
    await this.waitFor(
      `the race to be in its phase "${phase}"`,
      (wanted) => (window as unknown as PageWindow).paceline.game.phase === wanted,
      { argument: phase, timeoutMs },
    );
  }

  async press(key: RaceKey): Promise<void> {
    await this.browser.holdKey(key);
    await this.browser.releaseKey(key);
  }

  /** Drives with full throttle and turns left and right, so that nothing can predict all of it. */
  async drive(durationMs: number): Promise<void> {
    const endMs = Date.now() + durationMs;
    await this.browser.holdKey("ArrowUp");
    for (let turn = 0; Date.now() < endMs; turn += 1) {
      const key = turn % 2 === 0 ? "ArrowLeft" : "ArrowRight";
      await new Promise((resolve) => setTimeout(resolve, 500));
      await this.browser.holdKey(key);
      await new Promise((resolve) => setTimeout(resolve, 250));
      await this.browser.releaseKey(key);
    }
    await this.browser.releaseKey("ArrowUp");
  }

  async startRecording(): Promise<void> {
    await this.browser.evaluate(() => (window as unknown as PageWindow).paceline.game.startRecording());
  }

  /** Fetches the recording, which {@link errorOf} and {@link drivenM} use. */
  async fetchRecording(): Promise<void> {
    this.#frames = await this.browser.evaluate(() =>
      (window as unknown as PageWindow).paceline.game.recording(),
    );
  }

  /** Frames of the last {@link fetchRecording}. */
  get frames(): readonly Frame[] {
    return this.#frames;
  }

  /** Distance that the own car drove while recording, m. */
  get drivenM(): number {
    return distanceM(this.#ownTrack());
  }

  /** Returns the distance between a car as this page showed it and as its own page had it, by one clock. */
  errorOf(other: RacePage): PositionError {
    const seen = this.#frames.flatMap(({ atMs, others }) =>
      others.filter(({ ownerId }) => ownerId === other.sessionId).map(({ x, y }) => ({ atMs, x, y })),
    );
    return positionError(other.#ownTrack(), seen, [this.#frames, other.#frames]);
  }

  connectTimes(other: RacePage): Promise<ConnectTimes> {
    return this.browser.evaluate((id) => {
      const { firstShownAtMs, paceline } = window as unknown as PageWindow;
      const { peers, transport } = paceline.room;
      const peer = peers.find((candidate) => candidate.id === id);
      const asked = performance.getEntriesByType("resource").find(({ name }) => name.includes("/match/"));
      const shownAtMs = firstShownAtMs[id];
      if (peer === undefined || asked === undefined || shownAtMs === undefined) return {};
      const direct = transport.history.find(
        ({ about, choice }) => about === `peer ${peer.number}` && choice.startsWith("direct"),
      );
      const firstStateMs = shownAtMs - asked.startTime;
      return direct === undefined
        ? { firstStateMs }
        : { firstStateMs, directMs: direct.atMs - asked.startTime };
    }, other.sessionId);
  }

  #ownTrack(): Sample[] {
    return this.#frames.map(({ atMs, mine }) => ({ atMs, x: mine.x, y: mine.y }));
  }
}
