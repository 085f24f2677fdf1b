import { ConfigError, type EntityDefinition, type ViewLimits, checkKeys } from "@paceline/protocol";
import {
  choiceAt,
  circumstancesOf,
  hasDirectLinks,
  planFor,
  profileOf,
  SteadyMeasurements,
  type Explanation,
  type Genre,
  type Link,
  type Measured,
  type Plan,
  type Profile,
  type ProfileChoice,
  type Scheduler,
  type WebRtcLinkMaker,
} from "@paceline/transport";
import { DeviceProbe } from "../browser/device-probe.js";
import {
  assertPossible,
  checkedTransports,
  environmentOf,
  type TransportKind,
} from "../browser/environment.js";
import { Listeners, type Unsubscribe } from "../listeners.js";
import type { PeerConnection } from "../peers/peer-connection.js";
import type { RoomFacts, explainRoom } from "./explanation.js";
import { measuredOf, rounded, type ServerStats } from "../stats/path-stats.js";
import type { PlanInForce } from "../policy/plan-in-force.js";
import { assertTopology, topologyOf } from "../policy/topology.js";
import type { StripeWish } from "../connection/stripes.js";
import type { SimulatedNetwork, Simulation } from "./simulation.js";

/** Fetches the texts of {@link RoomTransport.explain}. */
export type LoadExplanation = () => Promise<{ readonly explainRoom: typeof explainRoom }>;

export interface RoomTransportOptions {
  readonly scheduler: Scheduler;
  readonly inForce: PlanInForce;
  readonly simulation: Simulation;
  /** Steps per second of the room's authority; undefined in a mesh. */
  readonly authorityHz: number | undefined;
  readonly loadExplanation: LoadExplanation;
  readonly profile: ProfileChoice;
  readonly transports: readonly TransportKind[];
  readonly newLink?: WebRtcLinkMaker | undefined;
  peers(): Iterable<PeerConnection>;
  serverPath(): Explanation;
  killServerWebRtc(): void;
  /** Settings of the plan that the room overrides, and the states that wait. */
  limits(): ViewLimits | undefined;
  serverStats(): ServerStats;
  kinds(): Iterable<EntityDefinition>;
  onPlan(): void;
}

/** A change of a path or of the plan. Plain data, suitable for a bug report. */
export interface TransportChange extends Explanation {
  /** Time of the change on the room's clock, ms. */
  readonly atMs: number;
  /** Measurements of the worst path in use at that time; absent before the first one. */
  readonly measured?: Measured;
}

/** Settings that a running room can change. */
export interface TransportSettings {
  /** Replaces the profile. Its tick rate is fixed when the room is joined. */
  readonly profile?: ProfileChoice;
  readonly transports?: readonly TransportKind[];
}

const HISTORY_LENGTH = 200;

/** A room that had more players than a limit counts as emptier after this time at or below it. */
const EMPTIER_AFTER_MS = 15_000;

/**
 * Counts the peers for a limit at which direct links open or close. A higher count applies at once, a lower one only
 * after a while. Otherwise one player who comes and goes would close and open all links each time. Pure: the caller
 * passes the time.
 */
class PeerCountHysteresis {
  #isCrowded = false;
  /** When the count last fell to the limit; undefined while it is above. */
  #emptierSinceMs: number | undefined;

  /** Returns the count to use: at least `limit` + 1 until a crowded room has been emptier for long enough. */
  take(count: number, limit: number, nowMs: number): number {
    if (count > limit) {
      this.#isCrowded = true;
      this.#emptierSinceMs = undefined;
      return count;
    }
    this.#emptierSinceMs ??= nowMs;
    if (this.hasEmptied(nowMs)) this.#isCrowded = false;
    return this.#isCrowded ? limit + 1 : count;
  }

  /** True if the count has been low for long enough to be taken again. */
  hasEmptied(nowMs: number): boolean {
    return this.#isCrowded && nowMs - (this.#emptierSinceMs ?? nowMs) >= EMPTIER_AFTER_MS;
  }
}

