import { describe, expect, it } from "vitest";
import { UpdateFilter } from "../src/sessions/update-filter.js";
import { VirtualRegistry } from "./virtual-registry.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

describe("the relay's filter", () => {
  function racers(count: number) {
    const virtual = new VirtualRegistry({ rooms: { race: { maxPlayers: 16 } } });
    return { virtual, players: Array.from({ length: count }, () => virtual.join().player) };
  }

  it("[WF23] gives a receiver each update of an entity once, and no overtaken one, from any reporter", () => {
    const { virtual, players } = racers(4);
    const [a, b, c, receiver] = players;
    const entity = 77 * 65_536 + 5;
    const report = (from: typeof a, sequence: number): void => {
      from!.forward([receiver!], bytes(from!.number, sequence & 0xff), {
        trafficClass: "state",
        key: 6,
        subject: { entity, sequence },
      });
      virtual.scheduler.advance(20);
    };
    // Three peers report the same entity, whose owner has left. The sequence numbers wrap.
    for (const sequence of [65_535, 0, 1]) for (const from of [a, b, c]) report(from, sequence);
    report(c, 0);
    expect(receiver!.forwarded.map(({ packet }) => [...packet])).toEqual([
      [a!.number, 255],
      [a!.number, 0],
      [a!.number, 1],
    ]);
    expect(virtual.registry.drops.toRecord()).toEqual({ duplicate: 6, outdated: 1 });
  });

  it("[WF23] lets nobody silence an owner, and treats receivers and entities separately", () => {
    const { virtual, players } = racers(4);
    const [owner, hostile, near, far] = players;
    const entity = owner!.number * 65_536 + 1;
    const say = (from: typeof owner, sequence: number, to = [near!, far!], about = entity): void => {
      const subject = { entity: about, sequence };
      from!.forward(to, bytes(from!.number), { trafficClass: "state", key: 1, subject });
      virtual.scheduler.advance(20);
    };
    say(owner, 10, [near!]);
    say(hostile, 20_000);
    say(owner, 11);
    say(owner, 11);
    say(hostile, 12, [near!], entity + 1);
    expect(near!.firstBytes).toEqual([owner!.number, hostile!.number, owner!.number, hostile!.number]);
    expect(far!.firstBytes).toEqual([hostile!.number, owner!.number]);
    expect(virtual.registry.drops.toRecord()).toEqual({ duplicate: 2 });
  });

  it("sets the sender itself, whatever the envelope contains", () => {
    const { virtual, players } = racers(3);
    const [a, b, c] = players;
    // The only numbers in an upward envelope are those of receivers. So a forged sender is only a further
    // receiver.
    a!.forward([], bytes(9), { peers: [c!.number, b!.number] });
    virtual.scheduler.advance(50);
    expect(b!.forwarded[0]!.peers).toEqual([a!.number]);
    expect(c!.forwarded[0]!.peers).toEqual([a!.number]);
  });

  it("remembers a limited number of entities for a limited time", () => {
    const filter = new UpdateFilter();
    for (let entity = 0; entity < 100_000; entity++) filter.refuses({ entity, sequence: 5 }, 9, 0);
    expect(filter.size).toBe(4096);
    expect(filter.refuses({ entity: 99_999, sequence: 5 }, 9, 1000)).toBe("duplicate");
    expect(filter.refuses({ entity: 99_999, sequence: 5 }, 9, 3001)).toBeUndefined();
  });
});
