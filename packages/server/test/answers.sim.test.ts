import { readMessages, readPacket } from "@paceline/protocol";
import { VirtualPage, roomStage } from "@paceline/testkit/room";
import { WebSocketLink } from "@paceline/transport";
import { afterEach, expect, test, vi } from "vitest";
import { Car, Drive, RaceRoom } from "./race.js";

const TICK_HZ = 20;
class Circuit extends (RaceRoom as new () => Omit<RaceRoom, "tickHz"> & { readonly tickHz: number }) {
  override readonly tickHz = TICK_HZ;
}

/** Counts the packets that sockets of both sides were given: all of them, and those without a message. */
function countPackets(): { all: number; empty: number } {
  const counts = { all: 0, empty: 0 };
  const { send } = WebSocketLink.prototype;
  vi.spyOn(WebSocketLink.prototype, "send").mockImplementation(function (this: WebSocketLink, name, bytes) {
    const packet = readPacket(bytes);
    const messages = typeof packet === "string" ? undefined : readMessages(packet, () => undefined);
    counts.all += 1;
    if (messages?.length === 0) counts.empty += 1;
    send.call(this, name, bytes);
  });
  return counts;
}

afterEach(() => vi.restoreAllMocks());

test("players at any distance who send 20 inputs a second make no packets for acks alone", async () => {
  const stage = roomStage(Circuit as never);
  const page = new VirtualPage({ scheduler: stage.scheduler, framesPerSecond: 60 });
  const players = [1, 2, 5, 10, 15, 20, 30, 45];
  for (const delayMs of players) {
    const { room } = await stage.join({ network: { delayMs }, client: { page } });
    const input = room.input(Drive);
    expect([...room.entities(Car)]).toEqual([]);
    let step = 0;
    // No motion model predicts this, so each tick has states.
    room.loop(() => (input.throttle = step++ % 2));
  }
  await stage.advance(3000);
  const counts = countPackets();
  await stage.advance(10_000);
  // Inputs and states are sent at each tick. Pings and pongs are few.
  expect(counts.all).toBeGreaterThan(players.length * TICK_HZ * 10 * 2);
  expect(counts.empty).toBeLessThan(players.length * 2);
  await stage.stop();
});
