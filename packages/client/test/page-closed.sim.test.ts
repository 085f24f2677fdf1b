import type { Room } from "@paceline/client";
import { describe, expect, test } from "vitest";
import { Car } from "./definitions.js";
import { RelayStage } from "./relay-stage.js";
import { TestPage } from "./test-page.js";

const cars = (room: Room): number => [...room.entities(Car)].filter(({ isMine }) => !isMine).length;

async function twoPlayers() {
  const stage = new RelayStage({ delayMs: 20 });
  const page = new TestPage();
  const [player, watcher] = [stage.player({}, { page }), await stage.join()];
  const room = await stage.join(player);
  room.spawn(Car);
  const life: string[] = [];
  watcher.onPeerAway(() => life.push("away"));
  watcher.onPeerBack(() => life.push("back"));
  watcher.onPeerLeave(() => life.push("left"));
  watcher.onSpawn(Car, () => life.push("spawn"));
  watcher.onDespawn(Car, () => life.push("despawn"));
  await stage.advance(500);
  expect(life.splice(0)).toEqual(["spawn"]);
  return { stage, page, player, room, watcher, life };
}

describe("a page that is closed", () => {
  test("is away for the others at once; its entities are gone after 2 s, its seat is free after 10 s", async () => {
    const { stage, page, watcher, life } = await twoPlayers();
    // Chromium reports a page as hidden while it closes it.
    page.tell("hidden");
    page.tell("unload");
    await stage.advance(100);
    expect([life, watcher.peers.map(({ state }) => state), cars(watcher)]).toEqual([["away"], ["away"], 1]);
    await stage.advance(1800);
    expect([life, cars(watcher)]).toEqual([["away"], 1]);
    await stage.advance(200);
    expect([life, cars(watcher)]).toEqual([["away", "despawn"], 0]);
    await stage.advance(7500);
    expect(stage.relay.rooms()[0]).toMatchObject({ taken: 2 });
    await stage.advance(500);
    expect(stage.relay.rooms()[0]).toMatchObject({ taken: 1 });
    expect(life).toEqual(["away", "despawn", "left"]);
  });

  test("stops its attempts to return", async () => {
    const { stage, page, room } = await twoPlayers();
    page.tell("unload");
    await stage.advance(5000);
    expect(room.state).toBe("dropped");
    expect(stage.relay.health().sessions).toBe(2);
  });
});

describe("a page that sleeps", () => {
  test("is away, and returns with its entities and the messages to it when it wakes", async () => {
    const { stage, page, room, watcher, life } = await twoPlayers();
    const heard: unknown[] = [];
    room.onMessage("n", (n) => heard.push(n));
    page.tell("suspend");
    await stage.advance(5000);
    expect([life, watcher.peers[0]!.state, cars(watcher)]).toEqual([["away", "despawn"], "away", 0]);
    watcher.send("n", 1);
    await stage.advance(60_000);
    page.tell("wake");
    await stage.advance(2000);
    expect([life, watcher.peers[0]!.state]).toEqual([["away", "despawn", "back", "spawn"], "connected"]);
    expect([heard, cars(watcher), room.state]).toEqual([[1], 1, "joined"]);
    const [car] = room.entities(Car);
    (car as unknown as { fuel: number }).fuel = 0.25;
    await stage.advance(2000);
    expect([...watcher.entities(Car)][0]!.fuel).toBeCloseTo(0.25, 2);
  });

  test("only for a moment loses nothing", async () => {
    const { stage, page, life } = await twoPlayers();
    page.tell("suspend");
    await stage.advance(1000);
    page.tell("wake");
    await stage.advance(5000);
    expect(life).toEqual(["away", "back"]);
  });

  test("is a peer without entities for a newcomer until it is back", async () => {
    const { stage, page } = await twoPlayers();
    page.tell("suspend");
    await stage.advance(100);
    const newcomer = await stage.join();
    const life: string[] = [];
    newcomer.onSpawn(Car, () => life.push("spawn"));
    await stage.advance(3000);
    expect(newcomer.peers.map(({ state }) => state)).toEqual(["connected", "away"]);
    expect([life, cars(newcomer)]).toEqual([[], 0]);
    page.tell("wake");
    await stage.advance(2000);
    expect(newcomer.peers.map(({ state }) => state)).toEqual(["connected", "connected"]);
    expect([life, cars(newcomer)]).toEqual([["spawn"], 1]);
  });
});

describe("a player who falls silent", () => {
  test("is detected: away, its entities gone after 2 s more, its seat free after the grace time", async () => {
    const { stage, player, watcher, life } = await twoPlayers();
    const saidAtMs = stage.scheduler.nowMs();
    player.vanish();
    let awayAtMs = 0;
    watcher.onPeerAway(() => (awayAtMs = stage.scheduler.nowMs()));
    await stage.advance(14_000);
    expect(awayAtMs - saidAtMs).toBeGreaterThan(8000);
    expect(awayAtMs - saidAtMs).toBeLessThan(11_500);
    expect([life, cars(watcher)]).toEqual([["away", "despawn"], 0]);
    await stage.advance(20_000);
    expect(life).toEqual(["away", "despawn", "left"]);
    expect(stage.relay.rooms()[0]).toMatchObject({ taken: 1 });
  });
});
