import { silentLog } from "@paceline/relay";
import { Refusal, Room, defineEntity, scalar, type Player, type UncaughtAnswer } from "@paceline/server";
import { StagePlayer, roomStage, preloadRooms } from "@paceline/testkit/room";
import { seededRandom, type Random } from "@paceline/transport/simulated";
import { expect, test } from "vitest";

const Car = defineEntity("car", { speed: scalar({ range: [0, 100], precision: 0.1 }) });
const HOOK_TIMEOUT_MS = 2000;
const CHANGES = 50;

/** How the hooks of a run behave. The static `onAuth` needs it too. */
interface Mood {
  readonly random: Random;
  /** False: no hook fails any more. */
  isBad: boolean;
  pause(ms: number): Promise<void>;
}
let mood: Mood;

/** Ends like the hook of a game with bugs: throws, refuses, takes long or never ends. */
async function misbehave(): Promise<void> {
  const { random, isBad, pause } = mood;
  const kind = isBad ? random.int(0, 11) : 11;
  if (kind === 0) throw new Error("a bug");
  if (kind === 1) throw new Refusal("not you");
  if (kind === 2) await pause(random.int(1, 1500));
  if (kind === 3) await pause(random.int(HOOK_TIMEOUT_MS, 3 * HOOK_TIMEOUT_MS));
  if (kind === 4 && random.bool(0.3)) await new Promise(() => undefined);
}

class BuggyRoom extends Room {
  override maxPlayers = 4;
  override readonly maxSpectators = 2;
  override readonly entities = [Car];
  override readonly reconnectSeconds = 3;
  readonly calls: string[] = [];

  static override async onAuth(): Promise<boolean> {
    await misbehave();
    return true;
  }

  override async onCreate(): Promise<void> {
    await misbehave();
    this.onMessage("car", async (player: Player) => {
      await misbehave();
      this.spawn(Car, {}, player);
    });
  }

  override async onJoin(player: Player): Promise<void> {
    this.calls.push(`join ${player.number}`);
    if (mood.random.bool(0.5)) this.spawn(Car, {}, player);
    await misbehave();
    this.spawn(Car, {}, player);
  }

  override async onDrop(player: Player): Promise<void> {
    if (mood.random.bool(0.3)) void this.allowReconnection(player, mood.random.int(0, 8));
    await misbehave();
  }

  override async onReconnect(): Promise<void> {
    await misbehave();
  }

  override async onLeave(player: Player): Promise<void> {
    this.calls.push(`leave ${player.number}`);
    await misbehave();
  }

  override onTick(): void {
    const [first] = this.players.values();
    if (first && mood.isBad && mood.random.bool(0.002)) this.kick(first);
  }

  override async onDispose(): Promise<void> {
    this.calls.push("dispose");
    await misbehave();
  }

  override onUncaughtException(): UncaughtAnswer {
    return mood.isBad && mood.random.bool(0.03) ? "end" : "continue";
  }
}

const sorted = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);

test.each([1, 8, 9, 10])(
  "rooms whose hooks throw, refuse and hang have the players that are there, and end (seed %i)",
  async (seed) => {
    const random = seededRandom(seed);
    const stage = roomStage(BuggyRoom, { hookTimeoutMs: HOOK_TIMEOUT_MS, log: silentLog });
    const { scheduler, server } = stage;
    const pause = (ms: number) => new Promise<void>((resolve) => void scheduler.after(ms, resolve));
    mood = { random: random.fork(), isBad: true, pause };
    await preloadRooms();
    const players: StagePlayer[] = [];
    const join = (): void => {
      const player = new StagePlayer({
        scheduler,
        random: random.fork(),
        network: { delayMs: random.int(1, 100) },
        accept: (link, protocols) => server.takeLink(link, { address: "stage", protocols }),
      });
      const enter = async (): Promise<void> => {
        player.enter(await player.client.joinOrCreate("staged", {}, { spectate: random.bool(0.2) }));
        players.push(player);
      };
      enter().catch(() => undefined);
      if (random.bool(0.15)) scheduler.after(random.int(50, 1500), () => player.vanish());
    };
    const change = async (player: StagePlayer): Promise<void> => {
      const kind = random.int(0, 4);
      if (kind === 0) void player.room.leave();
      else if (kind === 1) player.vanish();
      else if (kind === 2 && player.room.state === "joined") player.room.send("car", 1);
      else if (kind > 2) {
        player.offline();
        await stage.advance(random.bool(0.2) ? random.int(3000, 8000) : random.int(0, 1000));
        player.online();
      }
    };
    for (let count = 0; count < CHANGES; count++) {
      const player = players[random.int(0, Math.max(0, players.length - 1))];
      if (player && random.bool(0.6)) await change(player);
      else join();
      await stage.advance(random.int(20, 800));
    }
    mood.isBad = false;
    await stage.advance(40_000);
    for (const room of stage.rooms) {
      if (room.calls.includes("dispose")) continue;
      const here = players.filter((each) => each.room.state === "joined" && each.room.roomId === room.roomId);
      const seated = [...room.players.values(), ...room.spectators.values()];
      expect(sorted(seated.map(({ number }) => number))).toEqual(
        sorted(here.map((each) => each.room.myNumber)),
      );
      for (const { owner } of room.entitiesOf(Car)) expect(seated).toContain(owner);
    }
    expect(players.length).toBeGreaterThan(3);
    for (const player of players) void player.room.leave();
    await stage.advance(15_000);
    expect(server.health()).toMatchObject({ rooms: 0, sessions: 0 });
    for (const { calls, players: seated } of stage.rooms) {
      expect(seated.size).toBe(0);
      expect(new Set(calls).size).toBe(calls.length);
      // Nobody comes or goes in a room that has ended. A room that nobody has joined may have failed to open.
      expect(["dispose", undefined]).toContain(calls.at(-1));
    }
    await stage.stop();
  },
);
