/// <reference lib="esnext.disposable" preserve="true" />
import {
  SERVER_NUMBER,
  ConfigError,
  NetError,
  assertFunction,
  assertMessageType,
  writeEvent,
  type DespawnReason,
  type EntityDefinition,
  type Fields,
  type InputDefinition,
  type MotionModel,
} from "@paceline/protocol";
import { EntityList, type InitialFields, type InputStep, type WritableFields } from "@paceline/netcode";
import { hasDirectLinks, type Cancel, type DropCounters } from "@paceline/transport";
import type { Prediction } from "../modes/prediction.js";
import type { Unsubscribe } from "../listeners.js";
import type { ConnectionState } from "../connection/connection-state.js";
import { earlyHandlers, type EarlyTasks } from "../connection/early-tasks.js";
import { IdleLoad } from "../browser/idle-load.js";
import { OnlyEntityView, type OnlyEntity } from "./only-entity.js";
import { loadMotion, motionCode } from "../entities/motion.js";
import { OwnedEntities } from "../entities/owned-entities.js";
import type { Entity, OwnedEntity } from "../entities/entity.js";
import type { ModeCode, PrescribedSteps, RoomMode, RoomParts } from "../modes/room-mode.js";
import { GameLoop, type LoopStep } from "../time/game-loop.js";
import { assertMoment, type GameTime } from "../time/game-time.js";
import type { PairParts, ServerFacts } from "../peers/peer-connection.js";
import type { MessageLoss, Peer } from "../peers/peer.js";
import { RoomClock } from "../time/room-clock.js";
import { RoomEvents } from "./room-events.js";
import { RoomMessages, type MessageListener, type RequestHandler } from "../peers/room-messages.js";
import { authorityHzOf, modeOf, type JoinedParts, type RoomSetup } from "./room-setup.js";
import { RoomTransport, socketsRow, stripeWishOf } from "../room-transport/room-transport.js";
import { Router } from "../peers/router.js";
import type { ServerConnection } from "../connection/server-connection.js";
import type {
  RoomControl,
  ServerConnectionHandlers,
  Welcome,
} from "../connection/server-connection-options.js";
import { ServerPath } from "../peers/server-path.js";
import { sendTerms, type SendOptions } from "./send-options.js";
import { UndrivenTicks } from "../time/undriven-ticks.js";
import { delayByProfileMs, viewPolicyOf } from "../policy/view-policy.js";

const RATE_PERIOD_MS = 1000;
const RATE_SLACK_MS = 50;
const REQUEST_TIMEOUT_MS = 5000;

/** Control messages of the server about peers. */
type PeerControl = Exclude<RoomControl, { readonly type: "iceServers" | "draining" }>;

/** The content of a message type; `unknown` if the game has not declared it. */
export type ContentOf<Messages, Type extends keyof Messages> = 0 extends 1 & Messages
  ? unknown
  : Messages[Type];

