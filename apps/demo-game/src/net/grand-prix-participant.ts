import type { Entity, Peer, Prediction, Room, WritableFields } from "@paceline/client";
import type { DriveInput } from "../car/car-state.js";
import { Progress } from "../race/progress.js";
import {
  readAnnouncement,
  readChat,
  readColor,
  readDriverCard,
  readLap,
  type DriverCard,
} from "../race/race-messages.js";
import { RaceSession } from "../race/race-session.js";
import { Racer } from "../race/racer.js";
import { runningOrder, WatchedCar } from "../race/standings.js";
import { circuitOf } from "../track/circuits.js";
import { Drive, MAX_LEAD_S, RaceCar, carAhead, readRaceCar, stepRaceCar } from "./grand-prix.js";
import type { ParticipantEvents, RaceParticipant, RunnerView, RemoteCar } from "./race-participant.js";

const UNKNOWN: DriverCard = { name: "Driver", color: "#9aa3ad", isComputer: false };
const ROOM_OWNER = "server";
/** The number of no participant. */
const NOBODY = -1;

type ServerCar = Entity<typeof RaceCar>;

/**
 * A participant in a race that a server decides. Sends the player's input, predicts the own car, and shows the
 * other cars at the present. A car's number is that of its entity.
 */
export class GrandPrixParticipant implements RaceParticipant {
  readonly room: Room;
  readonly racer: Racer;
  readonly session: RaceSession<Peer>;
  readonly #wanted: DriverCard;
  readonly #events: ParticipantEvents;
  readonly #now: () => number;
  readonly #cards = new Map<number, DriverCard>();
  readonly #progress = new Map<number, Progress>();
  readonly #unsubscribe: (() => void)[];
  readonly #input: WritableFields<typeof Drive.definition.fields> | undefined;
  readonly #prediction: Prediction | undefined;
  #mine: ServerCar | undefined;
  /** The own car; a spectator's is the one that the camera follows. */
  #followed: ServerCar | undefined;
  readonly #watched = new WatchedCar();
  #hadMissedGate = false;
  #leadS = 0;
  remotes: readonly RemoteCar[] = [];
  lastLapMs = 0;

