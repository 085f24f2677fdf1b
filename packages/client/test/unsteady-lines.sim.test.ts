import { defineEntity, int, vec2, type Entity, type OwnedEntity, type Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { virtualWebRtc, type StagePlayer } from "@paceline/testkit/room";
import { expect, test, vi } from "vitest";
import { GOOD_LINE, badLine } from "../../testkit/test/bad-line.js";
import { someOf } from "../../testkit/test/some-of.js";
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
  /** Number of the newest message that this player sent to all. */
  sent: number;
  /** Number of the newest message from each other player, by its seat. */
  readonly heard: number[];
}

/** Returns the cars with their places, in whole metres, by tag. */
function placesOf(cars: Iterable<Pick<Entity<typeof Car>, "tag" | "position">>): readonly string[] {
  const places = [...cars].map(
    ({ tag, position: { x, y } }) => `${tag} at ${Math.round(x)},${Math.round(y)}`,
  );
  return places.sort();
}

const runs = [
  { seed: 1, isDirect: false },
  { seed: 3, isDirect: true },
  { seed: 2, isDirect: false },
  { seed: 4, isDirect: true },
];

test.each(someOf(runs, 2))(
  "players on lines that stall, break and come back see each other's entities and hear each message once (%o)",
  async ({ seed, isDirect }) => {
    const random = seededRandom(seed);
    const stage = new RelayStage({ delayMs: 20 });
    const webRtc = virtualWebRtc({ random: random.fork(), settings: LOSSY });
    const transports = isDirect ? (["webrtc", "websocket"] as const) : (["websocket"] as const);
    const seats: Seat[] = [];
    const wrong: string[] = [];
    for (let count = 0; count < PLAYERS; count++) {
      const player = stage.player({}, { transports, webRtc });
      const room = await stage.join(player);
      expect([...room.entities(Car)]).toEqual([]);
      const heard = Array.from({ length: PLAYERS }, () => 0);
      room.onMessage("count", (message) => {
        const { by, number } = message as { readonly by: number; readonly number: number };
        if (number !== heard[by]! + 1) wrong.push(`${count} heard ${number} of ${by} after ${heard[by]}`);
        heard[by] = number;
      });
      seats.push({ player, room, cars: new Map(), sent: 0, heard });
    }
    let tag = 0;
    let frame = 0;
    let isCalm = false;
    const comeAndGo = (seat: Seat): void => {
      const { room, cars } = seat;
      if (random.bool(0.3)) room.send("count", { by: seats.indexOf(seat), number: ++seat.sent });
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
          if (!isCalm) {
            comeAndGo(seat);
            drive(seat);
          }
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
    const seen = seats.map(({ room }) => placesOf(room.entities(Car)));
    const all = placesOf(seats.flatMap(({ cars }) => [...cars.values()]));
    expect(wrong).toEqual([]);
    const others = seats.map((of) => seats.map((by) => (by === of ? 0 : by.sent)));
    expect(seats.map(({ heard }) => heard)).toEqual(others);
    expect(Math.min(...seats.map(({ sent }) => sent))).toBeGreaterThan(50);
    expect(all.length).toBeGreaterThan(PLAYERS);
    expect(seen).toEqual(seats.map(() => all));
    const paths = seats.flatMap(({ room }) => room.peers.map(({ path }) => path));
    expect(paths).toContain(isDirect ? "direct" : "relay");
  },
);
