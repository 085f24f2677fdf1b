import { NetError } from "@paceline/client";
import { writeAuthority, writePeerPayload } from "@paceline/protocol";
import { Room, type Player } from "@paceline/server";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { afterEach, describe, expect, it } from "vitest";
import { Car, Drive, RaceRoom } from "./race.js";
import { FakeParticipant, attachFake, fakeHosted } from "./fake-relay.js";

class WatchedRoom extends RaceRoom {
  override maxPlayers = 2;
  override maxSpectators = 3;

  override onJoin(player: Player<typeof Drive>): void {
    if (player.isSpectator) this.calls.push(`watch ${player.number}`);
    else super.onJoin(player);
  }
}

const DELAY_MS = 3000;

class LateRoom extends WatchedRoom {
  override readonly spectatorDelayMs = DELAY_MS;
}

let stage: RoomStage<RaceRoom>;
afterEach(() => stage.stop());

const watch = (): Promise<StagePlayer> => stage.join({ terms: { spectate: true } });
const cars = (player: StagePlayer) => [...player.room.entities(Car)];

describe("a spectator", () => {
  it("joins a full room, sees everything, and has a place of its own", async () => {
    stage = roomStage(WatchedRoom);
    const [ann, ben] = [await stage.join(), await stage.join()];
    const watching = await watch();
    cars(watching);
    ann.room.input(Drive).throttle = 1;
    await stage.advance(1500);
    expect(watching.room.roomId).toBe(ben.room.roomId);
    expect([ann.room.isSpectator, watching.room.isSpectator]).toEqual([false, true]);
    expect(cars(watching).map(({ isMine }) => isMine)).toEqual([false, false]);
    expect(cars(watching)[0]!.position.x).toBeGreaterThan(10);
    expect([stage.room.players.size, stage.room.spectators.size]).toEqual([2, 1]);
    expect(stage.room.calls).toContain("watch 3");
    // The third player needs another room, because spectators take no player's place.
    expect((await stage.join()).room.roomId).not.toBe(ann.room.roomId);
  });

  it("gets a refusal with a code for its messages, which are counted; players are not affected", async () => {
    stage = roomStage(WatchedRoom);
    const ann = await stage.join();
    const heard: unknown[] = [];
    ann.room.onMessage("horn", (message) => heard.push(message));
    const { room } = await watch();
    const errors: string[] = [];
    room.onError(({ code }) => errors.push(code));
    for (let count = 0; count < 20; count++) room.send("horn", { loud: true });
    room.spawn(Car);
    expect(() => room.input(Drive)).toThrow(NetError);
    const asked = room.request("lap", { car: 1 }).catch((error: unknown) => error);
    await stage.advance(500);
    expect(errors).toEqual(["message/spectator"]);
    expect(await asked).toMatchObject({ code: "request/refused" });
    const { counters, entities } = stage.server.reports()[0]!;
    expect(counters).toMatchObject({ messages: 0, notAllowed: 0 });
    // At least 22 messages: commands, a request, the entity, and its states.
    expect(counters.fromSpectators).toBeGreaterThanOrEqual(22);
    expect(entities).toBe(1);
    expect(heard).toEqual([]);
  });

  it("gets one of a limited number of places, and none in a room without them", async () => {
    stage = roomStage(WatchedRoom);
    await stage.join();
    for (let count = 0; count < 3; count++) await watch();
    await expect(watch().then(({ room }) => room.roomId)).resolves.not.toBe(stage.rooms[0]!.roomId);
    await stage.stop();
    stage = roomStage(RaceRoom);
    await expect(watch()).rejects.toMatchObject({ code: "match/full" });
    expect(stage.server.health().rooms).toBe(0);
  });

  it("may join a locked room, and stays a spectator after a reload of the page", async () => {
    stage = roomStage(WatchedRoom);
    const ann = await stage.join();
    stage.room.lock();
    const watching = await watch();
    expect(watching.room.roomId).toBe(ann.room.roomId);
    const back = await stage.reload(watching);
    expect(back.room.isSpectator).toBe(true);
    expect([stage.room.players.size, stage.room.spectators.size]).toEqual([1, 1]);
  });

  it("[WF35] may send any bytes: its inputs, states and entities are refused", async () => {
    stage = roomStage(WatchedRoom);
    const room = new WatchedRoom();
    const { parts } = attachFake(room, stage.scheduler, fakeHosted("race"));
    const { counters, entities, lifecycle } = parts;
    const participant = new FakeParticipant(1);
    const seat = { options: {}, auth: true, replaces: undefined, isSpectator: true, address: "" };
    const [callbacks] = await Promise.all([Room.open(room, {}), stage.advance(10)]);
    await Promise.all([lifecycle.join(participant, seat), stage.advance(10)]);
    const player = participant.callbacks!;
    player.receiveInput(Uint8Array.of(1, 2, 3));
    player.receiveState(Uint8Array.of(1, 0, 0), 1);
    const { name, schemaHash } = Car;
    const state = new Uint8Array(Car.components.length * 4);
    player.receive(writeAuthority({ type: "own", localId: 1, name, schemaHash, state, tickHz: 60 }));
    player.receive(writeAuthority({ type: "disown", localId: 1 }));
    player.receive(writePeerPayload({ kind: "command", type: "horn", message: {} }));
    expect(counters).toMatchObject({ fromSpectators: 5, malformed: 0, inputs: 0 });
    expect(entities.world.records.size).toBe(0);
    // A spectator may send its kinds and request whole states.
    player.receive(writeAuthority({ type: "kinds", kinds: entities.world.kinds }));
    player.receive(writeAuthority({ type: "resync", ids: [] }));
    expect(counters.fromSpectators).toBe(5);
    callbacks?.close();
  });
});

