import { CloseCode } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { AdmittedLink } from "../src/admission/admitted-link.js";
import { Player } from "./player.js";
import type { RelayOptions } from "../src/index.js";
import { VirtualRegistry, type StallingPipe } from "./virtual-registry.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

function racers(count: number, virtual = new VirtualRegistry({ rooms: { race: { maxPlayers: 16 } } })) {
  return { virtual, joined: Array.from({ length: count }, () => virtual.join()) };
}

describe("forwarding", () => {
  it("gives a packet unchanged to each target and nobody else, with the sender's number", () => {
    const { virtual, joined } = racers(4);
    const [a, b, c, d] = joined.map(({ player }) => player);
    a!.forward([b!, c!], bytes(7, 8, 9), { trafficClass: "event", key: 300 });
    virtual.scheduler.advance(100);
    const expected = { trafficClass: "event", key: 0, peers: [a!.number], packet: bytes(7, 8, 9) };
    expect(b!.forwarded).toEqual([expected]);
    expect(c!.forwarded).toEqual([expected]);
    expect(d!.forwarded).toEqual([]);
  });

  it("begins with the introduction: a newcomer is not announced before its link is open", () => {
    const { virtual, joined } = racers(1);
    const [a] = joined.map(({ player }) => player);
    const newcomers = [60, 40].map((opensAfterMs) => {
      const player = new Player(virtual.scheduler);
      const link = virtual.link(opensAfterMs);
      virtual.registry.admit(new AdmittedLink(link.relay), virtual.seat().ticket);
      player.attach(link.player);
      return player;
    });
    virtual.scheduler.advance(30);
    expect(a!.of("joined")).toEqual([]);
    virtual.scheduler.advance(100);
    const numbers = newcomers.map((newcomer) => newcomer.number);
    expect(a!.of("joined").map(({ peer }) => peer.number)).toEqual(numbers.toReversed());
    // In either order of arrival, each newcomer gets to know the others once.
    for (const newcomer of newcomers) {
      const known = [...newcomer.welcome.peers, ...newcomer.of("joined").map(({ peer }) => peer)];
      const others = [a!.number, ...numbers].filter((number) => number !== newcomer.number);
      expect(known.map(({ number }) => number).toSorted()).toEqual(others.toSorted());
    }
    a!.forward(newcomers, bytes(1));
    virtual.scheduler.advance(100);
    for (const newcomer of newcomers) expect(newcomer.forwarded).toHaveLength(1);
    expect(virtual.registry.drops.toRecord()).toEqual({});
  });

  it("encodes once for all receivers", () => {
    const { virtual, joined } = racers(3);
    const sent: Uint8Array[] = [];
    for (const { link } of joined.slice(1)) {
      const pipe = link.downward;
      const send = pipe.send.bind(pipe);
      pipe.send = (packet) => {
        sent.push(packet);
        send(packet);
      };
    }
    const [a, b, c] = joined.map(({ player }) => player);
    a!.forward([b!, c!], bytes(1));
    virtual.scheduler.advance(10);
    const routed = sent.filter((packet) => packet.at(-1) === 1 && packet.length === 3);
    expect(routed).toHaveLength(2);
    expect(routed[0]).toBe(routed[1]);
  });

  it("never echoes, and counts targets that are the sender, unknown, or named twice", () => {
    const { virtual, joined } = racers(2);
    const [a, b] = joined.map(({ player }) => player);
    a!.forward([a!, b!, b!], bytes(1));
    a!.forward([], bytes(2), { peers: [999] });
    virtual.scheduler.advance(100);
    expect(a!.forwarded).toEqual([]);
    expect(b!.forwarded).toHaveLength(1);
    expect(virtual.registry.drops.toRecord()).toMatchObject({ "not-routable": 3 });
    expect(a!.end).toBeUndefined();
  });

  it("keeps rooms apart: the same number in another room is another participant", () => {
    const virtual = new VirtualRegistry();
    const [a, b] = [virtual.join().player, virtual.join().player];
    const stranger = virtual.join({ method: "create" }).player;
    virtual.join({ method: "joinById", target: stranger.welcome.roomId });
    stranger.forward([], bytes(1), { peers: [1, 2] });
    virtual.scheduler.advance(100);
    expect([...a.forwarded, ...b.forwarded, ...stranger.forwarded]).toEqual([]);
  });

  it("counts malformed envelopes and cuts a sender that goes on, without effect on others", () => {
    const { virtual, joined } = racers(3);
    const [a, b, c] = joined;
    for (let sent = 0; sent < 60; sent++) a!.link.player.send("command", bytes(0x07, 9));
    virtual.scheduler.advance(100);
    expect(a!.player.close).toMatchObject({ code: CloseCode.protocolViolation });
    expect(virtual.registry.drops.toRecord()["too-short"]).toBe(50);
    expect(b!.player.of("left")).toEqual([{ type: "left", number: a!.player.number }]);
    b!.player.forward([c!.player], bytes(5));
    virtual.scheduler.advance(100);
    expect(c!.player.firstBytes).toEqual([5]);
  });
});

