import { afterEach, describe, expect, it } from "vitest";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { Drive, RaceCar, type DriverEntry } from "../src/net/grand-prix.js";
import { GrandPrixParticipant } from "../src/net/grand-prix-participant.js";
import type { LapMessage, RaceAnnouncement } from "../src/race/race-messages.js";
import { RaceRoom } from "../src/server/race-room.js";
import { carAt } from "../src/car/car-state.js";
import { pacelineRing as circuit } from "../src/track/paceline-ring.js";
import { circuitOf } from "../src/track/circuits.js";
import { poseOnTrack, projectOnTrack } from "../src/track/track.js";

/** A room that drives two cars itself. */
class FilledRoom extends RaceRoom {
  override readonly computers = 2;
}

const TO_GREEN_MS = 7000;
const ANN = { name: "Ann", color: "#e5484d" };
const BEN = { name: "Ben", color: "#2f80ed" };

let stage: RoomStage<RaceRoom>;
afterEach(() => stage.stop());

function watch(player: StagePlayer) {
  const heard = {
    race: [] as RaceAnnouncement[],
    laps: [] as (LapMessage & { number: number })[],
    drivers: [] as readonly DriverEntry[],
  };
  player.room.onMessage("race", (message) => heard.race.push(message as RaceAnnouncement));
  player.room.onMessage("lap", (message) => heard.laps.push(message as LapMessage & { number: number }));
  player.room.onMessage("drivers", (message) => (heard.drivers = message as readonly DriverEntry[]));
  return heard;
}

/** The cars that a player receives. The server sends them only once the player has asked for them. */
function carsOf(player: StagePlayer) {
  return [...player.room.entities(RaceCar)];
}

function mine(player: StagePlayer) {
  const car = carsOf(player).find(({ isMine }) => isMine);
  if (!car) throw new Error("the player has no car");
  return car;
}

function speed({ velocity }: { readonly velocity: { readonly x: number; readonly y: number } }): number {
  return Math.hypot(velocity.x, velocity.y);
}

