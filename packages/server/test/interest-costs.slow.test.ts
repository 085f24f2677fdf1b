import { readFileSync, writeFileSync } from "node:fs";
import { SnapshotWriter } from "@paceline/protocol";
import {
  Room,
  defineEntity,
  vec2,
  type Player,
  type RoomInterest,
  type ServerEntity,
} from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { roomStage } from "@paceline/testkit/room";
import { expect, test, vi } from "vitest";

const file = new URL("interest-costs.json", import.meta.url);

const EDGE_M = 1000;
const WALKERS = 1000;
const PLAYERS = 16;
const SPEED = 5;
/** Largest distance along each axis from one goal of a walker to the next, m. */
const LEG_M = 20;
const SECONDS = 5;
const Walker = defineEntity(
  "walker",
  { position: vec2({ range: [0, EDGE_M], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);
/** The players want enough bytes for everything, so that none waits. */
const profile = { base: "mmo", numbers: { stateBytesPerSecond: 100_000 } } as const;
type Interest = RoomInterest<Player, ServerEntity>;

/** Rooms that differ in what concerns a player alone. */
const rooms: readonly { readonly name: string; readonly interest: Interest | undefined }[] = [
  { name: "no interest: everything", interest: undefined },
  { name: "`radiusM: 80`", interest: { radiusM: 80 } },
  { name: "`radiusM: 80`, `cellM: 20`", interest: { radiusM: 80, cellM: 20 } },
  { name: "`radiusM: 80` and a `relevant`", interest: { radiusM: 80, relevant: () => true } },
];

interface Cost {
  readonly room: string;
  /** Entities that a player has, on average. */
  readonly entities: number;
  /** Bytes that a player gets, over a WebSocket. */
  readonly bytesPerSecond: number;
  /** States that the server encodes in a step, for all players together. */
  readonly encodedPerStep: number;
}

/** A room in which walkers walk to random places, some of them a player's. */
function townOf(interest: Interest | undefined) {
  return class Town extends Room {
    override readonly entities = [Walker];
    override readonly tickHz = 20;
    override readonly maxPlayers = PLAYERS;
    override readonly interest = interest;
    readonly #random = seededRandom(1);
    readonly #goals = new Map<ServerEntity<typeof Walker>, { x: number; y: number }>();

    override onCreate(): void {
      for (let each = PLAYERS; each < WALKERS; each++) this.#begin();
    }
    override onJoin(player: Player): void {
      this.#begin(player);
    }
    override onTick(seconds: number): void {
      for (const [walker, goal] of this.#goals) {
        const { position } = walker;
        const [dx, dy] = [goal.x - position.x, goal.y - position.y];
        const share = Math.min(1, (SPEED * seconds) / Math.hypot(dx, dy));
        position.set(position.x + dx * share, position.y + dy * share);
        if (share === 1) this.#goals.set(walker, this.#nextGoal(position));
      }
    }

    #begin(player?: Player): void {
      const start = { x: EDGE_M * this.#random.next(), y: EDGE_M * this.#random.next() };
      this.#goals.set(this.spawn(Walker, { position: start }, player), this.#nextGoal(start));
    }
    #nextGoal({ x, y }: { readonly x: number; readonly y: number }): { x: number; y: number } {
      return { x: this.#near(x), y: this.#near(y) };
    }
    #near(along: number): number {
      return Math.min(EDGE_M, Math.max(0, along + LEG_M * (2 * this.#random.next() - 1)));
    }
  };
}

async function costOf({ name, interest }: (typeof rooms)[number]): Promise<Cost> {
  const stage = roomStage(townOf(interest));
  const links = vi.spyOn(stage.server, "takeLink");
  let encoded = 0;
  const { write } = SnapshotWriter.prototype;
  const spy = vi.spyOn(SnapshotWriter.prototype, "write").mockImplementation(function (
    this: SnapshotWriter,
    content,
  ) {
    encoded += content.entries.count;
    return write.call(this, content);
  });
  const players = [];
  for (let each = 0; each < PLAYERS; each++)
    players.push(await stage.join({ network: { delayMs: 25 }, client: { profile } }));
  for (const { room } of players) room.onSpawn(Walker, () => undefined);
  await stage.advance(3000);
  const sentBytes = (): number => links.mock.calls.reduce((sum, [link]) => sum + link.counters.bytesSent, 0);
  const bytes = sentBytes();
  encoded = 0;
  await stage.advance(SECONDS * 1000);
  const cost = {
    room: name,
    entities: Math.round(
      players.reduce((sum, { room }) => sum + room.entities(Walker).length, 0) / players.length,
    ),
    bytesPerSecond: Math.round((sentBytes() - bytes) / SECONDS / players.length),
    encodedPerStep: Math.round(encoded / (stage.room.tickHz * SECONDS)),
  };
  spy.mockRestore();
  links.mockRestore();
  await stage.stop();
  return cost;
}

test("a player in a world costs what docs/guides/interest.md says", async () => {
  const costs: Cost[] = [];
  for (const room of rooms) costs.push(await costOf(room));
  const world = { walkers: WALKERS, edgeM: EDGE_M, players: PLAYERS, costs };
  if (process.env.PACELINE_WRITE_COSTS) writeFileSync(file, `${JSON.stringify(world, undefined, 2)}\n`);
  expect(world).toEqual(JSON.parse(readFileSync(file, "utf8")));
  const [everything, near, , exact] = costs;
  expect(near!.bytesPerSecond).toBeLessThan(everything!.bytesPerSecond / 4);
  expect(exact!.encodedPerStep).toBeGreaterThan(near!.encodedPerStep);
});
