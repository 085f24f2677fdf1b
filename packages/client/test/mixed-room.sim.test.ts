import type { Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { virtualWebRtc } from "@paceline/testkit/room";
import { expect, test, vi } from "vitest";
import { RelayStage } from "./relay-stage.js";

const HUMANS = 3;
const RELAY_ONLY = 7;

/** Returns the first letter of the path to each peer: `d`irect or `r`elay. */
function pathsOf(room: Room): string {
  const others = room.peers.toSorted((one, other) => one.number - other.number);
  return others.map(({ path }) => path[0]).join("");
}

test.each(["shooter", "racing", "action"] as const)(
  "%s: three humans among seven relay-only players have direct links to each other",
  async (profile) => {
    const stage = new RelayStage({ delayMs: 30 });
    const webRtc = virtualWebRtc({ random: seededRandom(2), settings: { delayMs: 15 } });
    const newcomer = (isHuman: boolean): Promise<Room> => {
      const options = isHuman ? ({ transports: ["webrtc", "websocket"], webRtc } as const) : {};
      return stage.join(stage.player({}, { profile, ...options }));
    };
    // Relay-only players join first, between, and last: the order must not matter for direct links.
    const order = [false, false, true, false, true, false, false, true, false, false];
    const rooms: Room[] = [];
    for (const isHuman of order) rooms.push(await newcomer(isHuman));
    expect(order.filter(Boolean)).toHaveLength(HUMANS);
    expect(rooms).toHaveLength(HUMANS + RELAY_ONLY);
    for (let step = 0; step < 10; step++) {
      await stage.advance(500);
      await vi.dynamicImportSettled();
    }
    const expected = order.map((isHuman, mine) =>
      order
        .map((isOther, other) => (isHuman && isOther ? "d" : "r") + (mine === other ? "-" : ""))
        .filter((path) => !path.endsWith("-"))
        .join(""),
    );
    expect(rooms.map(pathsOf)).toEqual(expected);
  },
);

test("explain() says that an open data channel keeps the lifetime of events it was opened with", async () => {
  const stage = new RelayStage({ delayMs: 30 });
  const webRtc = virtualWebRtc({ random: seededRandom(2), settings: { delayMs: 15 } });
  const options = { profile: "racing", transports: ["webrtc", "websocket"], webRtc } as const;
  const mine = await stage.join(stage.player({}, options));
  await stage.join(stage.player({}, options));
  for (let step = 0; step < 10; step++) {
    await stage.advance(500);
    await vi.dynamicImportSettled();
  }
  expect(pathsOf(mine)).toBe("d");
  const words = async (): Promise<string> =>
    (await mine.transport.explain()).map(({ choice }) => choice).join("\n");
  expect(await words()).not.toContain("as it was opened");
  mine.transport.configure({ profile: { base: "racing", numbers: { eventLifetimeMs: 300 } } });
  expect(await words()).toContain("events are dropped after 300 ms");
  expect(await words()).toContain("it repeats what it has taken of events for 1500 ms, as it was opened");
});
