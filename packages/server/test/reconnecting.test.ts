import { Client } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import type { Player } from "@paceline/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Car, Drive, RaceRoom } from "./race.js";
import { Stage, eventually } from "./stage.js";

let takesInputs = true;

class PatientRoom extends RaceRoom {
  override readonly reconnectSeconds = 0.3;
  override maxSpectators = 1;
  override readonly inputs = takesInputs ? Drive : (undefined as unknown as typeof Drive);
  readonly settled: string[] = [];
  patience: number | undefined;

  override onDrop(player: Player): void {
    super.onDrop(player);
    if (this.patience === undefined) return;
    this.allowReconnection(player, this.patience).then(
      () => this.settled.push("back"),
      () => this.settled.push("gone"),
    );
  }
}

const NOWHERE = "ws://127.0.0.1:9";

/** The open sockets. A test cuts them without a close, like a pulled cable. */
const sockets: InstanceType<typeof NodeWebSocket>[] = [];
let isOffline = false;
class CutSocket extends NodeWebSocket {
  constructor(url: string, protocols: string[]) {
    super(isOffline ? NOWHERE : url, protocols);
    sockets.push(this);
  }
}

let stage: Stage<PatientRoom>;
let client: Client;
beforeEach(async () => {
  isOffline = false;
  takesInputs = true;
  stage = await new Stage(PatientRoom).start();
  client = new Client(stage.url, { profile: "racing", webSocket: CutSocket, transports: ["websocket"] });
});
afterEach(() => stage.stop());

/** Cut all sockets: on a busy machine a client may have replaced a slow one. */
const cut = (): void => {
  for (const socket of sockets.splice(0)) (socket as unknown as { terminate(): void }).terminate();
};

describe("a player whose link is lost", () => {
  it("is back as the same player, with the same car, and inputs go on", async () => {
    const room = await client.joinOrCreate("race");
    room.input(Drive).throttle = 1;
    await eventually(() => expect([...room.entities(Car)][0]!.position.x).toBeGreaterThan(3));
    const [hosted] = stage.rooms;
    const [player] = hosted!.players.values();
    hosted!.patience = 5;
    cut();
    await eventually(() => expect(hosted!.calls.at(-1)).toBe(`reconnect ${room.myNumber}`));
    expect([...hosted!.players.values()][0]).toBe(player);
    expect(hosted!.settled).toEqual(["back"]);
    const [car] = [...room.entities(Car)];
    const { x } = car!.position;
    await eventually(() => expect(car!.position.x).toBeGreaterThan(x + 2));
    room.leave();
  });

  it("leaves when the room waits no longer", async () => {
    const room = await client.joinOrCreate("race");
    const other = await stage.join();
    await eventually(() => expect([...other.entities(Car)]).toHaveLength(2));
    const [hosted] = stage.rooms;
    hosted!.patience = 0;
    // Otherwise the client may be back before the server notices the loss.
    isOffline = true;
    cut();
    await eventually(() => expect(hosted!.settled).toEqual(["gone"]));
    await eventually(() => expect([...other.entities(Car)]).toHaveLength(1));
    expect(hosted!.calls).toContain(`leave ${room.myNumber} 4002`);
    room.leave();
  });

  it("steers and predicts on when the room has forgotten it meanwhile", async () => {
    const room = await client.joinOrCreate("race");
    const input = room.input(Drive);
    const prediction = room.predict(Car, Drive, (car, { throttle, steer }, seconds) => {
      Object.assign(car.velocity, { x: throttle * 20, y: steer * 5 });
      car.position.x += car.velocity.x * seconds;
      car.position.y += car.velocity.y * seconds;
    });
    input.throttle = 1;
    await eventually(() => expect(prediction.stats.states).toBeGreaterThan(3));
    const joinedAgain: boolean[] = [];
    room.onReconnect(({ resumed }) => joinedAgain.push(!resumed));
    const [hosted] = stage.rooms;
    isOffline = true;
    cut();
    await eventually(() => expect(hosted!.calls.at(-1)).toBe("dispose"));
    isOffline = false;
    await eventually(() => expect(joinedAgain).toEqual([true]));
    // The car is new, and the game did nothing.
    await eventually(() => expect([...room.entities(Car)][0]!.position.x).toBeGreaterThan(3));
    await eventually(() => expect(prediction.stats.states).toBeGreaterThan(10));
    expect(prediction.stats.correctionM).toBeCloseTo(0, 1);
    expect(room.input(Drive)).toBe(input);
    room.leave();
  });

  it("hears of the others' leave and join when the room has forgotten it meanwhile", async () => {
    const room = await client.joinOrCreate("race");
    const other = await stage.join();
    await eventually(() => expect(room.peers).toHaveLength(1));
    const heard: string[] = [];
    room.onPeerLeave(({ number }) => heard.push(`leave ${number}`));
    room.onPeerJoin(({ number }) => heard.push(`join ${number} of ${room.peers.length}`));
    isOffline = true;
    cut();
    await eventually(() => expect(other.peers).toHaveLength(0));
    isOffline = false;
    await eventually(() => expect(other.peers).toHaveLength(1));
    await eventually(() => expect(heard).toEqual([`leave ${other.myNumber}`, `join ${other.myNumber} of 1`]));
    room.leave();
  });

  it("stays a spectator when the room has forgotten it, also on a page that knows only its token", async () => {
    await stage.join();
    const first = await client.joinOrCreate("race", {}, { spectate: true });
    const room = await new Client(stage.url, { profile: "racing", webSocket: CutSocket }).reconnect(
      first.reconnectionToken,
    );
    const joinedAgain: boolean[] = [];
    room.onReconnect(({ resumed }) => joinedAgain.push(!resumed));
    const [hosted] = stage.rooms;
    isOffline = true;
    cut();
    await eventually(() => expect(hosted!.spectators.size).toBe(0));
    isOffline = false;
    await eventually(() => expect(joinedAgain).toEqual([true]));
    expect([hosted!.spectators.size, hosted!.players.size, room.isSpectator]).toEqual([1, 1, true]);
    room.leave();
  });

  it("hears why its inputs have ended when the next room takes none", async () => {
    const room = await client.joinOrCreate("race");
    room.input(Drive).throttle = 1;
    const codes: string[] = [];
    room.onError(({ code }) => codes.push(code));
    const [hosted] = stage.rooms;
    isOffline = true;
    cut();
    await eventually(() => expect(hosted!.calls.at(-1)).toBe("dispose"));
    [isOffline, takesInputs] = [false, false];
    await eventually(() => expect(codes).toEqual(["schema/mismatch"]));
    await eventually(() => expect([...room.entities(Car)]).toHaveLength(1));
    room.leave();
  });

  it("that reloads the page goes on as the same player", async () => {
    const room = await client.joinOrCreate("race");
    const other = await stage.join();
    const [hosted] = stage.rooms;
    const [player] = hosted!.players.values();
    player!.userData = "mine";
    const { reconnectionToken } = room;
    const again = await client.reconnect(reconnectionToken);
    await eventually(() => expect(hosted!.calls).toContain(`reconnect ${again.myNumber}`));
    expect(hosted!.players.get(again.myNumber)).toBe(player);
    expect(hosted!.calls.filter((call) => call.startsWith("leave"))).toEqual([]);
    await eventually(() => expect([...again.entities(Car)].filter(({ isMine }) => isMine)).toHaveLength(1));
    await eventually(() => expect([...other.entities(Car)]).toHaveLength(2));
    again.leave();
  });
});
