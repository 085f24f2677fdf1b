import { setImmediate as nextTurn } from "node:timers/promises";
import { defineEntity, uint, vec2, writeAuthority } from "@paceline/protocol";
import { silentLog } from "@paceline/relay";
import { Room, aura, type Player, type RoomInterest, type ServerEntity } from "@paceline/server";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { ONE_ADDRESS_LIMITS } from "../bots/one-address-limits.js";
import { PacelineBot } from "../bots/paceline-bot.js";
import { MemoryNetwork } from "../world/memory-world.js";
import { ISLAND_M, MilmoWalk } from "./milmo-walk.js";
import { TcpDown } from "./tcp-down.js";

const TICK_HZ = 20;
const SEED = 11;
/** Within this, everything comes at the full rate: as large as the paper's own and adjacent partitions together. */
const AREA_M = 42.5;
/** Entities farther away, up to three partitions, come once a second, as the paper's third message. */
const OUTER_M = 75;
/** Whole clients, which show what they get. The other users are bare sessions. */
const WHOLE_CLIENTS = 2;
const DELAY_MS = 50;
const WARM_UP_MS = 10_000;
const LOOK_MS = 250;
/** Bare sessions acknowledge as often as this. */
const ACK_MS = 500;
const WEB_SOCKET_HEAD_BYTES = 2;
const LONG_HEAD_BYTES = 4;
const LONG_MESSAGE_BYTES = 125;

/** A world where many walk, whose positions have to be right now. */
const PROFILE = {
  base: "racing",
  topology: "authority",
  favour: "bandwidth",
  numbers: { stateHz: 7, extrapolationLimitMs: 1000, heartbeatMs: 2000 },
} as const;

/** The terms that a whole client with that profile sends to its server. */
const GREETING = [
  writeAuthority({
    type: "view",
    ...{ isInterpolated: false, everyTicks: 3, thresholdM: 0.15, headingRad: 0.045 },
    ...{ heartbeatMs: 2000, movingHeartbeatMs: 300, repeats: false, bytesPerSecond: 10_640 },
  }),
];

const Walker = defineEntity(
  "walker",
  { position: vec2({ range: [0, 1024], precision: 0.05, unit: "m" }), index: uint({ range: [0, 255] }) },
  { motion: "velocity", show: "extrapolate", threshold: { position: 0.15 }, heartbeatMs: 5000 },
);

/** An island whose users the room's code moves as the paper's test clients move. Set the walk before the first join. */
class Island extends Room {
  static walk: MilmoWalk;
  override readonly entities = [Walker];
  override readonly tickHz = TICK_HZ;
  override maxPlayers = 255;
  override readonly interest: RoomInterest<Player, ServerEntity> = {
    rings: [{ radiusM: AREA_M }, { radiusM: OUTER_M, everyTicks: TICK_HZ, thresholdM: 2 }],
    scheme: aura({ media: { sight: {} } }),
    world: { minX: 0, minY: 0, maxX: ISLAND_M, maxY: ISLAND_M },
  };
  readonly #walkers: (ServerEntity<typeof Walker> | undefined)[] = [];

  override onJoin(player: Player): void {
    const index = player.options["index"] as number;
    this.#walkers[index] = this.spawn(Walker, { position: placeOf(index), index }, player);
  }

  override onTick(seconds: number, tick: number): void {
    for (const [index, walker] of this.#walkers.entries()) {
      Island.walk.walk(index, tick * seconds, seconds);
      if (walker) walker.position.set(placeOf(index).x, placeOf(index).y);
    }
  }
}

function placeOf(index: number): { x: number; y: number } {
  return { x: Island.walk.places[2 * index]!, y: Island.walk.places[2 * index + 1]! };
}

export interface IslandFigures {
  /** The server's outgoing traffic with headers, bytes a second. */
  readonly bytesPerSecond: number;
  /** Distances of shown positions within the area of interest from the truth, m. */
  readonly errorP99M: number;
  readonly errorMaxM: number;
  /** Share of the walkers in the area that a client did not show. */
  readonly missingShare: number;
}

