import {
  ConfigError,
  NetError,
  assertFunction,
  isBuild,
  type RoomListing,
  type RoomOptions,
  type ServerTypes,
  checkKeys,
  usesInputs,
  usedMotions,
} from "@paceline/protocol";
import {
  choiceAt,
  hasDirectLinks,
  profileOf,
  workerScheduler,
  type ProfileChoice,
  type Scheduler,
  type WebRtcLinkMaker,
} from "@paceline/transport";
import { assertSignal, untilAborted } from "../connection/abortable.js";
import {
  credentialsOf,
  type AuthToken,
  type Credentials,
  type IdentityStorage,
} from "../connection/credentials.js";
import { FirstAttempt } from "../connection/first-attempt.js";
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
  serverUrlOf,
} from "../connection/match-request.js";
import { checkInterest, type ClientInterest } from "../policy/client-interest.js";
import { doors } from "../doors/doors.js";
import { loadMotion } from "../entities/motion.js";
import { firstPlan } from "../policy/plan-in-force.js";
import type { RoomJoin } from "../room/room-join.js";
import type { ModeName, RoomSetup } from "../room/room-setup.js";
import { keptModeOf } from "../room/tab-modes.js";
import type { KindsOf, OptionsFor, RoomFor, RoomNames } from "../room/typed-room.js";
import type { Queueing, QueueWish } from "../room/queueing.js";
import type { EndpointLatency, LatencyOptions, RelayChoice, RelayLatencies } from "../connection/nearest.js";
import { browserPage, type Page } from "../browser/page.js";
import type { SocketCount } from "../connection/stripes.js";

/** Options of a {@link Client}. */
export interface ClientOptions {
  /**
   * The game's genre, which sets rates, thresholds and channels. An object changes single settings of it:
   * `{ base: "racing", favour: "bandwidth", numbers: { stateHz: 20 } }`.
   */
  readonly profile: ProfileChoice;
  /**
   * Transports that the client may use, WebSocket among them. Default: all that this environment supports.
   */
  readonly transports?: readonly TransportKind[];
  /**
   * Steps per second of a game that runs in fixed steps in `room.loop`, 1 to 240. Each state then belongs to
   * a step. Default: none, and each state belongs to a moment; a `LockstepSession` then takes the profile's
   * rate.
   */
  readonly tickHz?: number;
  /**
   * Proof of the player's identity for the `onAuth` of rooms: a token of at most 3000 characters, or a
   * function that returns one. The client calls the function before every request for a seat, also when it
   * joins again.
   */
  readonly authToken?: AuthToken;
  /**
   * Keeps the identity that a server gives guests, and sends it at the next join if `authToken` gives no
   * token. True keeps it in the page's `localStorage`; an object is the game's own storage. Default: false.
   */
  readonly keepIdentity?: boolean | IdentityStorage;
  /**
   * Build of the game in this page: 1 to 64 letters, digits and `. + - _`. Players of different builds do not
   * meet, unless the server's rooms set `mixesBuilds`. Default: none.
   */
  readonly build?: string;
  /**
   * Called when the server serves another build than this page's. The game should then reload the page. Runs
   * once for each build, at a join or at a return after a new deployment; `current` is the server's build.
   * Requires `build`, here and at the server.
   */
  readonly onOutdated?: (builds: { readonly mine: string; readonly current: string }) => void;
  /**
   * How far the player sees in rooms without a game server: `{ radiusM: 80 }`. It then gets the entities near
   * `room.viewpoint`, and sends its own to those who see them. All members name the same `cellM`. Rooms with an authority
   * have an interest of their own. Default: everything.
   */
  readonly interest?: ClientInterest;
  /** WebSocket class. Default: the browser's. In Node: `NodeWebSocket` from `@paceline/client/node`. */
  readonly webSocket?: unknown;
  /**
   * WebRTC implementation. Default: the browser's. In Node: the result of `await nodeWebRtc()` from
   * `@paceline/client/node`.
   */
  readonly webRtc?: unknown;
  /**
   * Number of WebSockets that carry states. `"auto"` (default) opens a second and a third one while lost
   * segments stall the first. A number is fixed.
   */
  readonly sockets?: SocketCount;
  /** The page around the game; tests replace it. Default: the browser's page, if there is one. */
  readonly page?: Page;
  /**
   * Clock and timers; tests use virtual ones. Default: the timers of a Worker if Workers exist, else the
   * page's.
   */
  readonly scheduler?: Scheduler;
}

