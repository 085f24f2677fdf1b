import { CloseCode, MessageKind, limits, nextSequence, type TrafficClassName } from "@paceline/protocol";
import { VirtualScheduler, outboxOver } from "@paceline/testkit";
import { Session, type LinkClose, type LinkMonitorOptions, type PongTimes } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { HandLink, reliable } from "./hand-link.js";

const ready: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 5000,
  timeoutMs: 5000,
  heartbeatMs: 1000,
};
const direct: LinkMonitorOptions = {
  preference: 10,
  needsProof: true,
  connectTimeoutMs: 5000,
  timeoutMs: 1000,
  heartbeatMs: 250,
};

/** One session, with the test as its other side. */
class Scene {
  readonly scheduler = new VirtualScheduler();
  tick = 77;
  readonly payloads: number[][] = [];
  readonly events: number[][] = [];
  readonly states: [body: number[], tick: number][] = [];
  readonly pongs: PongTimes[] = [];
  readonly acknowledged: number[] = [];
  closed: LinkClose | undefined;
  readonly session = new Session({
    scheduler: this.scheduler,
    currentTick: () => this.tick,
    handlers: {
      onReliable: (payload) => this.payloads.push([...payload]),
      onEvent: (body) => this.events.push([...body]),
      onState: (body, tick) => this.states.push([[...body], tick]),
      onAcknowledged: (sequence) => this.acknowledged.push(sequence),
      onPong: (times) => this.pongs.push(times),
      onClosed: (close) => (this.closed = close),
    },
  });

  link(options: LinkMonitorOptions = ready): HandLink {
    const link = new HandLink();
    this.session.attach(link, options);
    return link;
  }
}

const u16 = (value: number): Uint8Array => Uint8Array.of(value & 0xff, value >> 8);
const event = (byte: number) => ({ kind: MessageKind.event, body: Uint8Array.of(byte) });
const state = (byte: number) => ({ kind: MessageKind.state, body: Uint8Array.of(byte) });

describe("headers of a session", () => {
  test("[WF2] [WF3] count all packets, carry the tick with states, and acknowledge received packets", () => {
    const scene = new Scene();
    const link = scene.link();
    scene.session.sendReliable(Uint8Array.of(1));
    const [ping, first] = link.takeSent();
    const plain = { tick: undefined, acks: undefined, receipt: undefined };
    expect(ping!.header).toMatchObject({ sequence: 0, ...plain, only: MessageKind.ping });
    expect(first!.header).toMatchObject({ sequence: 1, ...plain, only: MessageKind.reliable });
    link.receive([reliable(0, 9)], { sequence: 100 });
    link.receive([event(1)], { sequence: 102 });
    scene.session.sendReliable(Uint8Array.of(9));
    const [second] = link.takeSent();
    expect(second!.header).toMatchObject({ sequence: 2, acks: { ack: 102, ackBits: 2 }, receipt: 1 });
    scene.session.sendState(Uint8Array.of(1));
    const [third] = link.takeSent();
    expect(third!.header).toMatchObject({ sequence: 3, tick: 77, only: MessageKind.state });
  });

  test("[WF2] keep the tick of a state that waits for room", () => {
    const scene = new Scene();
    const link = scene.link();
    link.queuedBytes = 1_000_000;
    scene.session.sendState(Uint8Array.of(1));
    scene.tick += 5;
    link.takeSent();
    link.queuedBytes = 0;
    scene.scheduler.advance(300);
    const late = link.takeSent().find(({ header }) => header.only === MessageKind.state);
    expect(late!.header.tick).toBe(77);
    scene.session.sendState(Uint8Array.of(2));
    expect(link.takeSent()[0]!.header.tick).toBe(82);
  });

  test("[WF3] have acks only after new packets, and three times if packets may be lost", () => {
    const scene = new Scene();
    const link = scene.link();
    const said = (send: () => void): boolean[] => {
      send();
      return link
        .takeSent()
        .map(({ header: { acks, receipt } }) => acks !== undefined && receipt !== undefined);
    };
    const command = (): unknown => scene.session.sendReliable(Uint8Array.of(9));
    const lossy = (): unknown => scene.session.sendState(Uint8Array.of(9));
    (link as { isUnreliable: boolean }).isUnreliable = false;
    said(command);
    link.receive([reliable(0, 9)], { sequence: 7 });
    expect([said(command), said(command)]).toEqual([[true], [false]]);
    link.receive([{ kind: MessageKind.ping, body: Uint8Array.of(1, 0) }], { sequence: 8 });
    expect(link.takeSent().map(({ header }) => header.acks)).toEqual([undefined]);
    // A repeated message is news too, because the other side does not know that it has arrived.
    link.receive([reliable(0, 9)], { sequence: 9 });
    (link as { isUnreliable: boolean }).isUnreliable = true;
    expect([said(lossy), said(lossy), said(lossy), said(lossy)]).toEqual([[true], [true], [true], [false]]);
    link.receive([reliable(1, 9)], { sequence: 10 });
    expect([said(lossy), said(command), said(lossy)]).toEqual([[true], [true], [false]]);
  });

  test("[WF3] [WF5] acks go on across the wrap", () => {
    const scene = new Scene();
    const link = scene.link();
    for (const sequence of [0xfffe, 0xffff, 0, 2]) link.receive([event(1)], { sequence });
    link.takeSent();
    scene.session.sendReliable(Uint8Array.of(1));
    expect(link.takeSent()[0]!.header.acks).toEqual({ ack: 2, ackBits: 0b1110 });
  });
});

