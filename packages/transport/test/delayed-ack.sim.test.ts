import { readMessages, readPacket } from "@paceline/protocol";
import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import {
  Session,
  circumstancesOf,
  planFor,
  profileOf,
  type ChannelPolicyOf,
  type Link,
  type LinkMonitorOptions,
} from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { HandLink, reliable } from "./hand-link.js";

const LINK: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 1000,
  timeoutMs: 10_000,
  heartbeatMs: 5000,
};
const DELAY_MS = 5;
const BODY = new Uint8Array(20);

/** Returns the policies of a plan whose messages leave in bundles. */
function planned(bundleMs: number): ChannelPolicyOf {
  const { channels } = planFor(
    circumstancesOf(profileOf("racing"), {
      security: "https",
      available: { webrtc: false },
      device: { battery: "unknown", network: "unknown" },
      peers: 1,
    }),
  );
  const bundled = { ...channels, command: { ...channels.command, periodMs: bundleMs } };
  return (name) => bundled[name];
}

/** A server that sends states and takes acks, and a player whose packets are counted. */
class Pair {
  readonly scheduler = new VirtualScheduler();
  readonly server: Session;
  readonly player: Session;
  /** Time from sending each state to its ack at the server, ms. */
  readonly heardAfterMs: number[] = [];
  /** Packets of the player with nothing but an answer. */
  alone = 0;
  readonly #sentAtMs = new Map<number, number>();

  /** @param bundleMs period of the player's messages, ms */
  constructor(bundleMs = 0) {
    const { scheduler } = this;
    const channel = planned(bundleMs);
    const handlers = { onReliable: () => undefined };
    this.server = new Session({
      scheduler,
      handlers: {
        ...handlers,
        onAcknowledged: (number) =>
          this.heardAfterMs.push(scheduler.nowMs() - (this.#sentAtMs.get(number) ?? Number.NaN)),
      },
    });
    this.player = new Session({ scheduler, handlers, channel, answerPeriodMs: () => bundleMs });
    const network = { delayMs: DELAY_MS };
    const { a, b } = memoryLinkPair({ scheduler, random: seededRandom(1), settings: network });
    this.server.attach(a, LINK);
    this.player.attach(this.#counted(b), LINK);
    scheduler.advance(100);
  }

  /** Both send for `ms`: the server a state every 50 ms, the player its inputs `afterMs` later. */
  run(ms: number, inputs: { readonly periodMs: number; readonly afterMs: number } | undefined): void {
    for (let passed = 0; passed < ms; passed++) {
      if (passed % 50 === 0) this.#sentAtMs.set(this.server.sendState(BODY)!, this.scheduler.nowMs());
      if (inputs && passed % inputs.periodMs === inputs.afterMs) this.player.sendInput(BODY);
      this.scheduler.advance(1);
    }
  }

  #counted(link: Link): Link {
    const send = link.send.bind(link);
    link.send = (trafficClass, bytes, ...rest) => {
      const packet = readPacket(bytes);
      const messages = typeof packet === "string" ? undefined : readMessages(packet, () => undefined);
      if (messages?.length === 0) this.alone += 1;
      send(trafficClass, bytes, ...rest);
    };
    return link;
  }
}

describe("acknowledgements", () => {
  test.each([0, 10, 20, 30, 40])(
    "travel in the inputs of a player who sends one every 50 ms, %i ms after the states, not in their own packets",
    (afterMs) => {
      const pair = new Pair();
      pair.run(2000, { periodMs: 50, afterMs });
      pair.alone = 0;
      pair.heardAfterMs.length = 0;
      pair.run(5000, { periodMs: 50, afterMs });
      expect(pair.alone).toBe(0);
      expect(pair.heardAfterMs.length).toBeGreaterThanOrEqual(99);
      // No state counts as lost: that needs 60 ms and one and a half round trips.
      expect(Math.max(...pair.heardAfterMs)).toBeLessThanOrEqual(60 + 3 * DELAY_MS);
    },
  );

  test("leave within 70 ms when the inputs stop, and after 40 ms from then on", () => {
    const pair = new Pair();
    pair.run(2000, { periodMs: 50, afterMs: 20 });
    pair.heardAfterMs.length = 0;
    pair.run(400, undefined);
    expect(Math.max(...pair.heardAfterMs)).toBeLessThanOrEqual(70 + 2 * DELAY_MS);
    pair.heardAfterMs.length = 0;
    pair.run(2000, undefined);
    expect(pair.heardAfterMs.length).toBeGreaterThanOrEqual(39);
    expect(Math.max(...pair.heardAfterMs)).toBeLessThanOrEqual(40 + 2 * DELAY_MS + 1);
  });

  test.each([75, 200])("leave within 70 ms from a player who sends only every %i ms", (periodMs) => {
    const pair = new Pair();
    pair.run(4000, { periodMs, afterMs: 10 });
    pair.heardAfterMs.length = 0;
    pair.run(4000, { periodMs, afterMs: 10 });
    expect(Math.max(...pair.heardAfterMs)).toBeLessThanOrEqual(70 + 2 * DELAY_MS + 1);
  });

  test.each([0, 20, 40, 60, 80])(
    "wait for the bundle of a player who sends one every 100 ms, %i ms after the states, as the plan says",
    (afterMs) => {
      const pair = new Pair(90);
      pair.run(2000, { periodMs: 100, afterMs });
      pair.alone = 0;
      pair.heardAfterMs.length = 0;
      pair.run(5000, { periodMs: 100, afterMs });
      expect(pair.alone).toBe(0);
      expect(pair.heardAfterMs.length).toBeGreaterThanOrEqual(98);
      // No state counts as lost: that needs one and a half bundles and round trips.
      expect(Math.max(...pair.heardAfterMs)).toBeLessThanOrEqual(1.5 * 90 + 3 * DELAY_MS);
    },
  );

  test("without room wait for it, however many bytes have come, and do not keep the clock busy", () => {
    const scheduler = new VirtualScheduler({ maxTimersPerRun: 200 });
    const session = new Session({ scheduler, handlers: { onReliable: () => undefined } });
    const link = new HandLink();
    session.attach(link, LINK);
    scheduler.advance(10);
    link.takeSent();
    link.queuedBytes = Infinity;
    const kilobyte = Array.from({ length: 1000 }, () => 7);
    for (let id = 0; id < 40; id++) link.receive([reliable(id, ...kilobyte)]);
    scheduler.advance(1000);
    expect(link.takeSent()).toEqual([]);
    link.queuedBytes = 0;
    scheduler.advance(50);
    expect(link.takeSent().map(({ header }) => header.receipt)).toContain(40);
  });
});
