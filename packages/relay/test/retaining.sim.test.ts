import { PayloadKind, encodeValue, limits } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const rooms = { race: { maxPlayers: 64 } };

describe("states that participants retain for newcomers", () => {
  it("[WF28] follow the welcome, with their age: the newest of each participant in the room", () => {
    const virtual = new VirtualRegistry();
    const [a, b] = [virtual.join().player, virtual.join().player];
    virtual.join({ method: "create" }).player.tell({ type: "retain", states: bytes(9) });
    a.tell({ type: "retain", states: bytes(1, 2) });
    virtual.scheduler.advance(300);
    a.tell({ type: "retain", states: bytes(3) });
    b.tell({ type: "retain", states: bytes(4) });
    virtual.scheduler.advance(700);
    const { player: c } = virtual.join({ method: "joinById", target: a.welcome.roomId });
    expect(c.messages.slice(0, 3).map(({ type }) => type)).toEqual(["welcome", "retained", "retained"]);
    expect(c.of("retained")).toEqual([
      { type: "retained", number: a.number, ageMs: expect.closeTo(695, -1) as number, states: bytes(3) },
      { type: "retained", number: b.number, ageMs: expect.closeTo(695, -1) as number, states: bytes(4) },
    ]);
    expect([a, b].map((player) => player.of("retained"))).toEqual([[], []]);
  });

  it("[WF28] end with an empty message, and when their owner leaves", () => {
    const virtual = new VirtualRegistry();
    const [a, b] = [virtual.join().player, virtual.join().player];
    a.tell({ type: "retain", states: bytes(1) });
    b.tell({ type: "retain", states: bytes(2) });
    virtual.scheduler.advance(100);
    a.tell({ type: "retain", states: bytes() });
    b.tell({ type: "leave" });
    virtual.scheduler.advance(100);
    expect(virtual.join().player.of("retained")).toEqual([]);
  });

  it("[WF28] stay while their owner is away for a moment", () => {
    const virtual = new VirtualRegistry();
    const { player, link } = virtual.join();
    player.tell({ type: "retain", states: bytes(1) });
    virtual.scheduler.advance(100);
    link.player.close(1001, "the network has gone");
    virtual.scheduler.advance(1000);
    expect(virtual.join().player.of("retained")).toHaveLength(1);
  });

  it("[WF28] are a violation if they are too long or no bytes", () => {
    const virtual = new VirtualRegistry();
    const { player } = virtual.join();
    player.tell({ type: "retain", states: new Uint8Array(limits.retainedBytes) });
    for (const states of [new Uint8Array(limits.retainedBytes + 1), "text", [1], null]) {
      const message = encodeValue({ type: "retain", states });
      player.session.sendReliable(Uint8Array.of(PayloadKind.control, ...message));
    }
    virtual.scheduler.advance(100);
    expect(virtual.registry.drops.toRecord()).toEqual({ "bad-message": 4 });
    expect(virtual.join().player.of("retained")[0]!.states).toHaveLength(limits.retainedBytes);
  });

  it("[WF28] are limited for one newcomer to the bytes that TCP sends at once", () => {
    const virtual = new VirtualRegistry({ rooms });
    for (let count = 0; count < 20; count++) {
      virtual.join().player.tell({ type: "retain", states: new Uint8Array(limits.retainedBytes) });
    }
    virtual.scheduler.advance(100);
    const { player } = virtual.join();
    expect(player.of("retained").map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(player.welcome.peers).toHaveLength(20);
  });

  it("[WF28] are dropped beyond the rate of control messages", () => {
    const virtual = new VirtualRegistry();
    const { player } = virtual.join();
    for (let count = 0; count < 300; count++) player.tell({ type: "retain", states: bytes(count & 0xff) });
    virtual.scheduler.advance(1000);
    expect(virtual.registry.drops.toRecord()["rate-limit"]).toBeGreaterThan(50);
  });
});