describe("a race that the server decides", () => {
  it("holds a car on the grid and lets it go when the race starts", async () => {
    stage = roomStage(RaceRoom);
    const ann = await stage.join({ options: ANN, network: { delayMs: 20 } });
    const heard = watch(ann);
    carsOf(ann);
    const input = ann.room.input(Drive);
    input.throttle = 1;
    await stage.advance(3000);
    expect(heard.race.at(-1)).toMatchObject({ phase: "countdown", laps: 3 });
    expect(mine(ann).isHeld).toBe(true);
    expect(speed(mine(ann))).toBe(0);
    await stage.advance(5000);
    expect(heard.race.at(-1)).toMatchObject({ phase: "racing" });
    expect(speed(mine(ann))).toBeGreaterThan(5);
  });

  it("counts laps and ranks finishers; a spectator without a car sees it", async () => {
    stage = roomStage(FilledRoom);
    const spectator = await stage.join({ terms: { spectate: true } });
    const heard = watch(spectator);
    carsOf(spectator);
    await stage.advance(200_000);
    expect(carsOf(spectator).map(({ isMine }) => isMine)).toEqual([false, false]);
    expect(heard.laps.length).toBeGreaterThanOrEqual(6);
    const results = heard.race.find(({ phase }) => phase === "results");
    expect(results?.entries.map(({ laps, finished }) => [laps, finished])).toEqual([
      [3, true],
      [3, true],
    ]);
    const [winner, second] = results!.entries;
    expect(winner!.totalMs).toBeLessThan(second!.totalMs);
    const laps = heard.laps.filter(({ number, race }) => number === winner!.number && race === results!.race);
    expect(laps.reduce((sum, { timeMs }) => sum + timeMs, 0)).toBeCloseTo(winner!.totalMs, 3);
    // The second race is on the other circuit, and has begun by now.
    const flats = circuitOf(2);
    expect(heard.race.at(-1)!.race).toBe(2);
    for (const { racer } of stage.room.seats()) {
      expect(racer.circuit).toBe(flats);
      expect(Math.abs(projectOnTrack(flats.track, racer.car.x, racer.car.y).offsetM)).toBeLessThan(12);
      expect(racer.laps.progressM).toBeGreaterThan(500);
    }
  }, 600_000);

  it("pushes both cars that touch", async () => {
    stage = roomStage(RaceRoom);
    const ann = await stage.join({ options: ANN });
    const ben = await stage.join({ options: BEN });
    carsOf(ann);
    await stage.advance(TO_GREEN_MS);
    const [front, back] = [...stage.room.seats()];
    const { car } = front!.racer;
    const pose = { x: car.x - 6 * Math.cos(car.headingRad), y: car.y - 6 * Math.sin(car.headingRad) };
    Object.assign(back!.racer.car, pose, {
      headingRad: car.headingRad,
      velocityX: 20 * Math.cos(car.headingRad),
      velocityY: 20 * Math.sin(car.headingRad),
    });
    await stage.advance(400);
    expect(speed(front!.entity)).toBeGreaterThan(5);
    expect(speed(back!.entity)).toBeLessThan(15);
    expect(ben.room.state).toBe("joined");
  });

  it("lets a late driver start as a ghost, with the time since the green light on its clock", async () => {
    stage = roomStage(RaceRoom);
    const early = await stage.join({ options: ANN });
    await stage.advance(TO_GREEN_MS + 5000);
    const late = await stage.join({ options: BEN });
    const heard = watch(late);
    carsOf(late);
    await stage.advance(200);
    expect(heard.race.at(-1)).toMatchObject({ phase: "racing" });
    expect(heard.drivers.map(({ name }) => name)).toContain("Ben");
    expect(mine(late)).toMatchObject({ isHeld: false, isGhost: true });
    expect(stage.room.seats().find(({ card }) => card.name === "Ben")!.totalMs).toBeGreaterThan(4000);
    expect(early.room.state).toBe("joined");
  });

  it("puts a newcomer to a race among players behind the last car, in the same lap", async () => {
    stage = roomStage(RaceRoom);
    const ann = await stage.join({ options: ANN });
    carsOf(ann);
    await stage.advance(TO_GREEN_MS + 1000);
    const [front] = stage.room.seats();
    const quarter = poseOnTrack(circuit.track, circuit.track.lengthM / 4);
    front!.racer.takeOver(carAt(quarter), { lapsDone: 1, nextGate: 5, lapSteps: 0 });
    await stage.advance(200);
    const late = await stage.join({ options: BEN });
    carsOf(late);
    await stage.advance(300);
    const ben = stage.room.seats().find(({ card }) => card.name === "Ben")!;
    const behindM = front!.racer.laps.progressM - ben.racer.laps.progressM;
    expect(behindM).toBeGreaterThan(5);
    expect(behindM).toBeLessThan(30);
    expect(speed(mine(late))).toBeGreaterThan(5);
    expect(ben.racer.laps.lapsDone).toBe(1);
  });

  it("keeps the car of a driver who reloads the page during a race", async () => {
    stage = roomStage(RaceRoom);
    const ann = await stage.join({ options: ANN, network: { delayMs: 20 } });
    await stage.join({ options: BEN });
    carsOf(ann);
    ann.room.input(Drive).throttle = 1;
    await stage.advance(TO_GREEN_MS + 2000);
    const before = { id: mine(ann).id, x: mine(ann).position.x };
    const back = await stage.reload(ann, { network: { delayMs: 20 } });
    carsOf(back);
    await stage.advance(300);
    expect(mine(back).id).toBe(before.id);
    expect(Math.abs(mine(back).position.x - before.x)).toBeLessThan(60);
    expect(stage.room.seats()).toHaveLength(2);
  });

  it("gives a newcomer a computer driver's car; that driver returns at the next start", async () => {
    stage = roomStage(FilledRoom);
    const spectator = await stage.join({ terms: { spectate: true } });
    const heard = watch(spectator);
    carsOf(spectator);
    await stage.advance(30_000);
    const before = new Map(stage.room.seats().map(({ number, racer }) => [number, racer.laps.progressM]));
    const ann = await stage.join({ options: ANN });
    carsOf(ann);
    await stage.advance(300);
    expect(stage.room.seats()).toHaveLength(2);
    expect(mine(ann).isHeld).toBe(false);
    expect(speed(mine(ann))).toBeGreaterThan(5);
    expect(before.get(mine(ann).id)).toBeGreaterThan(100);
    expect(heard.drivers.filter(({ isComputer }) => isComputer)).toHaveLength(1);
    await stage.advance(240_000);
    expect(heard.drivers.filter(({ isComputer }) => isComputer)).toHaveLength(2);
  }, 600_000);

  it("predicts the own car ahead of the server, with small corrections", async () => {
    stage = roomStage(RaceRoom);
    const ann = await stage.join({ options: ANN, network: { delayMs: 60, jitterMs: 5 } });
    const nowMs = (): number => stage.scheduler.nowMs();
    const participant = new GrandPrixParticipant(ann.room, { ...ANN, isComputer: false }, nowMs);
    const frames = async (count: number, throttle: number, steer: number): Promise<void> => {
      for (let frame = 0; frame < count; frame++) {
        participant.update();
        participant.step({ throttle, steer, handbrake: false });
        await stage.advance(15);
      }
    };
    await frames(600, 1, 0.05);
    const { car } = participant.racer;
    const server = stage.room.seats()[0]!.racer.car;
    // The predicted car is ahead of the server by the inputs on their way.
    expect(Math.hypot(car.x - server.x, car.y - server.y)).toBeGreaterThan(0.5);
    const stats = participant.prediction!;
    expect(stats.states).toBeGreaterThan(30);
    expect(stats.correctionM).toBeLessThan(0.1);
    expect(stats.leadTicks).toBeGreaterThan(3);
    participant.dispose();
  });

  it.each([
    [0, 0],
    [5, 5],
    [0, 10],
  ])(
    "shows a car within 0.3 m of where its driver has it, over lines with %i and %i ms of jitter",
    async (...jitters) => {
      stage = roomStage(RaceRoom);
      const nowMs = (): number => stage.scheduler.nowMs();
      const drivers: GrandPrixParticipant[] = [];
      for (const [index, jitterMs] of jitters.entries()) {
        const { room } = await stage.join({
          options: [ANN, BEN][index]!,
          network: { delayMs: 25, jitterMs },
        });
        drivers.push(new GrandPrixParticipant(room, { ...ANN, isComputer: false }, nowMs));
        // Makes the ticks of the drivers differ from those of the server.
        await stage.advance(13);
      }
      const errorsM: number[] = [];
      for (let frame = 0; frame < 1400; frame++) {
        for (const [index, driver] of drivers.entries()) {
          driver.update();
          const turn = Math.floor((nowMs() + index * 333) / 250) % 6;
          driver.step({ throttle: 1, steer: turn === 2 ? -1 : turn === 5 ? 1 : 0, handbrake: false });
        }
        for (const [index, { racer }] of drivers.entries()) {
          const [seen] = drivers[1 - index]!.remotes;
          if (frame > 700) errorsM.push(Math.hypot(seen!.x - racer.car.x, seen!.y - racer.car.y));
        }
        await stage.advance(15);
      }
      errorsM.sort((a, b) => a - b);
      expect(errorsM[Math.floor(errorsM.length * 0.95)]).toBeLessThan(0.3);
      for (const driver of drivers) driver.dispose();
    },
    60_000,
  );

  it("refuses a driver without a name, and limits the rate of resets", async () => {
    stage = roomStage(RaceRoom);
    await expect(stage.join({ options: { name: "", color: "red" } })).rejects.toThrow("a name and a color");
    const ann = await stage.join({ options: ANN });
    carsOf(ann);
    await stage.advance(TO_GREEN_MS + 500);
    const { car } = stage.room.seats()[0]!.racer;
    for (let time = 0; time < 20; time++) {
      ann.room.send("reset", {}, ann.room.authority);
      await stage.advance(20);
      Object.assign(car, { x: car.x + 0.2 });
    }
    expect(stage.room.resets).toBe(1);
  });
});
