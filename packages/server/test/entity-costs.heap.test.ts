import { readFileSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { limits } from "@paceline/protocol";
import {
  Room,
  angle,
  defineEntity,
  uint,
  vec2,
  type EntityDefinition,
  type ServerEntity,
} from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { expect, test, vi } from "vitest";
import { World } from "../src/entities/world.js";
import { playerLimitTable } from "../src/players/player-limits.js";

const file = new URL("entity-costs.json", import.meta.url);

const Pellet = defineEntity("pellet", {
  position: vec2({ range: [0, 5000], precision: 1, unit: "px" }),
  hue: uint({ range: [0, 359] }),
});
const Bullet = defineEntity(
  "bullet",
  {
    position: vec2({ range: [0, 5000], precision: 0.1, unit: "px" }),
    velocity: vec2({ range: [-500, 500], precision: 0.5, unit: "px/s" }),
  },
  { motion: "velocity" },
);
const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    heading: angle({ precision: 0.005, unit: "rad" }),
    hp: uint({ range: [0, 100] }),
  },
  { motion: "velocity" },
);

/** Entities of each measurement: enough that what belongs to the room or to a packet does not count. */
const COUNT = 100;
const HEAP_COUNT = 1000;
const SECONDS = 10;
/** Time in which all entities have begun, or have ended, at the player. */
const SETTLED_MS = 4000;
/** Sizes of objects differ between versions of the engine. */
const MEMORY_TOLERANCE = 0.25;

interface Kind {
  readonly does: string;
  readonly definition: EntityDefinition;
  /** Moves entity number `index` for one step. A kind that never moves has none. */
  move?(thing: never, index: number, seconds: number): void;
}

const kinds: readonly Kind[] = [
  { definition: Pellet, does: "lies there" },
  {
    definition: Bullet,
    does: "flies straight on",
    move({ position, velocity }: ServerEntity<typeof Bullet>, index, seconds) {
      velocity.set(20 + index, 30);
      position.set(position.x + velocity.x * seconds, position.y + velocity.y * seconds);
    },
  },
  {
    definition: Car,
    does: "drives in circles",
    move(car: ServerEntity<typeof Car>, index, seconds) {
      car.heading += (0.3 + index / 200) * seconds;
      car.velocity.set(20 * Math.cos(car.heading), 20 * Math.sin(car.heading));
      car.position.set(car.position.x + car.velocity.x * seconds, car.position.y + car.velocity.y * seconds);
    },
  },
];

/** A room whose entities begin, move and end when the test says so. */
function roomOf({ definition, move }: Kind) {
  return class Measured extends Room {
    override readonly entities = [definition];
    readonly things: ServerEntity[] = [];
    isMoving = false;

    begin(count: number): void {
      for (let index = 0; index < count; index++) {
        const thing = this.spawn(definition);
        const { position } = thing as unknown as ServerEntity<typeof Pellet>;
        position.set(10 + 37 * (index % 97), 10 + 41 * (index % 89));
        this.things.push(thing);
      }
    }

    end(): void {
      for (const thing of this.things.splice(0)) this.despawn(thing);
    }

    override onTick(seconds: number): void {
      if (this.isMoving)
        for (const [index, thing] of this.things.entries()) move!(thing as never, index, seconds);
    }
  };
}

interface Traffic {
  readonly beginBytes: number;
  readonly endBytes: number;
  readonly restBytesPerSecond: number;
  readonly moveBytesPerSecond: number;
}