describe("acks", () => {
  test("[WF3] tell the owner which of its states have arrived, each once", () => {
    const scene = new Scene();
    const link = scene.link();
    const sent = [1, 2, 3].map((byte) => scene.session.sendState(Uint8Array.of(byte)));
    expect(sent).toEqual([1, 2, 3]);
    link.receive([], { acks: { ack: 3, ackBits: 0b10 } });
    link.receive([], { acks: { ack: 3, ackBits: 0b11 } });
    expect(scene.acknowledged).toEqual([1, 3, 2]);
  });

  test("[WF3] tell once of several bodies in a packet, whether it waited or not", () => {
    const scene = new Scene();
    const link = scene.link();
    const send = (...bytes: readonly number[]): number | undefined => {
      const [first, ...further] = bytes.map((byte) => Uint8Array.of(byte));
      expect(scene.session.nextState).toBe((scene.acknowledged.at(-1) ?? 0) + 1);
      return scene.session.sendState(first!, 0, Uint8Array.of(8), undefined, further);
    };
    for (const queuedBytes of [0, 1_000_000]) {
      link.queuedBytes = queuedBytes;
      const number = send(1, 2, 3);
      link.queuedBytes = 0;
      scene.scheduler.advance(20);
      const packet = link.takeSent().find(({ header }) => header.tick !== undefined)!;
      expect(packet.header.only).toBeUndefined();
      expect(packet.messages.map(({ kind, body }) => [kind, ...body])).toEqual([
        [MessageKind.state, 8, 1],
        [MessageKind.state, 2],
        [MessageKind.state, 3],
      ]);
      link.receive([], { sequence: number!, acks: { ack: packet.header.sequence, ackBits: 0 } });
      expect(scene.acknowledged.at(-1)).toBe(number);
    }
    expect(scene.acknowledged).toEqual([1, 2]);
  });

  test("[WF2] [WF3] of states that the owner does not follow are not told, whether they waited or not", () => {
    const scene = new Scene();
    const link = scene.link();
    const moment = { tick: 5, nowMs: scene.scheduler.nowMs(), isFollowed: false };
    scene.session.sendState(Uint8Array.of(1), 0, undefined, moment);
    link.queuedBytes = 1_000_000;
    scene.session.sendState(Uint8Array.of(2), 0, undefined, moment);
    link.queuedBytes = 0;
    const followed = scene.session.sendState(Uint8Array.of(3));
    scene.scheduler.advance(20);
    const states = link.takeSent().filter(({ header }) => header.only === MessageKind.state);
    expect(states.map(({ header }) => header.tick)).toEqual([5, 5, 77]);
    link.receive([], { sequence: 1, acks: { ack: states.at(-1)!.header.sequence, ackBits: 0b111 } });
    expect(scene.acknowledged).toEqual([followed]);
  });

  test("[WF3] of packets that were never sent are malformed", () => {
    const scene = new Scene();
    const link = scene.link();
    link.receive([], { acks: { ack: 100, ackBits: 0 } });
    // The session's ping was its first packet. No packet was sent before it.
    link.receive([], { acks: { ack: 0, ackBits: 0xffffffff } });
    link.receive([], { acks: { ack: 0, ackBits: 1 } });
    expect(scene.acknowledged).toEqual([]);
    expect(scene.session.drops.toRecord()).toEqual({ "bad-message": 3 });
  });

  test("[WF37] of a state leave within 50 ms, even without other messages", () => {
    const scene = new Scene();
    const link = scene.link();
    link.receive([state(1)], { sequence: 40 });
    link.takeSent();
    scene.scheduler.advance(50);
    expect(link.takeSent().map(({ header, messages }) => [header.acks?.ack, messages.length])).toEqual([
      [40, 0],
    ]);
  });

  test("without a link a state is not sent, and has no number", () => {
    expect(new Scene().session.sendState(Uint8Array.of(1))).toBeUndefined();
  });
});

