import { PlayerBot } from "paceline/bots";
import type { Room, WritableFields } from "@paceline/client";
import { carAt, idleInput, type CarState } from "../car/car-state.js";
import { STEP_MS } from "../car/step-car.js";
import { ComputerDriver, type DriverDecision } from "../drivers/computer-driver.js";
import { identityOf } from "../drivers/driver-options.js";
import { skillOf } from "../drivers/racecraft.js";
import { Drive, GRAND_PRIX, RaceCar, readRaceCar } from "../net/grand-prix.js";
import { ROOM_NAME } from "../net/join-race.js";
import { Participant } from "../net/participant.js";
import "../track/salt-flats.js";
import type { BotOptions } from "./bot-options.js";

const TICKS_PER_DECISION = 3;
const COLOR = "#2f80ed";

/** One player of the swarm: drives, or only watches. */
export class Bot extends PlayerBot {
  readonly #options: BotOptions;
  readonly #name: string;
  readonly #driver: ComputerDriver;
  readonly #car: CarState = carAt({ x: 0, y: 0, headingRad: 0 });
  #participant: Participant | undefined;
  #input: WritableFields<typeof Drive.definition.fields> | undefined;
  #ticks = 0;

  constructor(options: BotOptions, index: number) {
    const { mode, room, isDriving } = options;
    const name = `bot-${index}`;
    const kind = mode === "server" ? GRAND_PRIX : ROOM_NAME;
    const seat = mode === "server" ? { name, color: COLOR, isSpectator: !isDriving } : {};
    super({ room: room === ROOM_NAME ? kind : room, profile: "racing", options: seat }, index);
    this.#options = options;
    this.#name = name;
    this.#driver = new ComputerDriver(skillOf(index));
  }

  override leave(): void {
    this.#participant?.dispose();
    this.#participant = undefined;
    super.leave();
  }

  protected override enter(room: Room): void {
    room.onMessage("chat", (message) => {
      // The server's room does not name the sender, so each message begins with the bot's name.
      const { text } = message as { readonly text?: unknown };
      const [name = "", number = ""] = String(text).split(" ");
      this.hear(name, Number(number));
    });
    if (this.#options.mode === "server") {
      if (this.#options.isDriving) this.#input = room.input(Drive);
      return;
    }
    const card = { ...identityOf(this.index), isComputer: true };
    this.#participant = new Participant(room, card, () => performance.now(), {
      onGrid: () => this.#driver.rest(),
    });
  }

  protected override play(room: Room, nowMs: number): void {
    const participant = this.#participant;
    if (!participant) return this.#drive(room);
    participant.update();
    // In a mesh, the bot simulates its car: two steps for each step of the swarm.
    for (const atMs of [nowMs - STEP_MS, nowMs]) participant.step(this.#wishIn(participant), atMs);
  }

  protected override speak(room: Room, number: number): void {
    room.send("chat", { text: `${this.#name} ${number}` }, room.authority);
  }

  #drive(room: Room): void {
    const input = this.#input;
    this.#ticks += 1;
    // Keeps the swarm's CPU use low: a bot decides in every third step and ignores the other cars.
    if (!input || (this.#ticks + this.index) % TICKS_PER_DECISION !== 0) return;
    for (const { isMine, shown } of room.entities(RaceCar)) {
      if (!isMine) continue;
      readRaceCar(shown, this.#car);
      if (shown.isHeld) this.#driver.rest();
    }
    const { steer, throttle, handbrake, reset } = this.#driver.decide(this.#car, []);
    Object.assign(input, { steer, throttle, handbrake });
    if (reset) room.send("reset", {}, room.authority);
  }

  #wishIn({ racer, remotes, session }: Participant): DriverDecision | typeof idleInput {
    if (!this.#options.isDriving || session.phase !== "racing") return idleInput;
    const decision = this.#driver.decide(racer.car, remotes);
    if (decision.reset) racer.resetToTrack();
    return decision;
  }
}