/** Returns what one entity costs one player over a WebSocket, the room's own traffic left out. */
async function trafficOf(kind: Kind): Promise<Traffic> {
  const stage = roomStage(roomOf(kind));
  const links = vi.spyOn(stage.server, "takeLink");
  const { room } = await stage.join({ network: { delayMs: 25 }, client: { profile: "action" } });
  const [link] = links.mock.calls[0]!;
  room.onSpawn(kind.definition, () => undefined);
  /** Returns the bytes that the server sends in that time. */
  const sentIn = async (ms: number): Promise<number> => {
    const before = link.counters.bytesSent;
    await stage.advance(ms);
    return link.counters.bytesSent - before;
  };
  await sentIn(5000);
  const emptyBytes = (await sentIn(SECONDS * 1000)) / SECONDS;
  const perEntity = (bytes: number, seconds: number): number =>
    Math.round((10 * (bytes - emptyBytes * seconds)) / COUNT) / 10;
  const perSecond = async (): Promise<number> => {
    const bytes = await sentIn(SECONDS * 1000);
    return perEntity(bytes / SECONDS, 1);
  };
  stage.room.begin(COUNT);
  const beginBytes = perEntity(await sentIn(SETTLED_MS), SETTLED_MS / 1000);
  expect([...room.entities(kind.definition)]).toHaveLength(COUNT);
  const restBytesPerSecond = await perSecond();
  stage.room.isMoving = kind.move !== undefined;
  await sentIn(2000);
  const moveBytesPerSecond = await perSecond();
  stage.room.isMoving = false;
  await sentIn(5000);
  stage.room.end();
  const endBytes = perEntity(await sentIn(SETTLED_MS), SETTLED_MS / 1000);
  expect([...room.entities(kind.definition)]).toHaveLength(0);
  await stage.stop();
  return { beginBytes, endBytes, restBytesPerSecond, moveBytesPerSecond };
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function usedBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Returns the bytes that an entity takes in the room's world, whoever sees it. */
async function worldBytesOf({ definition }: Kind): Promise<number> {
  const before = await usedBytes();
  const world = new World({ definitions: [definition], tickHz: 30, historyTicks: 64 });
  for (let index = 0; index < HEAP_COUNT; index++) world.rowsAt(world.spawn(definition, {}, undefined), 1);
  const bytes = ((await usedBytes()) - before) / HEAP_COUNT;
  expect(world.records.size).toBe(HEAP_COUNT);
  return bytes;
}

/** Returns the bytes that an entity takes for each player: in its page, and at the server for that player. */
async function playerBytesOf(kind: Kind): Promise<number> {
  const stage = roomStage(roomOf(kind));
  const { room } = await stage.join({ network: { delayMs: 25 }, client: { profile: "action" } });
  room.onSpawn(kind.definition, () => undefined);
  await stage.advance(5000);
  const before = await usedBytes();
  stage.room.begin(HEAP_COUNT);
  await stage.advance(5000);
  const bytes = ((await usedBytes()) - before) / HEAP_COUNT;
  expect([...room.entities(kind.definition)]).toHaveLength(HEAP_COUNT);
  await stage.stop();
  return bytes - (await worldBytesOf(kind));
}

interface Cost extends Traffic {
  readonly kind: string;
  readonly does: string;
  readonly worldBytes: number;
  readonly playerBytes: number;
}

interface Costs {
  readonly kinds: readonly Cost[];
  readonly stateBytesPerSecond: number;
  readonly entitiesOfPlayers: number;
  readonly entitiesOfPeer: number;
}

const rounded = (bytes: number): number => Math.round(bytes / 100) * 100;

async function measured(): Promise<Costs> {
  // Compiles what the measurements use, and fills its caches.
  for (const kind of kinds) await playerBytesOf(kind);
  const costs: Cost[] = [];
  for (const kind of kinds) {
    const { definition, does } = kind;
    costs.push({
      kind: definition.name,
      does,
      ...(await trafficOf(kind)),
      worldBytes: rounded(await worldBytesOf(kind)),
      playerBytes: rounded(await playerBytesOf(kind)),
    });
  }
  return {
    kinds: costs,
    stateBytesPerSecond: new (class extends Room {})().stateBytesPerSecond,
    entitiesOfPlayers: playerLimitTable.entitiesPerRoom.default,
    entitiesOfPeer: limits.ownedEntities,
  };
}

test("an entity costs what docs/guides/entities.md says: traffic to the byte, memory roughly", async () => {
  const costs = await measured();
  if (process.env.PACELINE_WRITE_COSTS) writeFileSync(file, `${JSON.stringify(costs, undefined, 2)}\n`);
  const said = JSON.parse(readFileSync(file, "utf8")) as Costs;
  const withoutMemory = ({ kinds: each, ...rest }: Costs) => ({
    ...rest,
    kinds: each.map((cost) => ({ ...cost, worldBytes: 0, playerBytes: 0 })),
  });
  expect(withoutMemory(costs)).toEqual(withoutMemory(said));
  for (const [index, cost] of costs.kinds.entries()) {
    for (const name of ["worldBytes", "playerBytes"] as const) {
      const ratio = cost[name] / said.kinds[index]![name];
      expect(Math.abs(ratio - 1), `${name} of ${cost.kind}: ${cost[name]}`).toBeLessThan(MEMORY_TOLERANCE);
    }
  }
});
