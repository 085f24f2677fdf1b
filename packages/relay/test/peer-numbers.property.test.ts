import { firstNumber } from "@paceline/protocol";
import { array, assert, boolean, integer, nat, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { PeerNumbers } from "../src/sessions/peer-numbers.js";
import { VirtualRegistry } from "./virtual-registry.js";

const QUARANTINE_MS = 120_000;

/** Members in the order of their arrival, with their numbers. */
class Members {
  readonly numbers: PeerNumbers;
  present: number[] = [];
  readonly freedAtMs = new Map<number, number>();
  nowMs = 0;

  constructor(last = 0) {
    this.numbers = new PeerNumbers(60_000, last);
  }

  join(): number {
    const number = this.numbers.next(this.present.at(-1), this.nowMs);
    this.numbers.take(number);
    this.present.push(number);
    return number;
  }

  leave(index: number): void {
    const [number] = this.present.splice(index % this.present.length, 1);
    this.numbers.release(number!, this.nowMs);
    this.freedAtMs.set(number!, this.nowMs);
  }
}

/** Lets a member join and checks its number. Returns true if the numbers have begun again. */
function expectFree(members: Members): boolean {
  const others = [...members.present];
  const number = members.join();
  expect(number).toBeGreaterThanOrEqual(1);
  expect(number).toBeLessThanOrEqual(65_535);
  expect(others).not.toContain(number);
  const freedAtMs = members.freedAtMs.get(number) ?? -Infinity;
  expect(members.nowMs - freedAtMs).toBeGreaterThanOrEqual(QUARANTINE_MS);
  return others.some((other) => other > number);
}

describe("numbers of participants", () => {
  it("begin again after the last one; each was free for the quarantine, and the first to come is known", () => {
    const steps = array(record({ joins: boolean(), who: nat(), waitMs: nat(1000) }), {
      minLength: 150,
      maxLength: 300,
    });
    let wraps = 0;
    assert(
      property(steps, integer({ min: 10, max: 60 }), (all, beforeLast) => {
        const members = new Members(65_535 - beforeLast);
        for (const { joins, who, waitMs } of all) {
          members.nowMs += 20 + waitMs;
          const isJoin = members.present.length < 2 || (joins && members.present.length < 64);
          if (!isJoin) members.leave(who);
          else if (expectFree(members)) wraps += 1;
          expect(firstNumber(members.present)).toBe(members.present[0]);
        }
      }),
      { numRuns: 10 },
    );
    expect(wraps).toBeGreaterThan(0);
  });

  it("never run out at the default rate of joins, and who stays remains the first", () => {
    const members = new Members();
    members.join();
    // Fifty join and leave each second.
    for (let joins = 0; joins < 70_000; joins++) {
      members.nowMs += 20;
      members.join();
      members.leave(1);
    }
    expect(members.numbers.free(members.nowMs)).toBeGreaterThan(50_000);
    members.join();
    expect(firstNumber(members.present)).toBe(1);
  });

  it("that a reloaded player keeps is not given to others", () => {
    const numbers = new PeerNumbers(60_000);
    numbers.take(1);
    numbers.take(1);
    numbers.release(1, 0);
    expect(numbers.free(QUARANTINE_MS)).toBe(65_534);
    numbers.release(1, 0);
    expect(numbers.free(QUARANTINE_MS - 1)).toBe(65_534);
    expect(numbers.free(QUARANTINE_MS)).toBe(65_535);
  });
});

it("a room that 65,535 participants have left takes newcomers, who get a number that is free for long", () => {
  const virtual = new VirtualRegistry();
  const { seat, player: first } = virtual.join();
  const room = virtual.registry.rooms.find(seat.roomId)!;
  const member = room.participant(first.number)!;
  for (let left = 0; left < 66_000; left++) {
    const guest = Object.assign(Object.create(member), {
      number: room.claim("a guest"),
      seat: 0,
    }) as typeof member;
    room.add(guest, false);
    room.remove(guest);
    if (left % 100 === 0) virtual.scheduler.advance(2000);
  }
  const { player } = virtual.join({ method: "joinById", target: seat.roomId });
  expect(player.close).toBeUndefined();
  expect(player.welcome.peers.map(({ number }) => number)).toEqual([1]);
  expect(firstNumber([player.number, 1])).toBe(1);
});
