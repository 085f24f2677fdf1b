import type { Room } from "@paceline/client";
import { expect } from "vitest";
import { RelayStage } from "./relay-stage.js";

const PLAYERS = 24;
const SECONDS = 3;

interface Talk {
  readonly hz: number;
  /** True if all players send at the same moment, false if one after another. */
  readonly isInUnison: boolean;
  /** Sends the number to all others as a message "hit". */
  readonly say: (room: Room, n: number) => void;
}

/**
 * Lets 24 players of a relayed room send numbers to all others. Checks that each number arrives once under
 * the default limits. Returns the packets that the relay received per player and second.
 */
export async function packetsOfCrowd({ hz, isInUnison, say }: Talk): Promise<number> {
  const stage = new RelayStage({ delayMs: 20, rooms: { race: { maxPlayers: PLAYERS } } });
  const rooms: Room[] = [];
  const heard = new Map<string, number[]>();
  while (rooms.length < PLAYERS) {
    const room = await stage.join();
    rooms.push(room);
    room.onMessage("hit", (n, { number }) => {
      const key = `${number} to ${room.myNumber}`;
      heard.set(key, [...(heard.get(key) ?? []), n as number]);
    });
  }
  await stage.advance(1000);
  const before = stage.packetsReceived;
  const limited = stage.relay.health().drops["rate-limit"] ?? 0;
  const all = Array.from({ length: hz * SECONDS }, (_, n) => n);
  for (const n of all) {
    for (const room of rooms) {
      say(room, n);
      if (!isInUnison) await stage.advance(1000 / hz / PLAYERS);
    }
    if (isInUnison) await stage.advance(1000 / hz);
  }
  const packets = stage.packetsReceived - before;
  await stage.advance(300);
  expect(rooms.map(({ state }) => state)).toEqual(rooms.map(() => "joined"));
  expect(stage.relay.health().drops["rate-limit"] ?? 0).toBe(limited);
  expect(heard.size).toBe(PLAYERS * (PLAYERS - 1));
  expect([...heard.values()].every((numbers) => numbers.length === all.length)).toBe(true);
  expect(heard.get(`${rooms[0]!.myNumber} to ${rooms[1]!.myNumber}`)).toEqual(all);
  return packets / PLAYERS / SECONDS;
}
