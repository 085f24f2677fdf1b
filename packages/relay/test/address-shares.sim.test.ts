import { describe, expect, it } from "vitest";
import { createRelay } from "../src/index.js";
import { isRefusal } from "../src/matchmaking/match-request.js";
import { VirtualRegistry } from "./virtual-registry.js";

const limits = { maxSessions: 40, maxRooms: 40, joinBurstPerRoom: 1000, roomBurstPerAddress: 1000 };
const GREEDY = "198.51.100.1";

/** Reserves a seat in a room of its own for each address in turn. Returns the number of seats given. */
function seatsOf(virtual: VirtualRegistry, addresses: readonly string[]): number {
  return addresses.filter((address) => !isRefusal(virtual.reserve({ method: "create" }, address))).length;
}

const times = (count: number, address: string): string[] => Array<string>(count).fill(address);

describe("the seats of a server", () => {
  it("are free for all while it is half empty; then one address gets at most a quarter", () => {
    const virtual = new VirtualRegistry({ limits });
    // A school alone on the server gets half of it.
    expect(seatsOf(virtual, times(40, GREEDY))).toBe(20);
    expect(virtual.reserve({}, GREEDY)).toMatchObject({ status: 429, code: "match/rate-limited" });
    expect(virtual.settings.counters.limited.openRoomsPerAddress).toBe(20);
    // Other addresses still get their own share, until the server is full.
    expect(seatsOf(virtual, times(20, "198.51.100.2"))).toBe(10);
    expect(seatsOf(virtual, times(20, "198.51.100.3"))).toBe(10);
    expect(virtual.reserve({}, "198.51.100.4")).toMatchObject({ status: 503, code: "match/full" });
  });

  it("are limited by the share of sessions too, not only of rooms", () => {
    const virtual = new VirtualRegistry({ limits: { ...limits, maxRooms: 1000 } });
    expect(seatsOf(virtual, times(40, GREEDY))).toBe(20);
    expect(virtual.settings.counters.limited.sessionsPerAddress).toBe(20);
  });

  it.each([
    ["/64", (host: number) => `2001:db8:1:2:${host.toString(16)}::1`],
    ["/56", (host: number) => `2001:db8:1:${host.toString(16)}::1`],
    ["/48", (host: number) => `2001:db8:1:${(host << 8).toString(16)}::1`],
  ])("have one share for all addresses of one %s", (_, addressOf) => {
    const virtual = new VirtualRegistry({ limits });
    expect(seatsOf(virtual, times(21, ""))).toBe(21);
    expect(
      seatsOf(
        virtual,
        Array.from({ length: 15 }, (_each, host) => addressOf(host)),
      ),
    ).toBe(10);
    expect(seatsOf(virtual, ["2001:db8:2::1"])).toBe(1);
  });

  it("are not limited for this machine's own addresses, since anybody may be behind a proxy", () => {
    const virtual = new VirtualRegistry({ limits });
    expect(seatsOf(virtual, times(20, "127.0.0.1"))).toBe(20);
    expect(seatsOf(virtual, [...times(10, "::1"), ...times(10, "::ffff:127.0.0.1")])).toBe(20);
  });

  it("become free when a session ends and when a ticket expires", () => {
    const virtual = new VirtualRegistry({ limits });
    expect(seatsOf(virtual, times(21, ""))).toBe(21);
    const players = Array.from({ length: 5 }, () => virtual.join({ method: "create" }, GREEDY).player);
    expect(seatsOf(virtual, times(10, GREEDY))).toBe(5);
    players[0]!.tell({ type: "leave" });
    virtual.scheduler.advance(100);
    expect(seatsOf(virtual, times(10, GREEDY))).toBe(1);
    // Unused tickets expire, also those of the other addresses.
    virtual.scheduler.advance(26_000);
    expect(virtual.registry.participants.size).toBe(4);
    expect(seatsOf(virtual, times(17, ""))).toBe(17);
    expect(seatsOf(virtual, times(10, GREEDY))).toBe(6);
  });

  it("are given to a returning player in spite of its address's share", () => {
    const virtual = new VirtualRegistry({ limits });
    const { player } = virtual.join({ method: "create" }, GREEDY);
    expect(seatsOf(virtual, times(40, GREEDY))).toBe(19);
    const { sessionId, token } = player.welcome;
    const back = virtual.reserve({ method: "reconnect", target: sessionId, token }, GREEDY);
    expect(isRefusal(back)).toBe(false);
  });

  it("may all go to one address if the operator sets the share to 100 %", () => {
    const virtual = new VirtualRegistry({ limits: { ...limits, addressSharePercent: 100 } });
    expect(seatsOf(virtual, times(40, GREEDY))).toBe(40);
    expect(() => createRelay({ rooms: { race: {} }, limits: { addressSharePercent: 0 } })).toThrow(
      "limits.addressSharePercent: expected a whole number from 1 to 100 (%)",
    );
  });
});
