import { CloseCode, readPeerPayload, writePeerPayload, type MatchedSeat } from "@paceline/protocol";
import { Room } from "@paceline/server";
import { VirtualScheduler } from "@paceline/testkit";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { queueSettings } from "../src/queue/queue-options.js";
import { queueFor } from "../src/queue/queue-room.js";
import type { RelayedRoom, RoomParts } from "../src/room/room-parts.js";
import { FakeParticipant, attachFake, fakeHosted } from "./fake-relay.js";
import { RaceRoom } from "./race.js";

const STEP_MS = 10;
const friends = { group: { key: "ours", size: 2 } };

/** A queue for matches of two, whose matches open when the test says so. */
class Queue {
  readonly scheduler = new VirtualScheduler();
  /** Number of players of each match that was asked for. */
  readonly asked: number[] = [];
  open: (seats: readonly MatchedSeat[]) => void = () => undefined;
  readonly #room = new (queueFor("race", RaceRoom, queueSettings("race", { players: 2 })))();
  readonly #parts: RoomParts;

  constructor() {
    const hosted: RelayedRoom = {
      ...fakeHosted("race.queue"),
      openMatch: ({ players }) => {
        this.asked.push(players.length);
        return new Promise((resolve) => (this.open = resolve));
      },
    };
    this.#parts = attachFake(this.#room, this.scheduler, hosted).parts;
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.scheduler.advance(STEP_MS);
      await nextTurn();
    }
  }

  async start(): Promise<this> {
    await Promise.all([Room.open(this.#room, {}), this.advance(STEP_MS)]);
    return this;
  }

  async enter(participant: FakeParticipant, wish: object, replaces?: string): Promise<FakeParticipant> {
    const seat = { options: {}, auth: true, replaces, isSpectator: false, address: "" };
    await Promise.all([this.#parts.lifecycle.join(participant, seat), this.advance(STEP_MS)]);
    participant.callbacks?.receive(writePeerPayload({ kind: "command", type: "enter", message: wish }));
    await this.advance(STEP_MS);
    return participant;
  }

  /** The player's page is reloaded, and its next page asks for a match. */
  reload(participant: FakeParticipant, wish: object): Promise<FakeParticipant> {
    void participant.callbacks?.left({ code: CloseCode.replaced, reason: "" });
    return this.enter(new FakeParticipant(participant.number), wish, participant.id);
  }
}

const seats = ["first", "second"].map((ticket) => ({
  ticket,
  roomId: "match",
  roomName: "race",
  sessionId: ticket,
}));

function ticketsOf({ sent }: FakeParticipant): unknown[] {
  return sent.flatMap((payload) => {
    const message = readPeerPayload(payload);
    return message?.kind === "command" && message.type === "matched" ? [message.message] : [];
  });
}

test("a page that is reloaded when it was matched gets its seat again", async () => {
  const queue = await new Queue().start();
  const player = await queue.enter(new FakeParticipant(1), {});
  await queue.enter(new FakeParticipant(2), {});
  queue.open(seats);
  await queue.advance(STEP_MS);
  const next = await queue.reload(player, {});
  expect(ticketsOf(next)).toEqual([{ ticket: "first", roomId: "match" }]);
  await queue.advance(1000);
  expect(queue.asked).toEqual([2]);
});

test("a page that is reloaded while its match opens gets its seat once", async () => {
  const queue = await new Queue().start();
  const player = await queue.enter(new FakeParticipant(1), {});
  await queue.enter(new FakeParticipant(2), {});
  const next = await queue.reload(player, friends);
  queue.open(seats);
  await queue.advance(STEP_MS);
  expect(ticketsOf(next)).toEqual([{ ticket: "first", roomId: "match" }]);
});

test("a page that is reloaded may wait with friends where the last one waited alone", async () => {
  const queue = await new Queue().start();
  const player = await queue.enter(new FakeParticipant(1), {});
  await queue.reload(player, friends);
  const stranger = await queue.enter(new FakeParticipant(2), {});
  await queue.advance(1000);
  expect(queue.asked).toEqual([]);
  await queue.enter(new FakeParticipant(3), friends);
  queue.open(seats);
  await queue.advance(1000);
  expect(queue.asked).toEqual([2]);
  expect(ticketsOf(stranger)).toEqual([]);
});
