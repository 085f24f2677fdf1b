import { createSocket } from "node:dgram";
import { once } from "node:events";
import { defineEntity, vec2, type Room } from "@paceline/client";
import { NodeWebSocket, nodeWebRtc } from "@paceline/client/node";
import { silentLog } from "@paceline/relay";
import { describe, expect, test } from "vitest";
import { freeUdpPort } from "../../testkit/test/free-udp-port.js";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const webRtc = await nodeWebRtc();
const Car = defineEntity(
  "car",
  { position: vec2({ range: [-100, 100], precision: 0.01 }) },
  { motion: "hold" },
);
/** Links between two peers of this library sometimes fail to open: see the contract test of the link. */
const RETRY = { retry: 2, timeout: 30_000 };
const relayed = { webRtc, profile: { base: "racing", topology: "relay" } } as const;

const isSplit = (room: Room) => room.transport.serverPath.choice.startsWith("states on webrtc");

describe.skipIf(!webRtc)(
  `WebRTC to the server (${webRtc ? "loaded" : "node-datachannel is not there"})`,
  () => {
    const stage = new Stage();
    const withWebRtc = () => stage.server({ webrtc: { port: 0, bindAddress: "127.0.0.1" } });

    async function splitRooms(count: number): Promise<Room[]> {
      const rooms = await stage.meet(await withWebRtc(), count, relayed);
      await until("states go over WebRTC", () => rooms.every(isSplit));
      return rooms;
    }

    test(
      "[WF44] carries states, while reliable messages stay on the WebSocket; the plan says so and why",
      RETRY,
      async () => {
        const [mine, theirs] = await splitRooms(2);
        const { channels } = mine!.transport.plan;
        expect(channels.state.links).toEqual(["webrtc", "websocket"]);
        const rows = await mine!.transport.explain({ details: true });
        const words = rows.map(({ choice, reason }) => `${choice}: ${reason}`).join("\n");
        expect(words).toMatch(/what may be lost on WebRTC, the rest on the WebSocket/);
        expect(mine!.transport.serverPath.reason).toMatch(/a probe went both ways/);
        const car = mine!.spawn(Car);
        theirs!.onMessage("hello", () => undefined);
        mine!.send("hello", 1);
        await until("the car is there", () => [...theirs!.entities(Car)].length === 1);
        car.position.set(7, 8);
        await until("it has moved", () => [...theirs!.entities(Car)][0]!.shown.position.x === 7);
        expect(theirs!.peers[0]!.channel).toBe(
          "states over WebRTC, the rest over WebSocket to the server, relayed from there",
        );
      },
    );

    test("is counted in the traffic to the server, in both directions", RETRY, async () => {
      const [mine, theirs] = await splitRooms(2);
      const car = mine!.spawn(Car);
      await until("the car is there", () => [...theirs!.entities(Car)].length === 1);
      const stop = setInterval(() => car.position.set(Math.random() * 50, 0), 20);
      try {
        // About 30 states a second. The WebSocket carries only pings.
        await until("states are counted", () => mine!.transport.server.bytesOutPerSecond > 500);
        await until("they are at the other end, too", () => theirs!.transport.server.bytesInPerSecond > 500);
        expect(mine!.transport.server.stateLink).toBe("webrtc");
      } finally {
        clearInterval(stop);
      }
    });

    test(
      "[WF44] is translated by the relay: players with WebSockets alone are reached, both ways",
      RETRY,
      async () => {
        const server = await withWebRtc();
        const withIt = await stage.join(server, relayed);
        const without = await stage.join(server, { profile: relayed.profile });
        await until("states go over WebRTC", () => isSplit(withIt));
        expect(isSplit(without)).toBe(false);
        const cars = [withIt, without].map((room) => room.spawn(Car));
        await until("both see two", () =>
          [withIt, without].every((room) => [...room.entities(Car)].length === 2),
        );
        cars.forEach((car, index) => car.position.set(10 + index, 0));
        const seen = (room: Room) => [...room.entities(Car)].map(({ shown }) => shown.position.x).toSorted();
        await until("each sees both where they are", () =>
          [withIt, without].every((room) => seen(room).join() === "10,11"),
        );
      },
    );

    test("goes back to the WebSocket when it dies, without a drop, and opens again", RETRY, async () => {
      const [mine, theirs] = await splitRooms(2);
      const drops: string[] = [];
      mine!.onDrop((reason) => drops.push(reason));
      mine!.transport.killServerWebRtc();
      await until("the WebSocket carries states", () => !isSplit(mine!));
      const car = mine!.spawn(Car);
      await until("the car is there", () => [...theirs!.entities(Car)].length === 1);
      car.position.set(3, 3);
      await until("it has moved", () => [...theirs!.entities(Car)][0]!.shown.position.x === 3);
      await until("WebRTC is back", () => isSplit(mine!));
      expect(drops).toEqual([]);
    });

    test("carries everything while the WebSocket is gone, without a drop", RETRY, async () => {
      let isBlocked = false;
      const webSocket = class extends NodeWebSocket {
        constructor(url: string, protocols?: string[]) {
          // No server listens on this port.
          super(isBlocked ? "ws://127.0.0.1:9/" : url, protocols);
        }
      };
      const server = await withWebRtc();
      const mine = await stage.join(server, { ...relayed, webSocket });
      const theirs = await stage.join(server, relayed);
      await until("states go over WebRTC", () => isSplit(mine) && isSplit(theirs));
      const [life, heard, heardByMe]: [string[], number[], number[]] = [[], [], []];
      mine.onDrop(() => life.push("drop"));
      mine.onReconnect(({ resumed }) => life.push(resumed ? "resumed" : "joined again"));
      theirs.onPeerLeave(() => life.push("peer left"));
      theirs.onMessage("n", (n) => heard.push(n as number));
      mine.onMessage("n", (n) => heardByMe.push(n as number));
      isBlocked = true;
      server.cutLinks(0);
      await until("it knows", () => mine.transport.serverPath.choice === "everything on webrtc");
      for (let n = 0; n < 50; n++) {
        mine.send("n", n);
        theirs.send("n", n);
      }
      const all = Array.from({ length: 50 }, (_, n) => n);
      await until("all has arrived", () => heard.length >= 50 && heardByMe.length >= 50);
      expect([heard, heardByMe, life, mine.state]).toEqual([all, all, [], "joined"]);
      isBlocked = false;
      await until("there is a WebSocket again", () => isSplit(mine), 12_000);
      expect(life).toEqual([]);
      isBlocked = true;
      server.cutLinks();
      await until("it knows", () => mine.transport.serverPath.choice === "everything on webrtc");
      mine.transport.killServerWebRtc();
      await until("the last path is gone", () => life.length > 0);
      isBlocked = false;
      await until("it is back", () => life.length > 1, 12_000);
      expect(life).toEqual(["drop", "resumed"]);
    });

    test("[WF44] is not opened if it would carry nothing: alone in a mesh", async () => {
      const room = await stage.join(await withWebRtc(), { webRtc });
      await until("the server has said what it speaks", () =>
        room.transport.plan.channels.state.links.includes("webrtc"),
      );
      expect(isSplit(room)).toBe(false);
    });

    test("peers of a mesh with WebRTC in Node reach each other directly", RETRY, async () => {
      const rooms = await stage.meet(await stage.server(), 2, { webRtc });
      await until("both are direct", () => rooms.every(({ peers }) => peers[0]?.path === "direct"));
      expect(rooms[0]!.peers[0]!.channel).toBe(
        "WebRTC data channels, UDP; state unordered, without retransmission",
      );
    });
  },
);

describe("a server without WebRTC", () => {
  const stage = new Stage();

  test("runs on WebSockets and reports it once, if its UDP port is taken", async () => {
    const other = createSocket("udp4");
    const port = await freeUdpPort();
    other.bind(port);
    await once(other, "listening");
    try {
      const lines: string[] = [];
      const warn = (text: string, fields?: object) => void lines.push(`${text} ${JSON.stringify(fields)}`);
      const server = await stage.server({ log: { ...silentLog, warn }, webrtc: { port } });
      const rooms = await stage.meet(server, 2, relayed);
      await until("it has said so", () => lines.length > 0);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(
        webRtc ? /WebSockets only.*cannot be bound/ : /WebSockets only.*cannot be loaded/,
      );
      expect(rooms.map(isSplit)).toEqual([false, false]);
      expect(server.relay.health()).toMatchObject({ webRtcLinks: 0 });
    } finally {
      other.close();
    }
  });
});
