import { defineEntity, vec2, type OwnedEntity, type Room } from "@paceline/client";
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
