import { Refusal, Room } from "@paceline/server";
import { carAt } from "../car/car-state.js";
import { pushApart } from "../car/contact.js";
import { STEP_HZ } from "../car/step-car.js";
import { ComputerDriver } from "../drivers/computer-driver.js";
import { identityOf } from "../drivers/driver-options.js";
import { skillOf } from "../drivers/racecraft.js";
import { Drive, RACE_TICK_HZ, RaceCar, type DriverEntry, type GrandPrixTypes } from "../net/grand-prix.js";
import { readChat, readDriverCard, type DriverCard, type RaceAnnouncement } from "../race/race-messages.js";
import { endOfField } from "../race/end-of-field.js";
import { liveriesOf } from "../race/liveries.js";
import { RaceSession } from "../race/race-session.js";
import { Racer } from "../race/racer.js";
import type { LapEvent } from "../race/lap-counter.js";
import type { Circuit } from "../track/circuit.js";
import { circuitOf } from "../track/circuits.js";
import "../track/salt-flats.js";
import { Seat, type Racing } from "./seat.js";

const STEPS_PER_TICK = STEP_HZ / RACE_TICK_HZ;
/** A driver who starts this long after the green light is late. */
const LATE_AFTER_MS = 1000;
/** Rate limit for resets, per player. */
const RESET_PERIOD_MS = 1000;

/**
 * A race that the server decides: it simulates all cars from the players' inputs, with the game's own
 * physics, and counts laps and results. Messages name cars by number; a driver keeps the car after a reload.
 */
export class RaceRoom extends Room<GrandPrixTypes> {
  /** The option `room` names the race in which friends meet. */
  static override readonly filterBy = ["room"];
  override maxPlayers = 8;
  override maxSpectators = 64;
  override readonly tickHz = RACE_TICK_HZ;
  override readonly entities = [RaceCar];
  override readonly inputs = Drive;
  override readonly reconnectSeconds = 30;
  /** Number of cars that the room drives itself, so that nobody races alone. */
  readonly computers: number = 0;
  readonly #seats = new Map<number, Seat>();
  readonly #seatOf = new Map<object, Seat>();
  #nowMs = 0;
  readonly #session = this.#newSession();

  /** Number of resets that the room has granted to players. */
  resets = 0;

