import {
  ConfigError,
  NetError,
  assertFunction,
  isBuild,
  type RoomListing,
  type RoomOptions,
  type ServerTypes,
} from "@paceline/protocol";
import {
  checkKeys,
  choiceAt,
  circumstancesOf,
  hasDirectLinks,
  planFor,
  profileOf,
  workerScheduler,
  type Plan,
  type Profile,
  type ProfileChoice,
  type Scheduler,
  type Environment,
  type WebRtcLinkMaker,
} from "@paceline/transport";
import { assertSignal, untilAborted } from "../events/abortable.js";
import {
  credentialsOf,
  type AuthToken,
  type Credentials,
  type IdentityStorage,
} from "../connection/credentials.js";
import { FirstAttempt } from "../connection/first-attempt.js";
import { serverUrlOf } from "../connection/endpoint.js";
import {
  assertPossible,
  assertScheme,
  assertWebSocket,
  checkedTransports,
  environmentOf,
  webRtcOf,
  webSocketOf,
  type TransportKind,
} from "../browser/environment.js";
import {
  checkedCall,
  reconnectCall,
  type JoinCall,
  type JoinTerms,
  requestRooms,
} from "../connection/match-request.js";
import { authorityModule, loadDirectPath } from "./late-code.js";
import type { Room } from "./room.js";
import type { RoomSetup } from "./room-setup.js";
import type { KindsOf, OptionsFor, RoomFor, RoomNames } from "./typed-room.js";
import type { Queueing, QueueWish } from "./queueing.js";
import type { EndpointLatency, LatencyOptions, RelayChoice, RelayLatencies } from "../connection/nearest.js";
import { LazyModule } from "../browser/lazy-module.js";
import { browserPage, type Page } from "../browser/page.js";
import type { SocketCount } from "../connection/stripes.js";

/** Options of a {@link Client}. */
export interface ClientOptions {
  /**
   * The game's genre: rates, thresholds and the choice of channels follow from it. With changes, where the game knows
   * better: `{ base: "racing", favour: "bandwidth", numbers: { stateHz: 20 } }`.
   */
  readonly profile: ProfileChoice;
  /** Transports that may be used; default: all that this environment has. WebSocket must be among them. */
  readonly transports?: readonly TransportKind[];
  /**
   * Steps per second of a game that runs in fixed steps, 1 to 240: it runs in `room.loop`, and states belong to steps.
   * Default: none, states belong to moments. A {@link LockstepSession} without it has the profile's.
   */
  readonly tickHz?: number;
  /**
   * Proof of who the player is, for the `onAuth` of rooms: a token of at most 3000 characters, or a function that is
   * asked for a fresh one before every request for a seat, also when the client has to join again.
   */
  readonly authToken?: AuthToken;
  /**
   * Keeps the identity that a server gives guests, and shows it the next time, where `authToken` gives nothing: true in
   * the page's `localStorage`, or a storage of the game's. Default: false.
   */
  readonly keepIdentity?: boolean | IdentityStorage;
  /**
   * The build of the game in this page, 1 to 64 letters, digits and `. + - _`: players of different builds do not meet, unless
   * the server's rooms say `mixesBuilds`. Default: none.
   */
  readonly build?: string;
  /**
   * Called when the server serves another build than this page's: the page should be loaded again. Once for each build, at a
   * join or when the client is back after a new deployment; `current` is the server's. Needs `build`, here and at the server.
   */
  readonly onOutdated?: (builds: { readonly mine: string; readonly current: string }) => void;
  /** In Node: `NodeWebSocket` from `@paceline/client/node`. Default: the browser's. */
  readonly webSocket?: unknown;
  /** In Node: what `nodeWebRtc()` from `@paceline/client/node` resolves to. Default: the browser's WebRTC. */
  readonly webRtc?: unknown;
  /**
   * The number of WebSockets that carry states: "auto" (default) opens a second and a third one while lost segments stall the
   * first; a number is kept whatever is measured.
   */
  readonly sockets?: SocketCount;
  /** The page around the game; tests give their own. Default: the browser's, where there is one. */
  readonly page?: Page;
  /** Clock and timers; tests give a virtual one. Default: timers of a Worker where there is one, else the page's. */
  readonly scheduler?: Scheduler;
}

const LIST_TIMEOUT_MS = 8000;

