import { CloseCode, type ServerMessage, type TrafficClassName } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { AdmittedLink } from "../src/admission/admitted-link.js";
import type { RelayOptions } from "../src/index.js";
import { Player } from "./player.js";
import { PausableLink, VirtualRegistry, type VirtualLink } from "./virtual-registry.js";

/** Small rates in the proportions of the defaults. */
const RATE = 10_000;
const ROOM = { forwardsPerSecondPerRoom: RATE } as const;
const RELAY = { forwardsPerSecond: RATE } as const;
const STEP_MS = 5;

/** A player who counts what it gets, by the sender's number, and keeps the first byte of each packet. */
interface Counting {
  readonly player: Player;
  readonly link: VirtualLink;
  readonly got: Map<number, number[]>;
}

class Stage {
  readonly virtual: VirtualRegistry;

  constructor(limits: NonNullable<RelayOptions["limits"]>, maxPlayers: number) {
    this.virtual = new VirtualRegistry({ rooms: { race: { maxPlayers } }, limits });
  }

  /** Opens a room of so many players. */
  room(count: number): Counting[] {
    const first = this.join({ method: "create" });
    const target = first.player.welcome.roomId;
    const others = Array.from({ length: count - 1 }, () => this.join({ method: "joinById", target }));
    return [first, ...others];
  }

  /** `isPausable` false: over a link such as WebRTC. */
  join(request: Parameters<VirtualRegistry["join"]>[0], isPausable = true): Counting {
    const { player, link } = this.virtual.join(request, "", this.virtual.link(0, isPausable));
    const got = new Map<number, number[]>();
    player.onForwarded = ({ peers, packet }) => {
      player.forwarded.length = 0;
      const [from = 0] = peers;
      const bytes = got.get(from) ?? [];
      bytes.push(packet[0]!);
      got.set(from, bytes);
    };
    return { player, link, got };
  }

  /** Lets every sender send at this rate to all others of its room, and everybody receive. */
  run(sendings: readonly Sending[], durationMs: number): void {
    for (let atMs = 0; atMs < durationMs; atMs += STEP_MS) {
      for (const sending of sendings) send(sending, atMs, atMs + STEP_MS);
      this.virtual.scheduler.advance(STEP_MS);
    }
  }

  get counters() {
    return this.virtual.settings.counters;
  }
}

interface Sending {
  readonly from: Counting;
  readonly room: readonly Counting[];
  readonly hz: number;
  readonly trafficClass?: TrafficClassName;
  readonly key?: number;
}

function send({ from, room, hz, trafficClass = "command", key = 0 }: Sending, fromMs: number, endMs: number) {
  const others = room.filter((each) => each !== from).map(({ player }) => player);
  const [first, end] = [Math.floor((fromMs * hz) / 1000), Math.floor((endMs * hz) / 1000)];
  for (let number = first; number < end; number++) {
    from.player.forward(others, Uint8Array.of(number & 0xff), { trafficClass, key });
  }
}

const received = (room: readonly Counting[]): number =>
  room.reduce((sum, { got }) => sum + [...got.values()].reduce((all, { length }) => all + length, 0), 0);

const unreadOf = ({ relay }: VirtualLink): number =>
  relay instanceof PausableLink ? (relay.unread?.length ?? 0) : 0;

/** The numbers 0 to 255, again and again. */
const inOrder = (count: number): number[] => Array.from({ length: count }, (_, number) => number & 0xff);

