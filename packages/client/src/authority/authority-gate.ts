import { ConfigError, NetError, type EntityDefinition, type PeerInfo } from "@paceline/protocol";
import { turnMsOf, type Plan, type Scheduler, type Session } from "@paceline/transport";
import type { Authority } from "./authority.js";
import { authorityModule } from "./authority-module.js";
import type { Members } from "../mesh/members.js";
import type { OwnedEntities } from "../entities/owned-entities.js";
import type { ServerStats } from "../paths/path-stats.js";
import type { Peer } from "../peers/peer.js";
import type { RoomMessages } from "../peers/room-messages.js";
import type { Welcome } from "../connection/server-connection-options.js";
import type { RoomTransport } from "../report/room-transport.js";
import { everyTicksOf } from "../plan/state-policy.js";
import { delayByProfileMs, type ViewPlan } from "../plan/view-plan.js";

export interface AuthorityGateOptions {
  readonly scheduler: Scheduler;
  readonly messages: RoomMessages;
  readonly owned: OwnedEntities;
  members(): Members;
  /** Whether the game's loop runs, and with it the steps of the inputs. */
  readonly isLooping: () => boolean;
  session(): Session;
  serverStats(): ServerStats;
  /** How entities are shown, as the plan says it at the moment. */
  readonly view: ViewPlan;
  plan(): Plan;
  /** Of states of own entities, per second. */
  readonly tickHz: number;
}

/** What comes before the game could listen. */
const MOST_EARLY = 1024;

/** Stands before the authority of a room: its code is fetched only where a room has one, and what comes meanwhile waits. */
export class AuthorityGate {
  readonly #options: AuthorityGateOptions;
  readonly #early: ((authority: Authority) => void)[] = [];
  /** What the connection to the server brings of it. */
  readonly handlers = {
    onAuthority: (payload: Uint8Array): boolean => this.run((authority) => authority.receive(payload)),
    onAuthorityEvent: (body: Uint8Array): boolean => this.run((authority) => authority.receiveEvent(body)),
    onAuthorityState: (body: Uint8Array, tick: number): void => {
      const cameAtMs = this.#options.scheduler.nowMs();
      if (this.#isListening) this.#authority?.receiveState(body, tick, cameAtMs);
      else this.run((authority) => authority.receiveState(body, tick, cameAtMs));
    },
    onAcknowledged: (sequence: number): void => this.#authority?.acknowledged(sequence),
  };
  #isListening = false;
  #authority: Authority | undefined;
  #class: typeof Authority | undefined;

  constructor(options: AuthorityGateOptions) {
    this.#options = options;
  }

  /** Undefined in a room whose players are among themselves. */
  get authority(): Authority | undefined {
    return this.#authority;
  }

  /** How late others have to be shown, ms: as peers need it, or the authority, or the plan. */
  neededDelayMs(peersMs: number | undefined, transport: RoomTransport): number {
    return peersMs ?? this.#authority?.entities.store.neededDelayMs ?? delayByProfileMs(transport);
  }

  /** {@link RoomClock.shownTick} */
  get shownTick(): number {
    return this.#authority?.entities.shownTick(turnMsOf(this.#options.scheduler)) ?? 0;
  }

  /** The authority; throws {@link NetError} where the room has none that could `purpose`. */
  needed(purpose: string): Authority {
    if (this.#authority) return this.#authority;
    throw new NetError("entity/refused", `the room has no authority that could ${purpose}`);
  }

  /** Fetches the code and begins, where the room has an authority. */
  async enter(welcome: Welcome | undefined): Promise<void> {
    if (!welcome?.authority) return;
    this.#class ??= (await authorityModule.fetch()).Authority;
    this.open(welcome);
  }

  /** Begins, anew after a return; the game may subscribe before anything is told. */
  open({ authority: info, number: myNumber, peers, spectator: isSpectator = false }: Welcome): void {
    this.end();
    if (!this.#class || !info) return;
    const options = this.#options;
    const { scheduler, messages } = options;
    const members = (): Members => options.members();
    const authority = new this.#class({
      info,
      scheduler,
      myNumber,
      isSpectator,
      peers,
      messages,
      isLooping: () => options.isLooping(),
      session: () => options.session(),
      serverStats: () => options.serverStats(),
      view: viewAt(info.tickHz, options.view, () => options.plan()),
      plan: () => options.plan(),
      tickHz: options.tickHz,
      onSpawn: (entity) => members().entityEvents.spawned(entity),
      onDespawn: (entity) => members().entityEvents.despawned(entity),
      onStates: (tick) => members().states.tell(tick),
      onError: (error) => members().report(error),
      onFault: ({ id }, { name }, fault) => members().faulted(name, id, fault),
      onDropped: (reason) => members().dropped(reason),
      onClamp: (clamp) => members().clamped(clamp),
      onCorrected: (localId, state) => options.owned.correct(localId, state),
    });
    this.#authority = authority;
    // Joined anew: what this participant owns goes on.
    for (const record of options.owned.records) authority.own(record);
    for (const definition of members().definitions) authority.use(definition);
    authority.planChanged();
    if (this.#isListening) authority.begin();
    else scheduler.after(0, () => this.#listen());
  }

  /** The game uses a kind of entity. */
  use(definition: EntityDefinition): void {
    this.#authority?.use(definition);
  }

  joined(info: PeerInfo): void {
    this.run((authority) => this.#options.members().joins.tell(authority.join(info)));
  }

  left(number: number): void {
    this.run((authority) => {
      const peer = authority.leave(number);
      if (peer) this.#options.members().leaves.tell(peer, { unacknowledged: 0 });
    });
  }

  /** Another player has no link to the server, or has one again. */
  setAway(number: number, isAway: boolean): void {
    if (!this.#authority) return;
    this.run(({ peers }) => {
      const peer = peers.get(number);
      if (!peer || isAway === (peer.state === "away")) return;
      peer.state = isAway ? "away" : "connected";
      const { absences, returns } = this.#options.members();
      (isAway ? absences : returns).tell(peer);
    });
  }

  /** The authority, where there is one: one talks with it alone. */
  asked(to: Peer | undefined): Authority | undefined {
    if (!this.#authority || !to || to === this.#authority.server) return this.#authority;
    throw new ConfigError({ field: "to", value: to, expected: "nobody, or room.authority" });
  }

  /** Runs a task now, or when the game can listen. False where it was dropped: too much waits. */
  run(task: (authority: Authority) => boolean | void): boolean {
    if (this.#isListening && this.#authority) return task(this.#authority) !== false;
    if (this.#early.length >= MOST_EARLY) return false;
    this.#early.push(task);
    return true;
  }

  end(): void {
    this.#authority?.end();
    this.#authority = undefined;
  }

  #listen(): void {
    this.#isListening = true;
    const authority = this.#authority;
    for (const task of this.#early.splice(0)) if (authority) task(authority);
    authority?.begin();
  }
}

/** An authority tells in some of its ticks. */
function viewAt(tickHz: number, view: ViewPlan, plan: () => Plan): ViewPlan {
  const intervalMs = (): number => (everyTicksOf(plan(), tickHz) * 1000) / tickHz;
  return Object.create(view, { intervalMs: { get: intervalMs } }) as ViewPlan;
}
