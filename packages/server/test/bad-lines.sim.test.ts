import { Room, defineEntity, vec2, type ServerEntity } from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { roomStage, type StageJoin, type StagePlayer } from "@paceline/testkit/room";
import { describe, expect, test } from "vitest";
import { someOf } from "../../testkit/test/some-of.js";

// The lines of other players do not change what a player with a clean line sees.

const Cell = defineEntity(
  "cell",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-2048, 2048], precision: 0.1, unit: "m/s" }),
  },
  { motion: "velocity" },
);
const CELLS = 70;
const PLAYERS = 20;

/** A room whose cells wander: no motion model predicts their turns. */
class CellRoom extends Room {
  override readonly entities = [Cell];
  override readonly tickHz = 60;
  override readonly maxPlayers = 64;
  readonly cells: ServerEntity<typeof Cell>[] = [];

  override onCreate(): void {
    for (let cell = 0; cell < CELLS; cell++) this.cells.push(this.spawn(Cell));
  }

  readonly #random = seededRandom(11);

  override onTick(seconds: number): void {
    for (const { position, velocity } of this.cells) {
      // Each cell turns at random, and goes back at the border.
      const angle = Math.PI * 2 * this.#random.next();
      const [x, y] = [velocity.x + 20 * Math.cos(angle), velocity.y + 20 * Math.sin(angle)];
      velocity.set(x - position.x * 0.01, y - position.y * 0.01);
      position.set(position.x + velocity.x * seconds, position.y + velocity.y * seconds);
    }
  }
}

const GOOD = { delayMs: 25, jitterMs: 5 } as const;
const BAD = { delayMs: 150, jitterMs: 120, loss: { kind: "uniform", ratio: 0.05 } } as const;

interface Seen {
  /** 95th percentile of the distance from where a cell is to where it is shown, m. */
  readonly p95M: number;
  /** Share of the frames in which a cell stands still. */
  readonly stillRatio: number;
}

/** Returns what a player with a clean line sees beside so many players with bad lines. */
async function seenBeside(bad: number, sockets: StageJoin["sockets"]): Promise<Seen> {
  const stage = roomStage(CellRoom, { seed: 7 });
  const client = { profile: "action" } as const;
  const players: StagePlayer[] = [await stage.join({ network: GOOD, client, sockets })];
  while (players.length < PLAYERS) players.push(await stage.join({ network: GOOD, client, sockets }));
  for (const { room } of players) expect([...room.entities(Cell)]).toBeDefined();
  for (const player of players.slice(PLAYERS - bad)) player.change(BAD);
  await stage.advance(2000);
  const [good] = players;
  const errors: number[] = [];
  let still = 0;
  const before = new Map<number, number>();
  for (let frame = 0; frame < 150; frame++) {
    await stage.advance(1000 / 60);
    for (const { id, shown } of good!.room.entities(Cell)) {
      const cell = stage.room.cells.find((each) => each.id === id)!;
      errors.push(Math.hypot(shown.position.x - cell.position.x, shown.position.y - cell.position.y));
      if (before.get(id) === shown.position.x) still += 1;
      before.set(id, shown.position.x);
    }
  }
  errors.sort((a, b) => a - b);
  await stage.stop();
  return { p95M: errors[Math.floor(errors.length * 0.95)]!, stillRatio: still / errors.length };
}

describe.each([1, 3] as const)("a player with a clean line, over %i sockets,", (sockets) => {
  let alone: Promise<Seen> | undefined;

  test.each(someOf([10, 19], 1))(
    "sees the others as well beside %i of 20 players with bad lines as beside none",
    { timeout: 600_000 },
    async (bad) => {
      const usual = await (alone ??= seenBeside(0, sockets));
      const beside = await seenBeside(bad, sockets);
      expect(beside.p95M / usual.p95M).toBeLessThan(1.2);
      expect(usual.p95M / beside.p95M).toBeLessThan(1.2);
      expect(beside.stillRatio).toBeLessThan(0.01);
    },
  );
});
