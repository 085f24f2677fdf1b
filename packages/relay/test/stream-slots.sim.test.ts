import { PayloadKind, encodeValue, limits } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const rooms = { race: { maxPlayers: 64 } };
const slot = (stream: number, state: Uint8Array) => ({ type: "slot", stream, state }) as const;

describe("the slots of streams", () => {
  it("[WF28] follow the welcome, with their age: the newest of each stream of each participant in the room", () => {
    const virtual = new VirtualRegistry();
    const [a, b] = [virtual.join().player, virtual.join().player];
    virtual.join({ method: "create" }).player.tell(slot(0, bytes(9)));
    a.tell(slot(0, bytes(1, 2)));
    a.tell(slot(7, bytes(7)));
    virtual.scheduler.advance(300);
    a.tell(slot(0, bytes(3)));
    b.tell(slot(0, bytes(4)));
    virtual.scheduler.advance(700);
    const { player: c } = virtual.join({ method: "joinById", target: a.welcome.roomId });
    expect(c.messages.slice(0, 4).map(({ type }) => type)).toEqual(["welcome", "slot", "slot", "slot"]);
    const given = (number: number, ageMs: number, ...values: number[]) => {
      const age = expect.closeTo(ageMs, -1) as number;
      return { type: "slot", number, ageMs: age, state: bytes(...values) };
    };
    expect(c.of("slot")).toEqual([given(a.number, 695, 3), given(a.number, 995, 7), given(b.number, 695, 4)]);
    expect([a, b].map((player) => player.of("slot"))).toEqual([[], []]);
  });

  it("[WF28] end when their owner leaves", () => {
    const virtual = new VirtualRegistry();
    const [, b] = [virtual.join().player, virtual.join().player];
    b.tell(slot(0, bytes(2)));
    virtual.scheduler.advance(100);
    b.tell({ type: "leave" });
    virtual.scheduler.advance(100);
    expect(virtual.join().player.of("slot")).toEqual([]);
  });

  it("[WF28] stay while their owner is away for a moment", () => {
    const virtual = new VirtualRegistry();
    const { player, link } = virtual.join();
    player.tell(slot(0, bytes(1)));
    virtual.scheduler.advance(100);
    link.player.close(1001, "the network has gone");
    virtual.scheduler.advance(1000);
    expect(virtual.join().player.of("slot")).toHaveLength(1);
  });

  it("[WF28] are a violation if one is too long, is no bytes, or is of no stream", () => {
    const virtual = new VirtualRegistry();
    const { player } = virtual.join();
    player.tell(slot(0, new Uint8Array(limits.slotBytes)));
    const states = [new Uint8Array(limits.slotBytes + 1), "text", [1], null];
    const wrong = states.map((state) => ({ type: "slot", stream: 0, state }));
    const more = [-1, limits.streams, 0.5, "0"].map((stream) => ({ type: "slot", stream, state: bytes(1) }));
    for (const message of [...wrong, ...more])
      player.session.sendReliable(Uint8Array.of(PayloadKind.control, ...encodeValue(message)));
    virtual.scheduler.advance(100);
    expect(virtual.registry.drops.toRecord()).toEqual({ "bad-message": 8 });
    expect(
      virtual
        .join()
        .player.of("slot")
        .map(({ state }) => state.length),
    ).toEqual([limits.slotBytes]);
  });

  it("[WF28] are a violation if all of a participant together are too long, and the older one stays", () => {
    const virtual = new VirtualRegistry();
    const { player } = virtual.join();
    const half = limits.slotBytes / 2;
    player.tell(slot(0, new Uint8Array(half).fill(1)));
    player.tell(slot(1, new Uint8Array(half).fill(1)));
    player.tell(slot(1, new Uint8Array(half + 1).fill(2)));
    player.tell(slot(2, bytes(2)));
    virtual.scheduler.advance(100);
    expect(virtual.registry.drops.toRecord()).toEqual({ "too-long": 2 });
    const sums = virtual
      .join()
      .player.of("slot")
      .map(({ state }) => [state.length, state[0]]);
    expect(sums).toEqual([
      [half, 1],
      [half, 1],
    ]);
    // What a shorter slot frees, another one may take.
    player.tell(slot(0, bytes(3)));
    player.tell(slot(1, new Uint8Array(limits.slotBytes - 1)));
    virtual.scheduler.advance(100);
    expect(virtual.registry.drops.toRecord()).toEqual({ "too-long": 2 });
  });

  it("[WF28] are limited for one newcomer to the bytes that TCP sends at once", () => {
    const virtual = new VirtualRegistry({ rooms });
    for (let count = 0; count < 20; count++)
      virtual.join().player.tell(slot(0, new Uint8Array(limits.slotBytes)));
    virtual.scheduler.advance(100);
    const { player } = virtual.join();
    expect(player.of("slot").map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(player.welcome.peers).toHaveLength(20);
  });

  it("[WF28] are dropped beyond the rate of control messages: a thousand in a second", () => {
    const virtual = new VirtualRegistry();
    const { player } = virtual.join();
    for (let count = 0; count < 1000; count++) {
      player.tell(slot(count & 0xff, bytes(count & 0xff)));
      virtual.scheduler.advance(1);
    }
    virtual.scheduler.advance(1000);
    const { signalsPerSecond, signalBurst } = virtual.settings.limits;
    const dropped = virtual.registry.drops.toRecord()["rate-limit"]!;
    expect(dropped).toBeGreaterThanOrEqual(1000 - signalBurst - 1.1 * signalsPerSecond);
    expect(virtual.settings.counters.limited.signalsPerSession).toBe(dropped);
  });
});
