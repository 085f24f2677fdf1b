/** A player whose room has forgotten it: the same page goes on in another room. */
import type { Room as ClientRoom } from "@paceline/client";
import type { Player } from "@paceline/server";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Car, Drive, RaceRoom } from "./race.js";
import { stubFetch } from "./virtual-fetch.js";

let tickHz = 30;

class ForgetfulRoom extends RaceRoom {
  override readonly tickHz = tickHz as 30;
  override readonly reconnectSeconds = 0.2;
  /** The first player's throttle at each step. */
  readonly throttles: number[] = [];

  override onTick(seconds: number): void {
    super.onTick(seconds);
    const [player] = this.players.values();
    if (player) this.throttles.push((player as Player<typeof Drive>).input.throttle);
  }
}

let stage: RoomStage<ForgetfulRoom>;
beforeEach(() => {
  tickHz = 30;
  stage = roomStage(ForgetfulRoom);
  stubFetch(stage.server);
});
afterEach(() => stage.stop());

const join = (): Promise<StagePlayer> => stage.join({ network: { delayMs: 60 } });

/** Keeps a player away until its room has forgotten it, and lets it join another one. */
async function joinAnew(player: StagePlayer): Promise<void> {
  const { room } = player;
  const before = room.sessionId;
  player.offline();
  await stage.advance(600);
  player.online();
  for (let step = 0; step < 1000 && room.sessionId === before; step++) await stage.advance(5);
  expect(room.sessionId).not.toBe(before);
}

test("the inputs of the room before do not end those of the next one", async () => {
  const player = await join();
  const input = player.room.input(Drive);
  input.throttle = 1;
  await stage.advance(10_000);
  await joinAnew(player);
  input.throttle = 0.5;
  await stage.advance(1000);
  expect(stage.rooms).toHaveLength(2);
  const last = stage.room.throttles.slice(-15);
  for (const throttle of last) expect(throttle).toBeCloseTo(0.5, 1);
});

test("a loop without inputs runs at the rate of the next room", async () => {
  const player = await join();
  let seconds = 0;
  player.room.loop((stepSeconds) => (seconds += stepSeconds));
  tickHz = 60;
  await joinAnew(player);
  seconds = 0;
  await stage.advance(1000);
  expect(seconds).toBeCloseTo(1, 1);
});

/** Joins a player and another one, waits until they see each other, and lets the first one join again. */
async function afterMeeting(prepare: (room: ClientRoom) => void): Promise<ClientRoom> {
  const player = await join();
  const other = await stage.join();
  for (const { room } of [player, other]) expect([...room.entities(Car)]).toEqual([]);
  await stage.advance(500);
  expect([player.room.peers.length, [...player.room.entities(Car)].length]).toEqual([1, 2]);
  prepare(player.room);
  await joinAnew(player);
  return other.room;
}

describe("a handler that hears of the end of the room before", () => {
  test("asks the next one, and no answer goes to another question", async () => {
    const answers: Promise<unknown>[] = [];
    await afterMeeting((room) => {
      room.onPeerLeave(() => {
        if (room.state === "joined") answers.push(room.request("lap", { car: 1 }));
      });
      room.onReconnect(() => answers.push(room.request("lap", { car: 2 })));
    });
    expect(await stage.until(Promise.all(answers))).toEqual([{ laps: 2 }, { laps: 4 }]);
  });

  test.each(["onDespawn", "onPeerLeave", "onPeerJoin", "onReconnect", "onChange"] as const)(
    "ends everything if it leaves in %s",
    async (name) => {
      const heard: string[] = [];
      let mine: ClientRoom | undefined;
      const other = await afterMeeting((room) => {
        mine = room;
        room.input(Drive).throttle = 1;
        const leave = (): void => void room.leave();
        room.onDespawn(Car, () => heard.push("despawn"));
        room.onPeerLeave(() => heard.push("peer leaves"));
        room.onPeerJoin(() => heard.push("peer joins"));
        room.onReconnect(() => heard.push("reconnect"));
        room.onLeave(() => heard.push("leave"));
        if (name === "onDespawn") room.onDespawn(Car, leave);
        else if (name === "onChange") room.transport.onChange(({ reason }) => reason === "joined" && leave());
        else room[name](leave);
      });
      await stage.advance(500);
      expect([mine!.state, mine!.peers, mine!.authority, other.peers]).toEqual(["left", [], undefined, []]);
      expect(heard.indexOf("leave")).toBe(heard.length - 1);
      await stage.stop();
      await stage.advance(3000);
      // A room that went on would send its inputs for ever.
      expect(stage.scheduler.nextAtMs).toBeUndefined();
    },
  );
});
