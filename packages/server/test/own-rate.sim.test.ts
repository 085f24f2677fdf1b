import type { ProfileChoice } from "@paceline/client";
import { Room, defineEntity, scalar, vec2, type PlayerEntities } from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { roomStage, StagePlayer, type RoomStage } from "@paceline/testkit/room";
import { afterEach, expect, test } from "vitest";
import { UploadTap } from "./upload-tap.js";

// In a room with an authority a player sends the states of its own entities as often and as exactly as its
// plan says.

const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    fuel: scalar({ range: [0, 1], precision: 0.01 }),
  },
  { motion: "velocity" },
);

class OwnRoom extends Room {
  override readonly tickHz = 60;
  override readonly entities = [Car];
  override readonly playerEntities: readonly PlayerEntities[] = [
    { definition: Car, limits: { maxSpeed: 60, positionAllowed: ({ x }) => x < 3000 } },
  ];
}

let stage: RoomStage<OwnRoom>;
afterEach(() => stage.stop());

const spawnCar = ({ room }: StagePlayer) => room.spawn(Car);

interface Driver {
  readonly player: StagePlayer;
  readonly car: ReturnType<typeof spawnCar>;
  readonly upload: UploadTap;
}

async function driver(profile: ProfileChoice): Promise<Driver> {
  stage = roomStage(OwnRoom);
  let upload: UploadTap | undefined;
  const player = new StagePlayer({
    scheduler: stage.scheduler,
    random: seededRandom(1),
    network: { delayMs: 20 },
    client: { profile },
    accept: (accepted, protocols) => {
      upload = new UploadTap(accepted);
      stage.server.takeLink(accepted, { address: "stage", protocols });
    },
  });
  player.enter(await stage.until(player.client.joinOrCreate("staged")));
  const car = spawnCar(player);
  await stage.advance(500);
  return { player, car, upload: upload! };
}

type Drive = (seconds: number) => { readonly at: number; readonly speed: number };
const straight: Drive = (seconds) => ({ at: 20 * seconds, speed: 20 });
const winding: Drive = (seconds) => ({ at: 10 * Math.sin(4 * seconds), speed: 40 * Math.cos(4 * seconds) });

/**
 * Drives for four seconds. Returns the packets of states per second, and the largest error of the room's
 * picture.
 */
async function driven({ car, upload }: Driver, drive: Drive): Promise<{ perSecond: number; offM: number }> {
  const start = stage.scheduler.nowMs();
  upload.reset();
  let offM = 0;
  for (let left = 4000; left > 0; left -= 5) {
    const { at, speed } = drive((stage.scheduler.nowMs() - start) / 1000);
    car.position.set(at, 0);
    car.velocity.set(speed, 0);
    await stage.advance(5);
    const [known] = stage.room.entitiesOf(Car);
    // The path takes 20 ms, and a step of the room and one of the sender add to it.
    const late = drive(Math.max(0, (stage.scheduler.nowMs() - start) / 1000 - 0.03)).at;
    if (left < 3500) offM = Math.max(offM, Math.abs(known!.position.x - late));
  }
  return { perSecond: upload.bodies.length / 4, offM };
}

const exact = { thresholdM: 0.01, sendPeriodMs: 0 };

test("states of own entities go up as often as the plan says", async () => {
  const often = await driven(await driver({ base: "racing", numbers: { ...exact, stateHz: 60 } }), winding);
  await stage.stop();
  const seldom = await driven(await driver({ base: "racing", numbers: { ...exact, stateHz: 10 } }), winding);
  expect(often.perSecond).toBeGreaterThan(50);
  expect(seldom.perSecond).toBeLessThan(22);
  expect(often.perSecond / seldom.perSecond).toBeGreaterThan(2.5);
});

test("states of own entities go up by the period of the plan's packets", async () => {
  const period = { ...exact, stateHz: 30, sendPeriodMs: 100 };
  expect((await driven(await driver({ base: "racing", numbers: period }), winding)).perSecond).toBeLessThan(
    22,
  );
});

test("a wider threshold costs less, and the room's extrapolation stays within it", async () => {
  const near = await driven(await driver({ base: "racing", numbers: { thresholdM: 0.01 } }), winding);
  await stage.stop();
  const wide = await driven(await driver({ base: "racing", numbers: { thresholdM: 2 } }), winding);
  expect(wide.perSecond).toBeLessThan(near.perSecond * 0.7);
  expect(wide.offM).toBeLessThan(4);
  await stage.stop();
  const foreseen = await driven(await driver("racing"), straight);
  expect(foreseen.perSecond).toBeLessThan(near.perSecond / 2);
  expect(foreseen.offM).toBeLessThan(0.6);
});

test("configure() changes the rate while the room runs; fields besides motion go up at once and exactly", async () => {
  const mine = await driver({ base: "racing", numbers: { thresholdM: 5 } });
  const wide = await driven(mine, winding);
  mine.player.room.transport.configure({ profile: { base: "racing", numbers: { thresholdM: 0.01 } } });
  const near = await driven(mine, winding);
  expect(near.perSecond).toBeGreaterThan(wide.perSecond * 1.5);
  mine.car.fuel = 0.37;
  await stage.advance(100);
  expect([...stage.room.entitiesOf(Car)][0]!.fuel).toBeCloseTo(0.37);
});

test.each<[claimed: number, least: number, most: number]>([
  // Half a second at this speed.
  [50, 10, 30],
  // The room does not let a car drive so fast: the car stays at its last position.
  [90, -5, 1],
])(
  "a car that claims %d m/s and gets no more states is extrapolated as far as the room's limits allow",
  async (claimed, least, most) => {
    const { car, player } = await driver("racing");
    for (let step = 0; step < 100; step++) {
      car.position.set(step / 4, 0);
      car.velocity.set(claimed, 0);
      await stage.advance(5);
    }
    const last = car.position.x;
    player.offline();
    await stage.advance(2000);
    const [known] = stage.room.entitiesOf(Car);
    expect(known!.position.x - last).toBeGreaterThan(least);
    expect(known!.position.x - last).toBeLessThan(most);
  },
);