describe("what the relay forwards in a room", () => {
  it("is limited by the number of packets, however short they are", () => {
    const stage = new Stage(ROOM, 20);
    const room = stage.room(20);
    // 20 members x 390 packets x 19 receivers are 148,200 forwards a second.
    stage.run(
      room.map((from) => ({ from, room, hz: 390 })),
      3000,
    );
    // Besides the rate, bursts of the room and of each member.
    expect(received(room)).toBeLessThan(RATE * 3 + 64 * 64 + 20 * 64 + 100);
    expect(received(room)).toBeGreaterThan(RATE * 2.8);
    expect(stage.counters.limited.forwardsPerRoom).toBeGreaterThan(100);
    expect(stage.counters.backPressure.pauses).toBeGreaterThan(100);
    expect(room.map(({ player }) => player.close)).toEqual(Array(20).fill(undefined));
  });

  it("loses no reliable packet, and removes nobody: they wait in sockets that are not read", () => {
    const stage = new Stage(ROOM, 20);
    const room = stage.room(20);
    stage.run(
      room.map((from) => ({ from, room, hz: 100 })),
      2000,
    );
    expect(Math.max(...room.map(({ link }) => unreadOf(link)))).toBeGreaterThan(50);
    stage.virtual.scheduler.advance(8000);
    for (const { player, got } of room) {
      expect(player.close).toBeUndefined();
      expect([...got.values()]).toEqual(Array(19).fill(inOrder(200)));
    }
    expect(stage.virtual.registry.drops.toRecord()).toEqual({});
  });

  it("pauses those who cause it: packets of a quiet member pass at once", () => {
    const stage = new Stage(ROOM, 20);
    const room = stage.room(20);
    const [quiet, ...loud] = room as [Counting, ...Counting[]];
    const sendings = loud.map((from) => ({ from, room, hz: 390 }));
    stage.run([...sendings, { from: quiet, room, hz: 20 }], 3000);
    stage.virtual.scheduler.advance(20);
    expect(unreadOf(quiet.link)).toBe(0);
    const numbers = loud.map(({ got }) => got.get(quiet.player.number)?.length);
    expect(numbers).toEqual(Array(19).fill(60));
  });

  it("replaces states that wait by newer ones, without a pause", () => {
    const stage = new Stage(ROOM, 20);
    const room = stage.room(20);
    stage.run(
      room.map((from) => ({ from, room, hz: 200, trafficClass: "state", key: 7 })),
      1000,
    );
    stage.virtual.scheduler.advance(100);
    expect(stage.counters.backPressure).toMatchObject({ pauses: 0 });
    expect(stage.counters.backPressure.statesReplaced).toBeGreaterThan(1000);
    for (const { player, got } of room) {
      expect(player.close).toBeUndefined();
      for (const numbers of got.values()) {
        expect(numbers.at(-1)).toBe(199);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }
    }
  });

  it("keeps 256 reliable packets at most of a sender whose link cannot be paused, and drops the others", () => {
    const stage = new Stage(ROOM, 20);
    const room = stage.room(19);
    const target = room[0]!.player.welcome.roomId;
    const sender = stage.join({ method: "joinById", target }, false);
    const others = room.map(({ player }) => player);
    // 13,300 forwards at once are more than the bursts.
    for (let number = 0; number < 700; number++) sender.player.forward(others, Uint8Array.of(number & 0xff));
    const at = (): number => room[0]!.got.get(sender.player.number)?.length ?? 0;
    const drops = (): number => stage.virtual.registry.drops.of("queue-full");
    stage.virtual.scheduler.advance(3000);
    expect(at()).toBe(700 - drops());
    // The bursts of the room and of the member pass at once, and 256 packets later.
    expect(at()).toBeGreaterThanOrEqual(256 + Math.floor((64 * 64) / 19));
    expect(at()).toBeLessThanOrEqual(256 + Math.ceil((64 * 64 + 500) / 19));
    expect(room[0]!.got.get(sender.player.number)).toEqual(inOrder(700).slice(0, at()));
    expect(stage.counters.backPressure.pauses).toBe(0);
    expect(sender.player.close).toBeUndefined();
    // What comes later passes.
    sender.player.forward(others, Uint8Array.of(7));
    stage.virtual.scheduler.advance(100);
    expect(room[0]!.got.get(sender.player.number)?.at(-1)).toBe(7);
  });

  it("keeps states to different receivers apart, though they have one key", () => {
    const stage = new Stage(ROOM, 20);
    const room = stage.room(20);
    const [sender, one, ...others] = room as [Counting, Counting, ...Counting[]];
    stage.run([{ from: sender, room, hz: 390 }], 1000);
    const state = { trafficClass: "state", key: 3 } as const;
    sender.player.forward(
      others.map(({ player }) => player),
      Uint8Array.of(251),
      state,
    );
    sender.player.forward([one.player], Uint8Array.of(252), state);
    stage.virtual.scheduler.advance(10_000);
    expect(one.got.get(sender.player.number)?.at(-1)).toBe(252);
    expect(others.map(({ got }) => got.get(sender.player.number)?.at(-1))).toEqual(Array(18).fill(251));
  });

  it("counts targets that get nothing, since each costs time", () => {
    const stage = new Stage(ROOM, 20);
    const [sender, other] = stage.room(2) as [Counting, Counting];
    const nobody = Array.from({ length: 63 }, (_, index) => ({ number: 1000 + index }) as Player);
    for (let sent = 0; sent < 200; sent++) {
      sender.player.forward([other.player, ...nobody], Uint8Array.of(1));
      stage.virtual.scheduler.advance(1);
    }
    // 200 packets name 12,600 targets that are not there. A fifth of a second allows 2000 targets and the burst.
    expect(stage.virtual.registry.drops.of("not-routable")).toBeLessThan(2000 + 64 * 64 + 3 * 64);
    expect(stage.counters.limited.forwardsPerRoom).toBeGreaterThan(0);
  });

  it("ends nobody's link by a pause: a paused session still hears its client in time", () => {
    const stage = new Stage({ ...ROOM, linkTimeoutMs: 1000 }, 64);
    const room = stage.room(64);
    stage.run(
      room.map((from) => ({ from, room, hz: 60 })),
      3000,
    );
    expect(stage.counters.sessionEnds).toEqual({});
    expect(stage.counters.entries).toEqual({ joined: 64, resumed: 0 });
  });

  it("does not limit what honest rooms send: 24 players at 60 Hz with 30 events each", () => {
    const stage = new Stage({}, 24);
    const room = stage.room(24);
    const states = room.map((from) => ({ from, room, hz: 60, trafficClass: "state", key: 1 }) as const);
    const events = room.map((from) => ({ from, room, hz: 30, trafficClass: "event" }) as const);
    stage.run([...states, ...events], 1000);
    expect(stage.counters.limited.forwardsPerRoom).toBe(0);
    expect(stage.counters.backPressure).toEqual({ statesReplaced: 0, pauses: 0, pausedMs: 0 });
  });
});