describe("reliable messages", () => {
  test("[WF10] [WF37] are delivered once and in order", () => {
    const scene = new Scene();
    const link = scene.link();
    link.receive([reliable(2, 2), reliable(0, 0)]);
    link.receive([reliable(0, 0), reliable(2, 2)]);
    link.receive([reliable(1, 1), reliable(3)]);
    expect(scene.payloads).toEqual([[0], [1], [2], []]);
    expect(scene.session.drops.toRecord()).toEqual({ duplicate: 2 });
  });

  test("[WF37] that are 16384 ahead are dropped, those before are kept", () => {
    const scene = new Scene();
    const link = scene.link();
    link.receive([reliable(limits.outOfOrderMessages, 1), reliable(limits.outOfOrderMessages - 1, 2)]);
    expect(scene.session.drops.toRecord()).toEqual({ "gap-too-large": 1 });
  });

  test("[WF37] are receipted within 50 ms", () => {
    const scene = new Scene();
    const link = scene.link();
    link.receive([reliable(0, 1)]);
    link.takeSent();
    scene.scheduler.advance(50);
    expect(link.takeSent().map(({ header, messages }) => [header.receipt, messages.length])).toEqual([
      [1, 0],
    ]);
  });

  test("[WF37] go on after id 65535 with 0", () => {
    const scene = new Scene();
    const link = scene.link();
    let id = 0;
    for (let count = 0; count < 0x10000 + 3; count++) {
      link.receive([reliable(id)]);
      id = nextSequence(id);
    }
    expect(scene.payloads).toHaveLength(0x10000 + 3);
    expect(scene.session.drops.total).toBe(0);
  });

  test("[WF38] are repeated over the next link, in order, until receipted", () => {
    const scene = new Scene();
    const first = scene.link();
    for (let id = 0; id < 3; id++) scene.session.sendReliable(Uint8Array.of(id));
    first.receive([], { receipt: 1 });
    first.end();
    scene.session.sendReliable(Uint8Array.of(3));
    const second = scene.link();
    expect(second.takeBodies(MessageKind.reliable)).toEqual([
      [1, 0, 1],
      [2, 0, 2],
      [3, 0, 3],
    ]);
    second.receive([], { sequence: 50, receipt: 4 });
    second.receive([], { sequence: 51, receipt: 2 });
    second.end();
    expect(scene.link().takeBodies(MessageKind.reliable)).toEqual([]);
    expect(scene.session.drops.total).toBe(0);
  });

  test("[WF38] are repeated on a living link after 1.5 s, some 16 KiB until a receipt arrives", () => {
    const scene = new Scene();
    const link = scene.link();
    scene.session.sendReliable(Uint8Array.of(7));
    scene.session.sendReliable(Uint8Array.of(8));
    link.takeSent();
    scene.scheduler.advance(1400);
    expect(link.takeBodies(MessageKind.reliable)).toEqual([]);
    scene.scheduler.advance(200);
    expect(link.takeBodies(MessageKind.reliable)).toEqual([
      [0, 0, 7],
      [1, 0, 8],
    ]);
    for (let count = 0; count < 50; count++) scene.session.sendReliable(new Uint8Array(1000));
    link.takeSent();
    link.receive([]);
    // The second repetition waits twice as long.
    scene.scheduler.advance(2900);
    expect(link.takeBodies(MessageKind.reliable)).toEqual([]);
    scene.scheduler.advance(150);
    const repeated = link.takeBodies(MessageKind.reliable).length;
    expect(repeated).toBeGreaterThan(2);
    expect(repeated).toBeLessThan(20);
    scene.scheduler.advance(400);
    expect(link.takeBodies(MessageKind.reliable)).toEqual([]);
    link.receive([], { receipt: repeated });
    expect(link.takeBodies(MessageKind.reliable).length).toBe(52 - repeated);
  });

  test("[WF38] a receipt of messages that were never sent is malformed", () => {
    const scene = new Scene();
    const link = scene.link();
    scene.session.sendReliable(Uint8Array.of(7));
    link.receive([], { receipt: 2 });
    expect(scene.session.drops.toRecord()).toEqual({ "bad-message": 1 });
    expect(scene.session.commands.length).toBe(1);
  });
});

