import type { Peer, Room } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import type { StagePlayer } from "@paceline/testkit/room";
import { describe, expect, test } from "vitest";
import { seeds, someOf } from "../../testkit/test/some-of.js";
import { RelayStage } from "./relay-stage.js";

const SEATS = 6;
const STEP_MS = 50;
const MINUTES = 3;

interface Seat {
  readonly player: StagePlayer;
  readonly room: Room;
  onlineAtMs: number;
}

/** Records all sent and received messages, by the players' numbers. The server does not reuse numbers. */
class Ledger {
  readonly #accepted = new Map<string, number[]>();
  readonly #heard = new Map<string, number[]>();
  readonly #unacknowledged = new Map<string, number>();
  #next = 0;

  watch(room: Room): void {
    room.onMessage("n", (n, from) => add(this.#heard, `${from.number}>${room.myNumber}`, n as number));
    const told = ({ number }: Peer, { unacknowledged }: { readonly unacknowledged: number }): void => {
      const key = `${room.myNumber}>${number}`;
      this.#unacknowledged.set(key, (this.#unacknowledged.get(key) ?? 0) + unacknowledged);
    };
    room.onPeerLeave(told);
    room.onPeerReset(told);
  }

  send(room: Room): void {
    const n = this.#next++;
    const receivers = room.peers.map(({ number }) => number);
    room.send("n", n);
    for (const number of receivers) add(this.#accepted, `${room.myNumber}>${number}`, n);
  }

  get sent(): number {
    return [...this.#accepted.values()].reduce((sum, { length }) => sum + length, 0);
  }

  get broken(): string[] {
    const broken: string[] = [];
    for (const [key, heard] of this.#heard) {
      const accepted = this.#accepted.get(key) ?? [];
      // After a reset of a pair, the undelivered messages are missing in the middle.
      const isInOrder = heard.every((n, index) => index === 0 || n > heard[index - 1]!);
      const isAccepted = heard.every((n) => accepted.includes(n));
      if (!isInOrder || !isAccepted) broken.push(`${key}: not once, or not in order`);
    }
    for (const [key, accepted] of this.#accepted) {
      const missing = accepted.length - (this.#heard.get(key)?.length ?? 0);
      const told = this.#unacknowledged.get(key) ?? 0;
      if (missing > told) broken.push(`${key}: ${missing} of ${accepted.length} missing, ${told} told`);
    }
    return broken;
  }
}

function add(map: Map<string, number[]>, key: string, n: number): void {
  const list = map.get(key);
  if (list) list.push(n);
  else map.set(key, [n]);
}

describe("a soak of players who come, go, and lose their links", () => {
  test.each(someOf(seeds(2), 1))(
    "every accepted message arrives once and in order, or its sender is told, seed %i",
    { timeout: 600_000 },
    async (seed) => {
      const random = seededRandom(seed);
      const stage = new RelayStage({ delayMs: 30 });
      const ledger = new Ledger();
      const seats: Seat[] = [];
      const enter = async (): Promise<void> => {
        const player = stage.player();
        const room = await stage.join(player);
        ledger.watch(room);
        seats.push({ player, room, onlineAtMs: 0 });
      };
      while (seats.length < SEATS) await enter();
      // One player stays all the time, so that the room stays open.
      for (let step = 0; step < (MINUTES * 60_000) / STEP_MS; step++) {
        const nowMs = stage.scheduler.nowMs();
        for (const seat of seats) {
          if (seat.onlineAtMs > 0 && nowMs >= seat.onlineAtMs) {
            seat.player.online();
            seat.onlineAtMs = 0;
          }
          if (seat.room.state !== "left" && random.bool(0.5)) ledger.send(seat.room);
        }
        const index = random.int(1, seats.length - 1);
        const seat = seats[index]!;
        if (seat.onlineAtMs === 0 && random.bool(0.02)) {
          seat.player.offline();
          // Some stay away for longer than the server waits.
          seat.onlineAtMs = nowMs + (random.bool(0.2) ? 25_000 : random.int(20, 4000));
        } else if (random.bool(0.005)) {
          seat.room.leave();
          seats.splice(index, 1);
          await enter();
        }
        await stage.advance(STEP_MS);
      }
      for (const { player } of seats) player.online();
      await stage.advance(30_000);
      // Forgotten players would request a seat over HTTP, which the stage lacks. They leave instead.
      for (const { room } of seats) if (room.state === "dropped") room.leave();
      await stage.advance(500);
      expect(ledger.sent).toBeGreaterThan(40_000);
      expect(ledger.broken).toEqual([]);
    },
  );
});
