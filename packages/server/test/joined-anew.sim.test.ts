/** A player whose room has forgotten it: the same page goes on in another room. */
import type { Player } from "@paceline/server";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Drive, RaceRoom } from "./race.js";
import { stubFetch } from "./virtual-fetch.js";

class ForgetfulRoom extends RaceRoom {
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
  stage = roomStage(ForgetfulRoom);
  stubFetch(stage.server);
});
afterEach(() => stage.stop());

const join = (): Promise<StagePlayer> => stage.join({ network: { delayMs: 60 } });

/** Keeps a player away until its room has forgotten it, and lets it join another one. */
async function joinAnew(player: StagePlayer): Promise<void> {
  let isBack = false;
  const stop = player.room.onReconnect(({ resumed }) => (isBack = !resumed));
  player.offline();
  await stage.advance(600);
  player.online();
  for (let step = 0; step < 1000 && !isBack; step++) await stage.advance(5);
  stop();
  expect(isBack).toBe(true);
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
