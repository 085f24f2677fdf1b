import type { Peer, Room } from "@paceline/client";
import { expect, test } from "vitest";
import { Participant } from "../src/net/participant.js";

const LATE_MS = 20_000;

/** The part of a room that a participant uses, with one peer, who directs the race. */
function roomWithDirector(): { room: Room; hearRace(message: unknown): void } {
  const director = { id: "director", number: 1 } as Peer;
  const handlers = new Map<string, (message: unknown, from: Peer) => void>();
  const members: Record<string, unknown> = {
    sessionId: "me",
    myNumber: 2,
    peers: [director],
    entities: () => [],
    onMessage: (type: string, handler: (message: unknown, from: Peer) => void) => {
      handlers.set(type, handler);
      return () => undefined;
    },
  };
  // All other members are events and sending.
  const room = new Proxy(members, {
    get: (known, name) => (name in known ? known[String(name)] : () => () => undefined),
  }) as unknown as Room;
  return { room, hearRace: (message) => handlers.get("race")!(message, director) };
}

test.each([
  { who: "a driver", isSpectator: false, isGhost: true },
  { who: "a spectator, whose picture is the watched car's", isSpectator: true, isGhost: false },
])("who comes in mid-race: $who", ({ isSpectator, isGhost }) => {
  const { room, hearRace } = roomWithDirector();
  let nowMs = 0;
  const card = { name: "Ann", color: "#e5484d", isComputer: true, isSpectator };
  const participant = new Participant(room, card, () => nowMs);
  hearRace({ race: 0, phase: "racing", elapsedMs: LATE_MS, laps: 3, grid: [1], entries: [] });
  nowMs += 20;
  participant.session.update(nowMs);
  expect(participant.session.phase).toBe("racing");
  expect(participant.racer.isGhost).toBe(isGhost);
});