describe("spectators who see everything later", () => {
  it("see the earlier world at once when they join, with players who have left since", async () => {
    stage = roomStage(LateRoom);
    const [ann, ben] = [await stage.join(), await stage.join()];
    cars(ann);
    await stage.advance(2000);
    ann.room.input(Drive).throttle = 1;
    await stage.advance(2000);
    ben.room.leave();
    await stage.advance(500);
    const x = cars(ann)[0]!.position.x;
    expect(x).toBeGreaterThan(30);
    const watching = await watch();
    cars(watching);
    await stage.advance(300);
    // Its view is three seconds old: both cars are there, and stand.
    expect(cars(watching).map(({ position }) => position.x)).toEqual([1, 2]);
    const { room } = stage;
    const now = room.tick;
    expect(now - cars(watching)[0]!.lastTick).toBeGreaterThanOrEqual(90);
    await stage.advance(DELAY_MS);
    expect(cars(watching)).toHaveLength(1);
    expect(cars(watching)[0]!.position.x).toBeGreaterThan(30);
  });

  it("show at every tick exactly what players got for it, teleports and owners too", async () => {
    stage = roomStage(LateRoom);
    const ann = await stage.join({ network: { delayMs: 10 } });
    const watching = await watch();
    const seen = new Map<number, number>();
    const [first, late] = [cars(ann), cars(watching)];
    expect([first, late]).toEqual([[], []]);
    const input = ann.room.input(Drive);
    let compared = 0;
    for (let step = 0; step < 1400; step++) {
      input.throttle = Math.abs(Math.sin(step / 50));
      if (step === 300) {
        const [car] = stage.room.cars.values();
        car!.position.set(-500, 7);
        car!.teleport();
      }
      await stage.advance(5);
      for (const { lastTick, position } of cars(ann)) seen.set(lastTick, position.x);
      for (const { lastTick, position } of cars(watching)) {
        const then = seen.get(lastTick);
        if (then === undefined) continue;
        compared += 1;
        expect(position.x).toBe(then);
      }
    }
    expect(compared).toBeGreaterThan(500);
    expect(stage.server.reports()[0]!.counters.spectatorsMissed).toBe(0);
  });

  it("get the room's messages with the same delay, in order, also messages to them alone", async () => {
    stage = roomStage(LateRoom);
    const ann = await stage.join();
    const watching = await watch();
    const heard: [string, number][] = [];
    const note = (who: string) => (message: unknown) =>
      heard.push([`${who} ${(message as { from: number }).from}`, stage.scheduler.nowMs()]);
    ann.room.onMessage("horn", note("ann"));
    watching.room.onMessage("horn", note("watching"));
    const saidAtMs = stage.scheduler.nowMs();
    stage.room.broadcast("horn", { from: 1, loud: true });
    for (const player of stage.room.spectators.values())
      stage.room.send(player, "horn", { from: 2, loud: true });
    stage.room.broadcast("horn", { from: 3, loud: true }, { except: [...stage.room.spectators.values()] });
    await stage.advance(DELAY_MS - 100);
    expect(heard.map(([what]) => what)).toEqual(["ann 1", "ann 3"]);
    // A spectator that joins meanwhile gets the earlier messages when their time has come.
    const third = await watch();
    third.room.onMessage("horn", note("third"));
    await stage.advance(300);
    const late = heard.slice(2);
    const of = (who: string): string[] => late.map(([what]) => what).filter((what) => what.startsWith(who));
    expect([of("watching"), of("third"), of("ann")]).toEqual([
      ["watching 1", "watching 2"],
      ["third 1", "third 3"],
      [],
    ]);
    for (const [, atMs] of late) expect(atMs - saidAtMs).toBeGreaterThanOrEqual(DELAY_MS - 40);
  });

  it("use bounded memory: what exceeds it is left out and counted", async () => {
    stage = roomStage(LateRoom);
    await stage.join();
    await watch();
    const long = "x".repeat(10_000);
    for (let count = 0; count < 1000; count++)
      stage.room.broadcast("horn", { from: 1, loud: true, long } as never, {
        except: [...stage.room.players.values()],
      });
    const { counters } = stage.server.reports()[0]!;
    expect(counters.spectatorsMissed).toBeGreaterThan(500);
    expect(counters.spectatorsMissed).toBeLessThan(700);
  });
});
