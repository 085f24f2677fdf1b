import {
  ByteWriter,
  CloseCode,
  MessageKind,
  PayloadKind,
  encodeValue,
  writeMessage,
  writePacketHeader,
  writePeerPayload,
} from "@paceline/protocol";
import { afterEach, describe, expect, test } from "vitest";
import type { Player } from "./player.js";
import { Opcode } from "./raw-web-socket.js";
import { RealRelay, eventually, stoppedClock } from "./real-relay.js";

let real: RealRelay;
/** The honest player that opened the room. */
let host: Player;
afterEach(() => real.stop());

const drops = () => real.relay.health().drops;

/** Sends a hand-made packet with any messages over the player's own link. */
function sendPacket(player: Player, sequence: number, ...messages: [MessageKind, Uint8Array][]): void {
  const writer = new ByteWriter();
  writePacketHeader(writer, { sequence, tick: 0, isPublished: false });
  for (const [kind, body] of messages) writeMessage(writer, kind, body);
  player.session.activeLink!.send("command", writer.take());
}

/** Returns a check that two honest players still reach each other. */
async function withOthers(): Promise<() => Promise<void>> {
  // On a busy machine this process is late at times. The relay takes a second of that for a pause of its own, after which
  // it waits for a link's first packet. A raw socket sends none, and the test is about none of this.
  real = await RealRelay.start({ scheduler: stoppedClock });
  const [one, two] = [await real.join("create/race"), await real.join()];
  host = one;
  let said = 0;
  return async () => {
    const packet = Uint8Array.of(0x20, ++said);
    one.forward([two], packet);
    await eventually(() => expect(two.forwarded.at(-1)?.packet).toEqual(packet));
    expect([one.closes, two.closes]).toEqual([[], []]);
  };
}

describe("a relay", () => {
  test("[WF11] answers one ping of a packet, and cuts a sender of more", async () => {
    const othersAreFine = await withOthers();
    const hostile = await real.join();
    const ping = (number: number): [MessageKind, Uint8Array] => [
      MessageKind.ping,
      Uint8Array.of(number & 0xff, number >> 8),
    ];
    const received = hostile.session.activeLink!.counters;
    const before = received.packetsReceived;
    // 300 packets of 500 pings. Without the limit they draw 149,965 pongs.
    const pings = Array.from({ length: 500 }, (_, number) => ping(number));
    for (let count = 0; count < 300; count++) sendPacket(hostile, 1000 + count, ...pings);
    await eventually(() => expect(hostile.close?.code).toBe(CloseCode.protocolViolation));
    expect(received.packetsReceived - before).toBeLessThan(10);
    expect(real.relay.counts.sessionEnds).toEqual({ protocolViolation: 1 });
    await othersAreFine();
  });

  test("[WF29] drops and counts events, states and inputs that are addressed to itself", async () => {
    const othersAreFine = await withOthers();
    const hostile = await real.join();
    const body = encodeValue(["lap", 1, 2]);
    sendPacket(hostile, 100, [MessageKind.event, body], [MessageKind.state, body], [MessageKind.input, body]);
    await eventually(() => expect(drops()).toEqual({ "not-allowed": 3 }));
    const published = new ByteWriter();
    writePacketHeader(published, { sequence: 0, tick: 0, isPublished: true });
    writeMessage(published, MessageKind.state, body);
    writeMessage(published, MessageKind.event, body);
    hostile.session.activeLink!.send("state", published.take());
    await eventually(() => expect(drops()).toEqual({ "not-allowed": 5 }));
    // In this room, payloads for players and authorities are malformed, and bulk is not allowed.
    hostile.session.sendReliable(writePeerPayload({ kind: "command", type: "lap", message: 1 }));
    hostile.session.sendReliable(Uint8Array.of(PayloadKind.authority, 0x80));
    hostile.session.sendReliable(Uint8Array.of(0x77));
    await eventually(() => expect(drops()).toEqual({ "not-allowed": 5, "bad-message": 3 }));
    hostile.session.sendBulk(writePeerPayload({ kind: "command", type: "lap", message: 1 }));
    await eventually(() => expect(drops()["not-allowed"]).toBeGreaterThanOrEqual(6));
    expect(hostile.closes).toEqual([]);
    await othersAreFine();
  });

  test("[WF27] drops a signal without data, and forwards one with nil", async () => {
    const othersAreFine = await withOthers();
    const [hostile, other] = [await real.join(), await real.join()];
    const signal = { type: "signal", to: other.number, attempt: 1 };
    const send = (message: object): unknown =>
      hostile.session.sendReliable(Uint8Array.of(PayloadKind.control, ...encodeValue(message)));
    send(signal);
    send({ ...signal, data: null });
    await eventually(() => expect(other.of("signal")).toHaveLength(1));
    expect(other.of("signal")[0]).toMatchObject({ from: hostile.number, data: null });
    expect(drops()).toEqual({ "bad-message": 1 });
    await othersAreFine();
  });

  test("[WF3] counts acks of packets before its first one as malformed", async () => {
    const othersAreFine = await withOthers();
    const hostile = await real.join();
    const writer = new ByteWriter();
    const acks = { ack: 0, ackBits: 0xffffffff };
    writePacketHeader(writer, { sequence: 100, tick: 0, isPublished: false, acks, receipt: 0 });
    hostile.session.activeLink!.send("command", writer.take());
    await eventually(() => expect(drops()).toEqual({ "bad-message": 1 }));
    await othersAreFine();
  });

  test.each([
    [16_385, "dropped", undefined],
    [16_517, "dropped", undefined],
    [16_518, "closed unread", 1009],
    [20_000, "closed unread", 1009],
  ])("[WF8] counts a message of %i bytes that is %s", async (bytes, _, code) => {
    const othersAreFine = await withOthers();
    const { ticket } = await real.seat();
    const raw = await real.raw(["paceline.5", `ticket.${ticket}`]);
    // A session that is not let in yet ends with its link. It is let in before the others hear of it.
    await eventually(() => expect(host.of("joined")).toHaveLength(2));
    expect(real.relay.health().sessions).toBe(3);
    raw.frame(Opcode.binary, new Uint8Array(bytes).fill(0x20));
    await eventually(() => expect(drops()).toEqual({ "too-long": 1 }));
    await eventually(() => expect(raw.closeCode).toBe(code));
    const closes = real.relay.counts.linkCloses;
    expect(closes).toEqual(code === undefined ? {} : { messageTooBig: 1 });
    // The session is still there. It may come back over another link.
    expect(real.relay.health().sessions).toBe(3);
    await othersAreFine();
  });
});