describe("packets", () => {
  test("[WF40] that arrived before are dropped completely", () => {
    const scene = new Scene();
    const link = scene.link();
    link.receive([event(1)], { sequence: 5 });
    link.receive([event(2)], { sequence: 5 });
    link.receive([event(3)], { sequence: 4 });
    link.receive([event(4)], { sequence: 4 });
    expect(scene.events).toEqual([[1], [3]]);
    expect(scene.session.drops.toRecord()).toEqual({ duplicate: 2 });
  });

  test("[WF40] too old to detect repetition lose only their events", () => {
    const scene = new Scene();
    const link = scene.link();
    link.receive([], { sequence: 10 });
    link.receive([event(1)], { sequence: (10 - 1023) & 0xffff });
    link.receive([event(2), state(3), reliable(0, 4)], { sequence: (10 - 1024) & 0xffff, tick: 5 });
    expect([scene.events, scene.states, scene.payloads]).toEqual([[[1]], [[[3], 5]], [[4]]]);
    expect(scene.session.drops.toRecord()).toEqual({ outdated: 1 });
  });

  test("[WF2] with states have the tick that is nearest to the newest, over every wrap of its 16 bits", () => {
    const scene = new Scene();
    const link = scene.link();
    scene.session.observeTick(0xfffffff0);
    const ticks = [0xfffffff8, 0xffffffff, 3, 1, 0x4003, 0x8000, 0xc000, 0x10000, 0x10001, 0xffff];
    for (const tick of ticks) link.receive([state(1)], { tick });
    expect(scene.states.map(([, tick]) => tick)).toEqual(ticks);
    // Half a turn away: it may be before or after the newest.
    link.receive([state(2)], { tick: 0x18001 });
    expect(scene.states).toHaveLength(ticks.length);
    link.receive([state(2)], { tick: undefined });
    expect(scene.session.drops.toRecord()).toEqual({ outdated: 1, "bad-message": 1 });
    // After a long silence, the other side sends a whole tick first.
    scene.session.observeTick(0x18000);
    link.receive([state(3)], { tick: 0x18001 });
    expect(scene.states.at(-1)).toEqual([[3], 0x18001]);
  });

  test("[WF4] that are published with only states have 8 bits of their sequence: the nearest one counts", () => {
    const scene = new Scene();
    const link = scene.link();
    const publish = (sequence: number): void =>
      link.receive([state(sequence & 0xff)], { sequence, isPublished: true, only: MessageKind.state });
    for (let sequence = 0xff00; sequence < 0x10200; sequence++) publish(sequence & 0xffff);
    expect(scene.states).toHaveLength(0x300);
    // Earlier packets, up to 127 late.
    for (let late = 127; late > 0; late--) publish(0x200 - late);
    expect(scene.session.drops.toRecord()).toEqual({ duplicate: 127 });
  });

  test("[WF40] that arrive after many newer ones lose no event and repeat none", () => {
    const scene = new Scene();
    const link = scene.link();
    for (const isPublished of [false, true]) {
      for (let sequence = 0; sequence < 400; sequence++) {
        // The link repeats each tenth until it arrives, 120 packets later, and then once more.
        if (sequence % 10 !== 0) link.receive([state(0)], { sequence, isPublished });
        const late = sequence - 120;
        if (late < 0 || late % 10 !== 0) continue;
        link.receive([event(late / 10)], { sequence: late, isPublished });
        link.receive([event(late / 10)], { sequence: late, isPublished });
      }
    }
    const all = Array.from({ length: 28 }, (_, number) => [number]);
    expect(scene.events).toEqual([...all, ...all]);
    expect(scene.session.drops.toRecord()).toEqual({ duplicate: 56 });
  });

  test("[WF4] [WF40] that are published have sequences of their own", () => {
    const scene = new Scene();
    const link = scene.link();
    link.receive([], { sequence: 9 });
    link.receive([state(1)], { sequence: 9, tick: 3, isPublished: true });
    link.receive([state(1)], { sequence: 9, tick: 3, isPublished: true });
    link.receive([event(2)], { sequence: 10, isPublished: true });
    expect([scene.states, scene.events]).toEqual([[[[1], 3]], [[2]]]);
    expect(scene.session.drops.toRecord()).toEqual({ duplicate: 1 });
  });

  test("[WF4] that are published carry no other kind of message", () => {
    const scene = new Scene();
    scene.link().receive([reliable(0, 1)], { isPublished: true });
    expect(scene.payloads).toEqual([]);
    expect(scene.session.drops.toRecord()).toEqual({ "bad-message": 1 });
  });

  test("[WF42] that are malformed end the session at the fiftieth, not before, and are forgiven over time", () => {
    const scene = new Scene();
    const link = scene.link();
    const harm = (times: number): void => {
      for (let count = 0; count < times; count++) link.receiveBytes(Uint8Array.of(0xff));
    };
    harm(49);
    scene.scheduler.advance(2500);
    harm(1);
    expect(scene.closed).toBeUndefined();
    harm(5);
    expect(scene.closed?.code).toBe(CloseCode.protocolViolation);
    expect(link.closed?.code).toBe(CloseCode.protocolViolation);
    expect(scene.session.drops.of("flags")).toBeLessThanOrEqual(55);
  });
});

