import { defineEntity, scalar, vec2, type OwnedEntity, type Peer, type Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import type { PeerConnection } from "../src/peers/peer-connection.js";
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

/** Keeps the console empty: the owner is warned, and cannot answer all requests of a hostile member. */
function silence(): void {
  for (const level of ["warn", "error"] as const) {
    const spy = vi.spyOn(console, level).mockImplementation(() => undefined);
    onTestFinished(() => spy.mockRestore());
  }
}

/** An owner of ships in a mesh, whose budget is too small for them. */
class Fleet {
  readonly hub: VirtualHub;
  readonly owner: Room;
  /** The others that were there before the ships. */
  readonly members: readonly Room[];
  /** The states that a member got. */
  readonly states = new Map<Room, number>();
  readonly #ships: readonly OwnedEntity<typeof Ship>[];
  readonly #seen = new Map<Room, Map<number, number>>();

  private constructor(hub: VirtualHub, owner: Room, members: readonly Room[]) {
    [this.hub, this.owner, this.members] = [hub, owner, members];
    owner.transport.configure({ profile: { base: "racing", numbers: { stateBytesPerSecond: 1000 } } });
    this.#ships = Array.from({ length: SHIPS }, (_, at) =>
      owner.spawn(Ship, { hull: 1e6 - at, sail: 5e5, oars: 7e5, crew: 9e5, cargo: 3e5, age: 4e5 }),
    );
    const advance = hub.advance.bind(hub);
    // The ships also move while the hub waits for somebody to join.
    hub.advance = async (ms) => {
      const { scheduler } = hub;
      for (const endMs = scheduler.nowMs() + ms; scheduler.nowMs() < endMs; this.#frame()) await advance(10);
    };
  }

  static async of(players: number, drops?: (to: number) => boolean): Promise<Fleet> {
    silence();
    const hub = new VirtualHub({ delayMs: 30, ...(drops && { drops }) }, { startMs: 5000 });
    const [owner, ...members] = (await hub.meet(players)) as [Room, ...Room[]];
    const fleet = new Fleet(hub, owner, members);
    for (const member of members) fleet.watch(member);
    await hub.advance(2000);
    return fleet;
  }

  watch(member: Room): void {
    this.states.set(member, 0);
    this.#seen.set(member, new Map());
  }

  #frame(): void {
    const seconds = this.hub.scheduler.nowMs() / 1000;
    for (const [at, { position }] of this.#ships.entries())
      position.set(40 * Math.sin(7 * seconds + at), 40 * Math.cos(8 * seconds + at));
    this.owner.advance();
    for (const [member, seen] of this.#seen) {
      for (const { id, isMine, position } of member.entities(Ship)) {
        if (isMine || seen.get(id) === position.x) continue;
        seen.set(id, position.x);
        this.states.set(member, this.states.get(member)! + 1);
      }
    }
  }

  /** Returns the states that a member gets in ten seconds, while somebody does something at each second. */
  async statesOf(member: Room, act: () => Promise<void> | void = () => undefined): Promise<number> {
    const { scheduler } = this.hub;
    const [startMs, before] = [scheduler.nowMs(), this.states.get(member)!];
    for (let second = 0; second < 10; second++) {
      await act();
      await this.hub.advance(startMs + (second + 1) * 1000 - scheduler.nowMs());
    }
    return this.states.get(member)! - before;
  }
}

test.each([2, 3])(
  "a member that leaves and comes back at every second takes few states from the others: %i players",
  async (players) => {
    const [quiet, beside] = [await Fleet.of(players), await Fleet.of(players)];
    const usual = await quiet.statesOf(quiet.members[0]!);
    let guest: Room | undefined;
    const states = await beside.statesOf(beside.members[0]!, async () => {
      void guest?.leave();
      guest = await beside.hub.join();
      beside.watch(guest);
    });
    expect(usual).toBeGreaterThan(SHIPS * 8);
    expect(states / usual).toBeGreaterThan(0.95);
    // And the guest gets its share.
    const ofGuests = [...beside.states].slice(players - 1).reduce((sum, [, count]) => sum + count, 0);
    expect(ofGuests).toBeGreaterThan(usual / 2);
  },
);

/** Sends the owner something in each frame of the fleet. */
function attack({ hub, owner }: Fleet, hostile: Room, send: (toOwner: PeerConnection) => void): void {
  const peer = hostile.peers.find(({ number }) => number === owner.myNumber) as Peer as PeerConnection;
  hub.scheduler.every(20, () => peer.session.commands.length < 200 && send(peer));
}

test.each([2, 3])(
  "a member that asks for whole states all the time pays for them itself: %i players",
  async (players) => {
    const [quiet, attacked] = [await Fleet.of(players), await Fleet.of(players)];
    const usual = await quiet.statesOf(quiet.members[0]!);
    const hostile = await attacked.hub.join();
    attack(attacked, hostile, (toOwner) => toOwner.send({ kind: "resync", stream: 0, entities: [] }));
    const toHostile = attacked.owner.peers.find(({ number }) => number === hostile.myNumber)!;
    let bytes = 0;
    const states = await attacked.statesOf(attacked.members[0]!, () => {
      bytes += toHostile.stats.bytesOutPerSecond;
    });
    expect(states / usual).toBeGreaterThan(0.95);
    expect(bytes).toBeLessThan(15_000);
  },
);

test("a member that is served alone gets its share while another one asks for long answers all the time", async () => {
  /** Returns the states of a member that has lost some, and is served alone since. */
  const statesBeside = async (prepare: (fleet: Fleet) => void): Promise<number> => {
    let isDropping = false;
    const fleet = await Fleet.of(4, (to) => isDropping && to === 3);
    isDropping = true;
    await fleet.hub.advance(500);
    isDropping = false;
    await fleet.hub.advance(1000);
    prepare(fleet);
    return await fleet.statesOf(fleet.members[1]!);
  };
  const usual = await statesBeside(() => undefined);
  let answered = 0;
  const beside = await statesBeside((fleet) => {
    fleet.owner.onRequest("ask", () => {
      answered += 1;
      return "x".repeat(12_000);
    });
    const ask = { kind: "request", id: 0, type: "ask", message: 0 } as const;
    attack(fleet, fleet.members[2]!, (toOwner) => toOwner.send(ask));
  });
  expect(answered).toBeGreaterThan(100);
  expect(beside / usual).toBeGreaterThan(0.9);
});
