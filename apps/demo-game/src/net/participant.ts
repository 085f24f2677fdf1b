import { firstNumber, type Peer, type Room } from "@paceline/client";
import { carAt, type CarState, type DriveInput } from "../car/car-state.js";
import { STEP_MS } from "../car/step-car.js";
import { endOfField } from "../race/end-of-field.js";
import type { LapPlace } from "../race/lap-counter.js";
import { Liveries } from "../race/liveries.js";
import { Progress } from "../race/progress.js";
import {
  readAnnouncement,
  readChat,
  readEntryMessage,
  readGivenCar,
  readLap,
  type DriverCard,
  type GivenCar,
  type LapMessage,
  type PeerMessages,
} from "../race/race-messages.js";
import { RaceSession, type RaceRoom } from "../race/race-session.js";
import { Racer } from "../race/racer.js";
import { runningOrder, WatchedCar } from "../race/standings.js";
import { circuitOf } from "../track/circuits.js";
import { Car, ComputerCar, spawnCar, type OwnCar } from "./car-entity.js";
import { Introductions } from "./introductions.js";
import {
  STALE_AFTER_MS,
  type ParticipantEvents,
  type RaceParticipant,
  type RunnerView,
  type RemoteCar,
} from "./race-participant.js";

/** Time after the green light at which a start counts as late, ms. */
const LATE_AFTER_MS = 1000;

/** A newcomer asks for a car after this time, when the others' names have arrived, and within this time, ms. */
const TAKE_AFTER_MS = 300;
const TAKE_WITHIN_MS = 3000;
/**
 * Time after which a newcomer without a computer driver joins the end of the field, ms. All cars are shown by
 * then.
 */
const JOIN_FIELD_AFTER_MS = 1000;

/**
 * A participant in a race among players, human or computer: its car, its record of the race, and its messages.
 * A spectator has no car, and is a peer like the others.
 */
export class Participant implements RaceParticipant {
  readonly room: Room<PeerMessages>;
  readonly racer: Racer;
  readonly session: RaceSession<Peer>;
  /** The card with the colour that the driver wants. */
  readonly #wanted: DriverCard;
  readonly #liveries = new Liveries();
  /** Undefined for a spectator. */
  readonly #entity: OwnCar | undefined;
  readonly #watched = new WatchedCar();
  /** The car that a spectator's camera follows. */
  #followed: RemoteCar | undefined;
  readonly #events: ParticipantEvents;
  readonly #now: () => number;
  readonly #introductions: Introductions;
  readonly #raceRoom: RaceRoom<Peer>;
  readonly #progress = new Map<string, Progress>();
  readonly #unsubscribe: (() => void)[];
  #sessionId: string;
  #myNumber: number;
  #totalMs = 0;
  /** Time since which a newcomer in mid-race wants a computer driver's car; undefined if it wants none. */
  #wantsCarSinceMs: number | undefined;
  /** The computer driver that was asked for its car. */
  #asked: Peer | undefined;
  #hasGiven = false;
  /** The others' cars as shown in this frame. */
  remotes: readonly RemoteCar[] = [];
  bestLapMs = 0;
  lastLapMs = 0;

