import { afterEach, expect, test, vi } from "vitest";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { RaceCar } from "../src/net/grand-prix.js";
import { GrandPrixParticipant } from "../src/net/grand-prix-participant.js";
import { RaceRoom } from "../src/server/race-room.js";

const CARS = 16;
const WATCHERS = 50;
const RACED_MS = 3000;

class WideRoom extends RaceRoom {
  override maxPlayers = CARS;
  override readonly computers = CARS - 1;
}

let stage: RoomStage<RaceRoom>;
afterEach(() => stage.stop());

/**
 * Races one player against fifteen computer drivers. Returns the states that the player received while
 * racing, and the ticks that its car is ahead of the server.
 */
async function raceWith(watchers: number): Promise<{ states: number; leadTicks: number }> {
  stage = roomStage(WideRoom);
  const ann = await stage.join({ options: { name: "Ann", color: "#e5484d" }, network: { delayMs: 20 } });
  const participant = new GrandPrixParticipant(
    ann.room,
    { name: "Ann", color: "#e5484d", isComputer: false },
    () => stage.scheduler.nowMs(),
  );
  const seen = [];
  for (let index = 0; index < watchers; index++) {
    const { room } = await stage.join({ terms: { spectate: true }, network: { delayMs: 20 } });
    // The server sends a kind of entities only to a client that has asked for it.
    expect([...room.entities(RaceCar)]).toHaveLength(0);
    seen.push(room);
  }
  // The client imports its code for rooms with an authority in real time, not in virtual time.
  await vi.dynamicImportSettled();
  await stage.advance(8000);
  const before = { states: participant.prediction!.states };
  for (let frame = 0; frame < RACED_MS / 15; frame++) {
    participant.update();
    participant.step({ throttle: 1, steer: 0, handbrake: false });
    await stage.advance(15);
  }
  const { states, leadTicks } = participant.prediction!;
  for (const room of seen) expect([...room.entities(RaceCar)]).toHaveLength(CARS);
  participant.dispose();
  return { states: states - before.states, leadTicks };
}

test("fifty spectators of sixteen cars cost a driver no state and no tick of lead", async () => {
  const alone = await raceWith(0);
  await stage.stop();
  const watched = await raceWith(WATCHERS);
  expect(alone.states).toBeGreaterThan(5);
  expect(watched.states).toBeGreaterThanOrEqual(alone.states - 1);
  expect(watched.leadTicks).toBeLessThanOrEqual(alone.leadTicks + 1);
}, 600_000);
