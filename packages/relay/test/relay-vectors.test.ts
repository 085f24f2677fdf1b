import { writeEnvelope, ByteWriter, type TrafficClassName } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { fromHex, toHex, vectors } from "../../protocol/test/vectors.js";
import { AddressBuckets } from "../src/limits/address-buckets.js";
import { isRefusal, readMatchBody } from "../src/matchmaking/match-request.js";
import type { SessionRegistry } from "../src/session-registry.js";
import { UpgradeHandler } from "../src/upgrade-handler.js";
import { Player } from "./player.js";
import { VirtualRegistry } from "./virtual-registry.js";

interface ForwardingVector {
  readonly name: string;
  readonly from: number;
  readonly room: readonly number[];
  readonly hex: string;
  readonly decoded: readonly { readonly to: number; readonly hex: string }[];
  readonly notRoutable: number;
}

interface MatchVector {
  readonly name: string;
  readonly body: unknown;
  readonly decoded?: object;
  readonly refusal?: string;
}

interface CredentialVector {
  readonly name: string;
  readonly text: string;
  readonly decoded: object;
}

const forwarding = vectors("forwarding") as readonly ForwardingVector[];
const requests = vectors("match") as readonly MatchVector[];
const credentials = vectors("subprotocols") as readonly CredentialVector[];

describe("vectors of what a relay passes on", () => {
  test.each(forwarding)("[WF22] [WF23] [WF24] [WF25] [WF43] $name", (vector) => {
    const virtual = new VirtualRegistry();
    const joined = vector.room.map(() => virtual.join());
    expect(joined.map(({ player }) => player.number)).toEqual(vector.room);
    const sender = joined.find(({ player }) => player.number === vector.from)!;
    const trafficClass: TrafficClassName = "command";
    sender.link.player.send(trafficClass, fromHex(vector.hex));
    virtual.scheduler.advance(100);
    const passed = joined.flatMap(({ player }) =>
      player.forwarded.map((envelope) => {
        const writer = new ByteWriter();
        writeEnvelope(writer, envelope);
        return { to: player.number, hex: toHex(writer.take()) };
      }),
    );
    expect(passed).toEqual(vector.decoded);
    expect(virtual.registry.drops.toRecord()["not-routable"] ?? 0).toBe(vector.notRoutable);
  });
});

describe("vectors of match requests", () => {
  test.each(requests)("[M1] [M2] [M3] [M5] [M7] $name", ({ body, decoded, refusal }) => {
    const read = readMatchBody(body);
    expect(isRefusal(read) ? read.code : read).toEqual(refusal ?? decoded);
  });
});

describe("vectors of subprotocols", () => {
  /** Returns what an upgrade with that subprotocol asks of the registry, in the form of the vectors. */
  function askedBy(text: string): object {
    const virtual = new VirtualRegistry();
    const asked: object[] = [];
    const registry = {
      pauses: virtual.registry.pauses,
      admit: (_link: unknown, ticket: string) => asked.push({ kind: "ticket", ticket }),
      stripe: (_link: unknown, ticket: string) => asked.push({ kind: "stripe", ticket }),
      resume: (_link: unknown, session: string, token: string) =>
        asked.push({ kind: "resume", session, token }),
      join: (_link: unknown, request: object) => asked.push({ kind: "join", request }),
    } as unknown as SessionRegistry;
    const { settings, scheduler } = virtual;
    const matches = new AddressBuckets(10, 10, scheduler);
    const handler = new UpgradeHandler({ settings, registry, matches });
    const link = virtual.link();
    const player = new Player(virtual.scheduler);
    player.attach(link.player);
    handler.take(link.relay, { address: "::1", protocols: ["paceline.5", text] });
    virtual.scheduler.advance(100);
    void handler.close(0);
    if (asked.length > 0) return asked[0]!;
    const { code, reason } = player.closes[0]!;
    if (code === 4100) return { kind: "refused" };
    expect(code).toBe(4106);
    return { kind: "join", refusal: reason.split(" ")[0] };
  }

  test.each(credentials)("[WF45] [WF47] [WF48] [WF49] $name", ({ text, decoded }) => {
    expect(askedBy(text)).toEqual(decoded);
  });
});
