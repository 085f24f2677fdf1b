import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { afterEach, expect, test } from "vitest";
import { Participant } from "../src/net/participant.js";
import type { PeerMessages } from "../src/race/race-messages.js";
import type { Room } from "@paceline/client";
import "../src/track/salt-flats.js";

const FRAME_MS = 20;

let stage: RoomStage<never>;
afterEach(() => stage.stop());

/** A friend's page: drives straight on, and records the phases that it enters. */
class Page {
  readonly entered: string[] = [];
  readonly participant: Participant;
  #isOpen = true;

  constructor(player: StagePlayer, name: string) {
    const card = { name, color: "#2f80ed", isComputer: false };
    const nowMs = (): number => stage.scheduler.nowMs();
    this.participant = new Participant(player.room as Room<PeerMessages>, card, nowMs, {
      onGrid: () => this.entered.push("grid"),
      onGreen: () => this.entered.push("green"),
      onResults: () => this.entered.push("results"),
    });
    const frame = (): void => {
      if (!this.#isOpen) return;
      this.participant.update();
      this.participant.step({ steer: 0, throttle: 1, handbrake: false }, nowMs());
      stage.scheduler.after(FRAME_MS, frame);
    };
    frame();
  }

  get race(): readonly [string, number, number] {
    const { phase, race } = this.participant.session;
    return [phase, race, Math.round(this.participant.session.elapsedMs(stage.scheduler.nowMs()) / 1000)];
  }

  close(): void {
    this.#isOpen = false;
    this.participant.dispose();
  }
}

const friend = { network: { delayMs: 40 } };

test("a director who reloads takes up the race that its friend drives", async () => {
  stage = roomStage<never>({ maxPlayers: 4 });
  const first = await stage.join(friend);
  const ann = new Page(first, "Ann");
  await stage.advance(300);
  const bob = new Page(await stage.join(friend), "Bob");
  await stage.advance(20_000);
  expect(ann.participant.session.isDirector()).toBe(true);
  expect([ann.race[0], bob.race[0]]).toEqual(["racing", "racing"]);
  const [, , secondsBefore] = bob.race;
  ann.close();
  const back = new Page(await stage.reload(first, friend), "Ann");
  await stage.advance(8000);
  expect(back.participant.session.isDirector()).toBe(true);
  expect(bob.entered).toEqual(["grid", "green"]);
  expect(back.race).toEqual(bob.race);
  expect(bob.race[2] - secondsBefore).toBeGreaterThanOrEqual(8);
  // It directs again: both pages end the race together.
  bob.participant.session.recordLap(
    2,
    { race: 1, lap: 3, timeMs: 40_000, totalMs: 120_000 },
    stage.scheduler.nowMs(),
  );
  back.participant.session.recordLap(
    2,
    { race: 1, lap: 3, timeMs: 40_000, totalMs: 120_000 },
    stage.scheduler.nowMs(),
  );
  await stage.advance(31_000);
  expect([back.race[0], bob.race[0]]).toEqual(["results", "results"]);
});

test("two friends who come in the same moment start one race without waiting for one that runs", async () => {
  stage = roomStage<never>({ maxPlayers: 4 });
  const [first, second] = [await stage.join(friend), await stage.join(friend)];
  const [ann, bob] = [new Page(first, "Ann"), new Page(second, "Bob")];
  await stage.advance(1500);
  expect([ann.race.slice(0, 2), bob.race.slice(0, 2)]).toEqual([
    ["countdown", 1],
    ["countdown", 1],
  ]);
});

test("a director whose friend says nothing starts a race all the same", async () => {
  stage = roomStage<never>({ maxPlayers: 4 });
  const first = await stage.join(friend);
  await stage.join(friend);
  const ann = new Page(first, "Ann");
  await stage.advance(6000);
  expect(ann.race.slice(0, 2)).toEqual(["countdown", 1]);
});