/** A pong with a clock of 0. */
function pong(ping: Uint8Array | readonly number[]): Uint8Array {
  return Uint8Array.of(...ping, 0, 0, 0, 0, 0, 0);
}

describe("pings", () => {
  test("[WF11] are answered at once, over the link on which they arrived", () => {
    const scene = new Scene();
    const [first, second] = [scene.link(), scene.link(direct)];
    first.takeSent();
    second.takeSent();
    second.receive([{ kind: MessageKind.ping, body: u16(0x1234) }]);
    // The clock is in µs, 48 bits.
    expect(second.takeBodies(MessageKind.pong)).toEqual([[0x34, 0x12, 0, 0, 0, 0, 0, 0]]);
    expect(first.takeSent()).toEqual([]);
  });

  test("[WF11] are answered with the clock, and report the other side's clock", () => {
    const scene = new Scene();
    scene.scheduler.advance(5_000_000.5);
    const link = scene.link();
    const [ping] = link.takeBodies(MessageKind.ping);
    link.receive([{ kind: MessageKind.ping, body: u16(1) }]);
    const clock = [0xf4, 0xf3, 0x05, 0x2a, 0x01, 0];
    expect(link.takeBodies(MessageKind.pong)).toEqual([[0x01, 0x00, ...clock]]);
    scene.scheduler.advance(30);
    link.receive([{ kind: MessageKind.pong, body: Uint8Array.of(...ping!, ...clock) }]);
    const times = { wasLate: false, sentMs: 5_000_000.5, remoteMs: 5_000_000.5, receivedMs: 5_000_030.5 };
    expect(scene.pongs).toEqual([times]);
  });

  test("are sent when the owner asks, besides those that watch the link", () => {
    const scene = new Scene();
    const link = scene.link();
    link.takeSent();
    scene.session.ping();
    expect(link.takeBodies(MessageKind.ping)).toHaveLength(1);
  });

  test.each([0, 1, 3, 9, 11])("[WF11] of %i bytes are malformed", (bytes) => {
    const scene = new Scene();
    const link = scene.link();
    link.takeSent();
    link.receive([{ kind: MessageKind.ping, body: new Uint8Array(bytes) }]);
    link.receive([{ kind: MessageKind.pong, body: new Uint8Array(bytes) }]);
    expect(link.takeSent()).toEqual([]);
    expect(scene.session.drops.toRecord()).toEqual({ "bad-message": 2 });
  });

  test("[WF41] prove a link: it carries only pings before, and everything after", () => {
    const scene = new Scene();
    const [relayed, probed] = [scene.link(), scene.link(direct)];
    scene.session.sendReliable(Uint8Array.of(1));
    scene.scheduler.advance(250);
    const probes = probed.takeSent().flatMap(({ messages }) => messages);
    expect(probes.length).toBeGreaterThanOrEqual(3);
    expect(probes.every(({ kind }) => kind === MessageKind.ping)).toBe(true);
    relayed.takeSent();
    // An unknown number proves nothing, but messages on the link are accepted.
    probed.receive([{ kind: MessageKind.pong, body: pong(u16(60_000)) }, reliable(0, 5)]);
    expect(scene.session.activeLink).toBe(relayed);
    expect(scene.payloads).toEqual([[5]]);
    probed.receive([{ kind: MessageKind.pong, body: pong(probes[0]!.body) }]);
    expect(scene.session.activeLink).toBe(probed);
    expect(probed.takeBodies(MessageKind.reliable)).toEqual([[0, 0, 1]]);
  });

  test("[WF41] left unanswered make a link dead, whatever its state", () => {
    const scene = new Scene();
    const [relayed, probed] = [scene.link(), scene.link(direct)];
    const [probe] = probed.takeBodies(MessageKind.ping);
    probed.receive([{ kind: MessageKind.pong, body: pong(probe!) }]);
    expect(scene.session.activeLink).toBe(probed);
    scene.scheduler.advance(1000);
    expect(scene.session.activeLink).toBe(probed);
    // The other participant runs: it answers over the link beside it.
    const asked = relayed.takeBodies(MessageKind.ping);
    relayed.receive([{ kind: MessageKind.pong, body: pong(asked.at(-1)!) }], { sequence: 1 });
    scene.scheduler.advance(1000);
    expect(scene.session.activeLink).toBe(relayed);
    expect(probed.closed?.code).toBe(CloseCode.timeout);
  });

  test("[WF41] left unanswered on every link make one dead only after three timeouts", () => {
    const scene = new Scene();
    const [relayed, probed] = [scene.link(), scene.link(direct)];
    const [probe] = probed.takeBodies(MessageKind.ping);
    probed.receive([{ kind: MessageKind.pong, body: pong(probe!) }]);
    const timeoutMs = direct.timeoutMs;
    scene.scheduler.advance(2.9 * timeoutMs);
    expect(scene.session.activeLink).toBe(probed);
    scene.scheduler.advance(0.2 * timeoutMs);
    expect(scene.session.activeLink).toBe(relayed);
  });
});