/**
 * Room that this participant has joined: its peers, entities and messages. `Client` creates it.
 * Everything that it sends to a peer takes the best path of that pair.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- makes rooms with and without known messages assignable
export class Room<Messages extends object = any> extends RoomEvents {
  /** Counts of dropped incoming data, by reason. */
  readonly drops: DropCounters;
  readonly transport: RoomTransport;
  /** Local time, server time and the time of shown entities. */
  readonly clock: RoomClock;
  /** @internal For modules that are loaded separately. */
  readonly setup: RoomSetup;
  readonly #connection: ServerConnection;
  readonly #handlers: ServerConnectionHandlers;
  /** Holds what concerns the game until it can listen. */
  readonly #early: EarlyTasks;
  readonly #serverPath: ServerPath;
  readonly #time: GameTime;
  readonly #loop: GameLoop;
  #lockstepSessions = 0;
  readonly #owned: OwnedEntities;
  readonly #parts: RoomParts;
  #mode: RoomMode;
  readonly #messages = new RoomMessages();
  readonly #only = new Map<EntityDefinition, OnlyEntityView>();
  readonly #timers: Cancel[] = [];
  readonly #msgpackr: IdleLoad;
  #welcome: Welcome;
  readonly #facts: ServerFacts;
  /** The WebRTC of this page that the server knows of; undefined before the first message about it. */
  #announced: boolean | undefined;
  readonly #motionsLoading = new Set<MotionModel>();
  readonly #router: Router;
  readonly #undriven: UndrivenTicks;

  /** @internal Use `Client`. */
  constructor(joined: JoinedParts, welcome: Welcome, { Mode }: ModeCode) {
    super();
    const { setup, connection, time, inForce } = joined;
    const { scheduler } = setup;
    this.setup = setup;
    this.#msgpackr = new IdleLoad(async () => {
      // Needed once the server has dropped the session, when no code may load any more.
      setup.doors.seats.prefetch();
      (await setup.doors.msgpackr.open()).useMsgpackr();
    });
    this.drops = joined.drops;
    this.#connection = connection;
    this.#early = joined.early;
    this.#router = new Router({
      early: joined.early,
      onPacket: () => connection.markResumed(),
      onDropped: (reason) => this.drops.count(reason),
    });
    this.#time = time;
    this.#welcome = welcome;
    this.#facts = { sessionNumber: welcome.number, iceServers: welcome.iceServers };
    time.misfits.add((message) => this.listeners.report(new NetError("time/misfit", message)));
    const shownTick = (): number => this.#mode.shownTick;
    this.clock = new RoomClock({ scheduler, shownTick, ping: () => connection.ping() });
    this.#loop = this.#newLoop(setup);
    this.#owned = this.#newOwned();
    this.#undriven = new UndrivenTicks({
      scheduler,
      time,
      isIdle: () => this.#mode.isIdle,
      hasMoved: () => this.#owned.hasMoved,
      publish: () => this.#publish(this.nowMs()),
      report: (error) => this.listeners.report(error),
    });
    const pairParts: PairParts = {
      ...setup,
      time,
      channel: inForce.channel,
      loadDirectPath: async () => {
        // Own states wait for less code, and need none of WebRTC.
        await this.#mode.isPrepared;
        return await setup.doors.webRtc.open();
      },
      budget: joined.budget,
      facts: this.#facts,
      interpose: (link) => joined.simulation.interpose(link),
    };
    this.#serverPath = new ServerPath(pairParts, connection, () =>
      this.transport.record(this.#serverPath.explain()),
    );
    this.transport = this.#newTransport(joined);
    this.#parts = this.#newParts(joined, pairParts);
    this.#handlers = this.#newHandlers();
    this.#mode = new Mode(this.#parts, welcome);
    connection.networks.add(() => this.#mode.networkChanged?.());
  }

  #newOwned(): OwnedEntities {
    return new OwnedEntities({
      tickSeconds: 1 / this.#time.tickHz,
      idOf: (localId) => this.#facts.sessionNumber * 0x10000 + localId,
      tick: () => this.#time.tick,
      onTeleport: (record) => this.#mode.teleported(record),
      onClamp: (clamp) => this.listeners.clamped(clamp),
    });
  }

  #newTransport({ setup, connection, inForce, simulation }: JoinedParts): RoomTransport {
    return new RoomTransport({
      ...setup,
      inForce,
      simulation,
      authorityHz: authorityHzOf(this.#welcome),
      loadExplanation: () => setup.doors.words.open(),
      peers: () => this.#mode.pairs,
      serverPath: () => this.#serverPath.explain(),
      killServerWebRtc: () => this.#serverPath.kill(),
      serverStats: () => connection.stats,
      limits: () => this.#mode.limits,
      kinds: () => this.listeners.definitions,
      onPlan: () => this.#applyPlan(),
    });
  }

  #newHandlers(): ServerConnectionHandlers {
    const early = this.#early;
    return {
      onNewSession: () => {
        early.clear();
        this.#hold();
      },
      onWelcome: (welcome) => this.#welcomed(welcome),
      onResumed: () => this.#resumed(),
      onMoved: (reason) => this.#moved(reason),
      onDrop: (reason) => this.#dropped(reason),
      onLeft: (code, reason) => this.#left(code, reason),
      onControl: (message) => this.#receiveControl(message),
      onAuthority: (payload) => early.run("game", () => this.#mode.receive?.(payload) === true),
      onAuthorityEvent: (body) => early.run("game", () => this.#mode.receiveEvent?.(body) === true),
      onAuthorityState: (body, tick, cameAtMs) => {
        if (early.isOpen("game")) this.#mode.receiveState(body, tick, cameAtMs);
        else early.run("game", () => this.#mode.receiveState(body, tick, cameAtMs));
      },
      onRouted: this.#router.receive,
      onAcknowledged: (sequence) => this.#mode.acknowledged?.(sequence),
      onPong: (times) => {
        this.clock.observe(times);
        // States that wait for the game are read later than a pong that arrived after them.
        if (early.isOpen("game")) this.#mode.answered?.(times);
      },
      onSockets: (sockets, reason) => this.transport.record(socketsRow(sockets, reason)),
      onStalls: () => this.transport.observe(),
    };
  }

  #newParts({ setup, connection, inForce, time, drops }: JoinedParts, pairParts: PairParts): RoomParts {
    const { doors, interest } = setup;
    const isIn = (): boolean => this.state !== "left";
    const cellCode = interest && doors.cells.code;
    return {
      ...pairParts,
      cellCode,
      cells:
        cellCode &&
        new cellCode.RoomCells(interest, {
          ...pairParts,
          connection,
          owned: this.#owned,
          transport: this.transport,
        }),
      time,
      loadColumns: () => doors.columns.openWhile(setup.scheduler, isIn),
      sending: doors.sending,
      listeners: this.listeners,
      owned: this.#owned,
      play: {},
      messages: this.#messages,
      router: this.#router,
      clock: this.clock,
      loop: this.#loop,
      drops,
      view: viewPolicyOf(inForce, this.clock, () => doors.interpolation.open()),
      connection,
      transport: this.transport,
      reviewDelay: () => this.#reviewDelay(),
      reviewServerPath: () => this.#reviewServerPath(),
    };
  }

  #newLoop({ scheduler, page }: RoomSetup): GameLoop {
    return new GameLoop({
      scheduler,
      page,
      time: this.#time,
      stepHz: () => this.#steps?.hz,
      mode: () => this.#mode,
      publish: (atMs, isLast) => this.#publish(atMs, isLast),
      onStop: () => this.#runUndriven(),
    });
  }

  /** Name of the kind of room. */
  get name(): string {
    return this.#welcome.roomName;
  }

  get roomId(): string {
    return this.#welcome.roomId;
  }

  get sessionId(): string {
    return this.#welcome.sessionId;
  }

  /**
   * Secret for `Client.reconnect`, which moves this seat to another tab or another machine. Anybody who
   * knows it can take this participant's place. It changes with every session. In a Worker, reading it asks the
   * server to keep the seat when the page is closed.
   */
  get reconnectionToken(): string {
    return this.#connection.reconnectionToken;
  }

  /**
   * This player's number, which its peers see as {@link Peer.number}. Players who joined earlier have lower
   * numbers. A reload keeps it.
   */
  get myNumber(): number {
    return this.#welcome.seat ?? this.#welcome.number;
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  /** The peers in this room, in the order in which their pages joined. */
  get peers(): readonly Peer[] {
    return this.#mode.peers;
  }

  /** The authority of this room, on the server. Undefined in a mesh. */
  get authority(): Peer | undefined {
    return this.#mode.server;
  }

  /**
   * What this player looks from, in a room without an authority and with `interest`: an entity, or a place in m.
   * Undefined (default): its first own entity that has a position. After the end of what it looks from, it goes on
   * looking from there. Setting it throws {@link ConfigError} for what has no place, and without `interest`.
   */
  get viewpoint(): object | undefined {
    return this.#parts.cells?.viewpoint;
  }

  set viewpoint(from: object | undefined) {
    const { cells } = this.#parts;
    if (!cells) throw new ConfigError("viewpoint", from, "a client with interest");
    cells.viewpoint = from;
  }

  /** True if this participant only watches. */
  get isSpectator(): boolean {
    return this.#welcome.spectator === true;
  }

  /**
   * Number of full rooms of the same kind and options that `Client.joinOrCreate` skipped. Friends may
   * be in them, and the console logs a line about it. Mostly 0.
   */
  get fullRooms(): number {
    return this.#welcome.fullRooms ?? 0;
  }

  /** Returns the room's monotonic time, ms. */
  nowMs(): number {
    return this.setup.scheduler.nowMs();
  }

  /** @internal Takes what the server has sent since its welcome. The game can listen in the next task. */
  start(): void {
    const { scheduler } = this.setup;
    this.#hold();
    this.#noteWelcome();
    this.#openMode();
    this.#listen();
    if (this.state === "left") return;
    this.#timers.push(
      scheduler.after(0, () => this.#startEvents()),
      scheduler.every(RATE_PERIOD_MS, () => this.#sample(), RATE_SLACK_MS),
    );
    this.clock.start();
    this.#runUndriven();
  }

  /**
   * Creates an entity that this participant owns. Every peer sees it until {@link despawn}, or until this
   * participant leaves. Throws {@link ConfigError} for an initial value that its field cannot have.
   */
  spawn<D extends EntityDefinition>(definition: D, initial: InitialFields<D["fields"]> = {}): OwnedEntity<D> {
    this.#use(definition);
    const record = this.#owned.spawn(definition, initial);
    try {
      this.#assertIn();
      this.#mode.spawned(record);
    } catch (error) {
      this.#owned.despawn(record.entity);
      throw error;
    }
    this.#runUndriven();
    this.listeners.entities.spawned(record.entity);
    return record.entity as unknown as OwnedEntity<D>;
  }

  /**
   * Removes an entity. Has no effect on one that was removed before. Throws {@link ConfigError} if this
   * participant does not own it.
   */
  despawn(entity: object): void {
    const record = this.#owned.despawn(entity);
    if (!record) return;
    if (this.state !== "left") this.#mode.despawned(record);
    this.listeners.entities.despawned(record.entity);
  }

  /** Kinds of entities that the game has used in this room so far. */
  get kinds(): Iterable<EntityDefinition> {
    return this.listeners.definitions;
  }

  /**
   * Returns all entities of a kind, own ones first. Each use of the list shows those that are there then. Only entities that {@link spawn} returned are writable.
   */
  entities<D extends EntityDefinition>(definition: D): EntityList<Entity<D>> {
    this.#use(definition);
    const iterate = (): Iterator<Entity> => {
      const others = this.#mode.entities(definition);
      // A list costs less than a generator.
      return (this.#owned.size > 0 ? this.#owned.before(others, definition) : others)[Symbol.iterator]();
    };
    return new EntityList(iterate) as unknown as EntityList<Entity<D>>;
  }

  /**
   * Calls the listener once for each entity of a kind, own ones included: for existing ones before this
   * returns, for later ones when they spawn. When the client joins again, the entities of others despawn and
   * spawn again.
   */
  onSpawn<D extends EntityDefinition>(definition: D, listener: (entity: Entity<D>) => void): Unsubscribe {
    this.#use(definition);
    return this.listeners.entities.onSpawn(definition, listener as unknown as (entity: Entity) => void);
  }

  /**
   * Calls the listener when an entity of a kind despawns, or when the room is left. The entity keeps its last
   * values. `why`: `removed`, or `out-of-view` if it goes on where this player cannot see it.
   */
  onDespawn<D extends EntityDefinition>(
    definition: D,
    listener: (entity: Entity<D>, why: DespawnReason) => void,
  ): Unsubscribe {
    this.#use(definition);
    type Listener = (entity: Entity, why: DespawnReason) => void;
    return this.listeners.entities.onDespawn(definition, listener as unknown as Listener);
  }

  /**
   * Returns the entity of which the room has one: a score, a phase, the map. In a room with an authority, the
   * server writes it. In a mesh, the player whose page has been in the room longest writes it (`isMine`); when
   * that page is closed or reloaded, the next player continues with the same values. Until values arrive, each field has its
   * initial value. All players of a room must call this. A write by any other player throws
   * {@link ConfigError}.
   */
  only<D extends EntityDefinition>(definition: D): OnlyEntity<D> {
    this.#use(definition);
    const known =
      this.#only.get(definition) ??
      new OnlyEntityView(this, definition, () => this.#mode.soleWriter(), this.listeners.entities.gifts);
    this.#only.set(definition, known);
    return known.view as unknown as OnlyEntity<D>;
  }

  /**
   * Returns this player's input for the authority. The game writes its fields, and the room sends them with
   * every step of the authority, also after the client has joined again. Throws {@link NetError} if the room
   * takes no inputs, or inputs of another definition.
   */
  input<F extends Fields>(definition: InputDefinition<F>): WritableFields<F> {
    return this.#mode.input(definition) as WritableFields<F>;
  }

  /**
   * Predicts own entities of a kind, without the delay of the round trip to the authority. `step` is the
   * physics of one tick over the fields. It applies the inputs that the authority has not processed yet. The
   * authority's states replace the prediction, and `shown` does not jump. Call it once: it goes on when the
   * client joins again. Throws {@link ConfigError} for a kind without motion, and {@link NetError} if the room
   * takes no inputs, or inputs of another definition.
   */
  predict<F extends Fields, I extends Fields>(
    definition: EntityDefinition<F>,
    inputs: InputDefinition<I>,
    step: InputStep<F, I>,
  ): Prediction {
    const known = definition as unknown as EntityDefinition;
    const { name, motion, motionLayout } = known;
    if (!motionLayout) throw new ConfigError(`${name}.motion`, motion, "a motion to predict");
    assertFunction("step", step);
    return this.#mode.predict(known, inputs, step as unknown as InputStep);
  }

  /**
   * Publishes the values that the game has written, as the values of one moment. `atMs` is that moment, on
   * the clock of `performance.now`. Default: the start of the page's current frame; in Node, the present.
   * Peers see the same motion at any frame rate. If the game never calls this, the SDK publishes at the
   * profile's rate.
   *
   * Throws {@link ConfigError} if `atMs` is not a number, or if the game runs in steps: it set `tickHz`, the
   * room has an authority, or a LockstepSession runs. An impossible time is reported once (`time/misfit`),
   * and the frame's start is taken instead. Has no effect after the room was left.
   */
  advance(atMs?: number): void {
    assertMoment(atMs);
    if (this.state === "left") return;
    const by = this.#stepsBy;
    if (by !== undefined) throw new ConfigError("advance", atMs, by);
    this.#publish(this.#time.momentOf(atMs));
  }

  /**
   * Runs the game: calls `step(seconds, atMs)` and then advances the room. If the game runs in steps, `step`
   * runs 0 to n times a frame, with one input for each step; else once a frame. Hidden pages and Node take
   * frames from a timer. After a pause the loop skips time that is more than 250 ms old. An error in `step`
   * is reported, and the loop continues.
   *
   * Returns a function that stops the loop. The loop also stops when the room ends. Throws
   * {@link ConfigError} if a loop already runs.
   */
  loop(step: LoopStep): Unsubscribe {
    assertFunction("step", step);
    if (this.#lockstepSessions > 0) {
      throw new ConfigError("loop", step, "none: the LockstepSession calls its own step");
    }
    if (this.#loop.isRunning) {
      throw new ConfigError("loop", step, "one loop at a time: stop the other one first");
    }
    if (this.state === "left") throw new NetError("session/ended", "the room was left");
    return this.#loop.start(step);
  }

  /**
   * @internal Registers a LockstepSession that runs in the room, and a listener for the numbers of peers that
   * do not get a message to all. The returned function removes both; call it once.
   */
  enterLockstep(onSkipped: (peers: readonly number[]) => void): () => void {
    this.#lockstepSessions += 1;
    const removeListener = this.listeners.skips.add(onSkipped);
    return () => {
      this.#lockstepSessions -= 1;
      removeListener();
    };
  }

  /**
   * Sends a message that arrives exactly once and in order: to one peer, to all, or to the authority if the
   * room has one. A message of `{ class: "bulk" }` may be long and yields to all other traffic. If a receiver
   * has too many unacknowledged bytes, it does not get the message: throws {@link NetError} `limit/queue` if
   * no receiver gets it, and otherwise reports that error with the numbers of the others in `peers`
   * ({@link onError}). If a pair refuses messages for 10 s and takes less than 256 KiB in that time, its
   * session starts again ({@link onPeerReset}).
   */
  send<Type extends keyof Messages & string>(
    type: Type,
    message: ContentOf<Messages, Type>,
    to?: Peer | SendOptions,
  ): void {
    assertMessageType(type);
    const terms = sendTerms(to);
    this.#assertIn();
    this.#mode.post({ kind: "command", type, message }, terms.to, terms.isBulk);
  }

  /**
   * Sends a message that may be lost; it is dropped rather than delivered late. If the plan makes events
   * reliable, works like {@link send}.
   */
  sendEvent<Type extends keyof Messages & string>(
    type: Type,
    message: ContentOf<Messages, Type>,
    to?: Peer,
  ): void {
    assertMessageType(type);
    this.#assertIn();
    if (this.transport.plan.channels.event.delivery === "ordered-reliable")
      this.#mode.post({ kind: "command", type, message }, to, false);
    else this.#mode.sendEvent(writeEvent(type, message), to);
  }

  /**
   * Sends a request to a peer, or to the authority if the room has one, and resolves to the answer. Rejects
   * with {@link NetError} if the receiver refuses, leaves or does not answer within `timeoutMs`. Without an
   * authority, at most 30 requests go to one peer within a second; further ones reject at once (`limit/rate`).
   */
  async request(type: string, message: unknown, to?: Peer, timeoutMs = REQUEST_TIMEOUT_MS): Promise<unknown> {
    assertMessageType(type);
    this.#assertIn();
    return await this.#mode.request(type, message, to, timeoutMs);
  }

  /**
   * Answers requests of a type with what `handler` returns or resolves to. If it throws, the request is
   * refused.
   */
  onRequest(type: string, handler: RequestHandler): Unsubscribe {
    return this.#messages.handle(type, handler);
  }

  /**
   * Calls the listener for messages of a type from {@link send} or {@link sendEvent}. Peers choose their
   * content: check it.
   */
  onMessage<Type extends keyof Messages & string>(
    type: Type,
    listener: (message: ContentOf<Messages, Type>, from: Peer) => unknown,
  ): Unsubscribe {
    return this.#messages.listen(type, listener as MessageListener);
  }

  /**
   * Leaves the room for good, at once. Resolves when the server knows and the room's `onLeave` has ended, after
   * 2 s at the latest. Never rejects, so a game need not await it.
   */
  leave(): Promise<void> {
    this.#mode.flush?.();
    return this.#connection.leave();
  }

  /** Leaves the room at the end of a block with `await using room = await client.joinOrCreate(...)`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }

  #use(definition: EntityDefinition): void {
    if (!this.listeners.use(definition)) return;
    this.#mode.use(definition);
    const { motion, motionLayout } = definition;
    if (motionLayout && !motionCode(motion)) this.#loadMotion(motion);
  }

  /** Loads the code of motion for a kind that the game described after its join. */
  #loadMotion(model: MotionModel): void {
    if (this.#motionsLoading.has(model) || this.state === "left") return;
    this.#motionsLoading.add(model);
    const { doors, scheduler } = this.setup;
    const isIn = (): boolean => this.state !== "left";
    loadMotion(doors, [model], (door) => door.openWhile(scheduler, isIn)).then(
      () => {
        this.#owned.motionLoaded();
        if (isIn()) this.#mode.planChanged();
      },
      () => undefined,
    );
  }

  #assertIn(): void {
    if (this.state === "left") throw new NetError("session/ended", "the room was left");
  }

  /** The call that the game should use instead of `advance`; undefined if `advance` is right. */
  get #stepsBy(): string | undefined {
    if (this.#lockstepSessions > 0) return "nothing: the game runs in the `step` of its LockstepSession";
    const steps = this.#steps;
    if (!steps) return undefined;
    const { why, hz } = steps;
    return `room.loop(step) instead, which advances itself: this room runs in steps, ${why} ${hz} per second`;
  }

  /** Steps to which inputs and states belong; undefined if they belong to moments. */
  get #steps(): PrescribedSteps | undefined {
    const { isStepped, tickHz: hz } = this.setup;
    return this.#mode.steps ?? (isStepped ? { hz, why: "`tickHz` says" } : undefined);
  }

  /** Publishes by a timer until the game calls `advance` or `loop`. */
  #runUndriven(): void {
    if (this.state === "joined") this.#undriven.runAt(this.transport.plan.numbers.stateHz);
  }

  #publish(atMs: number, isLast = true): void {
    if (this.state === "left") return;
    for (const moment of this.#time.publish(atMs, isLast)) {
      this.#mode.replicate(moment);
      if (!moment.isBetween) this.#owned.published(moment.sinceMs);
    }
  }

  /** Goes on in the room of another join, because the server has dropped the session. */
  #welcomed(welcome: Welcome): void {
    const loss = this.#loss();
    const restored = welcome.restored !== undefined;
    this.clock.restart();
    this.#serverPath.end("the room was joined again");
    this.#welcome = welcome;
    this.#facts.sessionNumber = welcome.number;
    this.#facts.iceServers = welcome.iceServers;
    // The last announcement concerned another seat.
    this.#announced = undefined;
    this.#noteWelcome();
    this.transport.entered(authorityHzOf(welcome));
    this.#hold();
    const enter = (code: ModeCode): void => {
      this.#enter(code);
      if (this.state !== "left") this.reconnected.emit({ resumed: false, restored, ...loss });
      this.#listen();
    };
    const door = this.setup.doors[modeOf(welcome)];
    if (door.code) enter(door.code);
    else this.#enterLater(welcome, enter);
  }

  /** Holds what the server sends until the room has a welcome, and the code of its mode. */
  #hold(): void {
    this.#early.close("room");
    this.#connection.handlers = earlyHandlers(this.#early, () => this.#handlers, this.#handlers);
  }

  /** Takes what the server has sent. After a lost session, that belongs to the room of the next welcome. */
  #listen(): void {
    if (!this.#connection.hasSeat) return;
    this.#connection.handlers = this.#handlers;
    this.#early.open("room");
  }

  /** Fetches the code of another mode: the room is now of that mode. */
  #enterLater(welcome: Welcome, enter: (code: ModeCode) => void): void {
    const { doors, scheduler } = this.setup;
    const isWanted = (): boolean => this.state !== "left" && this.#welcome === welcome;
    const take = (code: ModeCode): void => {
      if (isWanted()) enter(code);
    };
    doors[modeOf(welcome)].openWhile(scheduler, isWanted).then(take, () => undefined);
  }

  #enter({ Mode }: ModeCode): void {
    const before = this.#mode;
    this.#mode = new Mode(this.#parts, this.#welcome);
    // The game's handlers run from here on, and their calls must reach the new room.
    before.end("the room was joined again");
    this.#openMode();
  }

  #noteWelcome(): void {
    const { build } = this.#welcome;
    if (build !== undefined) this.setup.onBuild(build);
    this.transport.record({ about: "server", choice: "websocket", reason: "joined" });
  }

  #openMode(): void {
    const mode = this.#mode;
    for (const peer of this.#welcome.peers) mode.joined(peer);
    if (this.state === "left") return mode.end("the room was left");
    this.transport.review();
    if (this.#early.isOpen("game")) mode.begin?.();
  }

  #resumed(): void {
    this.#moved("the session was resumed");
    this.reconnected.emit({ resumed: true, restored: false, unacknowledged: 0 });
  }

  /** Counts the messages that are lost with the ending sessions: with all peers, and with the server. */
  #loss(): MessageLoss {
    return { unacknowledged: this.#mode.unacknowledged + this.#connection.takeUnacknowledged() };
  }

  /** Moves relayed traffic to the new link to the server, and sends unacknowledged messages again. */
  #moved(reason: string): void {
    this.transport.record({ about: "server", choice: this.#connection.link?.kind ?? "none", reason });
    this.#mode.relayMoved?.();
  }

  #dropped(reason: string): void {
    this.#mode.relayLost?.();
    this.transport.record({ about: "server", choice: "none", reason });
    this.dropped.emit(reason);
  }

  #left(code: number, reason: string): void {
    for (const cancel of this.#timers.splice(0)) cancel();
    this.#undriven.stop();
    this.#loop.stop();
    this.clock.stop();
    this.#serverPath.end("the room was left");
    const loss = this.#loss();
    this.#mode.end("the room was left");
    for (const { entity } of this.#owned.records) this.listeners.entities.despawned(entity);
    this.transport.stop();
    this.left.emit(code, reason, loss);
    // The game may have left in a handler, and what called it has more to report.
    this.listeners.clear();
  }

  #receiveControl(message: RoomControl): void {
    if (message.type === "iceServers") this.#facts.iceServers = message.iceServers;
    else if (message.type === "draining")
      this.#early.run("game", () => this.drained.emit({ timeoutMs: message.timeoutMs }));
    else this.#receivePeerControl(message);
  }

  #receivePeerControl(message: PeerControl): void {
    const mode = this.#mode;
    switch (message.type) {
      case "slot":
        return mode.takeSlot(message);
      case "joined":
        mode.joined(message.peer);
        return this.transport.review();
      case "left":
        mode.left(message.number);
        return this.transport.review();
      case "away":
        return mode.away(message.number, message.closed);
      case "back":
        return mode.back(message.number);
      case "signal":
        return this.#receiveSignal(message);
      case "capabilities":
        if (message.number === SERVER_NUMBER) return this.transport.setServerWebRtc(message.webrtc);
        mode.learn?.(message.number, message.webrtc);
        return this.transport.review("what a peer can do");
    }
  }

  #receiveSignal({ from, attempt, data }: RoomControl & { readonly type: "signal" }): void {
    if (from === SERVER_NUMBER) this.#serverPath.signal(attempt, data);
    else this.#mode.signal?.(from, attempt, data);
  }

  #startEvents(): void {
    this.#early.open("game");
    this.#mode.begin?.();
  }

  #reviewDelay(): void {
    this.clock.setRenderDelay(this.#mode.neededDelayMs ?? delayByProfileMs(this.transport));
  }

  #reviewServerPath(): void {
    this.#serverPath.review(this.transport.plan, this.#mode);
  }

  #applyPlan(): void {
    this.#mode.planChanged();
    this.#reviewDelay();
    this.#runUndriven();
    const isUsed = (): boolean => this.#serverPath.needsSockets;
    this.#connection.planSockets({ ...stripeWishOf(this.transport.plan), isUsed });
    const hasWebRtc = hasDirectLinks(this.transport.plan);
    if (hasWebRtc !== this.#announced) {
      this.#connection.send({ type: "capabilities", webrtc: hasWebRtc });
      this.#announced = hasWebRtc;
    }
    this.#reviewServerPath();
  }

  #sample(): void {
    this.#mode.sample?.();
    this.#connection.sample(this.nowMs());
    this.transport.observe();
    this.#msgpackr.sample(() => this.#showsOthers());
  }

  #showsOthers(): boolean {
    return Array.from(this.kinds).some((kind) => {
      const [first] = this.#mode.entities(kind);
      return first !== undefined;
    });
  }
}
