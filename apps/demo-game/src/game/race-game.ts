import type { Peer, Room } from "@paceline/client";
import { wrapAngle } from "../car/angle.js";
import { forwardSpeedOf, speedOf } from "../car/car-state.js";
import { hasTouch } from "../input/touch.js";
import { STEP_MS } from "../car/step-car.js";
import { combineInputs, type InputSource } from "../input/drive-command.js";
import { GrandPrixParticipant } from "../net/grand-prix-participant.js";
import { Participant } from "../net/participant.js";
import type { ParticipantEvents, RaceParticipant } from "../net/race-participant.js";
import { colorNews } from "../race/color-names.js";
import type { DriverCard } from "../race/race-messages.js";
import { formatTime } from "../race/standings.js";
import { toScreen, type CameraRig } from "../render/camera.js";
import type { DrawnCar } from "../render/draw-car.js";
import type { Minimap } from "../render/minimap.js";
import type { Scene } from "../render/scene.js";
import type { RaceSound } from "../sound/race-sound.js";
import { circuitOf } from "../track/circuits.js";
import type { RaceScreen } from "../ui/race-screen.js";
import { drawnFromRacer, drawnFromRemote } from "./drawn-cars.js";
import { FixedLoop } from "./fixed-loop.js";
import { inSlices } from "./in-slices.js";
import { PathNews } from "./path-news.js";
import { RaceLog } from "./race-log.js";
import { Recorder } from "./recorder.js";

export interface RaceGameParts {
  readonly scene: Scene;
  readonly minimap: Minimap;
  readonly screen: RaceScreen;
  readonly sound: RaceSound;
  readonly rig: CameraRig;
  readonly inputs: readonly InputSource[];
}

/** Period at which text and map are refreshed, at any frame rate. */
const INSTRUMENTS_PERIOD_S = 0.1;
const WRONG_WAY_AFTER_S = 0.8;
/** Least distance to drive in a race before its results are shown, m: else they are of other people's race. */
const DRIVEN_M = 150;
const HALF_CAR_M = 2.3;
/** Age of a race at which its green light is not shown any more. */
const LATE_AFTER_MS = 1500;

/** Runs the game in one room, from joining to leaving: input, steps, picture, sound. */
export class RaceGame {
  readonly participant: RaceParticipant;
  readonly log = new RaceLog();
  readonly recorder = new Recorder();
  /** True if the game outlines the other cars at their received and at their shown positions. */
  isInspected = false;
  readonly #parts: RaceGameParts;
  readonly #loop: FixedLoop;
  readonly #paths: PathNews;
  #frameAtMs = 0;
  #untilInstrumentsS = 0;
  #wrongWayS = 0;
  #lamps = 0;
  /** Distance that the own car has driven in this race, m. */
  #drivenM = 0;
  #race = 0;
  #startPlace = 0;
  #place = 0;
  #remainderMs = 0;
  readonly #wantedColor: string;
  /** Colour of the own car about which the player has been told. */
  #toldColor: string;
  /** Last steering input of a spectator: -1, 0 or 1. */
  #side = 0;

