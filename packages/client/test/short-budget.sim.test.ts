import { defineEntity, scalar, vec2, type OwnedEntity, type Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { expect, test, vi } from "vitest";
import { VirtualHub } from "./virtual-hub.js";

// In a mesh an owner's budget of states may be too small for its entities.

const Bee = defineEntity("bee", { position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }) });
const FRAME_MS = 1000 / 60;

/** Moves the bees about for some seconds: nothing predicts their next place. */
async function fly(hub: VirtualHub, owner: Room, bees: readonly OwnedEntity<typeof Bee>[], seconds: number) {
  const random = seededRandom(3);
  for (let frame = 0; frame < seconds * 60; frame++) {
    for (const { position } of bees) position.set(1000 * random.next(), 1000 * random.next());
    owner.advance();
    await hub.advance(FRAME_MS, FRAME_MS);
  }
}

const budgetOf = async ({ transport }: Room): Promise<string> =>
  (await transport.explain()).find(({ about }) => about === "budget")!.choice;

test.each([2, 3])(
  "a budget that is too small for an owner's entities is said, with the number that would do: %i players",
  async (players) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
    const [owner, ...others] = (await hub.meet(players)) as [Room, ...Room[]];
    const profile = (stateBytesPerSecond: number) =>
      ({ base: "racing", numbers: { stateBytesPerSecond } }) as const;
    owner.transport.configure({ profile: profile(1500) });
    const bees = Array.from({ length: 20 }, () => owner.spawn(Bee));
    for (const room of others) expect([...room.entities(Bee)]).toBeDefined();
    await fly(hub, owner, bees, 4);
    const said = /; states get 1500 bytes\/s: (\d+) entities wait, (\d+) bytes\/s would do$/.exec(
      await budgetOf(owner),
    );
    expect(Number(said?.[1])).toBeGreaterThan(10);
    const needed = Number(said?.[2]);
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^paceline: \d+ entities wait: the profile's stateBytesPerSecond is 1500, \d+ would do/,
        ),
      ],
    ]);
    owner.transport.configure({ profile: profile(needed) });
    await fly(hub, owner, bees, 3);
    expect(await budgetOf(owner)).not.toContain("wait");
    for (const room of others) expect(await budgetOf(room)).not.toContain("wait");
    warn.mockRestore();
  },
);

/** A whole state is much larger than a difference. */
const load = scalar({ range: [0, 1e6], precision: 1 });
const Ship = defineEntity("ship", {
  position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  hull: load,
  sail: load,
  oars: load,
  crew: load,
  cargo: load,
  age: load,
});
const SHIPS = 30;

/** Returns the states that a member gets in ten seconds, while another one does something at each second. */
async function statesBeside(act: (hub: VirtualHub) => Promise<void>): Promise<number> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
  const [owner, member] = (await hub.meet(3)) as [Room, Room];
  owner.transport.configure({ profile: { base: "racing", numbers: { stateBytesPerSecond: 1000 } } });
  const fleet = Array.from({ length: SHIPS }, (_, at) =>
    owner.spawn(Ship, { hull: 1e6 - at, sail: 5e5, oars: 7e5, crew: 9e5, cargo: 3e5, age: 4e5 }),
  );
  const seen = new Map<number, number>();
  let states = 0;
  const { scheduler } = hub;
  const frame = (): void => {
    for (const [at, { position }] of fleet.entries()) {
      const seconds = scheduler.nowMs() / 1000;
      position.set(40 * Math.sin(7 * seconds + at), 40 * Math.cos(8 * seconds + at));
    }
    owner.advance();
    for (const { id, isMine, position } of member.entities(Ship)) {
      if (isMine || seen.get(id) === position.x) continue;
      seen.set(id, position.x);
      states += 1;
    }
  };
  const advance = hub.advance.bind(hub);
  // The ships also move while the hub waits for somebody to join.
  hub.advance = async (ms) => {
    for (const endMs = scheduler.nowMs() + ms; scheduler.nowMs() < endMs; frame()) await advance(10);
  };
  await hub.advance(2000);
  const [startMs, before] = [scheduler.nowMs(), states];
  for (let second = 0; second < 10; second++) {
    await act(hub);
    await hub.advance(startMs + (second + 1) * 1000 - scheduler.nowMs());
  }
  warn.mockRestore();
  return states - before;
}

test("a member that leaves and comes back at every second takes few states from the others", async () => {
  const quiet = await statesBeside(async () => undefined);
  let guest: Room | undefined;
  const beside = await statesBeside(async (hub) => {
    void guest?.leave();
    guest = await hub.join();
  });
  expect(quiet).toBeGreaterThan(SHIPS * 8);
  // Packets are split otherwise for the sake of whole states, so each takes a little more of the heads.
  expect(beside / quiet).toBeGreaterThan(0.8);
});
