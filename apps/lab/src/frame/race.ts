import { setImmediate as nextTurn } from "node:timers/promises";
import { Client, angle, defineEntity, vec2, type Entity, type Room } from "@paceline/client";
import { createRelay } from "@paceline/relay";
import { VirtualScheduler, seededRandom } from "@paceline/testkit";
import { StagePlayer } from "@paceline/testkit/room";
import type { Link, LinkFilter } from "@paceline/transport";
import { generateTrace } from "../codec/generated-trace.js";
import { FrameParts } from "./frame-parts.js";

const PLAYERS = 4;
const DELAY_MS = 25;
const JOIN_LIMIT_MS = 5000;
const STEP_MS = 5;
const FRAME_MS = 1000 / 30;
/** Time until all have met and clocks agree; it does not count. */
const WARM_UP_SECONDS = 5;

/** The car of the README. */
const fields = {
  position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
  heading: angle({ precision: 0.005, unit: "rad" }),
};
const Car = defineEntity("car", fields, {
  motion: "velocity",
  threshold: { position: 0.1, heading: 0.03 },
});
type Car = typeof Car;

/** Traffic that one racer receives in a race. */
export interface RaceFigures {
  readonly parts: FrameParts;
  /** Received states of the others' cars. */
  readonly states: number;
}

/**
 * Drives four cars through the relay on a virtual clock, each 25 ms from it. Counts the first racer's
 * received bytes.
 */
export async function race(seconds: number): Promise<RaceFigures> {
  const scheduler = new VirtualScheduler({ startMs: 1000 });
  const wallClockMs = (): number => scheduler.nowMs();
  const relay = createRelay({ rooms: { race: { maxPlayers: PLAYERS } }, scheduler, wallClockMs });
  const random = seededRandom(1);
  const links: Link[] = [];
  const rooms: Room[] = [];
  await Client.preload("racing");
  const advance = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      scheduler.advance(Math.min(STEP_MS, left));
      await nextTurn();
    }
  };
  for (let index = 0; index < PLAYERS; index++) {
    const { client } = new StagePlayer({
      scheduler,
      random: random.fork(),
      network: { delayMs: DELAY_MS },
      accept: (link, protocols) => {
        links.push(link);
        relay.takeLink(link, { address: "race", headers: {}, protocols });
      },
    });
    let room: Room | undefined;
    const joining = client.joinOrCreate("race").then((joined) => (room = joined));
    for (let waitedMs = 0; !room && waitedMs < JOIN_LIMIT_MS; waitedMs += STEP_MS) await advance(STEP_MS);
    rooms.push(await joining);
  }
  const cars = rooms.map((room) => room.spawn(Car));
  const { frames } = generateTrace(1, WARM_UP_SECONDS + seconds);
  const arrivals = new Arrivals(rooms[0]!);
  const parts = new FrameParts();
  const warmUpFrames = (WARM_UP_SECONDS * 1000) / FRAME_MS;
  for (const [at, frame] of frames.entries()) {
    if (at === Math.round(warmUpFrames)) {
      arrivals.states = 0;
      links[0]!.filters!.push(countedBy(parts));
    }
    for (const [index, car] of cars.entries()) {
      const { x, y, heading } = frame[index]!;
      car.position.set(x, y);
      car.heading = heading;
      rooms[index]!.advance();
    }
    for (let left = FRAME_MS; left > 0; left -= STEP_MS) {
      await advance(Math.min(STEP_MS, left));
      arrivals.look();
    }
  }
  for (const room of rooms) room.leave();
  await advance(STEP_MS);
  return { parts, states: arrivals.states };
}

/** Counts arriving states: cars whose newest position has changed since the last look. */
class Arrivals {
  readonly #seen = new Map<Entity<Car>, number>();
  readonly #room: Room;
  states = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  look(): void {
    for (const car of this.#room.entities(Car)) {
      if (car.isMine) continue;
      const { x, y } = car.position;
      const place = x + 10_000 * y;
      if (this.#seen.get(car) !== place) this.states += 1;
      this.#seen.set(car, place);
    }
  }
}

function countedBy(parts: FrameParts): LinkFilter {
  return {
    queuedBytes: 0,
    hasRoom: () => true,
    send: (_, packet, pass) => {
      parts.add(packet);
      pass(packet);
    },
    receive: (packet, pass) => pass(packet),
    end: (tell) => tell(),
    close: () => undefined,
  };
}
