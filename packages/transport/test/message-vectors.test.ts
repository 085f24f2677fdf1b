import { readFileSync } from "node:fs";
import { ByteReader, ByteWriter, readEvent, writeEnvelope } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { readCloseBody, pongTo, readPong } from "../src/session/message-bodies.js";
import { RoutedLoss } from "../src/session/routed-loss.js";

interface Vector {
  readonly name: string;
  readonly kind: string;
  readonly hex: string;
  readonly decoded: Readonly<Record<string, unknown>>;
}

const file = new URL("../../protocol/test/vectors/messages.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as readonly Vector[];
const of = (wanted: string): readonly Vector[] => vectors.filter(({ kind }) => kind === wanted);
const [closes, pongs, reports, events] = [of("close"), of("pong"), of("report"), of("event")];
const numbered = vectors.filter(({ kind }) => ["ping", "reliable", "bulk"].includes(kind));
const bytesOf = ({ hex }: Vector): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"));

describe("vectors of messages' bodies", () => {
  test.each(closes)("[WF12] $name", (vector) => {
    expect(readCloseBody(bytesOf(vector))).toEqual(vector.decoded);
  });

  test.each(pongs)("[WF11] $name", (vector) => {
    const { number, clockMicros } = vector.decoded as { number: number; clockMicros: number };
    expect(readPong(bytesOf(vector))).toEqual({ number, remoteMs: clockMicros / 1000 });
    const ping = Uint8Array.of(number & 255, number >> 8);
    expect(Buffer.from(pongTo(ping, clockMicros / 1000)).toString("hex")).toBe(vector.hex);
  });

  test.each(reports)("[WF11] $name", (vector) => {
    const { number, received, sent } = vector.decoded as Readonly<Record<string, number>>;
    const reader = new ByteReader(bytesOf(vector));
    expect([reader.u16(), reader.u16(), reader.u16(), reader.remaining]).toEqual([number, received, sent, 0]);
    const counts = new RoutedLoss();
    const envelope = new ByteWriter();
    writeEnvelope(envelope, { trafficClass: "state", key: 0, peers: [1], packet: Uint8Array.of(0) });
    const packet = envelope.take();
    for (let count = 0; count < 0x10000 + received!; count++) counts.countReceived(packet);
    for (let count = 0; count < 0x10000 + sent!; count++) counts.countSent("state", packet);
    const written = counts.reportTo(Uint8Array.of(number! & 255, number! >> 8))!;
    expect(Buffer.from(written).toString("hex")).toBe(vector.hex);
  });

  test.each(events)("[WF10] $name", (vector) => {
    expect(readEvent(bytesOf(vector))).toEqual({ kind: "command", ...vector.decoded });
  });

  test.each(numbered)("[WF10] [WF11] [WF39] $name", (vector) => {
    const reader = new ByteReader(bytesOf(vector));
    const { number, id = number } = vector.decoded;
    expect(reader.u16()).toBe(id);
    const rest = Buffer.from(reader.rest()).toString("hex");
    const { isLast, fragment = "", payload = "" } = vector.decoded;
    const flags = isLast === undefined ? "" : isLast ? "01" : "00";
    expect(rest).toBe(`${flags}${String(fragment)}${String(payload)}`);
  });
});
