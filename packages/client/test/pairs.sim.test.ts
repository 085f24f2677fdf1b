import type { Peer, Room } from "@paceline/client";
import { describe, expect, test } from "vitest";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { Car } from "./definitions.js";
import { RelayStage } from "./relay-stage.js";

const peerOf = (room: Room, other: Room): Peer => room.peers.find(({ number }) => number === other.myNumber)!;

class Witness {
  readonly resets: [peer: number, unacknowledged: number][] = [];
  readonly left: number[] = [];
  readonly heard: [n: number, from: number][] = [];
  readonly spawned: number[] = [];
  readonly room: Room;

  constructor(room: Room) {
    this.room = room;
    room.onPeerReset(({ number }, { unacknowledged }) => this.resets.push([number, unacknowledged]));
    room.onPeerLeave(({ number }) => this.left.push(number));
    room.onMessage("n", (n, { number }) => this.heard.push([n as number, number]));
    room.onSpawn(Car, ({ owner }) => owner && this.spawned.push(owner.number));
  }

  from(other: Witness): number[] {
    return this.heard.filter(([, from]) => from === other.room.myNumber).map(([n]) => n);
  }
}

async function meeting(count: number, delayMs = 40) {
  const stage = new RelayStage({ delayMs });
  const players: Witness[] = [];
  while (players.length < count) players.push(new Witness(await stage.join()));
  await stage.advance(500);
  return { stage, players: players as [Witness, Witness, Witness] };
}

/** Ends a pair as if many packets of the other side had made no sense. */
function endPair(room: Room, other: Room): void {
  const { session } = peerOf(room, other) as PeerConnection;
  for (let count = 0; count < 50; count++) session.reportViolation("bad-message");
}

describe("a pair whose session was ended while both are there", () => {
  test("[WF42] [WF43] reports it, begins again, and gives the number of possibly missing messages", async () => {
    const { stage, players } = await meeting(3);
    const [a, b, c] = players;
    b.room.spawn(Car);
    await stage.advance(500);
    expect([a.spawned, c.spawned]).toEqual([[b.room.myNumber], [b.room.myNumber]]);
    // Both send all the time: packets of the old session are on their way in both directions.
    let sent = 0;
    const talk = async (ms: number): Promise<void> => {
      for (let elapsed = 0; elapsed < ms; elapsed += 10) {
        for (const { room } of players) room.send("n", sent);
        sent += 1;
        await stage.advance(10);
      }
    };
    await talk(1000);
    endPair(a.room, b.room);
    await talk(4000);
    await stage.advance(3000);
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      expect(one.resets).toHaveLength(1);
      const [peer, unacknowledged] = one.resets[0]!;
      expect(peer).toBe(other.room.myNumber);
      const numbers = other.from(one);
      // Messages arrive in order and once. The missing ones are a single gap of at most `unacknowledged`
      // messages.
      expect(numbers.every((n, index) => index === 0 || n > numbers[index - 1]!)).toBe(true);
      const missing = sent - numbers.length;
      expect(missing).toBeLessThanOrEqual(unacknowledged);
      expect(unacknowledged).toBeLessThan(40);
      expect(numbers.at(-1)).toBe(sent - 1);
    }
    expect(c.resets).toEqual([]);
    for (const one of [a, b]) expect(c.from(one)).toEqual(Array.from({ length: sent }, (_, n) => n));
    expect([...a.room.entities(Car)]).toHaveLength(1);
    expect(a.spawned).toEqual([b.room.myNumber, b.room.myNumber]);
    expect(players.map(({ left }) => left)).toEqual([[], [], []]);
  });

  test("[WF43] ended by both at once, begins one new epoch", async () => {
    const { stage, players } = await meeting(2);
    const [a, b] = players;
    endPair(a.room, b.room);
    endPair(b.room, a.room);
    a.room.send("n", 1);
    b.room.send("n", 2);
    await stage.advance(5000);
    expect([a.resets.length, b.resets.length]).toEqual([1, 1]);
    expect([a.from(b), b.from(a)]).toEqual([[2], [1]]);
  });

  test("[WF43] recovers if the close is lost, or if the other is away", async () => {
    const stage = new RelayStage({ delayMs: 40 });
    const away = stage.player();
    const a = new Witness(await stage.join());
    const b = new Witness(await stage.join(away));
    await stage.advance(500);
    away.offline();
    await stage.advance(100);
    endPair(a.room, b.room);
    a.room.send("n", 1);
    b.room.send("n", 2);
    await stage.advance(3000);
    away.online();
    await stage.advance(6000);
    b.room.send("n", 3);
    await stage.advance(1000);
    expect([a.resets.length, b.resets]).toEqual([1, [[a.room.myNumber, 1]]]);
    expect([a.from(b), b.from(a)]).toEqual([[3], [1]]);
  });

  test("[WF43] begins again seven times at most, later each time, and then ends with a leave", async () => {
    const { stage, players } = await meeting(3);
    const [a, b, c] = players;
    for (let second = 0; second < 300 && a.left.length === 0; second++) {
      if ((peerOf(a.room, b.room) as PeerConnection).session.activeLink) endPair(a.room, b.room);
      await stage.advance(1000);
    }
    expect(a.resets).toHaveLength(7);
    await stage.advance(1000);
    expect([a.left, b.left, c.left]).toEqual([[b.room.myNumber], [a.room.myNumber], []]);
    c.room.send("n", 7);
    await stage.advance(500);
    expect([a.from(c), b.from(c)]).toEqual([[7], [7]]);
    expect([a.room.state, b.room.state]).toEqual(["joined", "joined"]);
  });
});

describe("the number of accepted messages without a receipt", () => {
  test("is reported when the receiver leaves, and when this side leaves", async () => {
    const stage = new RelayStage({ delayMs: 40 });
    const away = stage.player();
    const a = await stage.join();
    await stage.join(away);
    await stage.advance(500);
    const told: unknown[] = [];
    a.onPeerLeave((_peer, loss) => told.push(loss));
    a.onLeave((code, _reason, loss) => told.push([code, loss]));
    away.offline();
    for (let count = 0; count < 5; count++) a.send("n", count);
    await stage.advance(25_000);
    expect(told).toEqual([{ unacknowledged: 5 }]);
    await stage.join();
    await stage.advance(500);
    a.send("n", 6);
    a.leave();
    expect(told.slice(1)).toEqual([{ unacknowledged: 1 }, [4000, { unacknowledged: 1 }]]);
  });
});
