import { Client, type ClientOptions, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { idleInput } from "../car/car-state.js";
import { STEP_MS } from "../car/step-car.js";
import { joinUntilItWorks, ROOM_NAME } from "../net/join-race.js";
import { Participant } from "../net/participant.js";
import { STALE_AFTER_MS } from "../net/race-participant.js";
import "../track/salt-flats.js";
import { ComputerDriver } from "./computer-driver.js";
import { identityOf, type DriverIdentity } from "./driver-options.js";
import { skillOf } from "./racecraft.js";

/** Share of the pace that the driver uses after the flag. */
const COOL_DOWN_PACE = 0.6;
/** Longest time that one call simulates, ms: a process that was asleep skips the rest. */
const MAX_CATCH_UP_MS = 200;
/** Delay before leaving, ms, in which the message that hands the car over arrives. */
const HAND_OVER_MS = 500;

/** One computer driver with its own connection: joins, races, and joins again if it has left the room. */
export class DriverClient {
  readonly #server: string;
  readonly #webRtc: ClientOptions["webRtc"];
  readonly #identity: DriverIdentity;
  readonly #driver: ComputerDriver;
  readonly #stopping = new AbortController();
  readonly #report: (line: string) => void;
  #participant: Participant | undefined;
  #accumulatedMs = 0;

  /** @param webRtc makes direct links; undefined: the relay carries everything */
  constructor(
    server: string,
    webRtc: ClientOptions["webRtc"],
    index: number,
    report: (line: string) => void,
  ) {
    this.#server = server;
    this.#webRtc = webRtc;
    this.#identity = identityOf(index);
    this.#driver = new ComputerDriver(skillOf(index));
    this.#report = (line) => report(`${this.#identity.name}: ${line}`);
  }

  async start(): Promise<void> {
    const room = await joinUntilItWorks(
      () => this.#join(),
      (error, retryInMs) => this.#report(`cannot join (${messageOf(error)}), next try in ${retryInMs} ms`),
      this.#stopping.signal,
    );
    if (room !== undefined) this.#enter(room);
  }

  /**
   * The timer that all drivers of the process share calls this with one reading of the clock. A reading of
   * its own would be late by the steps of the drivers before it, and step times could go back.
   */
  advance(nowMs: number, elapsedMs: number): void {
    const participant = this.#participant;
    if (participant === undefined) return;
    const kept = Math.min(elapsedMs, MAX_CATCH_UP_MS);
    this.#accumulatedMs += kept;
    if (this.#accumulatedMs < STEP_MS) return;
    participant.update();
    while (this.#accumulatedMs >= STEP_MS) {
      this.#accumulatedMs -= STEP_MS;
      this.#step(participant, nowMs - this.#accumulatedMs);
    }
  }

  stop(): void {
    this.#stopping.abort();
    const participant = this.#participant;
    this.#participant = undefined;
    participant?.dispose();
    void participant?.room.leave();
  }

  #join(): Promise<Room> {
    const client = new Client(this.#server, {
      profile: "racing",
      webSocket: NodeWebSocket,
      ...(this.#webRtc === undefined ? {} : { webRtc: this.#webRtc }),
    });
    return client.joinOrCreate(ROOM_NAME);
  }

  #enter(room: Room): void {
    this.#accumulatedMs = 0;
    this.#participant = new Participant(
      room,
      { ...this.#identity, isComputer: true },
      () => performance.now(),
      { onGrid: () => this.#driver.rest(), onGiven: () => this.#comeAgain() },
    );
    this.#report(`joined as number ${room.myNumber}`);
    room.onDrop((reason) => this.#report(`connection lost (${reason}), reconnecting`));
    room.onReconnect(({ resumed }) =>
      this.#report(resumed ? "connected again" : "connected again to a new room"),
    );
    room.onLeave((code, reason) => this.#onLeave(code, reason));
  }

  /** A player takes the car over: the driver leaves once it has handed the car over, and joins again. */
  #comeAgain(): void {
    this.#report("gave its car to a player, joining again");
    const participant = this.#participant;
    this.#participant = undefined;
    setTimeout(() => {
      participant?.dispose();
      void participant?.room.leave();
    }, HAND_OVER_MS);
  }

  #onLeave(code: number, reason: string): void {
    this.#participant?.dispose();
    this.#participant = undefined;
    if (this.#stopping.signal.aborted) return;
    this.#report(`left (${code} ${reason}), joining again`);
    void this.start();
  }

  #step(participant: Participant, atMs: number): void {
    const { racer, session, remotes } = participant;
    const isDriving = session.phase === "racing" || session.phase === "results";
    if (!isDriving) {
      participant.step(idleInput, atMs);
      return;
    }
    const others = remotes.filter((remote) => remote.ageMs < STALE_AFTER_MS);
    const isOver = participant.finished || session.phase === "results";
    const decision = this.#driver.decide(racer.car, others, isOver ? COOL_DOWN_PACE : 1);
    if (decision.reset) racer.resetToTrack();
    participant.step(decision, atMs);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
