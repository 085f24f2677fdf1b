import type { Room } from "@paceline/client";
import { expect, test } from "vitest";
import { packetsOfCrowd } from "./crowd.js";
import { RelayStage } from "./relay-stage.js";

test("24 players who send 30 events a second each to all are served under the default limits", async () => {
  const say = (room: Room, n: number): void => room.sendEvent("hit", n);
  // One packet for each event. The rest are pings of pairs and their answers.
  expect(await packetsOfCrowd({ hz: 30, isInUnison: true, say })).toBeLessThan(30 + 2.5 * 24);
});

test("an event to all goes to the server once, and an event to a single peer goes to it alone", async () => {
  const stage = new RelayStage({ delayMs: 20 });
  const [a, b, c] = [await stage.join(), await stage.join(), await stage.join()];
  const heard: string[] = [];
  for (const [name, room] of Object.entries({ b, c })) {
    room.onMessage("x", (x) => heard.push(`${name} ${String(x)}`));
  }
  await stage.advance(500);
  const before = stage.packetsReceived;
  for (let count = 0; count < 10; count++) a.sendEvent("x", count);
  a.sendEvent("x", "y".repeat(1100));
  await stage.advance(45);
  // 11 packets with events, and the sessions' own. One packet per receiver would make 22.
  expect(stage.packetsReceived - before).toBeLessThan(18);
  expect(heard.filter((line) => line.length < 9)).toHaveLength(20);
  expect(heard).toHaveLength(22);
  a.sendEvent("x", "alone", a.peers[1]);
  await stage.advance(50);
  expect(heard.slice(22)).toEqual(["c alone"]);
});