/** The code of rooms: fetched once for the page, while the game gets ready to join. */
const roomModule = /* @__PURE__ */ new LazyModule("Room", () => import("./room.js"));

const optionNames: Readonly<Record<keyof ClientOptions, true>> = {
  profile: true,
  transports: true,
  tickHz: true,
  authToken: true,
  keepIdentity: true,
  build: true,
  onOutdated: true,
  webSocket: true,
  webRtc: true,
  sockets: true,
  page: true,
  scheduler: true,
};

/** Options may be left out where none is required. */
type OptionArguments<Kind> =
  RoomOptions extends OptionsFor<Kind>
    ? [options?: OptionsFor<Kind>, terms?: JoinTerms]
    : Partial<OptionsFor<Kind>> extends OptionsFor<Kind>
      ? [options?: OptionsFor<Kind>, terms?: JoinTerms]
      : [options: OptionsFor<Kind>, terms?: JoinTerms];

/**
 * The way into rooms of one server.
 *
 * `new Client<typeof server>(...)`, with the type of what `defineServer` returned, lets the compiler check the names of
 * rooms, what they are joined with, messages, entities and inputs.
 * `new Client<Messages>(...)`, with an interface that has the content of each message by its type, does it for the messages
 * between players in rooms without an authority.
 *
 * Every method rejects with {@link NetError} (see docs/ERRORS.md) when the server refuses or cannot be reached, and
 * throws {@link ConfigError} for arguments that can never work.
 */
export class Client<S extends object = ServerTypes> {
  readonly #serverUrl: string;
  readonly #newLink: WebRtcLinkMaker | undefined;
  readonly #transports: readonly TransportKind[];
  readonly #options: ClientOptions;
  readonly #profile: ProfileChoice;
  readonly #tickHz: number;
  readonly #isDirectWanted: boolean;
  readonly #credentials: Credentials | undefined;
  /** Builds of the server that the game was told of. */
  readonly #builds = new Set<string>();