/** Plays an island of Paceline under virtual time: a whole server, bare sessions, and a few whole clients that check. */
export async function playIsland(users: number, seconds: number): Promise<IslandFigures> {
  Island.walk = new MilmoWalk(users, SEED);
  const stage = roomStage(Island, { limits: ONE_ADDRESS_LIMITS, log: silentLog, guardsProcess: false });
  const network = new MemoryNetwork(stage.scheduler);
  const clients: StagePlayer[] = [];
  for (let index = 0; index < WHOLE_CLIENTS; index++)
    clients.push(
      await stage.join({
        options: { index },
        network: { delayMs: DELAY_MS },
        client: { profile: PROFILE },
      }),
    );
  for (const { room } of clients) room.entities(Walker);
  const downs = Array.from({ length: users - WHOLE_CLIENTS }, () => new TcpDown({ hasNagle: false }));
  const bots: PacelineBot[] = [];
  for (const [at, down] of downs.entries())
    bots.push(await joinBot(stage, network, at + WHOLE_CLIENTS, down));
  await network.advance(WARM_UP_MS);
  const bytesBefore = downs.reduce((sum, { bytes }) => sum + bytes, 0);
  const errors: number[] = [];
  let missing = 0;
  for (let ms = 0; ms < seconds * 1000; ms += LOOK_MS) {
    await network.advance(LOOK_MS);
    for (const [index, { room }] of clients.entries()) missing += look(room, index, users, errors);
  }
  const bytes = downs.reduce((sum, down) => sum + down.bytes, 0) - bytesBefore;
  for (const bot of bots) bot.leave();
  await network.advance(LOOK_MS);
  await stage.stop();
  await nextTurn();
  errors.sort((a, b) => a - b);
  return {
    bytesPerSecond: (bytes / seconds / downs.length) * users,
    errorP99M: errors[Math.floor(errors.length * 0.99)] ?? 0,
    errorMaxM: errors.at(-1) ?? 0,
    missingShare: missing / Math.max(1, missing + errors.length),
  };
}

/** Joins a bare session, which then acknowledges now and then. */
async function joinBot(
  { scheduler, server: game }: Pick<RoomStage<Island>, "scheduler" | "server">,
  network: MemoryNetwork,
  index: number,
  down: TcpDown,
): Promise<PacelineBot> {
  const server = network.connect((link, protocols) => game.takeLink(link, { address: "memory", protocols }), {
    sent: (bytes) => {
      const headBytes = bytes > LONG_MESSAGE_BYTES ? LONG_HEAD_BYTES : WEB_SOCKET_HEAD_BYTES;
      down.write(scheduler.nowMs(), bytes + headBytes);
    },
    received: () => down.receive(scheduler.nowMs()),
  });
  const joining = PacelineBot.join(
    {
      ...{ server, clock: scheduler, room: "staged", options: { index } },
      ...{ greeting: GREETING, inputBody: () => new Uint8Array() },
    },
    (reason) => {
      throw new Error(reason);
    },
  );
  await network.until(joining);
  const bot = await joining;
  // Sessions do not acknowledge all at once.
  scheduler.after((index * 37) % ACK_MS, () => scheduler.every(ACK_MS, () => bot.turn(undefined)));
  return bot;
}

/** Notes how far a client shows the walkers of its area from where they are. Returns how many it does not show. */
function look(room: StagePlayer["room"], own: number, users: number, errors: number[]): number {
  const seen = new Map([...room.entities(Walker)].map((walker) => [walker.index, walker]));
  const from = placeOf(own);
  let missing = 0;
  for (let index = 0; index < users; index++) {
    const truth = placeOf(index);
    // An entity enters at 0.9 of a radius.
    if (index === own || Math.hypot(truth.x - from.x, truth.y - from.y) > 0.9 * AREA_M) continue;
    const shown = seen.get(index)?.shown.position;
    if (shown) errors.push(Math.hypot(shown.x - truth.x, shown.y - truth.y));
    else missing += 1;
  }
  return missing;
}