const LIST_TIMEOUT_MS = 8000;

const optionNames: Readonly<Record<keyof ClientOptions, true>> = {
  profile: true,
  transports: true,
  tickHz: true,
  authToken: true,
  keepIdentity: true,
  build: true,
  onOutdated: true,
  interest: true,
  webSocket: true,
  webRtc: true,
  sockets: true,
  page: true,
  scheduler: true,
};

/** Arguments of a join. `options` is optional if the kind of room requires none. */
type OptionArguments<Kind> =
  RoomOptions extends OptionsFor<Kind>
    ? [options?: OptionsFor<Kind>, terms?: JoinTerms]
    : Partial<OptionsFor<Kind>> extends OptionsFor<Kind>
      ? [options?: OptionsFor<Kind>, terms?: JoinTerms]
      : [options: OptionsFor<Kind>, terms?: JoinTerms];

/**
 * Client of one server. Finds, creates and joins its rooms.
 *
 * With `new Client<typeof server>(...)`, where `server` is the result of `defineServer`, the compiler checks
 * the names of rooms, their join options, messages, entities and inputs. With `new Client<Messages>(...)`,
 * where `Messages` is an interface of message types and their contents, it checks the messages between
 * players in rooms without an authority.
 *
 * Every method rejects with {@link NetError} (see docs/ERRORS.md) if the server refuses or is unreachable,
 * and throws {@link ConfigError} for arguments that can never work.
 */
export class Client<S extends object = ServerTypes> {
  readonly #serverUrl: string;
  readonly #newLink: WebRtcLinkMaker | undefined;
  readonly #transports: readonly TransportKind[];
  readonly #scheduler: Scheduler;
  readonly #options: ClientOptions;
  readonly #profile: ProfileChoice;
  readonly #tickHz: number;
  readonly #isDirectWanted: boolean;
  readonly #credentials: Credentials | undefined;
  /** Server builds that `onOutdated` has reported. */
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
    if (!["auto", 1, 2, 3].includes(sockets)) throw new ConfigError("sockets", sockets, `"auto", 1, 2 or 3`);
    assertBuild(options);
    if (options.interest !== undefined) checkInterest(options.interest);
    this.#options = options;
    this.#scheduler = options.scheduler ?? workerScheduler;
    this.#credentials = credentialsOf(options.authToken, options.keepIdentity, this.#serverUrl);
    // A join reports a failure. With credentials it goes by HTTP.
    roomCode().catch(() => undefined);
    if (this.#credentials) doors.seats.prefetch();
  }

  /**
   * Resolves when the code that a join needs is loaded: that of all rooms, and with a profile that of the rooms
   * that its topology names. Every client fetches the first from the start and the second at its join, which
   * waits for both. A game may wait for them behind its loading screen. Rejects with `session/code`; a later
   * call tries again.
   */
  static async preload(profile?: ProfileChoice): Promise<void> {
    const codes: Promise<unknown>[] = [roomCode(), doors.seats.open()];
    if (profile !== undefined) codes.push(doors[modeBy(profile)].open(), doors.sending.open());
    await Promise.all(codes);
  }

  /**
   * Returns the nearest of several servers, as the endpoint for {@link Client}. Requests `/health` of each a
   * few times, all in parallel, for `timeoutMs` at most. Rejects with `match/unreachable` if none answers.
   */
  static async selectByLatency(endpoints: readonly string[], options: LatencyOptions = {}): Promise<string> {
    const { nearestEndpoint } = await doors.nearest.open();
    return nearestEndpoint(endpoints, options, serverUrlOf);
  }

  /** Measures like {@link selectByLatency}, and returns the results of all servers, the nearest first. */
  static async measureLatency(
    endpoints: readonly string[],
    options: LatencyOptions = {},
  ): Promise<readonly EndpointLatency[]> {
    const { measureEndpoints } = await doors.nearest.open();
    return measureEndpoints(endpoints, options, serverUrlOf);
  }

