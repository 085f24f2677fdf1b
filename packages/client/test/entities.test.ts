import { ConfigError, defineEntity, scalar, vec2, type Entity, type Room } from "@paceline/client";
import { describe, expect, test } from "vitest";
import { Car, Sign } from "./definitions.js";
import { Stage } from "./stage.js";
import { pause, until } from "./until.js";

const stage = new Stage();

const cars = (room: Room) => [...room.entities(Car)];
const remoteCars = (room: Room) => cars(room).filter((car) => !car.isMine);
/** Makes the game use the kind, so that it receives cars of others. */
const watch = (room: Room): number => remoteCars(room).length;

describe("entities", () => {
  test("appear at present participants and at latecomers, with their present state", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const spawned: Entity<typeof Car>[] = [];
    b.onSpawn(Car, (entity) => spawned.push(entity));
    const car = a.spawn(Car, { position: { x: 1, y: 2 }, heading: 0.5, fuel: 1, braking: true });
    await until("b sees the car", () => remoteCars(b).length === 1);
    const [seen] = remoteCars(b);
    expect(spawned).toEqual([seen]);
    expect(seen!.heading).toBeCloseTo(0.5, 3);
    expect({ ...seen!.position, fuel: seen!.fuel, braking: seen!.braking }).toEqual({
      x: 1,
      y: 2,
      fuel: 1,
      braking: true,
    });
    expect([seen!.isMine, seen!.id, seen!.owner?.number]).toEqual([false, car.id, a.myNumber]);
    car.fuel = 0.25;
    car.position.set(3, 4);
    const late = await stage.join(server);
    watch(late);
    // The first received state may lie between the two writes.
    await until(
      "the late one sees the car as it is now",
      () => remoteCars(late)[0]?.fuel === 0.25 && remoteCars(late)[0]!.position.x === 3,
    );
    expect(cars(a)).toEqual([car]);
  });

  test("are listed again by each loop over one result", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const seen = b.entities(Car);
    const own = a.entities(Car);
    expect([...own]).toEqual([]);
    const car = a.spawn(Car);
    expect([[...own], [...own]]).toEqual([[car], [car]]);
    // The call alone says that this player's game uses the kind.
    await until("b sees the car", () => [...seen].length === 1);
    a.despawn(car);
    expect([...own]).toEqual([]);
  });

  test("follow their owner, and refuse writes of others", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const car = a.spawn(Car);
    watch(b);
    await until("b sees the car", () => remoteCars(b).length === 1);
    const seen = remoteCars(b)[0]!;
    car.fuel = 0.5;
    car.braking = true;
    await until("fuel arrives", () => seen.fuel === 0.5 && seen.braking);
    expect(() => ((seen as { fuel: number }).fuel = 1)).toThrow(ConfigError);
    expect(() => ((seen.shown as { fuel: number }).fuel = 1)).toThrow(ConfigError);
    expect(() => a.spawn(Car, { position: { x: Number.NaN, y: 0 } })).toThrow(
      /car\.position\.x: expected a number from -1000 to 1000 m/,
    );
    expect(cars(a)).toHaveLength(1);
  });

  test("are extrapolated between states", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const car = a.spawn(Car);
    watch(b);
    await until("b sees the car", () => remoteCars(b).length === 1);
    const seen = remoteCars(b)[0]!;
    const startMs = performance.now();
    // The car drives at 30 m/s along x, by the clock.
    while (performance.now() - startMs < 700) {
      const nowMs = performance.now();
      car.position.x = (nowMs - startMs) * 0.03;
      a.advance(nowMs);
      await pause(4);
    }
    const truth = (performance.now() - startMs) * 0.03;
    // 6 m are 200 ms: a busy machine delays states.
    expect(Math.abs(seen.shown.position.x - truth)).toBeLessThan(6);
    expect(seen.lastTick).toBeGreaterThan(10);
    expect(seen.ageMs).toBeLessThan(600);
    expect(b.peers[0]!.stats.updatesInPerSecond).toBeLessThan(31);
    // Without news, the car stops at the extrapolation limit, one second later.
    await pause(1150);
    const held = seen.shown.position.x;
    await pause(60);
    expect(seen.shown.position.x).toBeCloseTo(held, 2);
  });

  test("disappear when they are despawned, and when their owner leaves", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const [first, second] = [a.spawn(Car, { fuel: 0.1 }), a.spawn(Car, { fuel: 0.2 })];
    watch(b);
    await until("b sees both", () => remoteCars(b).length === 2);
    const seen = remoteCars(b);
    const gone: number[] = [];
    b.onDespawn(Car, (entity) => gone.push(entity.id));
    a.despawn(first);
    await until("one is gone", () => remoteCars(b).length === 1);
    expect(gone).toEqual([first.id]);
    a.despawn(first);
    await pause(60);
    expect(gone).toEqual([first.id]);
    expect(() => a.despawn(seen[1]!)).toThrow(ConfigError);
    a.leave();
    await until("the other is gone", () => remoteCars(b).length === 0);
    expect(gone).toEqual([first.id, second.id]);
  });

  test("that are despawned keep their last values and do not touch those of others", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const old = a.spawn(Car, { fuel: 0.25 });
    watch(b);
    await until("b sees it", () => remoteCars(b).length === 1);
    const [seenOld] = remoteCars(b);
    a.despawn(old);
    const next = a.spawn(Car, { fuel: 0.75 });
    await until("b sees the next", () => remoteCars(b)[0]?.id === next.id);
    expect(() => (old.fuel = 1)).toThrow(/^car: expected an entity that has not despawned/);
    expect(next.fuel).toBe(0.75);
    expect([seenOld!.fuel, seenOld!.shown.fuel, remoteCars(b)[0]!.fuel]).toEqual([0.25, 0.25, 0.75]);
  });

  test("of a kind that the game uses only later appear then, and cause no error before", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const errors: string[] = [];
    b.onError((error) => errors.push(error.code));
    a.spawn(Sign, { place: { x: 7, y: 8 }, lit: true });
    const short = a.spawn(Sign);
    b.onMessage("done", () => errors.push("done"));
    a.despawn(short);
    a.send("done", null);
    await until("b has it all", () => errors.length === 1);
    const spawned: Entity<typeof Sign>[] = [];
    b.onSpawn(Sign, (entity) => spawned.push(entity));
    const signs = [...b.entities(Sign)];
    expect(signs.map(({ place, lit }) => [place.x, place.y, lit])).toEqual([[7, 8, true]]);
    expect(spawned).toHaveLength(1);
    expect(errors).toEqual(["done"]);
  });

  test("that two builds define differently cause an error, once, and are not shown", async () => {
    const server = await stage.server();
    const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
    const Other = defineEntity("car", {
      place: vec2({ range: [-1, 1], precision: 0.1 }),
      speed: scalar({ range: [0, 1], precision: 0.1 }),
    });
    watch(b);
    const errors: string[] = [];
    b.onError(({ code, message }) => errors.push(`${code} ${message}`));
    let isDone = false;
    b.onMessage("done", () => (isDone = true));
    a.spawn(Other);
    a.spawn(Other);
    a.send("done", null);
    await until("b has it all", () => isDone);
    await until("it has asked for the columns", () => errors.length > 0);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(
      `schema/mismatch peer ${a.myNumber} describes "car" differently (no "position", `,
    );
    expect(errors[0]).toContain('"place" besides, "speed" besides): load the same build');
    expect(remoteCars(b)).toEqual([]);
    expect(b.drops.of("bad-message")).toBe(1);
    expect(b.peers).toHaveLength(1);
  });

  test("of one name in a room have one definition", async () => {
    const server = await stage.server();
    const room = await stage.join(server);
    room.spawn(Car);
    const Twin = defineEntity("car", { fuel: scalar({ range: [0, 1], precision: 0.1 }) });
    expect(() => room.spawn(Twin)).toThrow(/one definition of a name per room/);
  });

  test("may be many, up to a limit; a newcomer sees them all", async () => {
    const server = await stage.server();
    const a = await stage.join(server);
    for (let count = 0; count < 4096; count++) a.spawn(Sign, { place: { x: count / 8, y: 0 } });
    expect(() => a.spawn(Sign)).toThrow(expect.objectContaining({ code: "limit/entities" }));
    const b = await stage.join(server);
    await until("b sees all", () => [...b.entities(Sign)].length === 4096);
    expect(new Set([...b.entities(Sign)].map(({ place }) => place.x)).size).toBe(4096);
  });
});
