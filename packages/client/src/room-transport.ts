import {
  circumstancesOf,
  explainPlan,
  planFor,
  SteadyMeasurements,
  profileNamed,
  type Genre,
  type Link,
  type Measured,
  type Plan,
  type Profile,
  type Scheduler,
  type WebRtcLinkMaker,
} from "@paceline/transport";
import { Crowd } from "./crowd.js";
import { checkedTransports, surroundings, type TransportKind } from "./environment.js";
import { Listeners, type Unsubscribe } from "./listeners.js";
import type { PeerConnection } from "./peer.js";
import { measuredOf, rounded, type ServerStats } from "./path-stats.js";
import { Simulation, type SimulatedNetwork } from "./simulation.js";
import { changedNumbers, measuredRow, pathRow } from "./transport-report.js";

/** A choice, what it is about, and why it was made: a row for `console.table`. */
export interface Explanation {
  readonly about: string;
  readonly choice: string;
  readonly reason: string;
}

/** A change of a path or of the plan. Plain data, fit for a bug report. */
export interface TransportChange extends Explanation {
  /** On the room's clock, ms. */
  readonly atMs: number;
  /** What was measured at the time, of the worst path in use; absent before anything was. */
  readonly measured?: Measured;
}

export interface RoomTransportOptions {
  readonly scheduler: Scheduler;
  readonly profile: Genre;
  readonly transports: readonly TransportKind[];
  readonly topology: "mesh" | "relay" | undefined;
  readonly newLink?: WebRtcLinkMaker | undefined;
  /** Default: the profile's. */
  readonly uploadBytesPerSecond?: number | undefined;
  peers(): Iterable<PeerConnection>;
  /** The connection to the server, in words. */
  serverPath(): Explanation;
  killServerWebRtc?(): void;
  serverStats(): ServerStats;
  /** The plan has changed. */
  onPlan(): void;
}

const HISTORY_LENGTH = 200;

/** What carries this room's traffic and why; changeable while the room runs. */
export class RoomTransport {
  readonly #options: RoomTransportOptions;
  readonly #changes = new Listeners<[TransportChange]>();
  readonly #history: TransportChange[] = [];
  readonly #steady = new SteadyMeasurements();
  readonly #crowd = new Crowd();
  readonly #simulation: Simulation;
  #profile: Profile;
  #transports: readonly TransportKind[];
  #plan: Plan;
  #serverHasWebRtc = false;

  constructor(options: RoomTransportOptions) {
    this.#options = options;
    this.#simulation = new Simulation(options.scheduler);
    this.#profile = profileNamed(options.profile);
    this.#transports = options.transports;
    this.#plan = this.#decide();
  }

  get profile(): Genre {
    return this.#profile.genre;
  }

  get transports(): readonly TransportKind[] {
    return this.#transports;
  }

  get plan(): Plan {
    return this.#plan;
  }

  /** What carries what to the server now, and why. */
  get serverPath(): Explanation {
    return this.#options.serverPath();
  }

  /** What was measured within the last second, of the worst path in use; undefined before anything was. */
  get measured(): Measured | undefined {
    return this.#steady.measured;
  }

  /** The connection to the server, and what goes over it. */
  get server(): ServerStats {
    return this.#options.serverStats();
  }

  /** Changes of paths and plans with what was measured at the time, oldest first. At most 200 are kept. */
  get history(): readonly TransportChange[] {
    return this.#history;
  }