  /**
   * Returns the relay with the shortest route for the worst pair of players, from the latencies that each
   * player has measured. Returns undefined if no relay is within reach of all players.
   */
  static async nearestRelay(players: readonly RelayLatencies[]): Promise<RelayChoice | undefined> {
    const { nearestRelay } = await doors.nearest.open();
    return nearestRelay(players);
  }

  /**
   * Joins an open room with this name and equal options, or creates one. After a reload, the same call in the
   * same tab takes the tab's seat again: the same room and number.
   */
  joinOrCreate<Name extends RoomNames<S>>(
    roomName: Name,
    ...[options, terms]: OptionArguments<KindsOf<S>[Name]>
  ): Promise<RoomFor<KindsOf<S>[Name]>> {
    return this.#enter(checkedCall("joinOrCreate", roomName, options, terms), terms?.signal);
  }

  /** Creates a room and joins it. */
  create<Name extends RoomNames<S>>(
    roomName: Name,
    ...[options, terms]: OptionArguments<KindsOf<S>[Name]>
  ): Promise<RoomFor<KindsOf<S>[Name]>> {
    return this.#enter(checkedCall("create", roomName, options, terms), terms?.signal);
  }

  /** Joins an open room. Rejects with `match/not-found` if there is none. */
  join<Name extends RoomNames<S>>(
    roomName: Name,
    ...[options, terms]: OptionArguments<KindsOf<S>[Name]>
  ): Promise<RoomFor<KindsOf<S>[Name]>> {
    return this.#enter(checkedCall("join", roomName, options, terms), terms?.signal);
  }

