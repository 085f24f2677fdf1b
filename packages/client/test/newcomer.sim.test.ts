import type { Room } from "@paceline/client";
import { afterEach, describe, expect, test, vi } from "vitest";
import { StreamSlots } from "../../relay/src/sessions/stream-slots.js";
import { Car, Sign } from "./definitions.js";
import { RelayStage } from "./relay-stage.js";

const ONE_WAY_MS = 50;
const others = (room: Room) => [...room.entities(Car)].filter((car) => !car.isMine);

afterEach(() => void vi.restoreAllMocks());

describe("a newcomer", () => {
  test("[WF28] sees the others with its welcome, a round trip before they could answer", async () => {
    const stage = new RelayStage({ delayMs: ONE_WAY_MS });
    const first = await stage.join();
    const car = first.spawn(Car, { fuel: 0.5 });
    car.position.set(30, 40);
    await stage.advance(2000);
    const calledAtMs = stage.scheduler.nowMs();
    const second = await stage.join();
    const [seen] = others(second);
    expect(seen!.fuel).toBeCloseTo(0.5, 2);
    expect(seen!.shown.position.x).toBeCloseTo(30, 2);
    // One request and its answer, without the handshake of the socket: the owner had no time to send
    // anything.
    expect(stage.scheduler.nowMs() - calledAtMs).toBeLessThanOrEqual(2 * ONE_WAY_MS + 20);
    expect(second.peers[0]!.rttMs).toBeUndefined();
    car.position.set(31, 40);
    await stage.advance(6 * ONE_WAY_MS + 300);
    expect(others(second).map(({ shown }) => shown.position.x)).toEqual([expect.closeTo(31, 1)]);
  });

  test("[WF28] sees a state as old as its tick says, and extrapolates it", async () => {
    const stage = new RelayStage({ delayMs: ONE_WAY_MS });
    const first = await stage.join();
    const car = first.spawn(Car);
    const startMs = stage.scheduler.nowMs();
    const truthM = (): number => (stage.scheduler.nowMs() - startMs) / 100;
    stage.scheduler.every(10, () => car.position.set(truthM(), 0));
    // Between two refreshes: the relay's slot is old by now, and its age shows it.
    await stage.advance(7650);
    const second = await stage.join();
    const [seen] = others(second);
    const { ageMs } = seen!;
    const toldM = seen!.position.x;
    expect(second.peers[0]!.rttMs).toBeUndefined();
    expect(ageMs).toBeGreaterThan(300);
    // The car drives at 10 m/s. The delays to and from the relay are still unknown.
    expect(truthM() - toldM).toBeCloseTo((ageMs + 2 * ONE_WAY_MS) / 100, 0);
    expect(seen!.shown.position.x).toBeGreaterThan(toldM + 1);
    expect(seen!.shown.position.x).toBeLessThan(truthM());
    await stage.advance(1000);
    expect(Math.abs(others(second)[0]!.shown.position.x - truthM())).toBeLessThan(1);
  });

  test("[WF28] sees no entity that has ended, and none of a player who has left", async () => {
    const stage = new RelayStage({ delayMs: ONE_WAY_MS });
    const [first, leaver] = [await stage.join(), await stage.join()];
    const [kept, ended] = [first.spawn(Car), first.spawn(Car)];
    leaver.spawn(Car);
    await stage.advance(1500);
    first.despawn(ended);
    leaver.leave();
    await stage.advance(500);
    const second = await stage.join();
    expect(others(second).map(({ id }) => id)).toEqual([kept.id]);
    await stage.advance(3000);
    expect(others(second).map(({ id }) => id)).toEqual([kept.id]);
  });

  test("[WF28] forgets an entity that ended while the slot was on its way", async () => {
    const stage = new RelayStage({ delayMs: ONE_WAY_MS });
    const first = await stage.join();
    const [kept, ended] = [first.spawn(Car), first.spawn(Car)];
    first.spawn(Sign);
    await stage.advance(1500);
    // The relay learns of the newcomer first, then of the end. The newcomer's owner learns of the newcomer
    // last.
    const joining = stage.join();
    await stage.advance(ONE_WAY_MS);
    first.despawn(ended);
    const second = await joining;
    expect(others(second).map(({ id }) => id)).toEqual([kept.id, ended.id]);
    const gone: number[] = [];
    second.onDespawn(Car, ({ id }) => gone.push(id));
    await stage.advance(4 * ONE_WAY_MS + 50);
    expect(others(second).map(({ id }) => id)).toEqual([kept.id]);
    expect(gone).toEqual([ended.id]);
    // The game first asks for this kind here.
    expect([...second.entities(Sign)]).toHaveLength(1);
  });

  test("[WF28] sees the slot of a kind that its game first uses later, and then the owner's", async () => {
    const stage = new RelayStage({ delayMs: ONE_WAY_MS });
    const first = await stage.join();
    const car = first.spawn(Car, { fuel: 1 });
    await stage.advance(1500);
    const second = await stage.join();
    car.fuel = 0.25;
    await stage.advance(1000);
    expect(others(second)).toHaveLength(1);
    await stage.advance(4 * ONE_WAY_MS + 50);
    expect(others(second).map(({ fuel }) => fuel)).toEqual([expect.closeTo(0.25, 2)]);
    first.despawn(car);
    await stage.advance(200);
    expect(others(second)).toEqual([]);
  });

  test("[WF28] sees an entity that was spawned a moment ago", async () => {
    const stage = new RelayStage({ delayMs: ONE_WAY_MS });
    const first = await stage.join();
    first.spawn(Car);
    await stage.advance(1000);
    const late = first.spawn(Car, { braking: true });
    // The owner refreshes the slot within a quarter of a second, and the packet takes half a round trip.
    await stage.advance(250 + ONE_WAY_MS + 30);
    const second = await stage.join();
    expect(others(second).map(({ id }) => id)).toContain(late.id);
  });

  test("[WF28] has the entities of a player who is away, and sees them as soon as that player is back", async () => {
    const stage = new RelayStage({ delayMs: ONE_WAY_MS });
    const away = stage.player();
    const first = await stage.join(away);
    const [kept, ended] = [first.spawn(Car, { fuel: 0.5 }), first.spawn(Car)];
    await stage.advance(1000);
    away.offline();
    first.despawn(ended);
    await stage.advance(1000);
    const second = await stage.join();
    expect([second.peers[0]!.state, others(second)]).toEqual(["away", []]);
    const gone: number[] = [];
    second.onDespawn(Car, ({ id }) => gone.push(id));
    away.online();
    const fuels: number[] = [];
    while (fuels.length === 0) {
      await stage.advance(5);
      fuels.push(...others(second).map(({ fuel }) => fuel));
    }
    // Nothing of the owner has arrived yet.
    expect(second.peers[0]!.rttMs).toBeUndefined();
    expect(fuels).toEqual([expect.closeTo(0.5, 2), 0]);
    await stage.advance(1000);
    expect(others(second).map(({ id }) => id)).toEqual([kept.id]);
    expect(gone).toEqual([ended.id]);
    expect(second.drops.toRecord()).toEqual({});
  });

  test("[WF28] heals by the owner's whole states what a slot has no room for", async () => {
    const stage = new RelayStage({ delayMs: ONE_WAY_MS });
    const first = await stage.join();
    for (let count = 0; count < 1500; count++) first.spawn(Sign, { lit: true });
    first.spawn(Car);
    await stage.advance(1500);
    const second = await stage.join();
    const signs = (): number => [...second.entities(Sign)].length;
    expect(signs()).toBeGreaterThan(64);
    expect(signs()).toBeLessThan(1500);
    expect(others(second)).toHaveLength(1);
    await stage.advance(2000);
    expect(signs()).toBe(1500);
    expect(second.drops.toRecord()).toEqual({});
  });

  test("[WF28] costs the owner a slot of what has changed: at a join, and every five seconds", async () => {
    const slots: number[] = [];
    vi.spyOn(StreamSlots.prototype, "keep").mockImplementation((stream) => slots.push(stream) > 0);
    const stage = new RelayStage({ delayMs: ONE_WAY_MS });
    const first = await stage.join();
    const car = first.spawn(Car);
    first.spawn(Sign);
    const sentIn = async (ms: number): Promise<number[]> => {
      slots.length = 0;
      await stage.advance(ms);
      return [...slots];
    };
    expect(await sentIn(1000)).toEqual([0, 1]);
    expect(await sentIn(20_000)).toEqual([]);
    stage.scheduler.every(100, () => car.position.set(stage.scheduler.nowMs() / 1000, 0));
    expect(await sentIn(20_000)).toEqual([0, 0, 0, 0]);
    await stage.join();
    expect(await sentIn(1500)).toEqual([0]);
    for (let count = 0; count < 100; count++) {
      first.spawn(Sign);
      await stage.advance(20);
    }
    // One of each stream in a quarter of a second.
    expect(slots.length).toBeGreaterThan(10);
    expect(slots.length).toBeLessThanOrEqual(1 + 2 * (2000 / 250 + 1));
  });

  test("[WF28] sees what has moved for long", async () => {
    const stage = new RelayStage({ delayMs: ONE_WAY_MS });
    const first = await stage.join();
    await stage.join();
    const car = first.spawn(Car);
    stage.scheduler.every(20, () => car.position.set(100 * Math.sin(stage.scheduler.nowMs() / 300), 0));
    await stage.advance(6000);
    const third = await stage.join();
    const [seen] = others(third);
    expect(seen!.position.x).toBeGreaterThan(-101);
    await stage.advance(600);
    expect(Math.abs(others(third)[0]!.shown.position.x - car.position.x)).toBeLessThan(40);
    expect(third.drops.toRecord()).toEqual({});
  });
});
