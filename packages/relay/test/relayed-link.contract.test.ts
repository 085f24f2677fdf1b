import { setTimeout as sleep } from "node:timers/promises";
import { linkContract, type LinkPair } from "@paceline/testkit";
import { RelayedLink, systemScheduler } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import type { Player } from "./player.js";
import { RealRelay } from "./real-relay.js";

/** The path from one player to another, through a real relay. */
function linkBetween(from: Player, to: Player): RelayedLink {
  const link = new RelayedLink({
    scheduler: systemScheduler,
    uplink: from.session,
    peerNumber: to.number,
  });
  from.onForwarded = ({ packet }) => link.deliver(packet.slice());
  return link;
}

async function relayedPair(): Promise<LinkPair> {
  // The contract sends a thousand commands at once, more than a game would.
  const real = await RealRelay.start({ limits: { packetBurst: 5000 } });
  const first = await real.join();
  const second = await real.join();
  return {
    a: linkBetween(first, second),
    b: linkBetween(second, first),
    pass: async (ms) => {
      await sleep(ms);
    },
    dispose: () => real.stop(),
  };
}

describe("a relayed link", () => {
  const cases = linkContract.filter(({ needs }) => needs === undefined);
  test.each(cases.map((rule) => [rule.title, rule] as const))("%s", async (_title, rule) => {
    const pair = await relayedPair();
    try {
      await expect(rule.run(pair)).resolves.toBeUndefined();
    } finally {
      await pair.dispose();
    }
  });
});