  constructor(room: Room<PeerMessages>, card: DriverCard, now: () => number, events: ParticipantEvents = {}) {
    this.room = room;
    this.#wanted = card;
    this.#now = now;
    this.#events = events;
    this.#sessionId = room.sessionId;
    this.#myNumber = room.myNumber;
    this.#introductions = new Introductions(room, (to) => this.#introduceTo(to));
    this.#raceRoom = this.#newRaceRoom();
    this.session = new RaceSession<Peer>(this.#raceRoom, now(), {
      onGrid: () => this.#toGrid(),
      onGreen: () => this.#green(),
      onResults: () => {
        // A car that is still on the grid may drive.
        this.racer.isHeld = false;
        events.onResults?.();
      },
    });
    this.racer = new Racer(circuitOf(this.session.race), this.session.slotOf(room.myNumber));
    this.#entity = this.isSpectator ? undefined : spawnCar(room, this.racer.car, card.isComputer);
    this.#unsubscribe = this.#listen();
    room.send("driver", card);
  }

  /** Drives the own car for one fixed step that ends at that moment, and publishes it. */
  step(input: DriveInput, atMs: number): void {
    if (this.#entity) this.#drive(this.#entity, input);
    this.room.advance(atMs);
  }

  #drive(entity: OwnCar, input: DriveInput): void {
    const event = this.racer.step(input, this.session.phase === "racing" ? this.#solidCars() : []);
    if (event?.kind === "missed-gate" && this.session.phase === "racing") this.#events.onMissedGate?.();
    if (event?.kind === "lap") this.#ownLap(event.lap, event.timeMs);
    entity.publish(this.racer.car, input);
  }

  /** Updates the phase and the others' progress. Called once per frame. */
  update(): void {
    const nowMs = this.#now();
    this.session.update(nowMs);
    // A participant that knows no race asks the director for it; the director asks everybody.
    const isWaiting = this.session.phase === "waiting";
    const { director } = this.#raceRoom;
    const mayKnow = ({ number }: Peer): boolean => director === this.room.myNumber || director === number;
    this.#introductions.update(nowMs, (peer) => isWaiting && mayKnow(peer));
    this.#askForCar(nowMs);
    this.#paint();
    this.remotes = this.#readRemotes();
    const isOnGrid = this.session.phase === "countdown";
    for (const remote of this.remotes) {
      const progress = this.#progressOf(remote.ownerId);
      // The drive to the grid does not count.
      if (isOnGrid) progress.restart();
      progress.show(remote.x, remote.y);
    }
    if (this.isSpectator) this.#follow();
  }

  #follow(): void {
    const number = this.#watched.numberIn(this.standings());
    const followed = this.remotes.find((remote) => remote.number === number);
    this.#followed = followed;
    if (!followed) return;
    const { x, y, headingRad, velocityX, velocityY, steer, throttle, handbrake } = followed;
    const { car, previous, laps } = this.racer;
    Object.assign(car, { x, y, headingRad, velocityX, velocityY, steer, throttle, handbrake });
    // The shown pose is final, so there is nothing to interpolate between steps.
    Object.assign(previous, { x, y, headingRad });
    laps.moveTo(x, y);
  }

  get isSpectator(): boolean {
    return this.#wanted.isSpectator === true;
  }

  watch(step: 1 | -1): void {
    this.#watched.choose(step, this.standings());
  }

  get card(): DriverCard {
    if (this.#followed) return this.#followed;
    return this.#painted(this.room.myNumber, this.#wanted);
  }

  get watched(): string | undefined {
    return this.#followed?.name;
  }

  get watchedDelayMs(): number | undefined {
    const rttMs = this.room.peers.find(({ id }) => id === this.#followed?.ownerId)?.rttMs;
    return rttMs === undefined ? undefined : rttMs / 2;
  }

  get carNumber(): number {
    return this.#followed?.number ?? this.room.myNumber;
  }

  get myNumber(): number {
    return this.isSpectator ? 0 : this.room.myNumber;
  }

  get lapsDone(): number {
    return this.racer.laps.lapsDone;
  }

  get lapTimeMs(): number {
    return this.racer.laps.lapSteps * STEP_MS;
  }

  get progressM(): number {
    return this.racer.laps.progressM;
  }

  get hasMissedGate(): boolean {
    return this.racer.laps.hasMissedGate;
  }

  reset(): void {
    if (!this.racer.isHeld && !this.isSpectator) this.racer.resetToTrack();
  }

  /** Stops the car, so that the others do not see it drive on without a driver. */
  park(): void {
    const { car } = this.racer;
    car.velocityX = 0;
    car.velocityY = 0;
    car.yawRateRadPerS = 0;
  }

  get finished(): boolean {
    return this.session.entryOf(this.room.myNumber)?.finished === true;
  }

  #readRemotes(): RemoteCar[] {
    const cars: RemoteCar[] = [];
    for (const entity of [...this.room.entities(Car), ...this.room.entities(ComputerCar)]) {
      if (entity.isMine) continue;
      const { shown, owner } = entity;
      const { x, y } = shown.position;
      if (!Number.isFinite(x + y + shown.heading)) continue;
      const card = this.cardOf(owner);
      cars.push({
        id: entity.id,
        ownerId: owner.id,
        number: owner.number,
        ...card,
        x,
        y,
        headingRad: shown.heading,
        velocityX: shown.velocity.x,
        velocityY: shown.velocity.y,
        steer: shown.steer,
        throttle: shown.throttle,
        handbrake: shown.handbrake,
        received: { x: entity.position.x, y: entity.position.y, headingRad: entity.heading },
        ageMs: entity.ageMs,
      });
    }
    return cars;
  }

  /** Returns the cars that can be hit: those whose position is current. */
  #solidCars(): RemoteCar[] {
    return this.remotes.filter((remote) => remote.ageMs < STALE_AFTER_MS);
  }

  cardOf(peer: Peer): DriverCard {
    return this.#painted(peer.number, this.#introductions.cardOf(peer));
  }

  #paint(): void {
    const { room } = this;
    const others = this.#drivers().map(
      (peer) => [peer.number, this.#introductions.cardOf(peer).color] as const,
    );
    const own = [room.myNumber, this.#wanted.color] as const;
    this.#liveries.update(this.isSpectator ? others : [own, ...others]);
  }

  #painted(number: number, card: DriverCard): DriverCard {
    const color = this.#liveries.colorOf(number, card.color);
    return color === card.color ? card : { ...card, color };
  }

  /** Returns the peers that may have a car: all but known spectators. */
  #drivers(): Peer[] {
    return this.room.peers.filter((peer) => this.#introductions.cardOf(peer).isSpectator !== true);
  }

  #newRaceRoom(): RaceRoom<Peer> {
    const room: Omit<RaceRoom<Peer>, "director"> = this.room;
    const introductions = this.#introductions;
    const racers = (): number[] => this.#drivers().map(({ number }) => number);
    const isSpectator = this.isSpectator;
    return {
      get myNumber() {
        return room.myNumber;
      },
      get director() {
        return firstNumber([room.myNumber, ...room.peers.map(({ number }) => number)]);
      },
      get peers() {
        return room.peers;
      },
      get isMeeting() {
        return room.peers.some((peer) => !introductions.knows(peer));
      },
      get racers() {
        return isSpectator ? racers() : [room.myNumber, ...racers()];
      },
      send: (type, message, to) => room.send(type, message, to),
    };
  }

  /** Returns all drivers, first to last. */
  standings(): RunnerView[] {
    const mine: RunnerView = {
      number: this.room.myNumber,
      progressM: this.racer.laps.progressM,
      entry: this.session.entryOf(this.room.myNumber),
      card: this.card,
      isMine: true,
    };
    const others = this.#drivers().map((peer) => ({
      number: peer.number,
      progressM: this.#progressOf(peer.id).distanceM,
      entry: this.session.entryOf(peer.number),
      card: this.cardOf(peer),
      isMine: false,
    }));
    return runningOrder(this.isSpectator ? others : [mine, ...others]);
  }

  chat(text: string): void {
    this.room.send("chat", { text });
  }

  dispose(): void {
    for (const stop of this.#unsubscribe) stop();
  }

  #listen(): (() => void)[] {
    const { room } = this;
    return [
      room.onMessage("race", (message, from) => {
        const announcement = readAnnouncement(message);
        if (announcement === undefined) return;
        this.session.hear(announcement, from, this.#now());
        for (const peer of room.peers) this.#reportLaps(peer);
      }),
      room.onMessage("lap", (message, from) => {
        const lap = readLap(message);
        if (lap === undefined) return;
        this.session.recordLap(from.number, lap, this.#now());
        // The timers of a hidden page may sleep for a minute, and the page may be the director's.
        this.session.update(this.#now());
        this.#reportLaps(from);
        this.#events.onPeerLap?.(from.id, lap);
      }),
      room.onMessage("entry", (message, from) => {
        const entry = readEntryMessage(message);
        if (entry === undefined) return;
        this.session.hearEntry(entry, from);
        this.#reportLaps(from);
      }),
      room.onMessage("take", (_message, from) => this.#giveCar(from)),
      room.onMessage("give", (message, from) => {
        const given = readGivenCar(message);
        if (given && from === this.#asked) this.#takeOver(given, from);
      }),
      room.onMessage("driver", (message, from) => this.#introductions.hearCard(message, from, this.#now())),
      room.onMessage("ask", (_message, from) => this.#introductions.hearAsk(from, this.#now())),
      room.onMessage("chat", (message, from) => {
        const text = readChat(message);
        const card = this.cardOf(from);
        if (text !== undefined) this.#events.onChat?.(card.name, card.color, text);
      }),
      room.onPeerJoin((peer) => {
        this.#noticeNewSession();
        this.#introduceTo(peer);
      }),
      room.onPeerLeave((peer) => {
        this.#introductions.forget(peer);
        this.#progress.delete(peer.id);
        this.session.forget(peer.number);
      }),
      room.onReconnect(() => this.#noticeNewSession()),
    ];
  }

  /**
   * Sends a newcomer the race, if it has to learn it from this participant, and the data of this participant. The
   * driver's card is last: a director who has it knows that no race of this participant follows.
   */
  #introduceTo(peer: Peer): void {
    const { room, session } = this;
    session.introduce(this.#now(), peer);
    const entry = session.entryOf(room.myNumber);
    if (entry !== undefined) room.send("entry", { race: session.race, entry }, peer);
    room.send("driver", this.#wanted, peer);
  }

  /** Adopts the new room after a server's restart, in which all participants have new numbers. */
  #noticeNewSession(): void {
    if (this.room.sessionId === this.#sessionId) return;
    this.session.renumber(this.#myNumber);
    this.#sessionId = this.room.sessionId;
    this.#myNumber = this.room.myNumber;
  }

  #progressOf(peerId: string): Progress {
    let progress = this.#progress.get(peerId);
    if (progress === undefined)
      this.#progress.set(peerId, (progress = new Progress(this.racer.circuit.track)));
    return progress;
  }

  #reportLaps(peer: Peer): void {
    const laps = this.session.entryOf(peer.number)?.laps ?? 0;
    if (laps > 0) this.#progressOf(peer.id).reportLaps(laps);
  }

  #ownLap(lap: number, timeMs: number): void {
    this.#totalMs += timeMs;
    this.lastLapMs = timeMs;
    const isBest = this.bestLapMs === 0 || timeMs < this.bestLapMs;
    if (isBest) this.bestLapMs = timeMs;
    // Laps after the finish do not count.
    if (this.session.phase !== "racing" || this.finished) return;
    const message: LapMessage = { race: this.session.race, lap, timeMs, totalMs: this.#totalMs };
    this.session.recordLap(this.room.myNumber, message, this.#now());
    this.room.send("lap", message);
    this.#events.onOwnLap?.(message, isBest);
  }

  /**
   * Asks the computer driver in the middle of the field for its car, so that a newcomer is not last and
   * alone.
   */
  #askForCar(nowMs: number): void {
    const sinceMs = this.#wantsCarSinceMs;
    if (sinceMs === undefined) return;
    if (this.session.phase !== "racing" || nowMs - sinceMs > TAKE_WITHIN_MS)
      this.#wantsCarSinceMs = undefined;
    if (this.#asked || nowMs - sinceMs < TAKE_AFTER_MS) return;
    const numbers = this.standings().flatMap(({ card, number, entry }) =>
      card.isComputer && entry?.finished !== true ? [number] : [],
    );
    const middle = numbers[Math.floor((numbers.length - 1) / 2)];
    this.#asked = this.room.peers.find(({ number }) => number === middle);
    if (this.#asked) this.room.send("take", {}, this.#asked);
    else if (nowMs - sinceMs >= JOIN_FIELD_AFTER_MS) this.#joinField(nowMs);
  }

  /** Puts a newcomer at the end of the field, if there is no computer driver to take a car from. */
  #joinField(nowMs: number): void {
    this.#wantsCarSinceMs = undefined;
    const others = this.standings().filter(({ isMine, entry }) => !isMine && entry?.finished !== true);
    const last = others.at(-1);
    if (!last || this.session.phase !== "racing") return;
    const start = endOfField(this.racer.circuit.track, last.progressM, this.session.elapsedMs(nowMs));
    if (!start) return;
    const { pose, velocityX, velocityY, place, totalMs } = start;
    this.#goOn({ ...carAt(pose), velocityX, velocityY }, place, totalMs);
    this.#events.onJoinField?.(last.card.name);
  }

  /** Gives this computer driver's car, once, to a newcomer that has driven no lap of this race. */
  #giveCar(to: Peer): void {
    const { session, racer, room } = this;
    const isRacing = session.phase === "racing" && !this.finished && !racer.isHeld;
    if (!this.#wanted.isComputer || this.#hasGiven || !isRacing || session.entryOf(to.number)) return;
    this.#hasGiven = true;
    const { x, y, headingRad, velocityX, velocityY } = racer.car;
    const { place } = racer.laps;
    const pose = { x, y, headingRad, velocityX, velocityY };
    room.send("give", { race: session.race, ...pose, place, totalMs: this.#totalMs }, to);
    this.#events.onGiven?.();
  }

  #takeOver({ race, place, totalMs, ...pose }: GivenCar, from: Peer): void {
    const isWanted = this.#wantsCarSinceMs !== undefined && race === this.session.race;
    this.#wantsCarSinceMs = undefined;
    if (!isWanted || this.session.phase !== "racing") return;
    this.#goOn({ ...carAt(pose), velocityX: pose.velocityX, velocityY: pose.velocityY }, place, totalMs);
    this.#events.onTakeOver?.(this.cardOf(from).name);
  }

  #goOn(car: CarState, place: LapPlace, totalMs: number): void {
    this.racer.takeOver(car, place);
    this.#totalMs = totalMs;
    if (place.lapsDone === 0) return;
    const entry = { number: this.#myNumber, laps: place.lapsDone, totalMs, bestMs: 0, finished: false };
    this.session.takeOver(entry);
    this.room.send("entry", { race: this.session.race, entry });
  }

  #toGrid(): void {
    this.#progress.clear();
    this.racer.placeOnGrid(circuitOf(this.session.race), this.session.slotOf(this.room.myNumber));
    this.racer.isHeld = !this.isSpectator;
    this.#events.onGrid?.();
  }

  #green(): void {
    this.racer.isHeld = false;
    // The time since the light counts for a late driver, too. Other cars pass through it, because they are moving.
    this.#totalMs = this.session.elapsedMs(this.#now());
    // A spectator's racer is the watched car, which is as solid as it was.
    if (this.#totalMs > LATE_AFTER_MS && !this.isSpectator) {
      this.racer.becomeGhost();
      if (!this.#wanted.isComputer) this.#wantsCarSinceMs = this.#now();
    }
    this.#events.onGreen?.();
  }
}