describe("what the relay forwards in all rooms", () => {
  it("is limited together, and each room has its part", () => {
    const stage = new Stage(RELAY, 16);
    const loud = Array.from({ length: 4 }, () => stage.room(16));
    const quiet = stage.room(4);
    const sendings = loud.flatMap((room) => room.map((from) => ({ from, room, hz: 390 })));
    // Uses up the bursts.
    stage.run(sendings, 500);
    const before = loud.map(received);
    stage.run([...sendings, ...quiet.map((from) => ({ from, room: quiet, hz: 60 }))], 3000);
    stage.virtual.scheduler.advance(20);
    const all = [...loud, quiet].reduce((sum, room) => sum + received(room), 0);
    expect(all).toBeLessThan(RATE * 3.5 + 64 * 64 + 5 * 250 + 500);
    expect(all).toBeGreaterThan(RATE * 3.3);
    // A fifth of the rate is 2000: the quiet room needs 720.
    expect(received(quiet)).toBe(4 * 180 * 3);
    expect(quiet.map(({ link }) => unreadOf(link))).toEqual(Array(4).fill(0));
    const parts = loud.map((room, index) => received(room) - before[index]!);
    // Each has its fifth; the rest of the quiet room's part goes to whoever asks first.
    expect(Math.min(...parts)).toBeGreaterThan(0.95 * 3 * (RATE / 5));
    expect(stage.counters.limited.forwards).toBeGreaterThan(100);
  });

  it("is one room's alone while the others are silent", () => {
    const stage = new Stage({ ...RELAY, forwardsPerSecondPerRoom: 100_000 }, 20);
    stage.room(4);
    const room = stage.room(20);
    stage.run(
      room.map((from) => ({ from, room, hz: 390 })),
      2000,
    );
    expect(received(room)).toBeGreaterThan(RATE * 1.8);
  });
});

/** Messages to `witness` of these types. */
const newsTo = ({ player }: Counting, types: readonly string[]): readonly ServerMessage[] =>
  player.messages.filter(({ type }) => types.includes(type));

