import {
  angle,
  defineEntity,
  flag,
  scalar,
  vec2,
  type Entity,
  type EntityDefinition,
  type Room,
} from "@paceline/client";
import { EntityRows } from "@paceline/protocol";
import { describe, expect, test, vi } from "vitest";
import { VirtualHub } from "./virtual-hub.js";

const fields = {
  position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  heading: angle({ precision: 0.001, unit: "rad" }),
};
const Pod = defineEntity("pod", fields, { motion: "turn" });
const FRAME_MS = 1000 / 60;

class World {
  readonly hub: VirtualHub;
  readonly rooms: Room[] = [];
  #tick = 0;

  constructor(network: ConstructorParameters<typeof VirtualHub>[0] = { delayMs: 30 }) {
    this.hub = new VirtualHub(network, { startMs: 5000 });
  }

  async join(): Promise<Room> {
    const room = await this.hub.join();
    this.rooms.push(room);
    await this.hub.advance(200);
    return room;
  }

  async run(owner: Room, frames: number, step: (seconds: number) => void = () => undefined): Promise<void> {
    for (let frame = 0; frame < frames; frame++) {
      this.#tick += 1;
      step(this.#tick / 60);
      owner.advance();
      await this.hub.advance(FRAME_MS, FRAME_MS);
    }
  }
}

type Seen = Entity<EntityDefinition<typeof fields>>;
const seenIn = (room: Room): Seen[] => [...room.entities(Pod)].filter((each) => !each.isMine) as Seen[];
const round = (
  pod: { position: { set(x: number, y: number): void }; heading: number },
  seconds: number,
): void => {
  pod.position.set(50 * Math.cos(seconds / 2), 50 * Math.sin(seconds / 2));
  pod.heading = seconds / 2 + Math.PI / 2;
};

function errorM(seen: Seen, of: { readonly position: { readonly x: number; readonly y: number } }): number {
  return Math.hypot(seen.shown.position.x - of.position.x, seen.shown.position.y - of.position.y);
}

describe("states of a room", () => {
  test("continue without a gap when a second and a third receiver join, and when they leave", async () => {
    const world = new World();
    const owner = await world.join();
    const pod = owner.spawn(Pod);
    const first = await world.join();
    seenIn(first);
    const errors: number[] = [];
    const drive = (seconds: number): void => {
      round(pod, seconds);
      const [seen] = seenIn(first);
      if (seen) errors.push(errorM(seen, pod));
    };
    await world.run(owner, 120, drive);
    errors.length = 0;
    await world.run(owner, 60, drive);
    const joining = world.hub.join();
    await world.run(owner, 30, drive);
    const second = await joining;
    seenIn(second);
    await world.run(owner, 240, drive);
    expect(errorM(seenIn(second)[0]!, pod)).toBeLessThan(0.5);
    second.leave();
    await world.run(owner, 120, drive);
    // It moves at 25 m/s, and time passes beside its ticks during a join. A missing state would show as
    // metres.
    expect(Math.max(...errors)).toBeLessThan(1);
    // At most, one state overtakes the reference that it builds on.
    expect(first.drops.total).toBeLessThanOrEqual(1);
    expect(first.drops.of("desync")).toBe(0);
  });

  test.each([2, 3])(
    "recover in a room of %i when a bit of a receiver's state flips",
    async (participants) => {
      const reserved: EntityRows[] = [];
      const reserve = vi.spyOn(EntityRows.prototype, "reserve").mockImplementation(function (
        this: EntityRows,
        tick: number,
      ) {
        if (!reserved.includes(this)) reserved.push(this);
        return original.call(this, tick);
      });
      const world = new World();
      const owner = await world.join();
      const others: Room[] = [];
      while (others.length < participants - 1) others.push(await world.join());
      for (const room of others) seenIn(room);
      const pod = owner.spawn(Pod);
      const drive = (seconds: number): void => round(pod, seconds);
      await world.run(owner, 240, drive);
      const held = reserved.at(-1)!;
      for (let index = 2; index < held.rows.length; index += held.plan.width) held.rows[index]! ^= 1 << 6;
      await world.run(owner, 480, drive);
      reserve.mockRestore();
      for (const room of others) expect(errorM(seenIn(room)[0]!, pod)).toBeLessThan(0.5);
      const counts = others.map(({ drops }) => drops.total);
      expect(Math.max(...counts)).toBeGreaterThan(0);
    },
  );

  test("show a teleport at once, and no positions between", async () => {
    const world = new World();
    const [owner, viewer] = [await world.join(), await world.join()];
    const pod = owner.spawn(Pod);
    seenIn(viewer);
    await world.run(owner, 60);
    const shown: number[] = [];
    pod.teleport();
    await world.run(owner, 30, () => {
      pod.position.set(500, 0);
      shown.push(seenIn(viewer)[0]!.shown.position.x);
    });
    expect(new Set(shown.map((x) => Math.round(x)))).toEqual(new Set([0, 500]));
  });

  test("of a resting entity cost one heartbeat of fewer than 17 bytes", async () => {
    const world = new World();
    const [owner, viewer] = [await world.join(), await world.join()];
    const bodies: number[] = [];
    const pod = owner.spawn(Pod, { position: { x: 12, y: -7 }, heading: 1 });
    expect(pod.isMine).toBe(true);
    seenIn(viewer);
    await world.run(owner, 120);
    const { Session } = await import("@paceline/transport");
    const send = vi.spyOn(Session.prototype, "sendState").mockImplementation(function (
      this: InstanceType<typeof Session>,
      body: Uint8Array,
      key?: number,
      head?: Uint8Array,
    ) {
      bodies.push(body.length + (head?.length ?? 0));
      return sendState.call(this, body, key, head);
    });
    await world.run(owner, 600);
    send.mockRestore();
    // The racing profile's heartbeat is one second.
    expect(bodies.length).toBeGreaterThanOrEqual(9);
    expect(bodies.length).toBeLessThanOrEqual(11);
    expect(Math.max(...bodies)).toBeLessThan(17);
  });

  test("[WF17] keep to the fields of both builds if one has appended a field", async () => {
    const Newer = defineEntity(
      "pod",
      { ...fields, isBoosting: flag(), fuel: scalar({ range: [0, 1], precision: 0.1 }) },
      {
        motion: "turn",
      },
    );
    const world = new World();
    const [owner, older, newer] = [await world.join(), await world.join(), await world.join()];
    const errors: string[] = [];
    for (const room of [older, newer]) room.onError(({ code }) => errors.push(code));
    seenIn(older);
    expect([...newer.entities(Newer)]).toEqual([]);
    const pod = owner.spawn(Newer, { fuel: 1 });
    // A request, its answer, and the fetched code for both.
    for (let step = 0; step < 4; step++) {
      await world.hub.advance(100);
      await world.hub.fetches();
    }
    await world.run(owner, 120, (seconds) => round(pod, seconds));
    expect(errorM(seenIn(older)[0]!, pod)).toBeLessThan(0.5);
    expect(errors).toEqual(["schema/mismatch"]);
    const back = older.spawn(Pod, { position: { x: 3, y: 4 } });
    for (let step = 0; step < 4; step++) {
      await world.hub.advance(100);
      await world.hub.fetches();
    }
    expect([...owner.entities(Newer)].find(({ id }) => id === back.id)?.position.x).toBe(3);
  });

  test("may be of 1,000 entities, in packets that fit", async () => {
    const world = new World();
    const [owner, viewer] = [await world.join(), await world.join()];
    seenIn(viewer);
    const pods = Array.from({ length: 1000 }, () => owner.spawn(Pod));
    await world.run(owner, 600, (seconds) => {
      for (const [index, pod] of pods.entries()) pod.position.x = seconds < 3 ? index / 2 : index / 2 + 1;
    });
    const seen = seenIn(viewer);
    expect(seen).toHaveLength(1000);
    const late = seen.filter(({ position, id }) => Math.abs(position.x - ((id & 0xffff) / 2 + 1)) > 0.5);
    expect(late).toEqual([]);
  }, 600_000);
});

const original = EntityRows.prototype.reserve;
const { sendState } = (await import("@paceline/transport")).Session.prototype;
