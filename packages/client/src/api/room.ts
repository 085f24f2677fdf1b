/// <reference lib="esnext.disposable" preserve="true" />
import {
  SERVER_NUMBER,
  ConfigError,
  NetError,
  assertFunction,
  assertMessageType,
  writeEvent,
  type EntityDefinition,
  type Fields,
  type IceServer,
  type InputDefinition,
} from "@paceline/protocol";
import type { InitialFields, InputStep, WritableFields } from "@paceline/netcode";
import { ByteBudget, DropCounters, type Cancel } from "@paceline/transport";
import type { Prediction } from "../modes/prediction.js";
import type { Unsubscribe } from "../events/listeners.js";
import type { ConnectionState } from "../connection/connection-state.js";
import { EarlyTasks } from "./early-tasks.js";
import { OnlyEntityView, type OnlyEntity } from "./only-entity.js";
import { OwnedEntities } from "../entities/owned-entities.js";
import type { Entity, OwnedEntity } from "../entities/entity.js";
import { MeshMode } from "../modes/mesh/mesh-mode.js";
import {
  loadColumns,
  loadDirectPath,
  loadExplanation,
  loadInterpolation,
  loadSimulation,
} from "./late-code.js";
import { fetchMode, modeFactsOf, openMode } from "./open-mode.js";
import type { PrescribedSteps, RoomMode, RoomParts } from "../modes/room-mode.js";
import { GameLoop, type LoopStep } from "../time/game-loop.js";
import { GameTime, TIME_TICK_HZ, assertMoment } from "../time/game-time.js";
import type { MessageLoss, Peer } from "../peers/peer.js";
import { RoomClock } from "../time/room-clock.js";
import { RoomEvents } from "./room-events.js";
import { RoomMessages, type MessageListener, type RequestHandler } from "../peers/room-messages.js";
import type { RoomSetup } from "./room-setup.js";
import { RoomTransport } from "../report/room-transport.js";
import { Router } from "../peers/router.js";
import { ServerConnection } from "../connection/server-connection.js";
import type { RoomControl, Welcome } from "../connection/server-connection-options.js";
import { ServerPath } from "../peers/server-path.js";
import { sendTerms, type SendOptions } from "./send-options.js";
import { socketsRow, stripeWishOf } from "../report/transport-report.js";
import { UndrivenTicks } from "../time/undriven-ticks.js";
import { delayByProfileMs, viewPlanOf } from "../plan/view-plan.js";

const RATE_PERIOD_MS = 1000;
const REQUEST_TIMEOUT_MS = 5000;
/** Limit of messages that arrive before the game can listen. */
const MAX_EARLY = 1024;

/** Control messages of the server about peers. */
type NewsOfOthers = Exclude<RoomControl, { readonly type: "iceServers" | "draining" }>;

/** The content of a message type; `unknown` if the game has not declared it. */
export type ContentOf<Messages, Type extends keyof Messages> = 0 extends 1 & Messages
  ? unknown
  : Messages[Type];

