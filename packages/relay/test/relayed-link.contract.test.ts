import { setTimeout as sleep } from "node:timers/promises";
import { WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { linkContract, type LinkPair } from "@paceline/testkit";
import { RelayedLink, systemScheduler, type WebSocketLike } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import type { Player } from "./player.js";
import { RealRelay, eventually } from "./real-relay.js";

/** This many texts of this size are more than the kernel buffers. A link ignores texts. */
const FILLER = "x".repeat(16_000);
const FILLERS = 1000;
/** The contract sends a thousand commands at once and fills the kernel's buffers: more than a game would. */
const limits = { packetBurst: 5000, bytesPerSecond: 1_000_000_000, byteBurst: 1_000_000_000 };

/** Returns the path from one player to another, through a real relay. */
function linkBetween(from: Player, to: Player): RelayedLink {
  const link = new RelayedLink({
    scheduler: systemScheduler,
    uplink: from.session,
    peerNumber: to.number,
  });
  from.onForwarded = ({ packet }) => link.received(packet.slice());
  return link;
}

async function relayedPair(): Promise<LinkPair> {
  const real = await RealRelay.start({ limits });
  const { ticket } = await real.seat();
  const { player: first, socket } = real.playerAndSocket([WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
  await eventually(() => first.welcome);
  const [stream] = real.streams;
  const second = await real.join();
  return {
    a: linkBetween(first, second),
    b: linkBetween(second, first),
    pass: async (ms) => {
      await sleep(ms);
    },
    // The relay stops reading, and the fillers take up the kernel's buffers.
    congest(isSlow) {
      if (!isSlow) return void stream!.resume();
      stream!.pause();
      for (let count = 0; count < FILLERS; count++) (socket as TextSocket).send(FILLER);
    },
    queueCounters: () => first.session.queueCounters,
    queueClose: () => first.closes[0],
    dispose: () => real.stop(),
  };
}

/** A socket of `ws`, which can also send texts. */
type TextSocket = WebSocketLike & { send(text: string): void };

describe("a relayed link", () => {
  const cases = linkContract.filter(({ needs }) => needs !== "farewell");
  test.each(cases.map((rule) => [rule.title, rule] as const))("%s", { timeout: 20_000 }, async (_, rule) => {
    const pair = await relayedPair();
    try {
      await expect(rule.run(pair)).resolves.toBeUndefined();
    } finally {
      await pair.dispose();
    }
  });
});