/** Reports which links carry this room's traffic and why. Its settings can change while the room runs. */
export class RoomTransport {
  readonly #options: RoomTransportOptions;
  readonly #changes = new Listeners<[TransportChange]>();
  readonly #history: TransportChange[] = [];
  readonly #steady = new SteadyMeasurements();
  readonly #directCount = new PeerCountHysteresis();
  readonly #receiverCount = new PeerCountHysteresis();
  readonly #device: DeviceProbe;
  #choice: ProfileChoice;
  #profile: Profile;
  #transports: readonly TransportKind[];
  /** The plan that was decided last. */
  #plan: Plan;
  #serverHasWebRtc: boolean | "unknown" = "unknown";
  #authorityHz: number | undefined;
  #hasWarnedOfShortage = false;

  /** @internal */
  constructor(options: RoomTransportOptions) {
    this.#options = options;
    this.#authorityHz = options.authorityHz;
    this.#plan = options.inForce.plan;
    this.#choice = options.profile;
    this.#profile = profileOf(options.profile);
    this.#transports = options.transports;
    this.#device = new DeviceProbe(() => this.review("the device"));
  }

  /** The genre of the profile. */
  get profile(): Genre {
    return this.#profile.genre;
  }

  /** The profile as the game requested it, including changes by {@link configure}. */
  get choice(): ProfileChoice {
    return this.#choice;
  }

  get transports(): readonly TransportKind[] {
    return this.#transports;
  }

  get plan(): Plan {
    return this.#options.inForce.plan;
  }

  /** The links to the server, their traffic, and the reason. */
  get serverPath(): Explanation {
    return this.#options.serverPath();
  }

  /** Measurements of the last second on the worst path in use; undefined before the first one. */
  get measured(): Measured | undefined {
    return this.#steady.measured;
  }

  /** Traffic and measurements of the connection to the server. */
  get server(): ServerStats {
    return this.#options.serverStats();
  }

  /**
   * True while states wait at their sender because those before them take much longer than the path needs: own ones
   * on a direct link, or those of the room's authority.
   */
  get areStatesHeld(): boolean {
    return this.#options.limits()?.isHeld === true;
  }

  /** Changes of paths and plans, with the measurements of that time, oldest first. At most 200 are kept. */
  get history(): readonly TransportChange[] {
    return this.#history;
  }

