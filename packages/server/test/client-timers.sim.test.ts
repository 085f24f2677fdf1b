import { Room } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { describe, expect, test } from "vitest";
import { Car, Gate } from "./race.js";

class Arena extends Room {
  override readonly entities = [Car, Gate];

  override onCreate(): void {
    this.spawn(Gate, { height: 3 });
  }
}

/**
 * A timer that throws causes an uncaught exception in the game's process. The stage's clock throws it in the
 * test.
 */
describe("no timer of a client throws", () => {
  test("after the room has ended while the player was still joining: the join rejects", async () => {
    const stage = roomStage(Arena);
    const first = await stage.join();
    const reasons: string[] = [];
    first.room.onLeave((_code, reason) => reasons.push(reason));
    const joining = stage.join({ network: { delayMs: 40 } });
    joining.catch(() => undefined);
    while (stage.room.players.size < 2) await stage.advance(1);
    await stage.advance(10);
    stage.room.disconnect("the match is over");
    // The welcome and the end arrive in one turn of the event loop: the client cannot fetch code in between.
    stage.scheduler.advance(100);
    await expect(joining).rejects.toMatchObject({ name: "NetError", code: "session/ended" });
    await stage.advance(2000);
    expect(reasons).toEqual(["the match is over"]);
    await stage.stop();
  });

  test("when the game has filled the queue: its kinds are sent once there is room again", async () => {
    const stage = roomStage(Arena);
    const { room } = await stage.join({ network: { delayMs: 100 } });
    const message = "x".repeat(8000);
    const fill = (): void => {
      for (let count = 0; count < 1000; count++) room.send("chat", message);
    };
    expect(fill).toThrow("limit/queue");
    expect(() => {
      for (let count = 0; count < 10_000; count++) room.send("chat", 0);
    }).toThrow("limit/queue");
    expect([...room.entities(Gate)]).toEqual([]);
    await stage.advance(10_000);
    expect([...room.entities(Gate)]).toMatchObject([{ height: 3 }]);
    await stage.stop();
  });
});
