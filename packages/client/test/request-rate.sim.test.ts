import { limits } from "@paceline/protocol";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { afterEach, beforeEach, expect, test } from "vitest";

let stage: RoomStage<never>;
beforeEach(() => (stage = roomStage({ maxPlayers: 3 })));
afterEach(() => stage.stop());

/** Two players, of whom the second one answers; the first one asks, and notes how each request settles. */
async function pair() {
  const network = { delayMs: 50 };
  const [ann, ben] = [await stage.join({ network }), await stage.join({ network })];
  let asked = 0;
  ben.room.onRequest("ready?", () => (asked += 1));
  await stage.advance(500);
  const outcomes: Record<string, number> = {};
  const note = (outcome: string): void => void (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1);
  const ask = (count: number): void => {
    for (let index = 0; index < count; index++) {
      ann.room.request("ready?", {}, ann.room.peers[0]).then(
        () => note("answered"),
        ({ code, message, retryable }) => note(`${code} ${retryable}: ${message}`),
      );
    }
  };
  return { ben, ask, outcomes, asked: () => asked };
}

const REFUSED =
  "limit/rate true: more than 30 requests to one peer within a second; this one was not sent [limit/rate]";

test("requests to a peer beyond its limit are refused at once, and all others are answered", async () => {
  const { ask, outcomes } = await pair();
  ask(300);
  await stage.advance(5);
  expect(outcomes).toEqual({ [REFUSED]: 300 - limits.requestsPerSecond });
  await stage.advance(900);
  ask(1);
  await stage.advance(6000);
  expect(outcomes).toEqual({ answered: limits.requestsPerSecond, [REFUSED]: 271 });
});

test("requests at the limit are answered, however the seconds of the two players lie, and after a stall of the path", async () => {
  const { ben, ask, outcomes } = await pair();
  for (let second = 0; second < 20; second++) {
    // Now at the end of a second of the other player, now at its beginning.
    ask(limits.requestsPerSecond);
    await stage.advance(1000 + (second % 4) * 137);
    if (second === 10) ben.change({ delayMs: 900 });
    if (second === 12) ben.change({ delayMs: 50 });
  }
  await stage.advance(6000);
  expect(outcomes).toEqual({ answered: 20 * limits.requestsPerSecond });
});
