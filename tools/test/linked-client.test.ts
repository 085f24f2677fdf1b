/* oxlint-disable typescript/no-explicit-any -- built files, of which the compiler of tests knows nothing */
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { linkClient } from "../link.mjs";

const PACKAGES = path.resolve(import.meta.dirname, "../../packages");
const WAIT = { timeout: 30_000, interval: 50 };

const built = (file: string): Promise<any> => import(pathToFileURL(path.join(PACKAGES, file)).href);

/** The client is what a browser gets, linked and minified; the server runs from the compiler's files. */
describe("the linked client", () => {
  const stops: (() => Promise<void>)[] = [];
  let server: Record<string, any>;
  let client: Record<string, any>;

  beforeAll(async () => {
    const tsc = path.resolve(PACKAGES, "../node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-b", path.join(PACKAGES, "server")]);
    if (status !== 0) throw new Error(String(stdout));
    await linkClient();
    server = { ...(await built("server/dist/index.js")), ...(await built("relay/dist/index.js")) };
    client = {
      ...(await built("client/dist/linked/index.js")),
      ...(await built("client/dist/linked/lockstep.js")),
      ...(await built("client/dist/node.js")),
    };
  }, 240_000);
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  /** Returns a client's maker for this server. */
  async function serve(relay: any): Promise<() => any> {
    const http = createServer((request, response) => void relay.handleRequest(request, response));
    http.on("upgrade", (...upgrade) => relay.handleUpgrade(...upgrade));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    stops.push(async () => {
      await relay.stop({ drainMs: 0 });
      http.close();
    });
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    return () => new client.Client(url, { profile: "racing", webSocket: client.NodeWebSocket });
  }

  const carOf = ({ defineEntity, vec2, angle }: any): any =>
    defineEntity(
      "car",
      {
        position: vec2({ range: [-4096, 4096], precision: 0.01 }),
        heading: angle({ precision: 0.005, unit: "rad" }),
      },
      { motion: "turn" },
    );
  const driveOf = ({ defineInput, scalar }: any): any =>
    defineInput({ throttle: scalar({ range: [0, 1], precision: 0.01 }) });

  it("plays in a mesh: states, messages of every class, lists, reports, a simulated network and a return", async () => {
    const open = await serve(server.createRelay({ rooms: { race: {} }, log: server.silentLog }));
    const rooms = [await open().joinOrCreate("race", { track: "loop" })];
    rooms.push(await open().joinOrCreate("race", { track: "loop" }));
    const [one, two] = rooms;
    const Car = carOf(client);
    const car = one.spawn(Car, { position: { x: 10, y: 5 } });
    one.loop((seconds: number) => void (car.position.x += seconds));
    two.loop(() => undefined);
    const said: unknown[] = [];
    two.onMessage("horn", (content: unknown, from: any) => said.push([content, from.number]));
    await vi.waitFor(() => expect(one.peers).toHaveLength(1), WAIT);
    const classes = ["command", "bulk"];
    for (const name of classes)
      one.send("horn", { name, fill: "x".repeat(name === "bulk" ? 40_000 : 5) }, { class: name });
    await vi.waitFor(() => expect(said).toHaveLength(classes.length), WAIT);
    const shown = (): number => [...two.entities(Car)][0]?.shown.position.x ?? 0;
    await vi.waitFor(() => expect(shown()).toBeGreaterThan(10.5), WAIT);
    expect((await open().list("race"))[0]).toMatchObject({ players: 2, options: { track: "loop" } });
    const topics = (await one.transport.explain()).map(({ about }: any) => about);
    expect(topics).toContain("states");
    await one.transport.simulate({ delayMs: 20 });
    await one.transport.simulate({});
    const again = await open().reconnect(two.reconnectionToken);
    expect(again.myNumber).toBe(2);
    for (const room of [one, again]) await room.leave();
  }, 120_000);

  it("plays in a room with an authority, and predicts", async () => {
    const [Car, Drive] = [carOf(server), driveOf(server)];
    class Race extends server.Room {
      readonly entities = [Car];
      readonly inputs = Drive;
      readonly cars = new Map<any, any>();
      onJoin(player: any): void {
        this.cars.set(player, this["spawn"](Car, {}, player));
      }
      onTick(seconds: number): void {
        for (const [player, car] of this.cars) car.position.x += 30 * player.input.throttle * seconds;
      }
    }
    const open = await serve(server.defineServer({ rooms: { race: Race }, log: server.silentLog }));
    const room = await open().joinOrCreate("race");
    const [Mine, Pedal] = [carOf(client), driveOf(client)];
    const input = room.input(Pedal);
    const prediction = room.predict(Mine, Pedal, (car: any, { throttle }: any, seconds: number) => {
      car.position.x += 30 * throttle * seconds;
    });
    room.loop(() => void (input.throttle = 1));
    await vi.waitFor(() => expect([...room.entities(Mine)][0]?.shown.position.x).toBeGreaterThan(20), WAIT);
    expect(prediction.stats.states).toBeGreaterThan(0);
    expect(prediction.stats.worstCorrectionM).toBeLessThan(1);
    await room.leave();
  }, 120_000);
});