describe("close", () => {
  test("[WF12] ends the session with its code and reason, and every link", () => {
    const scene = new Scene();
    const links = [scene.link(), scene.link(direct)];
    const body = Uint8Array.of(0xa4, 0x0f, 0x62, 0x79, 0x65);
    links[0]!.receive([{ kind: MessageKind.close, body }]);
    expect(scene.closed).toEqual({ code: CloseCode.kicked, reason: "bye" });
    expect(links.map((link) => link.closed?.code)).toEqual([CloseCode.kicked, CloseCode.kicked]);
  });

  test("[WF12] may have an unreadable reason, but not half a code", () => {
    const scene = new Scene();
    const link = scene.link();
    link.receive([{ kind: MessageKind.close, body: Uint8Array.of(0xa0) }]);
    expect(scene.closed).toBeUndefined();
    link.receive([{ kind: MessageKind.close, body: Uint8Array.of(0xa0, 0x0f, 0xff) }]);
    expect(scene.closed).toEqual({ code: CloseCode.left, reason: "" });
  });

  test("[WF12] is sent to the other side", () => {
    const scene = new Scene();
    const link = scene.link();
    link.takeSent();
    scene.session.close(CloseCode.left, "bye");
    expect(link.takeBodies(MessageKind.close)).toEqual([[0xa0, 0x0f, 0x62, 0x79, 0x65]]);
  });
});

