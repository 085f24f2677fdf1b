import type { Room } from "@paceline/client";
import { nodeWebRtc } from "@paceline/client/node";
import { expect, test } from "vitest";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const webRtc = await nodeWebRtc();
const stage = new Stage();
/** The limit is below the number of peers: peers without WebRTC must not count. */
const profile = { base: "racing", numbers: { maxDirectPeers: 4 } } as const;

test.skipIf(!webRtc)(
  "three humans among seven players without WebRTC have direct links to each other over real WebRTC",
  { retry: 2, timeout: 30_000 },
  async () => {
    const server = await stage.server({ rooms: { race: { maxPlayers: 10 } } });
    const humans: Room[] = [];
    while (humans.length < 3) humans.push(await stage.join(server, { profile, webRtc }));
    const others: Room[] = [];
    while (others.length < 7) others.push(await stage.join(server, { profile, transports: ["websocket"] }));
    const direct = ({ peers }: Room) => peers.filter(({ path }) => path === "direct").length;
    await until("the humans are direct", () =>
      humans.every((room) => room.peers.length === 9 && direct(room) === 2),
    );
    const numbers = humans.map(({ myNumber }) => myNumber);
    for (const room of humans) {
      const there = room.peers.filter(({ path }) => path === "direct").map(({ number }) => number);
      expect(there.toSorted()).toEqual(numbers.filter((number) => number !== room.myNumber).toSorted());
      const [states] = (await room.transport.explain()).filter(({ about }) => about === "states");
      expect(states!.choice).toMatch(/^2 of 9 players over direct links/);
    }
    expect(others.map(direct)).toEqual(others.map(() => 0));
  },
);
