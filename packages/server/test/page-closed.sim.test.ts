import type { Page, PageEvent } from "@paceline/client";
import { Room, type Player, type PlayerEntities } from "@paceline/server";
import { roomStage } from "@paceline/testkit/room";
import { describe, expect, test } from "vitest";
import { Car, Gate } from "./race.js";

/** A room in which players own their cars. The game gives each player a gate. */
class SeatedRoom extends Room {
  override readonly maxPlayers: number = 2;
  override readonly entities = [Car, Gate];
  override readonly playerEntities: readonly PlayerEntities[] = [{ definition: Car }];
  readonly calls: string[] = [];
  patienceSeconds: number | undefined;

  override onJoin(player: Player): void {
    this.calls.push(`join ${player.number}`);
    this.spawn(Gate, {}, player);
  }
  override onDrop(player: Player): void {
    this.calls.push(`drop ${player.number}`);
    if (this.patienceSeconds !== undefined) void this.allowReconnection(player, this.patienceSeconds);
  }
  override onReconnect(player: Player): void {
    this.calls.push(`reconnect ${player.number}`);
  }
  override onLeave(player: Player): void {
    this.calls.push(`leave ${player.number}`);
  }
}

class TestPage implements Page {
  readonly isHidden = false;
  tell: (event: PageEvent) => void = () => undefined;
  onEvent(listener: (event: PageEvent) => void): () => void {
    this.tell = listener;
    return () => undefined;
  }
}

const network = { delayMs: 20 };

async function twoPlayers() {
  const stage = roomStage(SeatedRoom);
  const page = new TestPage();
  const player = await stage.join({ network, client: { page } });
  const watcher = await stage.join({ network });
  player.room.spawn(Car);
  const seen = () => [[...watcher.room.entities(Car)].length, [...watcher.room.entities(Gate)].length];
  seen();
  await stage.advance(500);
  return { stage, page, player, watcher, seen, calls: stage.room.calls };
}

describe("a player who closes the page", () => {
  test("is dropped at once, loses the entities of the page after 2 s, and leaves after 10 s with those of the game", async () => {
    const { stage, page, watcher, seen, calls } = await twoPlayers();
    expect(seen()).toEqual([1, 2]);
    page.tell("hidden");
    page.tell("unload");
    await stage.advance(200);
    expect(calls.slice(2)).toEqual(["drop 1"]);
    expect(watcher.room.peers.map(({ state }) => state)).toEqual(["away"]);
    await stage.advance(1700);
    expect(seen()).toEqual([1, 2]);
    await stage.advance(400);
    expect(seen()).toEqual([0, 2]);
    await stage.advance(7300);
    expect(calls.slice(2)).toEqual(["drop 1"]);
    await stage.advance(700);
    expect(calls.slice(2)).toEqual(["drop 1", "leave 1"]);
    expect([seen(), watcher.room.peers]).toEqual([[0, 1], []]);
    await stage.stop();
  });

  test("is kept for longer if the game says so, and for less if its room's time is shorter", async () => {
    const { stage, page, calls } = await twoPlayers();
    stage.room.patienceSeconds = 30;
    page.tell("unload");
    await stage.advance(29_000);
    expect(calls.slice(2)).toEqual(["drop 1"]);
    await stage.advance(1500);
    expect(calls.slice(2)).toEqual(["drop 1", "leave 1"]);
    await stage.stop();
    class HastyRoom extends SeatedRoom {
      override readonly reconnectSeconds = 1;
    }
    const hasty = roomStage(HastyRoom);
    const other = new TestPage();
    await hasty.join({ network, client: { page: other } });
    other.tell("unload");
    await hasty.advance(1300);
    expect(hasty.room.calls).toEqual(["join 1", "drop 1", "leave 1"]);
    await hasty.stop();
  });

  test("and reloads it is dropped, then back, with the game's entities and without those of the old page", async () => {
    const { stage, page, player, watcher, seen, calls } = await twoPlayers();
    const before = stage.room.players.get(1);
    page.tell("unload");
    await stage.advance(200);
    const next = await stage.reload(player, { network });
    next.room.onSpawn(Gate, () => undefined);
    await stage.advance(200);
    expect(calls.slice(2)).toEqual(["drop 1", "reconnect 1"]);
    expect(stage.room.players.get(1)).toBe(before);
    expect([next.room.myNumber, next.room.sessionId]).toEqual([1, player.room.sessionId]);
    expect(seen()).toEqual([0, 2]);
    expect([...next.room.entities(Gate)].filter(({ isMine }) => isMine)).toHaveLength(1);
    next.room.spawn(Car);
    await stage.advance(15_000);
    expect(seen()).toEqual([1, 2]);
    expect(calls.slice(2)).toEqual(["drop 1", "reconnect 1"]);
    expect(watcher.room.peers.map(({ number, state }) => [number, state])).toEqual([[1, "connected"]]);
    await stage.stop();
  });

  test("and is replaced while the server still has its link is also dropped, then back", async () => {
    const { stage, player, calls } = await twoPlayers();
    player.vanish();
    await stage.reload(player, { network });
    await stage.advance(200);
    expect(calls.slice(2)).toEqual(["drop 1", "reconnect 1"]);
    await stage.stop();
  });
});