describe("a busy link", () => {
  test("[WF22] replaces an unsent state by a later one of the same key, and none of key 0", () => {
    const written: number[] = [];
    const link = new (class extends HandLink {
      override send(_trafficClass: TrafficClassName, packet: Uint8Array): void {
        written.push(packet[0]!);
      }
    })();
    const outbox = outboxOver(link, new VirtualScheduler());
    link.queuedBytes = 1_000_000;
    const sends = [
      ["state", 1, 5],
      ["state", 2, 5],
      ["state", 3, 6],
      ["state", 4, 0],
      ["state", 5, 0],
      ["command", 6, 5],
      ["input", 7, 5],
    ] as const;
    for (const [trafficClass, mark, key] of sends) outbox.forward(trafficClass, Uint8Array.of(mark), key);
    link.queuedBytes = 0;
    outbox.pump();
    expect(written.toSorted()).toEqual([2, 3, 4, 5, 6, 7]);
    expect(outbox.counters.statesReplaced).toBe(1);
  });
});

describe("pings of the other side", () => {
  const ping = (number: number) => ({ kind: MessageKind.ping, body: u16(number) });

  test("[WF11] are answered once per packet; further ones in it are malformed", () => {
    const scene = new Scene();
    const link = scene.link();
    link.takeSent();
    link.receive([ping(7), ping(8), event(1), ping(9)]);
    const pongs = link.takeBodies(MessageKind.pong);
    expect(pongs.map(([low]) => low)).toEqual([7]);
    expect(scene.events).toEqual([[1]]);
    expect(scene.session.drops.toRecord()).toEqual({ "bad-message": 2 });
  });

  test("[WF11] by the hundred in a packet end the session and cause one pong", () => {
    const scene = new Scene();
    const link = scene.link();
    link.takeSent();
    link.receive(Array.from({ length: 600 }, (_, number) => ping(number)));
    expect(link.takeBodies(MessageKind.pong)).toHaveLength(1);
    expect(scene.closed?.code).toBe(CloseCode.protocolViolation);
  });

  test("[WF11] are answered as many at once as in a second after a pause, and then at that rate", () => {
    const scene = new Scene();
    const link = scene.link();
    scene.scheduler.advance(1000);
    link.takeSent();
    const answersTo = (pings: number): number => {
      for (let sent = 0; sent < pings; sent++) link.receive([ping(sent)]);
      return link.takeBodies(MessageKind.pong).length;
    };
    expect(answersTo(2 * limits.pongsPerSecond)).toBe(limits.pongsPerSecond);
    scene.scheduler.advance(500);
    expect(answersTo(2 * limits.pongsPerSecond)).toBe(limits.pongsPerSecond / 2);
  });

  test("[WF11] are answered up to a limit per second; others are counted, and the session goes on", () => {
    const scene = new Scene();
    const link = scene.link();
    scene.scheduler.advance(1000);
    link.takeSent();
    let answered = 0;
    // Five times as many as are answered, for three seconds.
    for (let sent = 0; sent < 5 * limits.pongsPerSecond * 3; sent++) {
      link.receive([ping(sent)]);
      scene.scheduler.advance(1000 / (5 * limits.pongsPerSecond));
      answered += link.takeBodies(MessageKind.pong).length;
    }
    expect(answered).toBeGreaterThanOrEqual(3 * limits.pongsPerSecond);
    expect(answered).toBeLessThanOrEqual(4 * limits.pongsPerSecond);
    expect(scene.session.drops.of("rate-limit")).toBe(15 * limits.pongsPerSecond - answered);
    expect(scene.closed).toBeUndefined();
    // Later pings are answered again.
    scene.scheduler.advance(1000);
    link.takeSent();
    link.receive([ping(3)]);
    expect(link.takeBodies(MessageKind.pong)).toHaveLength(1);
  });
});
