import type { Player, ServerEntity } from "@paceline/server";
import { idleInput, type DriveInput } from "../car/car-state.js";
import { ComputerDriver } from "../drivers/computer-driver.js";
import { writeRaceCar, type Drive, type RaceCar } from "../net/grand-prix.js";
import type { LapEvent } from "../race/lap-counter.js";
import type { DriverCard, Phase } from "../race/race-messages.js";
import type { Racer } from "../race/racer.js";

export type Racing = Player<typeof Drive>;

/** Share of the pace that computer drivers use after the flag. */
const COOL_DOWN_PACE = 0.6;

export interface SeatOptions {
  readonly racer: Racer;
  readonly entity: ServerEntity<typeof RaceCar>;
  readonly card: DriverCard;
  /** A player, or one of the room's computer drivers. */
  readonly driver: Racing | ComputerDriver;
}

/** A car of the race and its driver. */
export class Seat {
  readonly racer: Racer;
  readonly entity: ServerEntity<typeof RaceCar>;
  /** The driver's card; changes if another driver takes the car over. */
  card: DriverCard;
  driver: Racing | ComputerDriver;
  /** Sum of its lap times, ms, and of the time that a late start lost. */
  totalMs = 0;
  resetAtMs = Number.NEGATIVE_INFINITY;
  #input: Readonly<DriveInput> = idleInput;

  constructor({ racer, entity, card, driver }: SeatOptions) {
    this.racer = racer;
    this.entity = entity;
    this.card = card;
    this.driver = driver;
  }

  /** Number of the car, and of its driver in all messages. */
  get number(): number {
    return this.entity.id;
  }

  /** True while the driver's link is lost: the car rolls out, and nobody can hit it. */
  get isAway(): boolean {
    return !(this.driver instanceof ComputerDriver) && !this.driver.isConnected;
  }

  get isSolid(): boolean {
    return !this.racer.isGhost && !this.isAway;
  }

  rest(): void {
    if (this.driver instanceof ComputerDriver) this.driver.rest();
  }

  /** Advances the car by one step, without contacts: those are the task of the room. */
  step(phase: Phase | "waiting", others: readonly Seat[], isFinished: boolean): LapEvent | undefined {
    this.#input = this.#wish(phase, others, isFinished);
    return this.racer.step(this.#input, []);
  }

  /** Copies the state of the car to the entity that players receive. */
  publish(): void {
    const { entity, racer } = this;
    writeRaceCar(entity, racer.car, this.#input);
    entity.lead = this.driver instanceof ComputerDriver ? 0 : this.driver.input.lead;
    entity.isHeld = racer.isHeld;
    entity.isGhost = !this.isSolid;
    entity.hasMissedGate = racer.laps.hasMissedGate;
  }

  #wish(phase: Phase | "waiting", others: readonly Seat[], isFinished: boolean): Readonly<DriveInput> {
    const { driver, racer } = this;
    if (!(driver instanceof ComputerDriver)) {
      const { steer, throttle, handbrake } = driver.input;
      return driver.isConnected ? { steer, throttle, handbrake } : idleInput;
    }
    if (phase !== "racing" && phase !== "results") return idleInput;
    const isOver = isFinished || phase === "results";
    const cars = others.filter((seat) => seat !== this && seat.isSolid).map((seat) => seat.racer.car);
    const decision = driver.decide(racer.car, cars, isOver ? COOL_DOWN_PACE : 1);
    if (decision.reset) racer.resetToTrack();
    return decision;
  }
}
