import type { Peer, Room } from "@paceline/client";
import { expect, test } from "vitest";
import { Introductions } from "../src/net/introductions.js";

function peerNumbered(number: number): Peer {
  return {
    id: `peer-${number}`,
    number,
    state: "connected",
    path: "relay",
    channel: "",
    reason: "",
    rttMs: undefined,
    drops: {},
    stats: {
      bytesInPerSecond: 0,
      bytesOutPerSecond: 0,
      packetsOutPerSecond: 0,
      updatesInPerSecond: 0,
      updatesOutPerSecond: 0,
      lossRatio: 0,
      outgoingLossRatio: 0,
      jitterMs: 0,
      queuedBytes: 0,
    },
  };
}

function meeting(peers: readonly Peer[]) {
  const asked: string[] = [];
  const introducedTo: string[] = [];
  // The part of a room that introductions use.
  const room = {
    peers,
    send: (type: string, _message: unknown, to: Peer) => asked.push(`${type} ${to.id}`),
  } as unknown as Room;
  const introductions = new Introductions(room, (to) => introducedTo.push(to.id));
  return { introductions, asked, introducedTo };
}

const nothingElse = (): boolean => false;

test("a peer without a valid introduction is asked for one, at most five times", () => {
  const [a, b] = [peerNumbered(1), peerNumbered(2)];
  const { introductions, asked } = meeting([a, b]);
  introductions.update(0, nothingElse);
  expect(asked).toEqual([]);
  introductions.hearCard({ name: "Ada", color: "#112233" }, a, 100);
  introductions.hearCard({ name: "", color: "nonsense" }, b, 100);
  for (let nowMs = 0; nowMs < 20_000; nowMs += 100) introductions.update(nowMs, nothingElse);
  expect(asked).toEqual(Array.from({ length: 5 }, () => "ask peer-2"));
  expect(introductions.cardOf(a).name).toBe("Ada");
  expect(introductions.cardOf(b)).toMatchObject({
    name: "Driver 2",
    color: expect.stringMatching(/^#/) as unknown,
  });
});

test("a peer is also asked if something else of it is missing", () => {
  const a = peerNumbered(1);
  const { introductions, asked } = meeting([a]);
  introductions.hearCard({ name: "Ada", color: "#112233" }, a, 0);
  introductions.update(1500, (peer) => peer === a);
  expect(asked).toEqual(["ask peer-1"]);
});

test("a peer that asks without end gets only a few answers", () => {
  const a = peerNumbered(1);
  const { introductions, introducedTo } = meeting([a]);
  for (let nowMs = 0; nowMs < 1000; nowMs += 10) introductions.hearAsk(a, nowMs);
  expect(introducedTo.length).toBe(3);
});