describe("a slow receiver", () => {
  /** Joins three racers; the last one does not read. */
  function withSlow() {
    const limits = { queuedCommandBytes: 65_536 };
    const stage = new VirtualRegistry({ rooms: { race: { maxPlayers: 16 } }, limits });
    const { virtual, joined } = racers(3, stage);
    const [a, b, slow] = joined.map(({ player }) => player);
    const pipe: StallingPipe = joined[2]!.link.downward;
    pipe.stall();
    return { virtual, a: a!, b: b!, slow: slow!, pipe };
  }

  it("gets the newest state of each key when it reads again, and does not delay others", () => {
    const { virtual, a, b, slow, pipe } = withSlow();
    a.forward([slow], new Uint8Array(5000));
    for (let state = 1; state <= 100; state++) {
      for (const key of [1, 2]) a.forward([b, slow], bytes(key, state), { trafficClass: "state", key });
      b.forward([a, slow], bytes(3, state), { trafficClass: "state", key: 1 });
      virtual.scheduler.advance(10);
    }
    virtual.scheduler.advance(10);
    expect(b.forwarded).toHaveLength(200);
    pipe.flow();
    virtual.scheduler.advance(100);
    const states = slow.forwarded.slice(1).map(({ packet }) => [...packet]);
    // Equal keys of different senders do not replace each other.
    expect(states.slice(-3)).toEqual([[1, 100], [2, 100], [3, 100]]); // prettier-ignore
    expect(states.length).toBeLessThan(10);
    expect(slow.closes).toEqual([]);
  });

  it("loses its link but not its session when too many commands wait, and does not delay others", () => {
    const { virtual, a, b, slow } = withSlow();
    for (let sent = 0; sent < 12; sent++) a.forward([b, slow], new Uint8Array(8000).fill(sent));
    virtual.scheduler.advance(100);
    expect(b.firstBytes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(slow.closes).toMatchObject([{ code: CloseCode.tooSlow }]);
    expect(b.of("left")).toEqual([]);
    virtual.resume(slow);
    a.forward([slow], bytes(77));
    virtual.scheduler.advance(100);
    expect(slow.firstBytes.at(-1)).toBe(77);
  });
});

describe("a broadcast", () => {
  const body = bytes(2, 2, 0x90);
  const players = (count: number, limits: NonNullable<RelayOptions["limits"]> = {}) => {
    const { virtual, joined } = racers(
      count,
      new VirtualRegistry({ rooms: { race: { maxPlayers: 16 } }, limits }),
    );
    return { virtual, all: joined.map(({ player }) => player) as [Player, Player, Player, Player] };
  };

  it("[WF25] reaches each receiver with that receiver's own number, and nobody else", () => {
    const { virtual, all } = players(4);
    const [a, b, c, d] = all;
    a.forward([b, d], body, { firstIds: [7, 65_535] });
    virtual.scheduler.advance(100);
    const common = { trafficClass: "command", key: 0, peers: [a.number], packet: body };
    expect(b.forwarded).toEqual([{ ...common, firstIds: [7] }]);
    expect(d.forwarded).toEqual([{ ...common, firstIds: [65_535] }]);
    expect([a.forwarded, c.forwarded]).toEqual([[], []]);
  });

  it("[WF25] skips the sender, unknown receivers and receivers without a link", () => {
    const { virtual, all } = players(3);
    const [a, b, c] = all;
    const gone = virtual.join();
    gone.link.player.close(1006, "gone");
    virtual.scheduler.advance(100);
    const nobody = { number: 900 } as Player;
    a.forward([a, b, c, gone.player, nobody], body, { firstIds: [1, 2, 3, 4, 5] });
    virtual.scheduler.advance(100);
    expect([b, c].map(({ forwarded }) => forwarded[0]?.firstIds)).toEqual([[2], [3]]);
    expect(virtual.registry.drops.toRecord()["not-routable"]).toBe(3);
  });

  it("[WF25] counts each copy against the forwarding rate of its sender", () => {
    const limits = { egressBytesPerSecondPerRoom: 20_000, egressBurstPerRoom: 20_000 };
    const { virtual, all } = players(4, limits);
    const [a, b, c, d] = all;
    const large = new Uint8Array(5000);
    for (let time = 0; time < 2; time++) a.forward([b, c, d], large, { firstIds: [time, time, time] });
    virtual.scheduler.advance(100);
    expect([b, c, d].map(({ forwarded }) => forwarded.length)).toEqual([1, 1, 1]);
    expect(virtual.settings.counters.limited.egressPerRoom).toBe(1);
  });

  it("[WF25] that is malformed is dropped and counted, and a sender that goes on is cut", () => {
    const { virtual, all } = players(2);
    const [a, b] = all;
    const malformed = {
      "of states": [0x11, b.number, 5, 0, 1, 2],
      "of an update": [0x97, 16, 1, 0, 0, 0, 1, 0, b.number, 5, 0, 1, 2],
      "to nobody": [0x37, 0, 1, 2],
      "to one twice": [0x37, 2, b.number, 5, 0, 0, 6, 0, 1, 2],
      "without numbers": [0x37, 64, b.number, 0],
      "without a body": [0x17, b.number, 5, 0],
    };
    for (const bytes of Object.values(malformed))
      a.session.activeLink!.send("command", Uint8Array.from(bytes));
    virtual.scheduler.advance(100);
    expect(virtual.registry.drops.toRecord()).toMatchObject({ "unknown-kind": 2, length: 3, "too-short": 1 });
    expect(b.forwarded).toEqual([]);
    for (let time = 0; time < 60; time++)
      a.session.activeLink!.send("command", Uint8Array.from(malformed["to one twice"]));
    virtual.scheduler.advance(100);
    expect(a.close?.code).toBe(CloseCode.protocolViolation);
    expect(b.close).toBeUndefined();
  });
});