  /**
   * The decision tree's choices with their reasons, what was measured, then the path to the server, then each peer's.
   * The words are fetched on the first call; rejects where that fails.
   */
  async explain(): Promise<Explanation[]> {
    const choices = await explainPlan(this.#plan);
    const measured = measuredRow(this.#steady.measured, this.#steady.held);
    return [...choices, measured, this.#options.serverPath(), ...[...this.#options.peers()].map(pathRow)];
  }

  /** Changes profile or transports at once. Throws ConfigError for an unknown one; nothing is changed then. */
  configure(change: { readonly profile?: Genre; readonly transports?: readonly TransportKind[] }): void {
    const profile = change.profile === undefined ? this.#profile : profileNamed(change.profile);
    const transports =
      change.transports === undefined ? this.#transports : checkedTransports(change.transports);
    this.#profile = profile;
    this.#transports = transports;
    this.review();
  }

  /** @internal Whether the server speaks WebRTC beside WebSocket. */
  setServerWebRtc(hasWebRtc: boolean): void {
    if (hasWebRtc === this.#serverHasWebRtc) return;
    this.#serverHasWebRtc = hasWebRtc;
    this.review();
  }

  /** @internal Takes what the paths are like now, once a second; asks the tree again where that has changed for good. */
  observe(): void {
    const measured = measuredOf(this.#options.peers(), this.#options.serverStats(), this.#uploadBudget);
    if (this.#crowd.hasEmptied(this.#options.scheduler.nowMs())) this.review("fewer players");
    if (!measured) return;
    const news = this.#steady.observe(rounded(measured), this.#options.scheduler.nowMs());
    if (news.length > 0) this.review(news.join(", "));
  }

  /** Asks the tree again: the number of peers, what is allowed, or what was measured has changed. */
  review(cause = "asked for by the game or by the room"): void {
    const old = this.#plan;
    const before = old.pairLinks.join(" > ");
    this.#plan = this.#decide();
    this.#recordServerLinks(old);
    const rates = changedNumbers(old, this.#plan);
    if (rates !== "") this.record({ about: "rates", choice: rates, reason: cause });
    const links = this.#plan.pairLinks.join(" > ") || "none";
    if (links !== before) {
      const reason = this.directObstacle() ?? "players may have direct links";
      this.record({ about: "links between players", choice: links, reason });
    }
    this.#options.onPlan();
  }

  /** Notes a change for {@link history} and tells who listens. */
  record(row: Explanation): void {
    const { measured } = this;
    const atMs = this.#options.scheduler.nowMs();
    const change: TransportChange = { atMs, ...row, ...(measured && { measured }) };
    this.#history.push(change);
    if (this.#history.length > HISTORY_LENGTH) this.#history.shift();
    this.#changes.tell(change);
  }

  /** A path or the plan has changed, and why. */
  onChange(listener: (change: TransportChange) => void): Unsubscribe {
    return this.#changes.add(listener);
  }

  /** Whether this side can have direct links to other players, and wants them. */
  get isDirectWanted(): boolean {
    return this.#plan.circumstances.available.webrtc && this.#plan.pairLinks.includes("webrtc");
  }

  /** Why there are no direct links between players; undefined where there may be. */
  directObstacle(): string | undefined {
    const { circumstances, inputs, pairLinks } = this.#plan;
    if (pairLinks.includes("webrtc")) return undefined;
    if (!this.#transports.includes("webrtc")) return "WebRTC is switched off here";
    if (!circumstances.available.webrtc) return "this browser has no WebRTC";
    if (inputs.topology === "relay") return "the game relays everything between its players";
    if (inputs.peers === "many") return "more players than this profile keeps direct links for";
    if (inputs.upload === "over") {
      const kbps = Math.round((this.#uploadBudget * 8) / 1000);
      return `direct links to all would take more than ${kbps} kbit/s of this player's uplink`;
    }
    return "this profile spares the computing time of direct links";
  }

  /** Breaks direct links without a word, as a network does (of all peers, or of one): for tests and demonstrations. */
  killDirect(peer?: { readonly number: number }): void {
    for (const candidate of this.#options.peers()) {
      if (!peer || candidate.number === peer.number) candidate.killDirect();
    }
  }

  /** The same with the WebRTC link to the server, where there is one. */
  killServerWebRtc(): void {
    this.#options.killServerWebRtc?.();
  }

  /**
   * Makes the network of this page worse than it is, in each direction of all links that there are and will be;
   * undefined: as it is. What must arrive still does, late. The code for it is fetched on the first call. Rejects where
   * that fails, and with {@link ConfigError} for a setting out of range: nothing is changed then.
   */
  async simulate(settings: SimulatedNetwork | undefined): Promise<void> {
    const choice = await this.#simulation.set(settings);
    if (choice) this.record({ about: "simulated network", choice, reason: "asked for on this page" });
  }

  /** What {@link simulate} was called with last. */
  get simulated(): SimulatedNetwork | undefined {
    return this.#simulation.settings;
  }

  /** @internal The link that the room uses in the place of a new one. */
  interpose(link: Link): Link {
    return this.#simulation.wrap(link);
  }

  get #count(): number {
    return [...this.#options.peers()].length;
  }

  /** Bytes per second that direct links may take together. */
  get #uploadBudget(): number {
    return this.#options.uploadBytesPerSecond ?? this.#profile.uploadBytesPerSecond;
  }

  #decide(): Plan {
    const count = this.#crowd.take(
      this.#count,
      this.#profile.maxDirectPeers,
      this.#options.scheduler.nowMs(),
    );
    const circumstances = circumstancesOf(
      this.#profile,
      surroundings(this.#transports, count, this.#options.newLink),
    );
    // A relayed room has no authority and no host: everybody owns what is theirs, whatever the genre prefers.
    const topology = this.#options.topology ?? (circumstances.topology === "relay" ? "relay" : "mesh");
    const server = { webrtc: this.#serverHasWebRtc, webtransport: false };
    const { measured, held } = this.#steady;
    return planFor({ ...circumstances, topology, server, ...(measured && { measured, held }) });
  }

  #recordServerLinks(old: Plan): void {
    const choice = this.#plan.serverLinks.join(" > ") || "none";
    if (choice === old.serverLinks.join(" > ")) return;
    const reason = this.#serverHasWebRtc ? "the server speaks WebRTC" : "the server speaks WebSockets only";
    this.record({ about: "links to the server", choice, reason });
  }
}