  constructor(room: Room, card: DriverCard, parts: RaceGameParts) {
    this.#parts = parts;
    this.#wantedColor = card.color;
    this.#toldColor = card.color;
    const { screen } = parts;
    const events: ParticipantEvents = {
      onGrid: () => this.#onGrid(),
      onGreen: () => this.#onGreen(),
      onResults: () => this.#onResults(),
      onTakeOver: (name) => {
        parts.rig.cut();
        screen.hud.say(`You took over ${name}'s car`, 4000, "good");
      },
      onJoinField: (name) => {
        parts.rig.cut();
        screen.hud.say(`You joined behind ${name}`, 4000, "good");
      },
      onOwnLap: (lap, isBest) => this.#onOwnLap(lap.lap, lap.timeMs, isBest),
      onMissedGate: () => screen.hud.say("Lap not counted: part of it was left out", 3500, "problem"),
      onPeerLap: (from, lap) => this.log.addLap(from, lap.lap, lap.timeMs),
      onChat: (from, color, text) => this.#showChat(from, color, text),
    };
    // A room with an authority is in server mode.
    const Kind = room.authority ? GrandPrixParticipant : Participant;
    this.participant = new Kind(room, card, () => performance.now(), events);
    this.#paths = new PathNews(this.participant, screen.toasts, ({ x, y }) =>
      parts.rig.shows(parts.scene, x, y),
    );
    this.#loop = new FixedLoop({
      onFrameStart: (atMs) => this.#onFrameStart(atMs),
      onStep: (atMs) => this.#step(atMs),
      onFrame: (alpha, seconds) => this.#onFrame(alpha, seconds),
      onHidden: () => this.participant.park(),
    });
    screen.root.classList.toggle("watching", this.participant.isSpectator);
    screen.hud.hideWatched();
    parts.rig.cut();
    this.#sayWhichRoom(room);
    this.#loop.start();
  }

  dispose(): void {
    this.#loop.stop();
    this.#paths.dispose();
    this.participant.dispose();
  }

  /** Tells the player that other races were full, since friends who joined before may be in them. */
  #sayWhichRoom({ fullRooms, peers }: Room): void {
    if (fullRooms === 0) return;
    const which = fullRooms === 1 ? "The race before this one was full" : `${fullRooms} races were full`;
    const company = peers.length === 0 ? "You opened another one." : "You are in another one.";
    this.#parts.screen.toasts.show({
      key: "room",
      title: which,
      text: `${company} ${hasTouch() ? "Invite" : "Invite (I)"} has its link for friends.`,
      tone: "plain",
    });
  }

  /** Tells the player that the car has another colour than the chosen one. */
  #sayColor({ card, isSpectator }: RaceParticipant): void {
    if (isSpectator || card.color === this.#toldColor) return;
    this.#toldColor = card.color;
    const news = colorNews(this.#wantedColor, card.color);
    if (news) this.#parts.screen.toasts.show({ key: "color", ...news, tone: "plain" });
  }

  say(text: string): void {
    this.participant.chat(text);
    this.#showChat(this.participant.card.name, this.participant.card.color, text);
  }

  resetToTrack(): void {
    this.participant.reset();
  }

  /** Kills the direct path to the nearest rival; the relay takes over. */
  killPath(): void {
    this.#paths.killNearest();
  }

  #onFrameStart(atMs: number): void {
    this.#frameAtMs = atMs;
    this.participant.update();
    this.#paths.frame(atMs);
  }

  #step(atMs: number): void {
    const input = combineInputs(this.#parts.inputs);
    if (this.participant.isSpectator) this.#chooseCar(Math.round(input.steer));
    this.participant.step(input, atMs);
  }

  /** Moves a spectator to the next or the previous car, once per press of a key, pad or stick. */
  #chooseCar(side: number): void {
    if (side !== this.#side && side !== 0) {
      this.participant.watch(side > 0 ? 1 : -1);
      this.#parts.rig.cut();
    }
    this.#side = side;
  }

  #showChat(from: string, color: string, text: string): void {
    this.log.addChat(from, text);
    this.#parts.screen.chat.add(from, color, text);
  }

  #onGrid(): void {
    // The constructor of the participant calls this for the first grid, so there is no participant yet.
    this.#parts.rig.cut();
    this.#parts.screen.results.hide();
    // The grid is no time to read: nothing may lie over it.
    this.#parts.screen.invite.hide();
    this.#lamps = 0;
    this.#drivenM = 0;
    this.#place = 0;
  }

  /** Prepares a race that has just been announced. */
  #meetRace(): void {
    const { session, racer } = this.participant;
    if (session.race === this.#race) return;
    this.#race = session.race;
    this.#prepare(session.race);
    this.#parts.screen.hud.say(`${racer.circuit.name}, ${session.laps} laps`, 4000);
  }

  /** Draws the pictures of a race's circuit in advance. */
  #prepare(race: number): void {
    void inSlices(this.#parts.scene.prepare(circuitOf(race)));
  }

  /** Shows the results, if the player has driven or watched this race. */
  #onResults(): void {
    const { screen } = this.#parts;
    const { participant } = this;
    this.#prepare(participant.session.race + 1);
    if (this.#drivenM < DRIVEN_M && !participant.isSpectator) return;
    screen.invite.hide();
    const standings = participant.standings();
    const place = standings.findIndex((runner) => runner.isMine) + 1;
    screen.results.show(standings, participant.session.laps, placesText(this.#startPlace, place));
  }

  #onGreen(): void {
    this.#startPlace = this.participant.standings().findIndex((runner) => runner.isMine) + 1;
    if (this.participant.session.elapsedMs(performance.now()) > LATE_AFTER_MS) return;
    this.#parts.screen.lights.showGo();
    this.#parts.sound.beep(1040, 0.7);
  }

  #onOwnLap(lap: number, timeMs: number, isBest: boolean): void {
    const { screen } = this.#parts;
    // Only the fastest lap of all is purple.
    const others = this.participant.session.entries.filter(
      ({ number }) => number !== this.participant.myNumber,
    );
    const isFastest = isBest && others.every(({ bestMs }) => bestMs === 0 || timeMs < bestMs);
    const tone = isFastest ? "best" : isBest ? "good" : "plain";
    if (this.participant.finished) {
      screen.hud.say(`Finished! Last lap ${formatTime(timeMs)}`, 4000, tone);
    } else {
      screen.hud.say(
        `Lap ${lap}  ${formatTime(timeMs)}${isFastest ? "  fastest of all" : isBest && lap > 1 ? "  best" : ""}`,
        3500,
        tone,
      );
    }
  }

  #onFrame(alpha: number, seconds: number): void {
    const { parts, mine, cars } = this.#compose(alpha);
    // A predicted car is already shown at the present.
    this.#remainderMs = this.participant.room.authority ? 0 : alpha * STEP_MS;
    parts.scene.resize();
    parts.rig.update(mine, parts.scene.width, parts.scene.height, seconds);
    parts.scene.draw(parts.rig.camera, cars, seconds);
    this.recorder.record(this.#frameAtMs, this.presentPose(), this.participant.remotes);
    this.#instruments(seconds);
    this.#soundAndShake();
    this.#untilInstrumentsS -= seconds;
    if (this.#untilInstrumentsS > 0) return;
    this.#untilInstrumentsS = INSTRUMENTS_PERIOD_S;
    this.#slowParts(cars);
  }

  #compose(alpha: number): { parts: RaceGameParts; mine: DrawnCar; cars: DrawnCar[] } {
    const { card, carNumber, racer, remotes, isSpectator, watched } = this.participant;
    const mine = drawnFromRacer(racer, alpha, {
      key: "mine",
      color: card.color,
      name: card.name,
      number: carNumber,
      isMine: true,
      path: isSpectator ? undefined : "own",
    });
    return {
      parts: this.#parts,
      mine,
      // In a spectator's picture `mine` is the watched car.
      cars: [
        // Without a watched car there is nothing to show in its place.
        ...(isSpectator && watched === undefined ? [] : [mine]),
        ...remotes.flatMap((remote) =>
          watched !== undefined && remote.number === carNumber
            ? []
            : [drawnFromRemote(remote, this.isInspected, this.#paths.pathOf(remote.ownerId))],
        ),
      ],
    };
  }

  /** Middle and half length of the own car on the screen, CSS pixels: messages must not cover it. */
  carOnScreen(): { x: number; y: number; radiusPx: number } {
    const { rig, scene } = this.#parts;
    const { x, y } = this.participant.racer.car;
    return { ...toScreen(rig.camera, scene, x, y), radiusPx: HALF_CAR_M * rig.camera.pixelsPerM };
  }

  /** Returns the own car's pose now: its last step, continued at its velocity. */
  presentPose(): { x: number; y: number; headingRad: number } {
    const { car, isHeld } = this.participant.racer;
    const seconds = isHeld ? 0 : this.#remainderMs / 1000;
    return {
      x: car.x + car.velocityX * seconds,
      y: car.y + car.velocityY * seconds,
      headingRad: wrapAngle(car.headingRad + car.yawRateRadPerS * seconds),
    };
  }

  #instruments(seconds: number): void {
    const { racer, session } = this.participant;
    const nowMs = performance.now();
    const { screen, sound } = this.#parts;
    if (session.phase === "countdown") {
      const lamps = session.lamps(nowMs);
      if (screen.lights.showLit(lamps) && lamps !== this.#lamps) sound.beep(520, 0.25);
      this.#lamps = lamps;
    }
    if (session.phase === "results") screen.results.countDown(session.remainingMs(nowMs));
    const { car } = racer;
    if (session.phase === "racing" && !racer.isHeld) this.#drivenM += speedOf(car) * seconds;
    const forward = forwardSpeedOf(car);
    const along = Math.cos(wrapAngle(car.headingRad - racer.laps.at.headingRad));
    this.#wrongWayS = forward > 4 && along < -0.4 ? this.#wrongWayS + seconds : 0;
  }

  /** Announces a place that the player has gained on the road. */
  #sayPlace(place: number): void {
    const { session } = this.participant;
    const isRunning = session.phase === "racing" && !this.participant.finished && place > 0;
    if (isRunning && this.#place > 0 && place < this.#place && this.#drivenM > DRIVEN_M) {
      this.#parts.screen.hud.say(`▲ P${place}`, 1500, "good");
    }
    this.#place = isRunning ? place : 0;
  }

  #soundAndShake(): void {
    const { car, isHeld } = this.participant.racer;
    const { sound, rig, scene } = this.#parts;
    if (car.impactMps > 1.5) scene.hit(car, car.impactMps);
    sound.update({
      speedMps: isHeld ? 30 * Math.max(0, car.throttle) : speedOf(car),
      throttle: car.throttle,
      slide: isHeld ? 0 : Math.max(car.rearSlide, car.frontSlide * 0.7),
      wheelsOff: car.wheelsOff,
      wheelsOnKerb: car.wheelsOnKerb,
      impactMps: car.impactMps,
    });
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    if (car.impactMps > 2) rig.shake(car.impactMps * 0.03);
    else if (car.wheelsOnKerb > 0 && speedOf(car) > 12) rig.shake(0.06);
  }

  #slowParts(cars: readonly DrawnCar[]): void {
    this.#meetRace();
    this.#sayColor(this.participant);
    const { screen, minimap } = this.#parts;
    const { room, racer, session, watched, watchedDelayMs } = this.participant;
    const standings = this.participant.standings();
    const travelRad = Math.atan2(racer.car.velocityY, racer.car.velocityX);
    screen.hud.show({
      speedMps: racer.isHeld ? 0 : speedOf(racer.car),
      place: standings.findIndex((runner) => runner.isMine) + 1,
      drivers: standings.length,
      lap: this.participant.lapsDone + 1,
      laps: session.laps,
      lapTimeMs: this.participant.lapTimeMs,
      lastMs: this.participant.lastLapMs,
      bestMs: this.participant.bestLapMs,
      isWrongWay: this.#wrongWayS > WRONG_WAY_AFTER_S,
      driftRad: forwardSpeedOf(racer.car) > 2 ? Math.abs(wrapAngle(travelRad - racer.car.headingRad)) : 0,
    });
    const { hasMissedGate, isSpectator, finished } = this.participant;
    if (hasMissedGate && !isSpectator && session.phase === "racing" && !finished) {
      screen.hud.say(`Short cut! ${hasTouch() ? "Reset" : "R"} puts you back`, 1200, "problem");
    }
    this.#sayPlace(standings.findIndex((runner) => runner.isMine) + 1);
    const nextRaceMs = session.nextRaceInMs(performance.now());
    const isWaiting = session.phase === "results" ? screen.results.root.hidden : this.participant.finished;
    if (nextRaceMs !== undefined && isWaiting) {
      screen.hud.say(`Next race in ${Math.ceil(nextRaceMs / 1000)} s`, 1200);
    }
    if (this.participant.isSpectator) screen.hud.showWatched(watched, watchedDelayMs);
    screen.standings.show(standings);
    const isComputer = (peer: Peer): boolean => this.participant.cardOf(peer).isComputer;
    screen.badge.show(room.peers, isComputer, room.authority);
    minimap.draw(cars);
  }
}

function placesText(from: number, to: number): string {
  const gained = from - to;
  if (from === 0 || to === 0 || gained === 0) return "";
  const places = Math.abs(gained) === 1 ? "1 place" : `${Math.abs(gained)} places`;
  return gained > 0 ? `You gained ${places}` : `You lost ${places}`;
}