  /**
   * Returns the open rooms of this name that match every filter. A filter is a join option that separates
   * rooms, or an entry of the metadata.
   */
  list(roomName: RoomNames<S>, filter: RoomOptions = {}, abortion: Abortion = {}): Promise<RoomListing[]> {
    const call = { ...checkedCall("list", roomName, filter), build: this.#options.build };
    const signal = signalOf(abortion);
    const request = { serverUrl: this.#serverUrl, call, webrtc: false, timeoutMs: LIST_TIMEOUT_MS };
    return untilAborted(
      signal,
      async () => {
        const { requestRooms } = await doors.seats.open();
        return requestRooms({ ...request, scheduler: this.#scheduler, signal });
      },
      () => undefined,
    );
  }

  /** Joins the room with this id or code. The type argument names its kind: `joinById<"race">(id)`. */
  joinById<Name extends RoomNames<S> = RoomNames<S>>(
    roomId: string,
    options: RoomOptions = {},
    terms?: JoinTerms,
  ): Promise<RoomFor<KindsOf<S>[Name]>> {
    return this.#enter(checkedCall("joinById", roomId, options, terms), terms?.signal);
  }

  /**
   * Waits for players of a similar rank to play with in a room of this kind. The server must have a queue for
   * it. Resolves when this player is in the queue; `room` of the result is the match.
   */
  async queue<Name extends RoomNames<S>>(
    roomName: Name,
    wish: QueueWish & { readonly options?: OptionsFor<KindsOf<S>[Name]> } = {},
  ): Promise<Queueing<RoomFor<KindsOf<S>[Name]>>> {
    const { beginQueueing } = await doors.queue.open();
    return beginQueueing(roomName, wish, {
      checkedCall,
      enter: (call, signal) => this.#enter<KindsOf<S>[Name]>(call, signal),
    });
  }

  /**
   * Takes over the seat of an earlier session of this player in the same room, even if the room is full. A
   * reloaded page does not need it: the methods above take its tab's own seat again. It moves a seat to
   * another tab or another machine. The earlier session ends if it still exists; its entities and messages do
   * not carry over. Rejects with `match/not-found` if the server has dropped the session: then join in the
   * usual way.
   */
  reconnect<Name extends RoomNames<S> = RoomNames<S>>(
    reconnectionToken: string,
    abortion: Abortion = {},
  ): Promise<RoomFor<KindsOf<S>[Name]>> {
    return this.#enter(reconnectCall(reconnectionToken), signalOf(abortion));
  }

  #enter<Kind>(call: JoinCall, signal: AbortSignal | undefined): Promise<RoomFor<Kind>> {
    let join: RoomJoin | undefined;
    let first: FirstAttempt | undefined;
    const begin = async (): Promise<RoomFor<Kind>> => {
      const setup = this.#setupOf(call);
      first = new FirstAttempt({ ...setup, webrtc: this.#isDirectWanted });
      // The first states arrive with the welcome. A wrong guess costs a fetch after it.
      doors[this.#modeExpected(setup)].prefetch();
      try {
        const { RoomJoin } = await roomCode();
        if (signal?.aborted) throw new NetError("session/ended", "aborted");
        join = new RoomJoin({ ...setup, first });
      } catch (error) {
        first.abort();
        throw error;
      }
      return (await join.room()) as RoomFor<Kind>;
    };
    return untilAborted(signal, begin, () => (join ?? first)?.abort());
  }

  /** Returns the mode that the room of this call probably has. */
  #modeExpected({ call, serverUrl, page }: Pick<RoomSetup, "call" | "serverUrl" | "page">): ModeName {
    return keptModeOf(page?.tab, serverUrl, call.target) ?? modeBy(this.#profile);
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
      doors,
      scheduler: this.#scheduler,
      webSocket: webSocketOf(this.#options.webSocket),
      newLink: this.#newLink,
      profile: this.#profile,
      transports: this.#transports,
      tickHz: this.#tickHz,
      isStepped: namesSteps(this.#options),
      page: this.#options.page ?? browserPage(),
      sockets: this.#options.sockets ?? "auto",
      interest: this.#options.interest,
    };
  }
}

function assertBuild({ build, onOutdated }: ClientOptions): void {
  if (build !== undefined && !isBuild(build))
    throw new ConfigError("build", build, "1 to 64 letters, digits and . + - _");
  if (onOutdated === undefined) return;
  assertFunction("onOutdated", onOutdated);
  if (build === undefined) throw new ConfigError("build", build, "a build, with onOutdated");
}

/**
 * Fetches the code of rooms and of the entities that the game has described. Rejects with {@link NetError}
 * `session/code`.
 */
async function roomCode() {
  const [code] = await Promise.all([doors.room.open(), loadMotion(doors, [...usedMotions()])]);
  return code;
}

/**
 * Returns the mode of rooms that the game names: by a topology of its own, by inputs, which only an authority
 * takes, else by its genre.
 */
function modeBy(profile: ProfileChoice): ModeName {
  const isNamed = typeof profile === "object" && profile.topology !== undefined;
  const hasAuthority = profileOf(profile).topology === "authority" || (!isNamed && usesInputs());
  return hasAuthority ? "authority" : "mesh";
}

/** True if the game itself sets the steps per second, false if only its genre does. */
function namesSteps({ profile, tickHz }: ClientOptions): boolean {
  return tickHz !== undefined || (typeof profile === "object" && profile.numbers?.tickHz !== undefined);
}

type Abortion = Pick<JoinTerms, "signal">;

function signalOf(abortion: Abortion): AbortSignal | undefined {
  checkKeys("", abortion, ["signal"]);
  assertSignal(abortion.signal);
  return abortion.signal;
}

/** Returns the profile with the client's own tick rate, which must be a whole number. */
function profileWithTicks({ profile: choice, tickHz }: ClientOptions): ProfileChoice {
  const expected = "a whole number of steps per second from 1 to 240";
  if (tickHz === undefined) {
    const profile = profileOf(choice);
    if (Number.isInteger(profile.tickHz)) return choice;
    throw new ConfigError("profile.numbers.tickHz", profile.tickHz, expected);
  }
  if (!Number.isInteger(tickHz) || tickHz < 1 || tickHz > 240) {
    throw new ConfigError("tickHz", tickHz, expected);
  }
  const named = typeof choice === "object" ? choice?.numbers?.tickHz : undefined;
  if (named !== undefined && named !== tickHz) {
    throw new ConfigError("tickHz", tickHz, `${named}, as profile.numbers.tickHz says, or nothing`);
  }
  return choiceAt(choice, tickHz);
}
