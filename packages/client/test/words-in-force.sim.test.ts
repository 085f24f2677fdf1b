import type { Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { virtualWebRtc, type StagePlayer } from "@paceline/testkit/room";
import { expect, test, vi } from "vitest";
import { RelayStage } from "./relay-stage.js";

const lossy = (ratio: number) => ({ delayMs: 30, loss: { kind: "uniform", ratio } }) as const;

interface Pair {
  readonly stage: RelayStage;
  readonly players: readonly StagePlayer[];
  readonly rooms: readonly Room[];
  readonly mine: Room;
  pass(seconds: number): Promise<void>;
  choiceOf(about: string): Promise<string>;
}

/** Two racing players. Their direct link loses that share of its packets. */
async function pairOf(directLoss: number, transports: readonly ("websocket" | "webrtc")[]): Promise<Pair> {
  const stage = new RelayStage({ delayMs: 30 });
  const webRtc = virtualWebRtc({ random: seededRandom(2), settings: lossy(directLoss) });
  const players: StagePlayer[] = [];
  const rooms: Room[] = [];
  for (let count = 0; count < 2; count++) {
    const player = stage.player({}, { profile: "racing", transports, webRtc, sockets: "auto" });
    players.push(player);
    rooms.push(await stage.join(player));
  }
  const [mine] = rooms as [Room];
  return {
    stage,
    players,
    rooms,
    mine,
    async pass(seconds) {
      for (let second = 0; second < seconds; second++) {
        await stage.advance(1000);
        await vi.dynamicImportSettled();
      }
    },
    async choiceOf(about) {
      return (await mine.transport.explain()).find((row) => row.about === about)!.choice;
    },
  };
}

test("a direct link that was left for the relay is not called planned", async () => {
  const { mine, pass, choiceOf } = await pairOf(0.3, ["websocket", "webrtc"]);
  await pass(30);
  expect(mine.peers[0]!.path).toBe("relay");
  expect(mine.peers[0]!.reason).toContain("the direct path is worse than the relay");
  expect(await choiceOf("states")).toMatch(/^all relayed over WebSocket; /);
  expect(await choiceOf("states")).not.toContain("planned");
});

test("a direct link that carries a pair without a relay is not called worse than the relay", async () => {
  const { mine, players, pass } = await pairOf(0.3, ["websocket", "webrtc"]);
  await pass(30);
  expect(mine.peers[0]!.path).toBe("relay");
  for (const player of players) player.offline();
  await pass(2);
  expect(mine.peers[0]!.path).toBe("direct");
  expect(mine.peers[0]!.reason).toBe("a probe went both ways over a direct WebRTC link");
});

test("a direct link that the peer cannot have is not called planned", async () => {
  const { stage, mine, pass, choiceOf } = await pairOf(0, ["websocket", "webrtc"]);
  await stage.join(stage.player({}, { profile: "racing", transports: ["websocket"] }));
  await pass(3);
  expect(mine.peers.map(({ path }) => path)).toEqual(["direct", "relay"]);
  expect(await choiceOf("states")).toMatch(/^1 of 2 players over direct links/);
  expect(await choiceOf("states")).not.toContain("planned");
});

test("sockets for stalling round trips are closed as soon as states go directly", async () => {
  const { mine, rooms, players, pass, choiceOf } = await pairOf(0, ["websocket"]);
  for (const player of players) player.change(lossy(0.2));
  // How soon depends on the code of the sockets, which arrives in real time.
  for (let second = 0; second < 60 && mine.transport.server.sockets === 1; second++) await pass(1);
  expect(mine.transport.server.sockets).toBeGreaterThan(1);
  expect(await choiceOf("server")).toMatch(/^\d websockets/);
  for (const player of players) player.change({ loss: { kind: "none" } });
  for (const { transport } of rooms) transport.configure({ transports: ["websocket", "webrtc"] });
  await pass(10);
  expect(mine.peers[0]!.path).toBe("direct");
  // The plan keeps its number for a minute after the last stall.
  expect(mine.transport.plan.stripes).toBeGreaterThan(1);
  expect(mine.transport.server.sockets).toBe(1);
  expect(await choiceOf("server")).toMatch(/^websocket/);
});

test("states of a relayed pair say that a WebSocket loses nothing", async () => {
  const { pass, choiceOf } = await pairOf(0, ["websocket"]);
  await pass(1);
  expect(await choiceOf("states")).toMatch(/arrives late$/);
  expect(await choiceOf("states")).not.toContain("not sent again");
});

test("the row of rates names the rows of the tree that changed them, and so does the history", async () => {
  const { mine, choiceOf } = await pairOf(0, ["websocket", "webrtc"]);
  const reason = async (): Promise<string> =>
    (await mine.transport.explain()).find(({ about }) => about === "rates")!.reason;
  expect(await reason()).toBe("the profile's numbers");
  expect(await choiceOf("rates")).toMatch(/^up to 30 states\/s /);
  mine.transport.configure({ profile: { base: "racing", device: { battery: "low", network: "mobile" } } });
  expect(await choiceOf("rates")).toMatch(/^up to 15 states\/s /);
  expect(await reason()).toBe(
    "the profile's numbers; Does the battery last? low: half the rate, longer bundles [BATTERY-1]; Which network is the device on? mobile: wider thresholds [NETWORK-1]",
  );
  expect(mine.transport.history.at(-1)).toMatchObject({
    about: "rates",
    reason: "asked for by the game or by the room [BATTERY-1, NETWORK-1]",
  });
});
