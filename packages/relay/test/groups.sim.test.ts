import { seededRandom } from "@paceline/transport/simulated";
import { describe, expect, it } from "vitest";
import type { MatchRequest } from "../src/matchmaking/match-request.js";
import { isRefusal } from "../src/matchmaking/match-request.js";
import { VirtualRegistry } from "./virtual-registry.js";

const KEPT_MS = 5000;
const limits = { groupPlaceMs: KEPT_MS, ticketLifetimeMs: 60_000 };
const friends = (key: string, size: number): Partial<MatchRequest> => ({ group: { key, size } });

function refused(answer: object): string | undefined {
  return isRefusal(answer) ? answer.message : undefined;
}

describe("friends", () => {
  it("[M3] join the same room, even if strangers arrive between them", () => {
    const virtual = new VirtualRegistry({ limits });
    const { roomId } = virtual.seat(friends("ours", 3));
    const strangers = Array.from({ length: 3 }, () => virtual.seat().roomId);
    // One place is free besides the two kept ones.
    expect(strangers.map((id) => id === roomId)).toEqual([true, false, false]);
    virtual.scheduler.advance(KEPT_MS - 1);
    expect(virtual.seat(friends("ours", 3)).roomId).toBe(roomId);
    expect(virtual.seat(friends("ours", 3)).roomId).toBe(roomId);
    expect(refused(virtual.reserve(friends("ours", 3)))).toBe("the group's room takes nobody more");
  });

  it("join a room with places for all of them", () => {
    const virtual = new VirtualRegistry({ limits });
    const first = virtual.seat().roomId;
    virtual.seat();
    const { roomId } = virtual.seat(friends("ours", 3));
    expect(roomId).not.toBe(first);
    expect(virtual.seat(friends("theirs", 2)).roomId).toBe(first);
    expect(refused(virtual.reserve(friends("many", 5)))).toBe("rooms of this kind take no 5 players");
    expect(virtual.registry.rooms.size).toBe(2);
  });

  it("who come too late lose their kept places, but take free ones", () => {
    const virtual = new VirtualRegistry({ limits });
    const { roomId } = virtual.seat(friends("ours", 4));
    expect(virtual.seat().roomId).not.toBe(roomId);
    virtual.scheduler.advance(KEPT_MS);
    // The older room comes first, and has three free places again.
    for (let count = 0; count < 2; count++) expect(virtual.seat().roomId).toBe(roomId);
    expect(virtual.seat(friends("ours", 4)).roomId).toBe(roomId);
    expect(refused(virtual.reserve(friends("ours", 4)))).toBe("the group's room takes nobody more");
  });

  it("with another key, other options or another kind of room do not meet", () => {
    const virtual = new VirtualRegistry({
      limits,
      rooms: { race: { maxPlayers: 2 }, duel: { maxPlayers: 2 } },
    });
    const rooms = [
      virtual.seat(friends("a", 2)),
      virtual.seat(friends("b", 2)),
      virtual.seat({ ...friends("a", 2), options: { track: "oval" } }),
      virtual.seat({ ...friends("a", 2), target: "duel" }),
    ].map(({ roomId }) => roomId);
    expect(new Set(rooms).size).toBe(4);
  });

  it("are forgotten when the last one has left: the same key begins a new group", () => {
    const virtual = new VirtualRegistry({ limits });
    const { player, seat } = virtual.join(friends("ours", 2));
    const stranger = virtual.join();
    expect(stranger.seat.roomId).toBe(seat.roomId);
    virtual.scheduler.advance(KEPT_MS);
    virtual.seat();
    virtual.seat();
    expect(refused(virtual.reserve(friends("ours", 2)))).toBe("the group's room takes nobody more");
    player.tell({ type: "leave" });
    virtual.scheduler.advance(100);
    virtual.seat();
    expect(virtual.seat(friends("ours", 2)).roomId).not.toBe(seat.roomId);
  });

  it("stay a group when one of them reloads the page", () => {
    const virtual = new VirtualRegistry({ limits });
    const { player, seat } = virtual.join(friends("ours", 2));
    virtual.scheduler.advance(KEPT_MS);
    const { sessionId, token } = player.welcome;
    virtual.seat({ method: "reconnect", target: sessionId, token });
    for (let count = 0; count < 2; count++) virtual.seat();
    expect(virtual.seat(friends("ours", 2)).roomId).toBe(seat.roomId);
  });

  it("cannot block a server: places of one address are limited and counted", () => {
    const virtual = new VirtualRegistry({
      limits: { ...limits, groupPlaceBurstPerAddress: 6, groupPlacesPerMinutePerAddress: 1 },
    });
    for (const key of ["a", "b"]) virtual.seat(friends(key, 4));
    expect(virtual.reserve(friends("c", 4))).toMatchObject({ code: "match/rate-limited" });
    expect(virtual.settings.counters.limited.groupPlacesPerAddress).toBe(1);
    expect(virtual.seat().roomId).toBeDefined();
  });

  it("leave no room behind", () => {
    const virtual = new VirtualRegistry({ limits: { ...limits, ticketLifetimeMs: 1000 } });
    virtual.seat(friends("ours", 3));
    virtual.scheduler.advance(1000);
    // The places are kept longer than the first member's ticket.
    expect(virtual.registry.rooms.size).toBe(1);
    virtual.scheduler.advance(KEPT_MS);
    expect(virtual.registry.rooms.size).toBe(0);
  });

  it.each([1, 2, 3, 4, 5])(
    "never overfill a room and are never separated in a rush of joins (seed %i)",
    (seed) => {
      const random = seededRandom(seed);
      const virtual = new VirtualRegistry({
        rooms: { race: { maxPlayers: 6 } },
        limits: { ...limits, joinBurstPerRoom: 1000, groupPlaceBurstPerAddress: 1000 },
      });
      const wishes = Array.from({ length: 30 }, (_, index) => {
        const size = 1 + Math.floor(random.next() * 4);
        return Array.from({ length: size }, () => (size === 1 ? {} : friends(`group ${index}`, size)));
      }).flat();
      for (let at = wishes.length - 1; at > 0; at--) {
        const other = Math.floor(random.next() * (at + 1));
        [wishes[at], wishes[other]] = [wishes[other]!, wishes[at]!];
      }
      const groups = new Map<string, Set<string>>();
      const rooms = new Map<string, number>();
      for (const wish of wishes) {
        const { roomId } = virtual.seat(wish);
        rooms.set(roomId, (rooms.get(roomId) ?? 0) + 1);
        const key = wish.group?.key;
        if (key !== undefined) groups.set(key, (groups.get(key) ?? new Set()).add(roomId));
        if (random.next() < 0.1) virtual.scheduler.advance(100);
      }
      expect(Math.max(...rooms.values())).toBeLessThanOrEqual(6);
      for (const [key, where] of groups) expect([key, where.size]).toEqual([key, 1]);
    },
  );
});