describe("news of a room's members", () => {
  const MEMBERS = 40;

  it("counts as forwards when they join and leave: joins wait", () => {
    const stage = new Stage({ ...ROOM, joinsPerSecondPerRoom: 1000, joinBurstPerRoom: 1000 }, 64);
    const room = stage.room(MEMBERS);
    const target = room[0]!.player.welcome.roomId;
    const { virtual } = stage;
    let refused = 0;
    for (let atMs = 0; atMs < 2000; atMs += 10) {
      const seat = virtual.reserve({ method: "joinById", target });
      if ("ticket" in seat) {
        const [player, link] = [new Player(virtual.scheduler), virtual.link()];
        virtual.registry.admit(new AdmittedLink(link.relay), seat.ticket);
        player.attach(link.player);
        virtual.scheduler.advance(5);
        player.session.close(CloseCode.left, "left");
      } else {
        if (seat.code === "match/rate-limited") refused += 1;
      }
      virtual.scheduler.advance("ticket" in seat ? 5 : 10);
    }
    // 100 joins a second are 8000 messages. A quarter of the room's rate is 2500.
    const news = newsTo(room[0]!, ["joined", "left"]).length - (MEMBERS - 1);
    expect(news * MEMBERS).toBeLessThan(2500 * 2 + 64 * 64 + 200);
    expect(news * MEMBERS).toBeGreaterThan(2500 * 2);
    expect(refused).toBeGreaterThan(50);
    expect(stage.counters.limited.joinsPerRoom).toBe(refused);
  });

  it("counts for a page that reloads, too, and does not hold back the room's first 64 members", () => {
    const stage = new Stage(ROOM, 64);
    const room = stage.room(64);
    expect(stage.counters.limited.joinsPerRoom).toBe(0);
    const { sessionId, token } = room[0]!.player.welcome;
    let granted = 0;
    for (let asked = 0; asked < 200; asked++) {
      if ("ticket" in stage.virtual.reserve({ method: "reconnect", target: sessionId, token })) granted += 1;
    }
    // A reload is news of two messages to 64 members.
    expect(granted * 2 * 64).toBeLessThanOrEqual(64 * 64);
    expect(granted).toBeGreaterThan(10);
  });

  it("waits for its member's share when links are lost and come back: the newest counts", () => {
    const stage = new Stage(ROOM, 64);
    const room = stage.room(MEMBERS);
    const witness = room[0]!;
    const flapping = room.slice(1, 9);
    const before = newsTo(witness, ["away", "back"]).length;
    for (let round = 0; round < 20; round++) {
      const links = flapping.map(({ player }) => {
        const link = stage.virtual.link();
        stage.virtual.registry.resume(
          new AdmittedLink(link.relay),
          player.welcome.sessionId,
          player.resumeToken,
        );
        player.attach(link.player);
        return link;
      });
      stage.virtual.scheduler.advance(20);
      for (const { relay } of links) relay.closeFromRemote(1006, "");
      for (const { player } of links) player.closeFromRemote(1006, "");
      stage.virtual.scheduler.advance(5);
    }
    // 8 members x 20 rounds x 2 messages x 39 receivers are 12,480 in half a second.
    const news = newsTo(witness, ["away", "back"]).length - before;
    expect(news * (MEMBERS - 1)).toBeLessThan(RATE * 0.5 + 64 * 64 + 8 * 64);
    stage.virtual.scheduler.advance(2000);
    const last = new Map(
      newsTo(witness, ["away", "back"]).map((message) => [
        "number" in message && message.number,
        message.type,
      ]),
    );
    expect(last).toEqual(new Map(flapping.map(({ player }) => [player.number, "away"])));
  });

  it("waits for its member's share when its WebRTC comes and goes: the newest counts", () => {
    const stage = new Stage(ROOM, 64);
    const room = stage.room(MEMBERS);
    const witness = room[0]!;
    for (let change = 0; change < 8; change++) {
      for (const { player } of room) player.tell({ type: "capabilities", webrtc: change % 2 === 1 });
      stage.virtual.scheduler.advance(10);
    }
    // 40 members x 8 messages x 39 receivers are 12,480 in 80 ms.
    const news = newsTo(witness, ["capabilities"]).length;
    expect(news * MEMBERS).toBeLessThan(RATE * 0.1 + 64 * 64 + MEMBERS * 64 * 2);
    stage.virtual.scheduler.advance(2000);
    const last = newsTo(witness, ["capabilities"]).slice(-(MEMBERS - 1));
    expect(last.map((message) => "webrtc" in message && message.webrtc)).toEqual(
      Array(MEMBERS - 1).fill(true),
    );
  });
});