/**
 * A room that this participant is in: the others, their entities, messages. Made by {@link Client}. Everything that
 * it sends goes to every peer over the best path that the pair has.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- so that rooms with and without known messages are assignable
export class Room<Messages extends object = any> extends RoomEvents {
  /** Counts of dropped incoming data, by reason. */
  readonly drops = new DropCounters();
  readonly transport: RoomTransport;
  /** This machine's time, the server's, and the time that is shown. */
  readonly clock: RoomClock;
  /** @internal For what is loaded apart. */
  readonly setup: RoomSetup;
  readonly #connection: ServerConnection;
  readonly #serverPath: ServerPath;
  readonly #time: GameTime;
  readonly #loop: GameLoop;
  #lockstepSessions = 0;
  readonly #owned: OwnedEntities;
  readonly #parts: RoomParts;
  /** A mesh of nobody until the server has said welcome. */
  #mode: RoomMode;
  readonly #messages = new RoomMessages();
  readonly #only = new Map<EntityDefinition, OnlyEntityView>();
  readonly #timers: Cancel[] = [];
  #welcome: Welcome | undefined;
  #iceServers: readonly IceServer[] = [];
  #announced: boolean | undefined;
  /** News of the others wait for the mode. */
  readonly #entered = new EarlyTasks();
  /** Events wait here until the game can listen. */
  readonly #heard = new EarlyTasks(MAX_EARLY);
  readonly #router = new Router(
    () => this.#connection.cameBack(),
    (reason) => this.drops.count(reason),
  );
  /** Bytes per second of all links of this room: the one to the server and those to players. */
  readonly #budget: ByteBudget;
  readonly #undriven: UndrivenTicks;

  /** @internal Use {@link Client}. */
  constructor(setup: RoomSetup) {
    super();
    this.setup = setup;
    const { scheduler } = setup;
    this.#time = this.#newTime(setup);
    const { tickHz } = this.#time;
    this.#loop = this.#newLoop(setup);
    this.#owned = new OwnedEntities({
      tickSeconds: 1 / tickHz,
      idOf: (localId) => this.#sessionNumber * 0x10000 + localId,
      tick: () => this.#time.tick,
      onTeleport: (record) => this.#mode.teleported(record),
      onClamp: (clamp) => this.news.clamped(clamp),
    });
    this.#undriven = new UndrivenTicks({
      scheduler,
      time: this.#time,
      isIdle: () => this.#mode.isIdle,
      hasMoved: () => this.#owned.hasMoved,
      publish: () => this.#publish(this.nowMs()),
      report: (error) => this.news.report(error),
    });
    this.#parts = this.#newParts(setup);
    this.#mode = new MeshMode(this.#parts);
    this.transport = new RoomTransport({
      ...setup,
      loadExplanation,
      loadSimulation,
      peers: () => this.#mode.pairs,
      serverPath: () => this.#serverPath.explain(),
      killServerWebRtc: () => this.#serverPath.kill(),
      serverStats: () => this.#connection.stats,
      limits: () => this.#mode.limits,
      kinds: () => this.news.definitions,
      onPlan: () => this.#applyPlan(),
    });
    this.#budget = new ByteBudget(setup.scheduler, () => this.transport.plan.numbers.sendBytesPerSecond);
    this.#connection = this.#newConnection(setup);
    this.#connection.networks.add(() => this.#mode.networkChanged());
    this.#serverPath = this.#newServerPath();
    this.#connection.setSockets(setup.sockets);
    const shownTick = (): number => this.#mode.shownTick;
    this.clock = new RoomClock({ scheduler, shownTick, ping: () => this.#connection.ping() });
  }

  #newConnection(setup: RoomSetup): ServerConnection {
    return new ServerConnection({
      ...setup,
      budget: this.#budget,
      webrtc: () => this.transport.isDirectWanted,
      channel: this.#parts.channel,
      interpose: (link) => this.transport.interpose(link),
      currentTick: () => this.#time.tick,
      router: this.#router,
      handlers: {
        onWelcome: (welcome) => this.#welcomed(welcome),
        onResumed: () => this.#resumed(),
        onMoved: (reason) => this.#moved(reason),
        onDrop: (reason) => this.#dropped(reason),
        onLeft: (code, reason) => this.#left(code, reason),
        onControl: (message) => this.#control(message),
        onAuthority: (payload) => this.#heard.run(() => this.#mode.receive(payload)),
        onAuthorityEvent: (body) => this.#heard.run(() => this.#mode.receiveEvent(body)),
        onAuthorityState: (body, tick) => {
          const cameAtMs = this.nowMs();
          if (this.#heard.isOpen) this.#mode.receiveState(body, tick, cameAtMs);
          else this.#heard.run(() => this.#mode.receiveState(body, tick, cameAtMs));
        },
        onAcknowledged: (sequence) => this.#mode.acknowledged(sequence),
        onPong: (times) => this.clock.observe(times),
        onSockets: (sockets, reason) => this.transport.record(socketsRow(sockets, reason)),
        onStalls: () => this.transport.observe(),
      },
    });
  }

  #newParts({ scheduler, newLink }: RoomSetup): RoomParts {
    return {
      scheduler,
      newLink,
      loadDirectPath,
      loadColumns,
      news: this.news,
      owned: this.#owned,
      messages: this.#messages,
      router: this.#router,
      time: this.#time,
      drops: this.drops,
      view: viewPlanOf(this, loadInterpolation),
      channel: (name) => this.transport.plan.channels[name],
      connection: () => this.#connection,
      uplink: () => this.#connection.uplink,
      transport: () => this.transport,
      interpose: (link) => this.transport.interpose(link),
      budget: () => this.#budget,
      myNumber: () => this.myNumber,
      sessionNumber: () => this.#sessionNumber,
      iceServers: () => this.#iceServers,
      isLooping: () => this.#loop.isRunning,
      reviewDelay: () => this.#reviewDelay(),
      reviewServerPath: () => this.#reviewServerPath(),
    };
  }

  #newTime({ scheduler: clock, page, isStepped, tickHz }: RoomSetup): GameTime {
    return new GameTime({
      clock,
      page,
      isStepped,
      tickHz: isStepped ? tickHz : TIME_TICK_HZ,
      onMisfit: (message) => this.news.report(new NetError("time/misfit", message)),
    });
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

  #newServerPath(): ServerPath {
    return new ServerPath({
      ...this.setup,
      loadDirectPath,
      connection: this.#connection,
      eventLifetimeMs: () => this.transport.plan.channels.event.lifetimeMs,
      onChange: () => this.transport.record(this.#serverPath.explain()),
    });
  }

  /** Name of the kind of room. */
  get name(): string {
    return this.#welcome?.roomName ?? "";
  }

  get roomId(): string {
    return this.#welcome?.roomId ?? "";
  }

  get sessionId(): string {
    return this.#welcome?.sessionId ?? "";
  }

  /**
   * For {@link Client.reconnect}, where this seat is to go on elsewhere. Secret: who has it can take this participant's
   * place. Changes with every session.
   */
  get reconnectionToken(): string {
    return this.#connection.reconnectionToken;
  }

  /**
   * This player's number, as the others have it in {@link Peer.number}; the lowest joined first. The same after the page
   * was loaded anew.
   */
  get myNumber(): number {
    return this.#welcome?.seat ?? this.#sessionNumber;
  }

  /** As the server and the wire know this session. */
  get #sessionNumber(): number {
    return this.#welcome?.number ?? 0;
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  /** The others in the room, in the order in which their pages came. */
  get peers(): readonly Peer[] {
    return this.#mode.peers;
  }

  /** The authority of this room, on the server; undefined in a mesh. */
  get authority(): Peer | undefined {
    return this.#mode.server;
  }

  /** Whether this participant only watches. */
  get isSpectator(): boolean {
    return this.#welcome?.spectator === true;
  }

  /**
   * Rooms of the same kind and options that were full when {@link Client.joinOrCreate} looked for one, so that this player
   * came here; friends may be there. The console has a line about it. Mostly 0.
   */
  get fullRooms(): number {
    return this.#welcome?.fullRooms ?? 0;
  }

  /** The room's clock: milliseconds, monotonic. */
  nowMs(): number {
    return this.setup.scheduler.nowMs();
  }

  /** @internal Resolves when the server has said welcome. */
  async join(): Promise<void> {
    await this.#connection.join();
    try {
      this.transport.assertTopology();
    } catch (error) {
      void this.leave();
      throw error;
    }
    await fetchMode(this.#welcome!);
    // The server may have changed its mind in the same breath.
    if (this.state === "left") throw new NetError("session/ended", "the server ended the session at once");
    this.#enter(this.#welcome!);
    if (this.fullRooms > 0) {
      const place = this.peers.length > 0 ? "another one" : "a new one";
      // oxlint-disable-next-line no-console -- who tries a game with friends would look for them in vain
      console.info(
        `paceline: ${this.fullRooms} full room(s) of "${this.name}", so this player came into ${place}; ` +
          `friends stay together with the option group, or come by joinById`,
      );
    }
    const { scheduler } = this.setup;
    scheduler.after(0, () => this.#hear());
    this.clock.start();
    this.#timers.push(scheduler.every(RATE_PERIOD_MS, () => this.#sample()));
    this.#runUndriven();
  }

  /** @internal Somebody has aborted the join. */
  giveUp(): void {
    if (this.state === "joining") this.#connection.abort();
    else void this.leave();
  }

  /**
   * Creates an entity that this participant owns; every peer sees it until {@link despawn} or leaving. Throws
   * {@link ConfigError} for an initial value that its field cannot have.
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
    this.news.entities.spawned(record.entity);
    return record.entity as unknown as OwnedEntity<D>;
  }

  /** Throws {@link ConfigError} for what is not an entity of this participant. */
  despawn(entity: object): void {
    const record = this.#owned.despawn(entity);
    if (this.state !== "left") this.#mode.despawned(record);
    this.news.entities.despawned(record.entity);
  }

  /** Kinds of entities that the game has named so far. */
  get kinds(): Iterable<EntityDefinition> {
    return this.news.definitions;
  }

  /** All entities of a kind, one's own first. Only what {@link spawn} returned can be written. */
  *entities<D extends EntityDefinition>(definition: D): Iterable<Entity<D>> {
    this.#use(definition);
    for (const record of this.#owned.records) {
      if (record.definition === definition) yield record.entity as unknown as Entity<D>;
    }
    yield* this.#mode.entities(definition) as unknown as Iterable<Entity<D>>;
  }

  /**
   * Entities of a kind: those that are there, one's own included, for which the listener is called before this returns,
   * and those to come. Each once; when the client joined again, those of others are despawned and spawned again.
   */
  onSpawn<D extends EntityDefinition>(definition: D, listener: (entity: Entity<D>) => void): Unsubscribe {
    this.#use(definition);
    return this.news.entities.onSpawn(definition, listener as unknown as (entity: Entity) => void);
  }

  /** An entity of a kind is gone, or the room was left; it keeps its last values. */
  onDespawn<D extends EntityDefinition>(definition: D, listener: (entity: Entity<D>) => void): Unsubscribe {
    this.#use(definition);
    return this.news.entities.onDespawn(definition, listener as unknown as (entity: Entity) => void);
  }

  /**
   * State of which the room has one: a score, a phase, the map. In a room with an authority it is the server's, and read
   * only; elsewhere the player who has been in the room for longest writes it (`isMine`), and when that one leaves, the next
   * one, with the same values. Before it is known it has the values that its fields begin with. All players of a room have
   * to ask for it. A write by anybody else throws {@link ConfigError}.
   */
  only<D extends EntityDefinition>(definition: D): OnlyEntity<D> {
    this.#use(definition);
    const known =
      this.#only.get(definition) ?? new OnlyEntityView(this, definition, () => this.#mode.soleWriter());
    this.#only.set(definition, known);
    return known.view as unknown as OnlyEntity<D>;
  }

  /**
   * This player's input for an authority: the game writes its fields, and they are sent with every step of the
   * authority. Throws {@link NetError} where the room takes no inputs, or others.
   */
  input<F extends Fields>(definition: InputDefinition<F>): WritableFields<F> {
    return this.#mode.input(definition) as WritableFields<F>;
  }

  /**
   * Shows one's own entities of a kind without the way to the authority and back: `step` is its physics for one tick,
   * by fields, and moves them on under the inputs that it does not have yet. What it says replaces the prediction;
   * `shown` has no jump from that. Once for each room, after every `onReconnect` that has not resumed. Throws
   * {@link ConfigError} for a kind without motion, {@link NetError} where the room takes no inputs, or others.
   */
  predict<F extends Fields, I extends Fields>(
    definition: EntityDefinition<F>,
    inputs: InputDefinition<I>,
    step: InputStep<F, I>,
  ): Prediction {
    const known = definition as unknown as EntityDefinition;
    const { name, motion, motionLayout } = known;
    if (!motionLayout)
      throw new ConfigError({ field: `${name}.motion`, value: motion, expected: "a motion to predict" });
    assertFunction("step", step);
    return this.#mode.predict(known, inputs, step as unknown as InputStep);
  }

  /**
   * Says which moment the values belong to that the game has written: what has to be sent of them is sent. Default: the
   * start of the page's current frame; in Node, now. `atMs` is on the clock of `performance.now`. Any frame rate shows the
   * others the same motion. A game that never calls it is published by the SDK itself, at the profile's rate.
   *
   * Throws {@link ConfigError} for what is no number, and where the game runs in steps: `tickHz` was given, the room has
   * an authority, or a LockstepSession runs. A time that cannot be meant is told once (`time/misfit`), and the frame's
   * start taken instead. After the room was left the call has no effect.
   */
  advance(atMs?: number): void {
    assertMoment(atMs);
    if (this.state === "left") return;
    const by = this.#stepsBy;
    if (by !== undefined) throw new ConfigError({ field: "advance", value: atMs, expected: by });
    this.#publish(this.#time.momentOf(atMs));
  }

  /**
   * Runs the game: calls `step(seconds, atMs)` and advances the room after it. Where the game runs in steps, 0 to n
   * times a frame, with one input for each step; else once a frame. A hidden page, and Node, have a timer for frames.
   * After a pause the loop skips what is more than 250 ms old. What `step` throws is reported, and the loop goes on.
   *
   * Returns what stops it; it stops by itself when the room ends. Throws {@link ConfigError} where one runs already.
   */
  loop(step: LoopStep): Unsubscribe {
    assertFunction("step", step);
    if (this.#lockstepSessions > 0) {
      throw new ConfigError({
        field: "loop",
        value: step,
        expected: "none: the LockstepSession calls its own step",
      });
    }
    if (this.#loop.isRunning) {
      throw new ConfigError({
        field: "loop",
        value: step,
        expected: "one loop at a time: stop the other one first",
      });
    }
    if (this.state === "left") throw new NetError("session/ended", "the room was left");
    return this.#loop.start(step);
  }

  /** @internal A LockstepSession runs in the room until the returned function is called, once. */
  enterLockstep(): () => void {
    this.#lockstepSessions += 1;
    return () => (this.#lockstepSessions -= 1);
  }

  /**
   * Sends a message that arrives exactly once and in order, to one peer or to all; to the authority where the room has
   * one. With `{ class: "bulk" }` it may be long, and yields to all else. Throws {@link NetError} `limit/queue` and sends
   * nothing to anybody where a receiver has too much without receipt. A pair that goes on refusing for 10 s, and takes less
   * than 256 KiB in that time, begins again ({@link onPeerReset}), so that nobody holds the others up.
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
   * Sends a message that may be lost, and that is dropped rather than late; where the plan says that all has to arrive,
   * as {@link send} does.
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
   * Asks a peer, or the authority where the room has one; rejects with {@link NetError} when it refuses, leaves or is
   * silent for `timeoutMs`.
   */
  async request(type: string, message: unknown, to?: Peer, timeoutMs = REQUEST_TIMEOUT_MS): Promise<unknown> {
    assertMessageType(type);
    this.#assertIn();
    return await this.#mode.request(type, message, to, timeoutMs);
  }

  /** Answers requests of a type: with what `handler` returns or resolves to; what it throws refuses the request. */
  onRequest(type: string, handler: RequestHandler): Unsubscribe {
    return this.#messages.handle(type, handler);
  }

  /** Messages of a type, sent with {@link send} or {@link sendEvent}. Their content is a peer's: check it. */
  onMessage<Type extends keyof Messages & string>(
    type: Type,
    listener: (message: ContentOf<Messages, Type>, from: Peer) => unknown,
  ): Unsubscribe {
    return this.#messages.listen(type, listener as MessageListener);
  }

  /**
   * Leaves for good, at once. Resolves when the server has been told, or after a second where it does not answer; never
   * rejects, so nobody has to wait for it.
   */
  leave(): Promise<void> {
    this.#mode.flush();
    return this.#connection.leave();
  }

  /** For `await using room = await client.joinOrCreate(...)`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }

  #use(definition: EntityDefinition): void {
    if (this.news.use(definition)) this.#mode.use(definition);
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

  /** The steps to which inputs and states belong, if they do. */
  get #steps(): PrescribedSteps | undefined {
    const { isStepped, tickHz: hz } = this.setup;
    return this.#mode.steps ?? (isStepped ? { hz, why: "`tickHz` says" } : undefined);
  }

  /** Publishes by a timer until the game calls `advance` or `loop`. */
  #runUndriven(): void {
    if (this.state === "joined") this.#undriven.runAt(this.transport.plan.numbers.stateHz);
  }

  /** Sends what has to be sent of the values that belong to that moment. */
  #publish(atMs: number, isLast = true): void {
    if (this.state === "left") return;
    for (const reached of this.#time.publish(atMs, isLast)) {
      this.#mode.replicate(reached);
      if (!reached.isBetween) this.#owned.published(reached.sinceMs);
    }
  }

  #welcomed(welcome: Welcome): void {
    const isReturn = this.#welcome !== undefined;
    const loss = this.#loss();
    this.#mode.end("the room was joined anew");
    if (isReturn) {
      this.clock.restart();
      this.#serverPath.end("the room was joined anew");
      this.transport.setServerWebRtc("unknown");
    }
    this.#welcome = welcome;
    if (welcome.build !== undefined) this.setup.onBuild(welcome.build);
    this.#iceServers = welcome.iceServers;
    this.transport.record({ about: "server", choice: "websocket", reason: "joined" });
    this.transport.entered(modeFactsOf(welcome));
    // The first time, the code of the mode may have to be fetched.
    if (this.#entered.isOpen) this.#enter(welcome);
    if (isReturn) this.reconnected.tell({ resumed: false, ...loss });
  }

  /** The mode begins, with what the server has said. */
  #enter(welcome: Welcome): void {
    this.#mode = openMode(this.#parts, welcome);
    this.transport.review();
    this.#entered.open();
    if (this.#heard.isOpen) this.#mode.begin();
  }

  #resumed(): void {
    this.#moved("the session was resumed");
    this.reconnected.tell({ resumed: true, unacknowledged: 0 });
  }

  /** Counts what is lost with the sessions that end now: with all peers, and with the server. */
  #loss(): MessageLoss {
    return { unacknowledged: this.#mode.unacknowledged + this.#connection.takeUnacknowledged() };
  }

  /** Relayed traffic uses the new link to the server, and unacknowledged messages go again. */
  #moved(reason: string): void {
    this.transport.record({ about: "server", choice: this.#connection.link?.kind ?? "none", reason });
    this.#mode.relayMoved();
  }

  #dropped(reason: string): void {
    this.#mode.relayLost();
    this.transport.record({ about: "server", choice: "none", reason });
    this.dropped.tell(reason);
  }

  #left(code: number, reason: string): void {
    for (const cancel of this.#timers.splice(0)) cancel();
    this.#undriven.stop();
    this.#loop.stop();
    this.clock.stop();
    this.#serverPath.end("the room was left");
    const loss = this.#loss();
    this.#mode.end("the room was left");
    for (const { entity } of this.#owned.records) this.news.entities.despawned(entity);
    this.transport.stop();
    this.left.tell(code, reason, loss);
  }

  #control(message: RoomControl): void {
    if (message.type === "iceServers") this.#iceServers = message.iceServers;
    else if (message.type === "draining")
      this.#heard.run(() => this.drained.tell({ timeoutMs: message.timeoutMs }));
    else this.#entered.run(() => this.#takeNews(message));
  }

  #takeNews(message: NewsOfOthers): void {
    const mode = this.#mode;
    switch (message.type) {
      case "retained":
        return mode.takeRetained(message);
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
        return this.#signalled(message);
      case "capabilities":
        if (message.number === SERVER_NUMBER) return this.transport.setServerWebRtc(message.webrtc);
        mode.learn(message.number, message.webrtc);
        return this.transport.review("what a peer can do");
    }
  }

  #signalled({ from, attempt, data }: RoomControl & { readonly type: "signal" }): void {
    if (from === SERVER_NUMBER) this.#serverPath.signal(attempt, data);
    else this.#mode.signal(from, attempt, data);
  }

  #hear(): void {
    this.#heard.open();
    this.#mode.begin();
    this.#router.release();
  }

  /** All are shown with one delay. */
  #reviewDelay(): void {
    this.clock.setRenderDelay(this.#mode.neededDelayMs ?? delayByProfileMs(this.transport));
  }

  #reviewServerPath(): void {
    if (!this.#welcome) return;
    this.#serverPath.review(this.transport.plan, this.#mode);
  }

  #applyPlan(): void {
    this.#mode.planChanged();
    this.#reviewDelay();
    this.#runUndriven();
    this.#connection.planSockets(stripeWishOf(this.transport.plan, this.transport.measured));
    const hasWebRtc = this.transport.isDirectWanted;
    if (this.#welcome && hasWebRtc !== this.#announced) {
      this.#connection.send({ type: "capabilities", webrtc: hasWebRtc });
      this.#announced = hasWebRtc;
    }
    this.#reviewServerPath();
  }

  #sample(): void {
    this.#mode.sample();
    this.#connection.sample(this.nowMs());
    this.transport.observe();
  }
}