  constructor(room: Room, card: DriverCard, now: () => number, events: ParticipantEvents = {}) {
    this.room = room;
    this.#wanted = card;
    this.#now = now;
    this.#events = events;
    this.session = new RaceSession<Peer>(this.#racingRoom(), now(), {
      onGrid: () => this.#onGrid(),
      onGreen: () => events.onGreen?.(),
      onResults: () => events.onResults?.(),
    });
    this.racer = new Racer(circuitOf(this.session.race), 0);
    this.#unsubscribe = this.#listen();
    if (this.room.authority && !this.room.isSpectator) {
      this.#input = this.room.input(Drive);
      this.#prediction = this.room.predict(RaceCar, Drive, stepRaceCar);
    }
  }

  /** Quality of the own car's prediction. */
  get prediction(): Prediction["stats"] | undefined {
    return this.#prediction?.stats;
  }

  get card(): DriverCard {
    return (this.#followed && this.#cards.get(this.#followed.id)) ?? this.#wanted;
  }

  get isSpectator(): boolean {
    return this.room.isSpectator;
  }

  get watchedDelayMs(): number | undefined {
    const rttMs = this.room.authority?.rttMs;
    return rttMs === undefined ? undefined : rttMs / 2;
  }

  watch(step: 1 | -1): void {
    this.#watched.choose(step, this.standings());
  }

  get watched(): string | undefined {
    return this.room.isSpectator && this.#followed ? this.card.name : undefined;
  }

  get carNumber(): number {
    return this.#followed?.id ?? 0;
  }

  get myNumber(): number {
    return this.#mine?.id ?? 0;
  }

  get bestLapMs(): number {
    return this.session.entryOf(this.myNumber)?.bestMs ?? 0;
  }

  get lapsDone(): number {
    return this.session.entryOf(this.myNumber)?.laps ?? 0;
  }

  get lapTimeMs(): number {
    if (this.session.phase !== "racing") return 0;
    const drivenMs = this.session.entryOf(this.myNumber)?.totalMs ?? 0;
    return Math.max(0, this.session.elapsedMs(this.#now()) - drivenMs);
  }

  get progressM(): number {
    return this.#progressOf(this.myNumber).distanceM;
  }

  get hasMissedGate(): boolean {
    return this.#mine?.hasMissedGate ?? false;
  }

  get finished(): boolean {
    return this.session.entryOf(this.myNumber)?.finished === true;
  }

  step({ steer, throttle, handbrake }: DriveInput): void {
    const input = this.#input;
    if (!input) return;
    input.steer = Math.max(-1, Math.min(1, steer));
    input.throttle = Math.max(-1, Math.min(1, throttle));
    input.handbrake = handbrake;
    input.lead = this.#leadS;
  }

  update(): void {
    this.session.update(this.#now());
    const cars = [...this.room.entities(RaceCar)];
    this.#mine = cars.find((car) => car.isMine);
    this.#followed = this.#mine ?? cars.find(({ id }) => id === this.#watched.numberIn(this.standings()));
    if (this.#followed) this.#follow(this.#followed);
    this.#leadS = Math.max(0, Math.min(MAX_LEAD_S, (this.#prediction?.stats.leadMs ?? 0) / 1000));
    this.remotes = cars.flatMap((car) => (car.isMine ? [] : [this.#remote(car)]));
    const isOnGrid = this.session.phase === "countdown";
    for (const { id, shown } of cars) {
      const progress = this.#progressOf(id);
      if (isOnGrid) progress.restart();
      progress.show(shown.position.x, shown.position.y);
    }
    if (this.hasMissedGate && !this.#hadMissedGate) this.#events.onMissedGate?.();
    this.#hadMissedGate = this.hasMissedGate;
  }

  reset(): void {
    if (this.room.isSpectator) return;
    this.room.send("reset", {}, this.room.authority);
  }

  park(): void {
    this.step({ steer: 0, throttle: 0, handbrake: false });
  }

  cardOf(peer: Peer): DriverCard {
    for (const car of this.room.entities(RaceCar)) {
      if (car.owner === peer) return this.#cards.get(car.id) ?? UNKNOWN;
    }
    return { ...UNKNOWN, name: peer === this.room.authority ? "Server" : "Spectator" };
  }

  standings(): RunnerView[] {
    const runners = Array.from(this.room.entities(RaceCar), ({ id, isMine }) => ({
      number: id,
      progressM: this.#progressOf(id).distanceM,
      entry: this.session.entryOf(id),
      card: this.#cards.get(id) ?? UNKNOWN,
      isMine,
    }));
    return runningOrder(runners);
  }

  chat(text: string): void {
    if (this.room.isSpectator) return;
    this.room.send("chat", { text }, this.room.authority);
  }

  dispose(): void {
    for (const stop of this.#unsubscribe) stop();
  }

  /** The race as a session sees it: the server is the director. */
  #racingRoom() {
    const { room } = this;
    return {
      get myNumber() {
        return room.myNumber;
      },
      get director() {
        return room.authority?.number ?? NOBODY;
      },
      get peers(): readonly Peer[] {
        return room.authority ? [room.authority] : [];
      },
      send: () => undefined,
    };
  }

  #listen(): (() => void)[] {
    const { room } = this;
    return [
      room.onMessage("race", (message, from) => {
        const announcement = readAnnouncement(message);
        if (announcement && from === room.authority) this.session.hear(announcement, from, this.#now());
        for (const { number, laps } of this.session.entries) {
          if (laps > 0) this.#progressOf(number).reportLaps(laps);
        }
      }),
      room.onMessage("lap", (message) => this.#hearLap(message)),
      room.onMessage("drivers", (message) => this.#hearDrivers(message)),
      room.onMessage("chat", (message) => {
        const text = readChat(message);
        const { name, color } = message as { readonly name?: unknown; readonly color?: unknown };
        if (text !== undefined && typeof name === "string") {
          this.#events.onChat?.(name, readColor(color) ?? UNKNOWN.color, text);
        }
      }),
    ];
  }

  #hearLap(message: unknown): void {
    const lap = readLap(message);
    const number = (message as { readonly number?: unknown } | null)?.number;
    if (!lap || typeof number !== "number") return;
    this.session.recordLap(number, lap, this.#now());
    this.#progressOf(number).reportLaps(lap.lap);
    if (number === this.myNumber) {
      this.lastLapMs = lap.timeMs;
      this.#events.onOwnLap?.(lap, this.bestLapMs === lap.timeMs);
      return;
    }
    const owner = this.remotes.find((remote) => remote.id === number)?.ownerId;
    this.#events.onPeerLap?.(owner ?? ROOM_OWNER, lap);
  }

  #hearDrivers(message: unknown): void {
    if (!Array.isArray(message)) return;
    this.#cards.clear();
    for (const entry of message as readonly unknown[]) {
      const card = readDriverCard(entry);
      const { number } = entry as { readonly number?: unknown };
      if (card && typeof number === "number") this.#cards.set(number, card);
    }
  }

  #onGrid(): void {
    this.#hadMissedGate = false;
    this.#progress.clear();
    this.racer.placeOnGrid(circuitOf(this.session.race), 0);
    this.#events.onGrid?.();
  }

  #follow({ shown }: ServerCar): void {
    const { car, previous, laps } = this.racer;
    readRaceCar(shown, car);
    // The shown pose is final, so there is nothing to interpolate between steps.
    Object.assign(previous, { x: car.x, y: car.y, headingRad: car.headingRad });
    this.racer.isHeld = shown.isHeld;
    laps.moveTo(car.x, car.y);
  }

  /**
   * Returns a car where its driver's page shows it, so that all pages agree: the game's physics drive it on for
   * its driver's lead. The server's own cars get this page's lead. A spectator sees all cars as the server does.
   */
  #remote(car: ServerCar): RemoteCar {
    const { id, shown, owner, position, heading } = car;
    const leadS = this.#mine ? (owner ? car.lead : this.#leadS) : 0;
    const now = carAhead(shown, leadS);
    return {
      id,
      ownerId: owner?.id ?? ROOM_OWNER,
      number: id,
      ...(this.#cards.get(id) ?? UNKNOWN),
      x: now.x,
      y: now.y,
      headingRad: now.headingRad,
      velocityX: now.velocityX,
      velocityY: now.velocityY,
      steer: now.steer,
      throttle: now.throttle,
      handbrake: now.handbrake,
      received: { x: position.x, y: position.y, headingRad: heading },
      // The server sends no states of a car that stands, which is up to date all the same.
      ageMs: 0,
    };
  }

  #progressOf(number: number): Progress {
    let progress = this.#progress.get(number);
    if (!progress) this.#progress.set(number, (progress = new Progress(this.racer.circuit.track)));
    return progress;
  }
}