  /** @param endpoint the server's address: http(s) or ws(s) */
  constructor(endpoint: string, options: ClientOptions) {
    this.#serverUrl = serverUrlOf(endpoint);
    checkKeys("", options, Object.keys(optionNames));
    this.#profile = profileWithTicks(options);
    const profile = profileOf(this.#profile);
    this.#tickHz = profile.tickHz;
    this.#transports = checkedTransports(options.transports);
    assertPossible(this.#profile, this.#transports);
    assertWebSocket(options.webSocket);
    this.#newLink = webRtcOf(options.webRtc);
    const plan = firstPlan(profile, environmentOf(this.#transports, { peers: 0 }, this.#newLink));
    assertScheme(this.#serverUrl, plan.schemes);
    this.#isDirectWanted = hasDirectLinks(plan);
    const { sockets = "auto" } = options;
    if (!["auto", 1, 2, 3].includes(sockets)) {
      throw new ConfigError({ field: "sockets", value: sockets, expected: `"auto", 1, 2 or 3` });
    }
    assertBuild(options);
    this.#options = options;
    this.#credentials = credentialsOf(options.authToken, options.keepIdentity, this.#serverUrl);
    roomModule.prefetch();
  }

  /**
   * Resolves when the code that a join needs is here. Every client fetches it from the start, and a join waits for it: a
   * game may wait for it earlier, behind its loading screen. Rejects with `session/code`, and can be called again.
   */
  static async preload(): Promise<void> {
    await roomCode();
  }

  /**
   * The nearest of several servers, for {@link Client}: each is asked for its `/health` a few times, all at once. Takes no
   * longer than `timeoutMs`. Rejects with `match/unreachable` where none answers.
   */
  static async selectByLatency(endpoints: readonly string[], options: LatencyOptions = {}): Promise<string> {
    const { nearestEndpoint } = await import("../connection/nearest.js");
    return nearestEndpoint(endpoints, options, serverUrlOf);
  }

  /** As {@link selectByLatency}, with what was measured of every server, the nearest first. */
  static async measureLatency(
    endpoints: readonly string[],
    options: LatencyOptions = {},
  ): Promise<readonly EndpointLatency[]> {
    const { measureEndpoints } = await import("../connection/nearest.js");
    return measureEndpoints(endpoints, options, serverUrlOf);
  }

  /**
   * The relay that is nearest to all players who are going to meet, of what each of them has measured: the one through
   * which the worst pair has the shortest way. Undefined where no relay is in everybody's reach.
   */
  static async nearestRelay(players: readonly RelayLatencies[]): Promise<RelayChoice | undefined> {
    const { nearestRelay } = await import("../connection/nearest.js");
    return nearestRelay(players);
  }

  /**
   * Joins an open room of that name and with equal options, or creates one. A reloaded page gets the seat
   * again that its tab has had for the same call: the same room and number.
   */
  joinOrCreate<Name extends RoomNames<S>>(
    roomName: Name,
    ...[options, terms]: OptionArguments<KindsOf<S>[Name]>
  ): Promise<RoomFor<KindsOf<S>[Name]>> {
    return this.#enter(
      checkedCall("joinOrCreate", roomName, options === undefined ? {} : options, terms),
      terms?.signal,
    );
  }

  /** Creates a room. */
  create<Name extends RoomNames<S>>(
    roomName: Name,
    ...[options, terms]: OptionArguments<KindsOf<S>[Name]>
  ): Promise<RoomFor<KindsOf<S>[Name]>> {
    return this.#enter(
      checkedCall("create", roomName, options === undefined ? {} : options, terms),
      terms?.signal,
    );
  }

  /** Joins an open room; rejects with `match/not-found` where there is none. */
  join<Name extends RoomNames<S>>(
    roomName: Name,
    ...[options, terms]: OptionArguments<KindsOf<S>[Name]>
  ): Promise<RoomFor<KindsOf<S>[Name]>> {
    return this.#enter(
      checkedCall("join", roomName, options === undefined ? {} : options, terms),
      terms?.signal,
    );
  }

  /** Open rooms of that name, of which every filter holds: an option that tells rooms apart, or an entry of the metadata. */
  list(roomName: RoomNames<S>, filter: RoomOptions = {}, abortion: Abortion = {}): Promise<RoomListing[]> {
    const call = { ...checkedCall("list", roomName, filter), build: this.#options.build };
    const signal = signalOf(abortion);
    const request = { serverUrl: this.#serverUrl, call, webrtc: false, timeoutMs: LIST_TIMEOUT_MS, signal };
    return untilAborted(
      signal,
      () => requestRooms(request),
      () => undefined,
    );
  }

  /** Joins the room with that id, or with that code; the compiler is told its kind: `joinById<"race">(id)`. */
  joinById<Name extends RoomNames<S> = RoomNames<S>>(
    roomId: string,
    options: RoomOptions = {},
    terms?: JoinTerms,
  ): Promise<RoomFor<KindsOf<S>[Name]>> {
    return this.#enter(checkedCall("joinById", roomId, options, terms), terms?.signal);
  }

  /**
   * Waits for others of about the same rank to play with in a room of that kind; the server has to have a queue for it.
   * Resolves when one is waiting: `room` of what it resolves to is the match.
   */
  async queue<Name extends RoomNames<S>>(
    roomName: Name,
    wish: QueueWish & { readonly options?: OptionsFor<KindsOf<S>[Name]> } = {},
  ): Promise<Queueing<RoomFor<KindsOf<S>[Name]>>> {
    const { beginQueueing } = await import("./queueing.js");
    return beginQueueing(roomName, wish, {
      checkedCall,
      enter: (call, signal) => this.#enter<KindsOf<S>[Name]>(call, signal),
    });
  }

  /**
   * Takes the place of an earlier session of this player, in the same room, even if that is full. A page that is loaded
   * anew has no need of it: the methods above take its tab's own seat again. It is for a seat that goes on elsewhere, in
   * another tab or on another machine. The earlier session ends, if it is still there; entities and messages begin anew.
   * Rejects with `match/not-found` when the server has forgotten the session: join as usual then.
   */
  reconnect<Name extends RoomNames<S> = RoomNames<S>>(
    reconnectionToken: string,
    abortion: Abortion = {},
  ): Promise<RoomFor<KindsOf<S>[Name]>> {
    return this.#enter(reconnectCall(reconnectionToken), signalOf(abortion));
  }

  #enter<Kind>(call: JoinCall, signal: AbortSignal | undefined): Promise<RoomFor<Kind>> {
    let room: Room | undefined;
    let first: FirstAttempt | undefined;
    const begin = async (): Promise<RoomFor<Kind>> => {
      const setup = this.#setupOf(call);
      first = new FirstAttempt({ ...setup, webrtc: this.#isDirectWanted });
      // States come with the welcome, offers of direct paths two round trips later.
      if (profileOf(this.#profile).topology === "authority") authorityModule.prefetch();
      if (this.#isDirectWanted) loadDirectPath().catch(() => undefined);
      try {
        const { Room } = await roomCode();
        if (signal?.aborted) throw new NetError("session/ended", "aborted");
        room = new Room({ ...setup, first });
      } catch (error) {
        first.giveUp();
        throw error;
      }
      await room.join();
      return room as RoomFor<Kind>;
    };
    return untilAborted(signal, begin, () => (room ?? first)?.giveUp());
  }

  #serves(current: string): void {
    const { build: mine, onOutdated } = this.#options;
    if (mine === undefined || current === mine || this.#builds.has(current)) return;
    this.#builds.add(current);
    onOutdated?.({ mine, current });
  }

  #setupOf(call: JoinCall): Omit<RoomSetup, "first"> {
    return {
      serverUrl: this.#serverUrl,
      call: { ...call, credentials: this.#credentials, build: this.#options.build },
      onBuild: (build) => this.#serves(build),
      scheduler: this.#options.scheduler ?? workerScheduler,
      webSocket: webSocketOf(this.#options.webSocket),
      newLink: this.#newLink,
      profile: this.#profile,
      transports: this.#transports,
      tickHz: this.#tickHz,
      isStepped: namesSteps(this.#options),
      page: this.#options.page ?? browserPage(),
      sockets: this.#options.sockets ?? "auto",
    };
  }
}

function assertBuild({ build, onOutdated }: ClientOptions): void {
  if (build !== undefined && !isBuild(build))
    throw new ConfigError({ field: "build", value: build, expected: "1 to 64 letters, digits and . + - _" });
  if (onOutdated === undefined) return;
  assertFunction("onOutdated", onOutdated);
  if (build === undefined)
    throw new ConfigError({ field: "build", value: build, expected: "a build, with onOutdated" });
}

/** Rejects with {@link NetError} where it does not come. */
function roomCode(): ReturnType<typeof roomModule.fetch> {
  return roomModule.fetch().catch((cause: unknown) => {
    const words = "the code of rooms did not load: the page is offline, or something blocks it";
    throw new NetError("session/code", words, { retryable: true, cause });
  });
}

/** Whether the game says how many steps per second it has; a profile says so for games that do not. */
function namesSteps({ profile, tickHz }: ClientOptions): boolean {
  return tickHz !== undefined || (typeof profile === "object" && profile.numbers?.tickHz !== undefined);
}

/** Ends a call that has not come to its end. */
type Abortion = Pick<JoinTerms, "signal">;

function signalOf(abortion: Abortion): AbortSignal | undefined {
  checkKeys("", abortion, ["signal"]);
  assertSignal(abortion.signal);
  return abortion.signal;
}

/** The profile with the client's own tick rate, which is written into every state: a whole number. */
function profileWithTicks({ profile: choice, tickHz }: ClientOptions): ProfileChoice {
  const expected = "a whole number of steps per second from 1 to 240";
  if (tickHz === undefined) {
    const profile = profileOf(choice);
    if (Number.isInteger(profile.tickHz)) return choice;
    throw new ConfigError({ field: "profile.numbers.tickHz", value: profile.tickHz, expected });
  }
  if (!Number.isInteger(tickHz) || tickHz < 1 || tickHz > 240) {
    throw new ConfigError({ field: "tickHz", value: tickHz, expected });
  }
  const named = typeof choice === "object" ? choice?.numbers?.tickHz : undefined;
  if (named !== undefined && named !== tickHz) {
    const agreed = `${named}, as profile.numbers.tickHz says, or nothing`;
    throw new ConfigError({ field: "tickHz", value: tickHz, expected: agreed });
  }
  return choiceAt(choice, tickHz);
}

/** The plan of a page that knows nobody yet. */
function firstPlan(profile: Profile, available: Omit<Environment, "device">): Plan {
  const device = { battery: "unknown", network: "unknown" } as const;
  return planFor(circumstancesOf(profile, { ...available, device }), profile);
}
