import { defineEntity, int, vec2, type OwnedEntity, type Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { virtualWebRtc, type StagePlayer } from "@paceline/testkit/room";
import { expect, test, vi } from "vitest";
import { GOOD_LINE, badLine } from "../../testkit/test/bad-line.js";
import { RelayStage } from "./relay-stage.js";

const Car = defineEntity("car", {
  position: vec2({ range: [0, 512], precision: 0.01, unit: "m" }),
  tag: int({ range: [0, 10_000] }),
});
const LOSSY = { delayMs: 15, jitterMs: 20, loss: { kind: "uniform", ratio: 0.05 } } as const;
const PLAYERS = 4;
const CHANGES = 60;
const FRAME_MS = 50;
const MAX_CARS = 12;

interface Seat {
  readonly player: StagePlayer;
  readonly room: Room;
  /** The player's own cars by tag, oldest first. */
  readonly cars: Map<number, OwnedEntity<typeof Car>>;
}

const sorted = (tags: Iterable<number>): number[] => [...tags].sort((a, b) => a - b);

test.each([
  { seed: 1, isDirect: false },
  { seed: 2, isDirect: false },
  { seed: 3, isDirect: true },
  { seed: 4, isDirect: true },
])(
  "players on lines that stall, break and come back see each other's entities and no others (%o)",
  async ({ seed, isDirect }) => {
    const random = seededRandom(seed);
    const stage = new RelayStage({ delayMs: 20 });
    const webRtc = virtualWebRtc({ random: random.fork(), settings: LOSSY });
    const transports = isDirect ? (["webrtc", "websocket"] as const) : (["websocket"] as const);
    const seats: Seat[] = [];
    for (let count = 0; count < PLAYERS; count++) {
      const player = stage.player({}, { transports, webRtc });
      const room = await stage.join(player);
      expect([...room.entities(Car)]).toEqual([]);
      seats.push({ player, room, cars: new Map() });
    }
    let tag = 0;
    let frame = 0;
    let isCalm = false;
    const comeAndGo = ({ room, cars }: Seat): void => {
      if (random.bool(0.1) && cars.size < MAX_CARS) cars.set(++tag, room.spawn(Car, { tag }));
      const [oldest] = cars;
      if (!oldest || !random.bool(0.05)) return;
      cars.delete(oldest[0]);
      room.despawn(oldest[1]);
    };
    const drive = ({ cars }: Seat): void => {
      for (const [id, { position }] of cars)
        if (id % 3 !== 0) position.set((id * 37 + frame * frame) % 400, (frame * 7) % 300);
    };
    const live = async (ms: number): Promise<void> => {
      for (let passedMs = 0; passedMs < ms; passedMs += FRAME_MS) {
        frame += 1;
        for (const seat of seats) {
          if (!isCalm) comeAndGo(seat);
          drive(seat);
          seat.room.advance();
        }
        await stage.advance(FRAME_MS);
        // The code of direct links is fetched on demand, in real time.
        await vi.dynamicImportSettled();
      }
    };
    for (let change = 0; change < CHANGES; change++) {
      const { player } = seats[random.int(0, PLAYERS - 1)]!;
      const kind = random.int(0, 5);
      if (kind < 3) player.change(badLine(random, 8));
      else if (kind === 3) player.change(GOOD_LINE);
      else if (kind === 4) {
        player.offline();
        await live(random.int(0, 1000));
        player.online();
      }
      await live(random.int(50, 600));
    }
    for (const { player } of seats) player.change(GOOD_LINE);
    await live(5000);
    isCalm = true;
    await live(5000);
    const seen = seats.map(({ room }) => sorted([...room.entities(Car)].map((car) => car.tag)));
    const all = sorted(seats.flatMap(({ cars }) => [...cars.keys()]));
    expect(all.length).toBeGreaterThan(PLAYERS);
    expect(seen).toEqual(seats.map(() => all));
    const paths = seats.flatMap(({ room }) => room.peers.map(({ path }) => path));
    expect(paths).toContain(isDirect ? "direct" : "relay");
  },
);
