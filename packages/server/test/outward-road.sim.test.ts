import type { Client, Room } from "@paceline/client";
import { MessageKind, isRouted, readEnvelope, readMessages, readPacket } from "@paceline/protocol";
import { seededRandom } from "@paceline/testkit";
import { roomStage, virtualWebRtc } from "@paceline/testkit/room";
import { NetworkSimulator } from "@paceline/transport/simulated";
import { afterEach, describe, expect, test, vi } from "vitest";
import { RelayStage } from "../../client/test/relay-stage.js";
import { Copies } from "./copies.js";
import { inWords, ownFrames } from "./own-frames.js";
import { Car, RaceRoom } from "./race.js";

/** Most frames from the first call to that of the socket or the channel, both included. */
const MAX_FRAMES = 12;
const MAX_COPIES = 3;
/** Bytes of the stream number or the feedback, written before the body. */
const HEAD_BYTES = 4;
/** A shorter body may be part of any packet by chance. */
const MIN_BYTES = 12;

/** Returns the body of the states in a packet. Returns undefined if it has none or several. */
function statesIn(bytes: Uint8Array): Uint8Array | undefined {
  const envelope = isRouted(bytes) ? readEnvelope(bytes) : { packet: bytes };
  const packet = typeof envelope === "string" ? envelope : readPacket(envelope.packet);
  const messages = typeof packet === "string" ? packet : readMessages(packet, () => undefined);
  if (typeof messages === "string") return undefined;
  const [states, ...more] = messages.filter(({ kind }) => kind === MessageKind.state);
  if (!states || more.length > 0 || states.body.length < HEAD_BYTES + MIN_BYTES) return undefined;
  return states.body.subarray(HEAD_BYTES);
}

/** The path of states to the network: its most frames and most copies. */
interface Road {
  frames: string[];
  copies: number;
  packets: number;
}

/** Watches the states that a function sends to the network. `file` is the end of its file's path. */
function watch(begin: { readonly name: string; readonly file: string }): {
  readonly road: Road;
  begun(): void;
} {
  const road: Road = { frames: [], copies: 0, packets: 0 };
  const copies = new Copies();
  const send = NetworkSimulator.prototype.send;
  vi.spyOn(NetworkSimulator.prototype, "send").mockImplementation(function (this: NetworkSimulator, ...args) {
    const all = ownFrames();
    const last = all.findLastIndex(({ name, file }) => name === begin.name && file.endsWith(begin.file));
    const body = last < 0 ? undefined : statesIn(args[0]);
    if (body) {
      const frames = inWords(all.slice(0, last + 1));
      if (frames.length > road.frames.length) road.frames = frames;
      road.copies = Math.max(road.copies, copies.of(body));
      road.packets += 1;
    }
    copies.quietly(() => send.apply(this, args));
  });
  return { road, begun: () => copies.clear() };
}

function expectShort({ frames, copies, packets }: Road): void {
  expect(packets).toBeGreaterThan(10);
  expect(frames.slice(MAX_FRAMES)).toEqual([]);
  expect(copies).toBeLessThanOrEqual(MAX_COPIES);
  expect(copies).toBeGreaterThan(0);
}

type ClientOptions = ConstructorParameters<typeof Client>[1];

/** Joins this many players, and drives the cars of the first. */
async function roadInMesh(players: number, path: "relay" | "direct"): Promise<Road> {
  const webRtc = virtualWebRtc({ random: seededRandom(2), settings: { delayMs: 15 } });
  const options: Partial<ClientOptions> =
    path === "direct" ? { transports: ["webrtc", "websocket"], webRtc } : {};
  const stage = new RelayStage({ delayMs: 20 });
  const rooms: Room[] = [];
  while (rooms.length < players) rooms.push(await stage.join(stage.player({}, options)));
  const [mine] = rooms as [Room];
  for (let step = 0; step < 400 && !mine.peers.every((peer) => peer.path === path); step++) {
    await stage.advance(50);
    // The code of direct links is fetched on demand, in real time.
    await vi.dynamicImportSettled();
  }
  expect(new Set(mine.peers.map((peer) => peer.path))).toEqual(new Set([path]));
  const cars = Array.from({ length: 8 }, () => mine.spawn(Car));
  await stage.advance(500);
  const { road, begun } = watch({ name: "advance", file: "/room.ts" });
  for (let frame = 1; frame <= 40; frame++) {
    for (const [index, car] of cars.entries())
      car.position.set(frame * frame * 0.01 * (index + 1), index * frame);
    begun();
    mine.advance();
    await stage.advance(50);
  }
  return road;
}

describe("a state goes out through few frames, and is copied at most three times", () => {
  afterEach(() => vi.restoreAllMocks());

  test.each([
    ["relay", 2],
    ["relay", 4],
    ["direct", 2],
    ["direct", 4],
  ] as const)("from room.advance to the network: %s, %i players", async (path, players) => {
    expectShort(await roadInMesh(players, path));
  });

  test.each([
    ["in order, one encoding for all", 1],
    ["over two sockets, by what each has acknowledged", 2],
  ] as const)(
    "from the tick in which a room sends to its players, to the network: %s",
    async (_, sockets) => {
      const stage = roomStage(RaceRoom);
      const players = [await stage.join({ sockets }), await stage.join({ sockets })];
      const seen = (): number[] => players.map(({ room }) => [...room.entities(Car)].length);
      expect(seen()).toEqual([0, 0]);
      await stage.advance(1000);
      // The code of further sockets is fetched on demand, in real time.
      await vi.dynamicImportSettled();
      await stage.advance(1000);
      expect(seen()).toEqual([2, 2]);
      for (let car = 0; car < 6; car++) stage.room.spawn(Car);
      let tick = 0;
      const { road, begun } = watch({ name: "write", file: "/states/replicator.ts" });
      stage.room.onTick = () => {
        tick += 1;
        for (const [index, { position }] of [...stage.room.entitiesOf(Car)].entries())
          position.set(tick * tick * 0.01 * (index + 1), index * tick);
        begun();
      };
      await stage.advance(2000);
      expectShort(road);
      await stage.stop();
    },
  );

  test("from a turn of room.loop to the network, of an own entity to the authority", async () => {
    class OwnCars extends RaceRoom {
      override readonly playerEntities = [{ definition: Car, most: 8 }];
    }
    const stage = roomStage(OwnCars);
    const { room } = await stage.join({ network: { delayMs: 20 } });
    const cars = Array.from({ length: 8 }, () => room.spawn(Car));
    await stage.advance(500);
    const { road, begun } = watch({ name: "#run", file: "/game-loop.ts" });
    let step = 0;
    room.loop(() => {
      step += 1;
      for (const [index, car] of cars.entries())
        car.position.set(step * step * 0.01 * (index + 1), index * step);
      begun();
    });
    await stage.advance(2000);
    expectShort(road);
    await stage.stop();
  });
});
