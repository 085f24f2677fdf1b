import { MessageKind, readMessages, readPacket } from "@paceline/protocol";
import { Room, type Player } from "@paceline/server";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { afterEach, describe, expect, test } from "vitest";
import { seeds, someOf } from "../../testkit/test/some-of.js";
import { Car } from "./race.js";

const TICK_HZ = 30;
/** Rewind beyond the round trip that any claim gets, ms. */
const TOLERANCE_MS = 100;
/** Longest time that an ack or a receipt of an honest client waits for a packet that takes it along, ms. */
const ACK_WAIT_MS = 70;
const STEP_MS = 5;
const MAX_REWIND_MS = 1000;

/** Counts how far back its players' claims get. It sends a message a second, as games do. */
class RewindingRoom extends Room<{ messages: { shoot: { at: number }; second: number } }> {
  override readonly entities = [Car];
  override readonly tickHz = TICK_HZ;
  override readonly maxRewindMs = MAX_REWIND_MS;
  isSilent = false;
  /** For each claim: the rewind, and what the pongs alone would allow, ms. */
  readonly rewound: { readonly ms: number; readonly byPongsMs: number }[] = [];

  override onCreate(): void {
    const car = this.spawn(Car);
    this.clock.setInterval(() => (car.position.x += 1), 33);
    this.clock.setInterval(() => this.isSilent || this.broadcast("second", this.tick), 1000);
    this.onMessage("shoot", (player: Player, { at }) => {
      const msOf = (ticks: number): number => (ticks * 1000) / TICK_HZ;
      const allowedMs = Math.min(MAX_REWIND_MS, (player.rttMs ?? MAX_REWIND_MS) + TOLERANCE_MS);
      this.rewind(player, at, (past) => {
        const byPongsMs = Math.min(allowedMs, Math.max(0, msOf(this.tick - at)));
        this.rewound.push({ ms: msOf(this.tick - past.tick), byPongsMs });
      });
    });
  }
}

type Answer = "pongs" | "acks" | "receipts";
/** The kind of message whose late arrival delays an answer. */
const causeOf = {
  pongs: MessageKind.ping,
  acks: MessageKind.state,
  receipts: MessageKind.reliable,
} as const satisfies Record<Answer, MessageKind>;

let stage: RoomStage<RewindingRoom>;
afterEach(() => stage.stop());

/** Makes all clients take the causes of these answers later, or never. What they send is not late. */
function answerLate(answers: readonly Answer[], lateMs: number): void {
  const { server, scheduler } = stage;
  const causes = new Set<MessageKind>(answers.map((answer) => causeOf[answer]));
  const isLate = (bytes: Uint8Array): boolean => {
    const packet = readPacket(bytes);
    const messages = typeof packet === "string" ? packet : readMessages(packet, () => undefined);
    return typeof messages !== "string" && messages.some(({ kind }) => causes.has(kind));
  };
  const take = server.takeLink.bind(server);
  server.takeLink = (link, request) => {
    link.filters!.unshift({
      queuedBytes: 0,
      hasRoom: () => true,
      send: (_class, packet, pass) => {
        if (!isLate(packet)) pass(packet);
        else if (lateMs < Infinity) scheduler.after(lateMs, () => pass(packet));
      },
      receive: (packet, pass) => pass(packet),
      end: (tell) => tell(),
      close: () => undefined,
    });
    take(link, request);
  };
}

async function joined(network: object = { delayMs: 0 }): Promise<StagePlayer> {
  const player = await stage.join({ network, client: { profile: "shooter" } });
  void [...player.room.entities(Car)];
  await stage.advance(12_000);
  return player;
}

/** Returns the longest rewind of ten claims of the oldest tick, ms. */
async function longestRewindMs(player: StagePlayer): Promise<number> {
  for (let shot = 0; shot < 10; shot++) {
    player.room.send("shoot", { at: 0 });
    await stage.advance(333);
  }
  await stage.advance(1500);
  expect(stage.room.rewound).toHaveLength(10);
  return Math.max(...stage.room.rewound.map(({ ms }) => ms));
}

const liars: readonly (readonly Answer[])[] = [
  ["pongs"],
  ["acks"],
  ["receipts"],
  ["pongs", "acks"],
  ["pongs", "receipts"],
  ["acks", "receipts"],
];

describe("a player who holds back", () => {
  test.each(liars.flatMap((answers) => [100, 300, 900].map((lateMs) => [answers, lateMs] as const)))(
    "%j by %i ms gains only the time that an honest ack may take",
    async (answers, lateMs) => {
      stage = roomStage(RewindingRoom);
      answerLate(answers, lateMs);
      const ms = await longestRewindMs(await joined());
      expect(ms).toBeLessThanOrEqual(TOLERANCE_MS + ACK_WAIT_MS + STEP_MS);
    },
  );

  test.each([300, 900])(
    "every answer by %i ms looks like a slow line: it gains that time, and no more than the room allows",
    async (lateMs) => {
      stage = roomStage(RewindingRoom);
      answerLate(["pongs", "acks", "receipts"], lateMs);
      const ms = await longestRewindMs(await joined());
      expect(ms).toBeLessThanOrEqual(Math.min(MAX_REWIND_MS, lateMs + TOLERANCE_MS + ACK_WAIT_MS + STEP_MS));
    },
  );

  test("every answer for ever gains nothing: without a measurement, only the tolerance is left", async () => {
    stage = roomStage(RewindingRoom);
    answerLate(["pongs", "acks"], Infinity);
    const player = await stage.join({ network: { delayMs: 0 } });
    stage.room.isSilent = true;
    await stage.advance(1000);
    player.room.send("shoot", { at: 0 });
    await stage.advance(50);
    expect(stage.room.rewound[0]!.ms).toBeLessThanOrEqual(TOLERANCE_MS + ACK_WAIT_MS + STEP_MS);
  });

  test("all that it says and does is late: its claims get the round trip, and are judged as late as they come", async () => {
    stage = roomStage(RewindingRoom);
    const player = await joined({ delayMs: 450 });
    const sentAtMs = stage.scheduler.nowMs();
    player.room.send("shoot", { at: 0 });
    while (stage.room.rewound.length === 0) await stage.advance(STEP_MS);
    // The message itself has spent half of the round trip that it gets.
    expect(stage.scheduler.nowMs() - sentAtMs).toBeGreaterThanOrEqual(450);
    expect(stage.room.rewound[0]!.ms).toBeLessThanOrEqual(MAX_REWIND_MS);
  });
});

const SEEDS = someOf(seeds(3), 1);

describe("an honest player keeps its rewind, within a tick,", () => {
  test.each([
    [20, 0],
    [70, 50],
    [120, 20],
    [60, 40],
    [200, 80],
  ])("%i ms away, with a jitter of %i ms", async (delayMs, jitterMs) => {
    for (const seed of SEEDS) {
      stage = roomStage(RewindingRoom, { seed });
      const player = await joined({ delayMs, jitterMs });
      for (let shot = 0; shot < 60; shot++) {
        player.room.send("shoot", { at: player.room.clock.shownTick });
        await stage.advance(187);
      }
      await stage.advance(1000);
      const { rewound } = stage.room;
      expect(rewound).toHaveLength(60);
      for (const { ms, byPongsMs } of rewound)
        expect(byPongsMs - ms).toBeLessThanOrEqual(1000 / TICK_HZ + STEP_MS);
      if (seed < SEEDS.length) await stage.stop();
    }
  });
});
