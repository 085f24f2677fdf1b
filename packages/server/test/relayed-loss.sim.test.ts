import { setImmediate as nextTurn } from "node:timers/promises";
import { MessageKind, isRouted, readPacket } from "@paceline/protocol";
import { defineEntity, vec2, type OwnedEntity } from "@paceline/client";
import { seededRandom } from "@paceline/testkit";
import { roomStage, virtualWebRtc, type StagePlayer } from "@paceline/testkit/room";
import { RoutedLoss, type ProfileChoice, type WebRtcLinkMaker } from "@paceline/transport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { someOf } from "../../testkit/test/some-of.js";
import { LossCount } from "../../transport/src/session/loss-count.js";
import { serveVirtualWebRtc } from "./virtual-server-webrtc.js";

// Rooms whose players reach each other through the server alone, over WebRTC to it.

const Car = defineEntity(
  "car",
  { position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const lossy = (ratio: number) => ({ delayMs: 20, loss: { kind: "uniform", ratio } }) as const;

interface Terms {
  readonly profile: ProfileChoice;
  readonly seed?: number;
}

/** Two players of a relayed room, whose cars weave. All links of both lose the same share of packets. */
async function scene({ profile, seed = 1 }: Terms) {
  const stage = roomStage({ maxPlayers: 4 }, { seed });
  stops.unshift(() => stage.stop());
  const chance = seededRandom(seed * 31);
  const webRtc = virtualWebRtc({ random: chance.fork(), settings: { delayMs: 20 } });
  let lossRatio = 0;
  let tamper: (packet: Uint8Array) => void = () => undefined;
  /** Both ends have the link from here, and lose what they send. */
  const maker: WebRtcLinkMaker = (options) => {
    const link = webRtc(options);
    link.filters!.push({
      queuedBytes: 0,
      hasRoom: () => true,
      send: (name, packet, pass) => {
        tamper(packet);
        const mayBeLost = name === "state" || name === "input";
        if (!mayBeLost || !chance.bool(lossRatio)) pass(packet);
      },
      receive: (packet, pass) => pass(packet),
      end: (tell) => tell(),
      close: () => undefined,
    });
    return link;
  };
  stops.push(serveVirtualWebRtc(maker, stage.scheduler));
  const players: StagePlayer[] = [];
  const cars: OwnedEntity<typeof Car>[] = [];
  for (let count = 0; count < 2; count++) {
    const client = { profile, transports: ["websocket", "webrtc"], webRtc: maker } as const;
    const player = await stage.join({ network: lossy(0), sockets: "auto", client });
    players.push(player);
    cars.push(player.room.spawn(Car));
    void [...player.room.entities(Car)];
  }
  return {
    players,
    /** Lets a function change each packet that leaves over WebRTC. */
    tamper(change: typeof tamper): void {
      tamper = change;
    },
    lose(ratio: number): void {
      lossRatio = ratio;
      for (const player of players) player.change(lossy(ratio));
    },
    /** Drives for some seconds, in steps of 20 ms; then calls back once a second. */
    async drive(seconds: number, eachSecond: (second: number) => void = () => undefined) {
      for (let step = 1; step <= seconds * 50; step++) {
        const x = 20 * Math.sin((stage.scheduler.nowMs() / 1000) * 3);
        for (const car of cars) car.position.set(x, 0);
        for (const { room } of players) room.advance();
        stage.scheduler.advance(20);
        await nextTurn();
        if (step % 50 === 0) eachSecond(step / 50);
      }
    },
  };
}

const linkOf = ({ room }: StagePlayer) => room.transport.server.stateLink ?? "none";
const rowOf = ({ room }: StagePlayer, question: string) =>
  room.transport.plan.reasons.find((reason) => reason.question === question)?.row;
const racing = { base: "racing", topology: "relay" } as const;
/** A game that uses WebRTC to the server only where a WebSocket loses packets. */
const sparing = { base: "rpg", favour: "bandwidth", topology: "relay" } as const;

/** Returns the seconds at which the first player's links to the server or its answer to losses changed. */
async function changesOf(
  { players, drive, lose }: Awaited<ReturnType<typeof scene>>,
  seconds: number,
  ratioAt: (second: number) => number,
) {
  const [player] = players as [StagePlayer];
  const links: number[] = [];
  const rows: { readonly second: number; readonly row: string | undefined }[] = [];
  let [link, row] = [linkOf(player), rowOf(player, "loss")];
  await drive(seconds, (second) => {
    lose(ratioAt(second));
    const [nextLink, nextRow] = [linkOf(player), rowOf(player, "loss")];
    if (nextLink !== link) links.push(second);
    if (nextRow !== row) rows.push({ second, row: nextRow });
    [link, row] = [nextLink, nextRow];
  });
  return { links, rows };
}

describe("states that go over WebRTC to the relay", () => {
  test.each([
    { ratio: 0, row: "LOSS-3" },
    { ratio: 0.03, row: "LOSS-2" },
    { ratio: 0.2, row: "LOSS-1" },
  ])("have a measured loss, which the plan answers: %o", async ({ ratio, row }) => {
    const { players, drive, lose } = await scene({ profile: racing });
    await drive(5);
    expect(players.map(linkOf)).toEqual(["webrtc", "webrtc"]);
    lose(ratio);
    await drive(25);
    for (const player of players) {
      const { server, measured } = player.room.transport;
      const readings = [server.loss!, server.outgoingLoss!];
      for (const reading of readings) {
        expect(reading.packets).toBeGreaterThan(300);
        expect(Math.abs(reading.ratio - ratio)).toBeLessThan(0.07);
      }
      expect(measured!.lossRatio).toBeCloseTo(Math.max(...readings.map((reading) => reading.ratio)), 2);
      expect(rowOf(player, "loss")).toBe(row);
    }
  });

  test.each(
    someOf(
      [
        [1.5, "bandwidth"],
        [5, "bandwidth"],
        [5, "cpu"],
      ] as const,
      1,
    ),
  )(
    "stay there for %d minutes while each twentieth packet is lost, in a game that favours %s",
    async (minutes, favour) => {
      const room = await scene({ profile: { ...sparing, favour } });
      await room.drive(5);
      expect(room.players.map(linkOf)).toEqual(["websocket", "websocket"]);
      const { links } = await changesOf(room, 30 + 60 * minutes, () => 0.05);
      expect(room.players.map(linkOf)).toEqual(["webrtc", "webrtc"]);
      expect(links).toEqual([expect.any(Number)]);
      expect(links[0]).toBeLessThan(30);
    },
  );

  test("change no more often than the waits allow on a line that heals and breaks every ten seconds", async () => {
    const room = await scene({ profile: sparing });
    await room.drive(5);
    // Ten seconds without losses are too few for a weaker answer, however often they come.
    const { links, rows } = await changesOf(room, 120, (second) => (second % 20 < 10 ? 0.2 : 0));
    expect(room.players.map(linkOf)).toEqual(["webrtc", "webrtc"]);
    expect(links).toHaveLength(1);
    // The answer to losses becomes weaker only after 15 s without them.
    const waits = rows.flatMap(({ row, second }, at) =>
      row === "LOSS-3" ? [second - (rows[at - 1]?.second ?? 0)] : [],
    );
    expect(waits.filter((seconds) => seconds < 15)).toEqual([]);
    expect(rows.length).toBeLessThanOrEqual(2);
  });

  test.each(someOf([2, 3], 1))(
    "change %i times, more and more rarely, if the server never reports what it counts",
    async (times) => {
      const reports = vi.spyOn(RoutedLoss.prototype, "reportTo").mockReturnValue(undefined);
      const readings = vi.spyOn(LossCount.prototype, "reading", "get").mockReturnValue(undefined);
      stops.push(() => void [reports, readings].map((spy) => spy.mockRestore()));
      const room = await scene({ profile: sparing });
      await room.drive(5);
      const { links } = await changesOf(room, times === 2 ? 290 : 600, () => 0.05);
      const stays = links.flatMap((second, at) => (at % 2 === 1 ? [second - links[at - 1]!] : []));
      expect(room.players[0]!.room.transport.measured!.lossRatio).toBeUndefined();
      // Each return to the WebSocket is undone within seconds, so the next one waits for twice as long.
      expect(stays.map((seconds) => Math.round(seconds / 60))).toEqual([1, 2, 4].slice(0, times));
    },
  );

  test("heal from a server that lies about what it counts", async () => {
    let lie = 0;
    let lies = 0;
    const chance = seededRandom(9);
    const room = await scene({ profile: racing });
    room.tamper((packet) => {
      const read = isRouted(packet) ? "flags" : readPacket(packet);
      if (lie === 0 || typeof read === "string" || read.only !== undefined) return;
      if (read.messages[0] !== MessageKind.report) return;
      // The counts follow the kind, the length and the number of the ping.
      read.messages.set(lie === 1 ? chance.bytes(4) : [0, 0, 0, 0], 4);
      lies += 1;
    });
    await room.drive(5);
    for (lie of [1, 2]) {
      await room.drive(30, () => {
        const { loss, outgoingLoss } = room.players[0]!.room.transport.server;
        for (const { ratio, low, high } of [loss!, outgoingLoss!]) {
          expect(low).toBeGreaterThanOrEqual(0);
          expect(ratio).toBeGreaterThanOrEqual(low - 1e-9);
          expect(high).toBeGreaterThanOrEqual(ratio - 1e-9);
          expect(high).toBeLessThanOrEqual(1);
        }
      });
    }
    expect(linkOf(room.players[0]!)).toBe("webrtc");
    expect(lies).toBeGreaterThan(50);
    lie = 0;
    await room.drive(45);
    expect(room.players[0]!.room.transport.measured!.lossRatio).toBe(0);
    expect(rowOf(room.players[0]!, "loss")).toBe("LOSS-3");
  });

  test("keep their measurements if the profile changes in the middle of a loss", async () => {
    const { players, drive, lose } = await scene({ profile: racing });
    const [player] = players as [StagePlayer];
    const { transport } = player.room;
    await drive(5);
    lose(0.2);
    await drive(25);
    const { lossRatio } = transport.measured!;
    transport.configure({ profile: { base: "shooter", topology: "relay" } });
    expect(transport.plan.repeats).toBe(true);
    expect(transport.measured!.lossRatio).toBe(lossRatio);
    await drive(20);
    expect([linkOf(player), rowOf(player, "loss")]).toEqual(["webrtc", "LOSS-1"]);
    lose(0);
    await drive(45);
    expect([linkOf(player), rowOf(player, "loss")]).toEqual(["webrtc", "LOSS-3"]);
  });
});
