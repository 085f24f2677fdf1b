import { readFileSync } from "node:fs";
import { readEvent, readPeerPayload } from "@paceline/protocol";
import { VirtualScheduler } from "@paceline/testkit";
import { Session } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { HandLink } from "./hand-link.js";

interface Vector {
  readonly name: string;
  readonly rules: readonly string[];
  /** Packets of one session, in the order of their arrival. */
  readonly packets: readonly string[];
  readonly decoded: {
    readonly delivered: readonly object[];
    readonly drops: Readonly<Record<string, number>>;
  };
}

const file = new URL("../../protocol/test/vectors/sessions.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as readonly Vector[];

describe("vectors of sessions", () => {
  test.each(vectors)("[WF37] [WF40] $name", ({ packets, decoded }) => {
    const delivered: unknown[] = [];
    const session = new Session({
      scheduler: new VirtualScheduler(),
      handlers: {
        onReliable: (payload) => delivered.push(readPeerPayload(payload)),
        onEvent: (body) => delivered.push({ ...readEvent(body), kind: "event" }),
        onClosed: () => undefined,
      },
    });
    const link = new HandLink();
    const times = { connectTimeoutMs: 5000, timeoutMs: 5000, heartbeatMs: 1000 };
    session.attach(link, { preference: 1, needsProof: false, ...times });
    for (const packet of packets) link.receiveBytes(Uint8Array.from(Buffer.from(packet, "hex")));
    expect({ delivered, drops: session.drops.toRecord() }).toEqual(decoded);
  });
});
