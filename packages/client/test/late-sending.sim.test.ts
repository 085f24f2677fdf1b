import type { Room } from "@paceline/client";
import { afterEach, describe, expect, test, vi } from "vitest";
import { doors } from "../src/doors/doors.js";
import { Car, Sign } from "./definitions.js";
import { RelayStage } from "./relay-stage.js";

const RTT_MS = 100;

/** Holds back the code that sends own states until the returned function is called. */
function holdSending(): () => Promise<void> {
  const code = doors.sending.code!;
  let arrive!: () => void;
  const arrival = new Promise<typeof code>((resolve) => (arrive = () => resolve(code)));
  const held = [
    vi.spyOn(doors.sending, "code", "get").mockReturnValue(undefined),
    vi.spyOn(doors.sending, "openWhile").mockReturnValue(arrival),
  ];
  return async () => {
    for (const spy of held) spy.mockRestore();
    arrive();
    await arrival;
  };
}

const othersOf = (room: Room, kind: typeof Car | typeof Sign) =>
  [...room.entities(kind as typeof Car)].filter(({ isMine }) => !isMine);

describe("the code that sends own states", () => {
  afterEach(() => void vi.restoreAllMocks());

  /** A room with a player who owns a car, and a newcomer whose code has not come yet. */
  async function withNewcomer() {
    const stage = new RelayStage({ delayMs: RTT_MS / 2 });
    const [host, guest] = [await stage.join(), await stage.join()];
    host.spawn(Car, { position: { x: 7, y: 8 } });
    await stage.advance(1000);
    const arrive = holdSending();
    const newcomer = await stage.join();
    return { stage, host, guest, newcomer, arrive };
  }

  test("may come after the states of others: own entities then appear as they are by now, and only those", async () => {
    const { stage, host, guest, newcomer, arrive } = await withNewcomer();
    const mine = newcomer.spawn(Car, { position: { x: 1, y: 2 } });
    const gone = newcomer.spawn(Sign, { place: { x: 3, y: 4 } });
    await stage.advance(RTT_MS);
    expect(othersOf(newcomer, Car).map(({ position }) => position.x)).toEqual([7]);
    mine.position.x = 5;
    mine.teleport();
    newcomer.despawn(gone);
    await stage.advance(RTT_MS * 2);
    expect(othersOf(guest, Car)).toHaveLength(1);
    await arrive();
    await stage.advance(RTT_MS * 2);
    for (const room of [host, guest]) {
      const seen = othersOf(room, Car).filter(({ owner }) => owner?.number === newcomer.myNumber);
      expect(seen.map(({ position }) => [position.x, position.y])).toEqual([[5, 2]]);
      expect(othersOf(room, Sign)).toEqual([]);
    }
    mine.position.x = 9;
    newcomer.spawn(Sign, { place: { x: 3, y: 4 } });
    await stage.advance(RTT_MS * 3);
    const [seen] = othersOf(host, Car);
    expect([seen?.position.x, othersOf(guest, Sign).length]).toEqual([9, 1]);
  });

  test("is not awaited by messages and events", async () => {
    const { stage, host, guest, newcomer, arrive } = await withNewcomer();
    const heard: unknown[] = [];
    for (const room of [host, guest]) room.onMessage("n", (n) => heard.push(n));
    await stage.advance(RTT_MS * 2);
    newcomer.sendEvent("n", 1);
    newcomer.send("n", 2);
    await stage.advance(RTT_MS * 2);
    expect(heard.toSorted()).toEqual([1, 1, 2, 2]);
    await arrive();
    newcomer.sendEvent("n", 3);
    await stage.advance(RTT_MS * 2);
    expect(heard.slice(4)).toEqual([3, 3]);
  });

  test("is not awaited to refuse an entity of one kind too many", async () => {
    const { newcomer } = await withNewcomer();
    const { defineEntity, flag, limits } = await import("@paceline/protocol");
    const kinds = Array.from({ length: limits.streams + 1 }, (_, at) =>
      defineEntity(`k${at}`, { on: flag() }),
    );
    const last = kinds.pop()!;
    for (const kind of kinds) newcomer.spawn(kind);
    expect(() => newcomer.spawn(last)).toThrow(/entities of \d+ kinds/);
    expect([...newcomer.entities(last)]).toEqual([]);
  });

  test("changes nothing in a room that was left before it came", async () => {
    const { stage, guest, newcomer, arrive } = await withNewcomer();
    newcomer.spawn(Car, { position: { x: 1, y: 2 } });
    void newcomer.leave();
    await stage.advance(RTT_MS * 2);
    await arrive();
    await stage.advance(RTT_MS * 2);
    expect([newcomer.state, othersOf(guest, Car).length]).toEqual(["left", 1]);
  });
});