  /** All cars with their drivers. */
  seats(): readonly Seat[] {
    return [...this.#seats.values()];
  }

  override onCreate(): void {
    this.onMessage("chat", (player, message) => this.#chat(player, message));
    this.onMessage("reset", (player) => this.#reset(player));
    this.#seatComputers();
  }

  override onJoin(player: Racing, options: GrandPrixTypes["options"]): void {
    if (!player.isSpectator && options.isSpectator !== true) {
      const card = readDriverCard(options);
      if (!card) throw new Refusal("a driver has a name and a color such as #2f80ed");
      this.#seatOf.set(player, this.#takeOver(card, player) ?? this.#sitLast(card, player));
    }
    this.#greet(player);
  }

  override onTick(_seconds: number, tick: number): void {
    this.#nowMs = (tick * 1000) / this.tickHz;
    this.#session.update(this.#nowMs);
    for (let step = 0; step < STEPS_PER_TICK; step++) this.#step();
    for (const seat of this.#seats.values()) seat.publish();
  }

  override onReconnect(player: Racing): void {
    this.#seatOf.get(player)?.racer.becomeGhost();
    this.#greet(player);
  }

  override onLeave(player: Racing): void {
    const seat = this.#seatOf.get(player);
    if (!seat) return;
    this.#seatOf.delete(player);
    this.#seats.delete(seat.number);
    this.#session.forget(seat.number);
    this.#tellDrivers();
  }

  get #circuit(): Circuit {
    return circuitOf(this.#session.race);
  }

  #newSession(): RaceSession<Racing> {
    const seats = this.#seats;
    const send = (message: RaceAnnouncement, to: Racing | undefined): void => {
      if (to) this.send(to, "race", message);
      else this.broadcast("race", message);
    };
    const room = {
      // The number of no car: the room itself directs the race.
      myNumber: 0,
      director: 0,
      peers: [],
      get racers(): readonly number[] {
        return [...seats.keys()];
      },
      send: (_type: string, message: unknown, to?: Racing) => send(message as RaceAnnouncement, to),
    };
    return new RaceSession<Racing>(room, 0, {
      onGrid: () => {
        this.#seatComputers();
        for (const seat of seats.values()) this.#toGrid(seat);
      },
      onGreen: () => {
        for (const seat of seats.values()) this.#release(seat);
      },
    });
  }

  /** Adds the computer drivers that are missing, also one whose car a player has taken over. */
  #seatComputers(): void {
    const names = new Set([...this.#seats.values()].map(({ card }) => card.name));
    for (let index = 0; index < this.computers; index++) {
      const card = { ...identityOf(index), isComputer: true };
      if (!names.has(card.name)) this.#sit(card, new ComputerDriver(skillOf(index)), undefined);
    }
  }

  /**
   * Gives a late newcomer a computer driver's car from the middle of the field; undefined if there is none.
   */
  #takeOver(card: DriverCard, player: Racing): Seat | undefined {
    const session = this.#session;
    if (session.phase !== "racing" || session.elapsedMs(this.#nowMs) < LATE_AFTER_MS) return undefined;
    const computers = [...this.#seats.values()]
      .filter((seat) => seat.driver instanceof ComputerDriver && !session.entryOf(seat.number)?.finished)
      .sort((a, b) => b.racer.laps.progressM - a.racer.laps.progressM);
    const seat = computers[Math.floor((computers.length - 1) / 2)];
    if (!seat) return undefined;
    this.give(seat.entity, player);
    seat.card = card;
    seat.driver = player;
    seat.racer.becomeGhost();
    this.#tellDrivers();
    return seat;
  }

  /** Gives a newcomer a new car; during a race it starts behind the last car of the field. */
  #sitLast(card: DriverCard, player: Racing): Seat {
    const session = this.#session;
    const racing = this.seats().filter(({ number }) => session.entryOf(number)?.finished !== true);
    const lastM = Math.min(...racing.map(({ racer }) => racer.laps.progressM));
    const seat = this.#sit(card, player, player);
    const elapsedMs = session.elapsedMs(this.#nowMs);
    const start =
      session.phase === "racing" && racing.length > 0
        ? endOfField(this.#circuit.track, lastM, elapsedMs)
        : undefined;
    if (!start) return seat;
    const { pose, velocityX, velocityY, place, totalMs } = start;
    seat.racer.takeOver({ ...carAt(pose), velocityX, velocityY }, place);
    seat.totalMs = totalMs;
    const laps = place.lapsDone;
    if (laps > 0) session.takeOver({ number: seat.number, laps, totalMs, bestMs: 0, finished: false });
    seat.publish();
    seat.entity.teleport();
    return seat;
  }

  #sit(card: DriverCard, driver: Racing | ComputerDriver, owner: Racing | undefined): Seat {
    const entity = this.spawn(RaceCar, {}, owner);
    const racer = new Racer(this.#circuit, 0);
    const seat = new Seat({ racer, entity, card, driver });
    this.#seats.set(seat.number, seat);
    this.#toGrid(seat);
    const { phase } = this.#session;
    if (phase === "racing" || phase === "results") this.#release(seat);
    seat.publish();
    this.#tellDrivers();
    return seat;
  }

  /** Sends the race so far to a player that joins or returns. */
  #greet(player: Racing): void {
    this.send(player, "drivers", this.#drivers());
    this.#session.announce(this.#nowMs, player);
  }

  #drivers(): readonly DriverEntry[] {
    const seats = [...this.#seats.values()];
    const colors = liveriesOf(seats.map(({ number, card }) => [number, card.color]));
    return seats.map(({ number, card }) => ({ number, ...card, color: colors.get(number) ?? card.color }));
  }

  #tellDrivers(): void {
    this.broadcast("drivers", this.#drivers());
  }

  #toGrid(seat: Seat): void {
    seat.racer.placeOnGrid(this.#circuit, this.#session.slotOf(seat.number));
    seat.racer.isHeld = true;
    seat.rest();
    seat.entity.teleport();
  }

  /**
   * Lets a car go. The time since the green light counts for a late driver, who starts among moving cars and
   * therefore as a ghost.
   */
  #release(seat: Seat): void {
    seat.racer.isHeld = false;
    const lateMs = this.#session.phase === "racing" ? this.#session.elapsedMs(this.#nowMs) : 0;
    seat.totalMs = lateMs > LATE_AFTER_MS ? lateMs : 0;
    if (lateMs > LATE_AFTER_MS) seat.racer.becomeGhost();
  }

  #step(): void {
    const seats = [...this.#seats.values()];
    const { phase } = this.#session;
    for (const seat of seats) {
      const isFinished = this.#session.entryOf(seat.number)?.finished === true;
      const event = seat.step(phase, seats, isFinished);
      if (event?.kind === "lap" && phase === "racing" && !isFinished) this.#lap(seat, event);
    }
    if (phase === "racing") collide(seats.filter((seat) => seat.isSolid));
  }

  #lap(seat: Seat, { lap, timeMs }: LapEvent & { kind: "lap" }): void {
    seat.totalMs += timeMs;
    const message = { race: this.#session.race, lap, timeMs, totalMs: seat.totalMs, number: seat.number };
    this.#session.recordLap(seat.number, message, this.#nowMs);
    this.broadcast("lap", message);
  }

  #chat(player: Racing, message: unknown): void {
    const text = readChat(message);
    const number = this.#seatOf.get(player)?.number;
    const driver = this.#drivers().find((entry) => entry.number === number);
    if (text === undefined || !driver) return;
    this.broadcast("chat", { name: driver.name, color: driver.color, text }, { except: player });
  }

  #reset(player: Racing): void {
    const seat = this.#seatOf.get(player);
    if (!seat || seat.racer.isHeld || this.#nowMs - seat.resetAtMs < RESET_PERIOD_MS) return;
    seat.resetAtMs = this.#nowMs;
    this.resets += 1;
    seat.racer.resetToTrack();
    seat.entity.teleport();
  }
}

/** Pushes both cars of each pair that touches; the second against the state of the first before the push. */
function collide(seats: readonly Seat[]): void {
  for (const [index, { racer }] of seats.entries()) {
    for (const { racer: other } of seats.slice(index + 1)) {
      const before = { ...racer.car };
      pushApart(racer.car, other.car);
      pushApart(other.car, before);
    }
  }
}