  /**
   * Explains the settings in force in at most twelve rows: links, deliveries, rates, measurements and their
   * age. `details` adds each answer of the decision tree and each player's path. The first call fetches the
   * texts, and rejects if that fails.
   */
  async explain(options: { readonly details?: boolean } = {}): Promise<Explanation[]> {
    checkKeys("", options, ["details"]);
    const { details = false } = options;
    const { explainRoom } = await this.#options.loadExplanation();
    const room: RoomFacts = {
      authorityHz: this.#authorityHz,
      plan: this.plan,
      limits: this.#options.limits(),
      measured: this.#steady.measured,
      held: this.#steady.held,
      ageMs: this.#options.scheduler.nowMs() - this.#steady.measuredAtMs,
      server: this.#options.serverStats(),
      serverPath: this.#options.serverPath(),
      peers: [...this.#options.peers()],
      kinds: [...this.#options.kinds()],
    };
    return explainRoom(room, details);
  }

  /**
   * Changes the profile or the transports at once. Throws ConfigError for an impossible setting, and changes
   * nothing then.
   */
  configure(change: TransportSettings): void {
    checkKeys("", change, ["profile", "transports"]);
    const { profile: choice = this.#choice } = change;
    const { tickHz } = this.#profile;
    const named = typeof choice === "object" ? choice?.numbers?.tickHz : undefined;
    if (named !== undefined && named !== tickHz) {
      const expected = `${tickHz} per second: it is fixed when the room is joined`;
      throw new ConfigError("profile.numbers.tickHz", named, expected);
    }
    const profile = profileOf(choiceAt(choice, tickHz));
    assertTopology(choice, this.#hasAuthority);
    const transports =
      change.transports === undefined ? this.#transports : checkedTransports(change.transports);
    assertPossible(choice, transports);
    this.#choice = choice;
    this.#profile = profile;
    this.#transports = transports;
    this.review();
  }

  /** @internal Takes the room of another join. The server has not said yet what it offers. */
  entered(authorityHz: number | undefined): void {
    this.#authorityHz = authorityHz;
    this.#serverHasWebRtc = "unknown";
  }

  /** @internal Stops watching the device. */
  stop(): void {
    this.#device.stop();
  }

  /** @internal Sets whether the server offers WebRTC besides WebSocket. */
  setServerWebRtc(hasWebRtc: boolean): void {
    if (hasWebRtc === this.#serverHasWebRtc) return;
    this.#serverHasWebRtc = hasWebRtc;
    this.review();
  }

  /**
   * @internal Takes the paths' measurements, once a second. Reviews the plan if they have changed for good.
   */
  observe(): void {
    this.#warnOfShortage();
    const measured = measuredOf(
      this.#options.peers(),
      this.#options.serverStats(),
      this.#profile.uploadBytesPerSecond,
    );
    const nowMs = this.#options.scheduler.nowMs();
    if (this.#directCount.hasEmptied(nowMs) || this.#receiverCount.hasEmptied(nowMs))
      this.review("fewer players");
    if (!measured) return;
    const changed = this.#steady.observe(rounded(measured), nowMs);
    if (changed.length > 0) this.review(changed.join(", "));
  }

  /**
   * @internal Computes the plan again: the number of peers, the settings or the measurements have changed.
   */
  review(cause = "asked for by the game or by the room"): void {
    const old = this.#plan;
    const wasDirect = hasDirectLinks(old);
    this.#plan = this.#decide();
    this.#options.inForce.replace(this.#plan);
    this.#recordServerLinks(old);
    const rates = changedNumbers(old, this.#plan);
    if (rates !== "") {
      const reason = [cause, ...newRows(old, this.#plan)].join(" ");
      this.record({ about: "rates", choice: rates, reason });
    }
    if (hasDirectLinks(this.#plan) !== wasDirect && !this.#hasAuthority) {
      const choice = wasDirect ? "relayed" : "direct > relayed";
      const reason = this.directObstacle() ?? "players may have direct links";
      this.record({ about: "links between players", choice, reason });
    }
    this.#options.onPlan();
  }

  /** Warns once if states wait because of the profile. A room that decides logs its own limit at the server. */
  #warnOfShortage(): void {
    const { waiting, neededBytesPerSecond, bytesPerSecond } = this.#options.limits() ?? {};
    if (!waiting || bytesPerSecond || this.#hasWarnedOfShortage) return;
    this.#hasWarnedOfShortage = true;
    const { stateBytesPerSecond } = this.#plan.numbers;
    const states = `${waiting} entities wait: the profile's stateBytesPerSecond is ${stateBytesPerSecond}`;
    // oxlint-disable-next-line no-console -- a mistake of the game, which nobody would see otherwise
    console.warn(`paceline: ${states}, ${neededBytesPerSecond} would do for what moves now`);
  }

  /** @internal Adds a change to {@link history} and calls the listeners. */
  record(row: Explanation): void {
    const { measured } = this;
    const atMs = this.#options.scheduler.nowMs();
    const change: TransportChange = { atMs, ...row, ...(measured && { measured }) };
    this.#history.push(change);
    if (this.#history.length > HISTORY_LENGTH) this.#history.shift();
    this.#changes.emit(change);
  }

  /** Calls the listener when a path or the plan has changed, with the reason. */
  onChange(listener: (change: TransportChange) => void): Unsubscribe {
    return this.#changes.add(listener);
  }

  /** @internal Returns why there are no direct links between players; undefined if they are allowed. */
  directObstacle(): string | undefined {
    const { inputs } = this.#plan;
    if (hasDirectLinks(this.#plan)) return undefined;
    if (!this.#transports.includes("webrtc")) return "WebRTC is switched off here";
    if (inputs.webrtc === "no") return "this browser has no WebRTC";
    if (inputs.topology === "relay") return "the game relays everything between its players";
    if (inputs.address === "hidden") return "the game hides players' addresses from each other";
    if (inputs.peers === "many") return "more players than this profile keeps direct links for";
    if (inputs.upload === "over") {
      const kbps = Math.round((this.#profile.uploadBytesPerSecond * 8) / 1000);
      return `direct links to all would take more than ${kbps} kbit/s of this player's uplink`;
    }
    if (inputs.battery === "low") return "the battery is low, and each direct link would use it";
    return "this profile spares the bytes and the computing time of direct links";
  }

  /**
   * Breaks direct links without notice, as a network does: those to all peers, or to one. For tests and
   * demonstrations.
   */
  killDirect(peer?: { readonly number: number }): void {
    for (const candidate of this.#options.peers()) {
      if (!peer || candidate.number === peer.number) candidate.killDirect();
    }
  }

  /** Breaks the WebRTC link to the server, if there is one. */
  killServerWebRtc(): void {
    this.#options.killServerWebRtc();
  }

  /**
   * Simulates a worse network in each direction of all present and later links of this page. Undefined ends
   * the simulation. Only states and inputs over WebRTC are lost for good: events are repeated within their lifetime,
   * and all else arrives, late. The first call fetches the code. Rejects if that fails, and with {@link ConfigError}
   * for a setting out of range; nothing is changed then.
   */
  async simulate(settings: SimulatedNetwork | undefined): Promise<void> {
    const choice = await this.#options.simulation.set(settings);
    if (choice) this.record({ about: "simulated network", choice, reason: "asked for on this page" });
  }

  /** Settings of the last call of {@link simulate}. */
  get simulated(): SimulatedNetwork | undefined {
    return this.#options.simulation.settings;
  }

  /**
   * Calls the listener for each link of this page to the server or to players: those that are open or
   * connecting, and later ones. Relayed traffic uses the links to the server. For tools that count packets,
   * see `Link.filters`.
   */
  onLink(listener: (link: Link) => void): Unsubscribe {
    return this.#options.simulation.onLink(listener);
  }

  get #hasAuthority(): boolean {
    return this.#authorityHz !== undefined;
  }

  #decide(): Plan {
    const peers = [...this.#options.peers()];
    const couldBeDirect = peers.filter((peer) => peer.mayHaveWebRtc).length;
    const nowMs = this.#options.scheduler.nowMs();
    const profile = this.#profile;
    const counts = {
      peers: this.#receiverCount.take(peers.length, 1, nowMs),
      directPeers: this.#directCount.take(couldBeDirect, profile.maxDirectPeers, nowMs),
    };
    const { transports } = this;
    const around = environmentOf(transports, counts, this.#options.newLink);
    const circumstances = circumstancesOf(profile, { ...around, device: this.#device.device });
    const topology = topologyOf(profile.topology, this.#hasAuthority);
    const server = { webrtc: this.#serverHasWebRtc };
    const { measured, held } = this.#steady;
    return planFor({ ...circumstances, topology, server, ...(measured && { measured, held }) }, profile);
  }

  #recordServerLinks(old: Plan): void {
    const choice = serverLinksOf(this.#plan);
    if (choice === serverLinksOf(old)) return;
    const reason =
      this.#serverHasWebRtc === true
        ? "the server speaks WebRTC"
        : "the server has not said that it speaks WebRTC";
    this.record({ about: "links to the server", choice, reason });
  }
}

/** Names the rows of the decision tree that answer now, and did not before. */
function newRows(before: Plan, after: Plan): string[] {
  const known = new Set(before.reasons.map(({ row }) => row));
  const rows = after.reasons.map(({ row }) => row).filter((row) => !known.has(row));
  return rows.length > 0 ? [`[${rows.join(", ")}]`] : [];
}

function serverLinksOf({ channels }: Plan): string {
  return channels.state.links.filter((link) => link !== "direct").join(" > ");
}

/** Lists the rates that differ between two plans; empty if none does. */
function changedNumbers(before: Plan, after: Plan): string {
  const names = Object.keys(after.numbers) as (keyof Plan["numbers"])[];
  const changes = names.flatMap((name) => {
    const [from, to] = [before.numbers[name], after.numbers[name]];
    return from === to ? [] : [`${name} ${number(from)} → ${number(to)}`];
  });
  return changes.join(", ");
}

/** Returns the number of sockets that the plan wants for states, with the reason. */
export function stripeWishOf({ stripes, inputs }: Plan): Omit<StripeWish, "isUsed"> {
  const stalls = `round trips stalled behind lost segments (${inputs.stalls})`;
  const reason = stripes > 1 ? `${stalls}: states alternate` : "no stalls";
  return { sockets: stripes, reason };
}

/** Returns a row of the history with the present number of sockets for states. */
export function socketsRow(sockets: number, reason: string): Explanation {
  return { about: "server sockets", choice: String(sockets), reason };
}

/** Returns the number with at most three decimal places. */
export function number(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
