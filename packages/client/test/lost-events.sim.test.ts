import type { Room } from "@paceline/client";
import { expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const PERIOD_MS = 30;
type Drops = Readonly<Record<string, number | undefined>>;

const sum = (drops: Drops): number =>
  (drops["not-routable"] ?? 0) + (drops["outdated"] ?? 0) + (drops["queue-full"] ?? 0);

/** Returns the number of lost events that a counter of the sender or of the relay names. */
const counted = (stage: RelayStage, room: Room): number =>
  [stage.relay.health().drops, room.transport.server.drops, ...room.peers.map(({ drops }) => drops)].reduce(
    (all, drops: Drops) => all + sum(drops),
    0,
  );

async function meeting(players: number) {
  const stage = new RelayStage({ delayMs: 100 });
  const lines = Array.from({ length: players }, () => stage.player());
  const rooms: Room[] = [];
  for (const line of lines) rooms.push(await stage.join(line));
  await stage.advance(1000);
  const [line] = lines;
  const [room, ...hearers] = rooms;
  let [sent, heard] = [0, 0];
  for (const each of hearers) each.onMessage("shot", () => (heard += 1));
  const shoot = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += PERIOD_MS) {
      sent += hearers.length;
      room!.sendEvent("shot", new Uint8Array(100));
      await stage.advance(PERIOD_MS);
    }
  };
  const lost = (): number => sent - heard;
  return { stage, line: line!, room: room!, shoot, lost };
}

test.each([2, 3])("an event of one of %i players without a link is counted", async (players) => {
  const { stage, line, room, shoot, lost } = await meeting(players);
  const before = counted(stage, room);
  line.offline();
  await shoot(900);
  line.online();
  await stage.advance(3000);
  await shoot(900);
  await stage.advance(1000);
  expect(lost()).toBeGreaterThan(25 * (players - 1));
  expect(counted(stage, room) - before).toBe(lost());
});

test.each([2, 3])("an event of one of %i players whose line is too thin is counted", async (players) => {
  const { stage, line, room, shoot, lost } = await meeting(players);
  const before = counted(stage, room);
  line.change({ rateBps: 8000, queueBytes: 2000 });
  await shoot(6000);
  line.change({ rateBps: Infinity });
  await stage.advance(10_000);
  expect(lost()).toBeGreaterThan(10);
  expect(counted(stage, room) - before).toBeGreaterThanOrEqual(lost() / (players - 1));
});
