import { memoryLinkPair, seededRandom, VirtualScheduler } from "@paceline/testkit";
import { Session, type LinkMonitorOptions } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { LossCount } from "../src/session/loss-count.js";
import { SentLoss } from "../src/session/sent-loss.js";

const socket: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 5000,
  timeoutMs: 60_000,
  heartbeatMs: 1000,
};
const datagrams: LinkMonitorOptions = { ...socket, preference: 10, needsProof: true, carries: "unreliable" };

/** A server that sends 40 states and 7 commands a second, over a socket and a datagram link with loss. */
function scene(ratio: number, { seed = 1, hasDatagrams = true, statesPerStep = 1 } = {}) {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(seed);
  const newEnd = (): Session => new Session({ scheduler, handlers: { onReliable: () => undefined } });
  const [server, client] = [newEnd(), newEnd()];
  const settings = { delayMs: 40, jitterMs: 3 };
  const lossOf = (share: number) => ({ loss: { kind: "uniform", ratio: share } }) as const;
  const attach = (isUnreliable: boolean, options: LinkMonitorOptions, loss = 0) => {
    const pair = memoryLinkPair({
      scheduler,
      random,
      settings: { ...settings, ...lossOf(loss) },
      isUnreliable,
    });
    server.attach(pair.a, options);
    client.attach(pair.b, options);
    return pair;
  };
  attach(false, socket, hasDatagrams ? 0 : ratio);
  const pair = hasDatagrams ? attach(true, datagrams, ratio) : undefined;
  const play = (seconds: number): void => {
    for (let step = 0; step < seconds * 40; step++) {
      for (let state = 0; state < statesPerStep; state++) server.sendState(new Uint8Array(20));
      if (step % 6 === 0) server.sendReliable(new Uint8Array(10));
      scheduler.advance(1000 / 40);
    }
  };
  play(1);
  return {
    server,
    client,
    play,
    /** Sets the loss of the datagram link, to the client and to the server. */
    change: (toClient: number, toServer = toClient) => {
      pair?.change(lossOf(toClient), "a");
      pair?.change(lossOf(toServer), "b");
    },
  };
}

describe("the loss of a session", () => {
  test.each([0.01, 0.05, 0.2, 0.4])("is measured on its datagram link beside a socket: %d", (ratio) => {
    const { client, play } = scene(ratio);
    play(25);
    const reading = client.pathLoss!;
    expect(reading.packets).toBeGreaterThan(580);
    expect(Math.abs(reading.ratio - ratio)).toBeLessThan(0.04);
    expect(reading.low).toBeLessThanOrEqual(reading.ratio);
    expect(reading.high).toBeGreaterThanOrEqual(reading.ratio);
  });

  test("lies within its interval in at least nine of ten networks, and within 3 points at 20 %", () => {
    let [inside, near] = [0, 0];
    for (let seed = 1; seed <= 40; seed++) {
      const { client, play } = scene(0.2, { seed });
      play(24);
      const { low, high, ratio } = client.pathLoss!;
      if (low <= 0.2 && high >= 0.2) inside += 1;
      if (Math.abs(ratio - 0.2) <= 0.03) near += 1;
    }
    expect(inside).toBeGreaterThanOrEqual(36);
    expect(near).toBeGreaterThanOrEqual(36);
  });

  test("is 0 on a clean link, and forgotten within half a minute", () => {
    const { client, play, change } = scene(0.3);
    play(10);
    expect(client.pathLoss!.ratio).toBeGreaterThan(0.2);
    change(0);
    play(24);
    expect(client.pathLoss!.ratio).toBe(0);
  });

  test("is unknown on a socket, which repeats lost packets", () => {
    const { client, play } = scene(0.2, { hasDatagrams: false });
    play(20);
    expect(client.pathLoss).toBeUndefined();
  });

  test("is 0 on a clean link from its first packet, even if probes were lost before", () => {
    const { client, play, change } = scene(1);
    play(3);
    expect(client.linkFor("state")?.isUnreliable).toBe(false);
    change(0);
    play(10);
    expect(client.linkFor("state")?.isUnreliable).toBe(true);
    expect(client.pathLoss?.ratio).toBe(0);
  });

  test("is measured by pings if the other side is quiet", () => {
    const { client, play } = scene(0.2, { statesPerStep: 0 });
    play(20);
    expect(client.linkFor("state")?.isUnreliable).toBe(true);
    const { low, high } = client.pathLoss!;
    expect(low).toBeLessThan(0.2);
    expect(high).toBeGreaterThan(0.2);
  });

  test.each([0, 0.05, 0.2])("is measured at the sender by acks: %d", (ratio) => {
    let inside = 0;
    for (let seed = 1; seed <= 10; seed++) {
      const { server, play } = scene(ratio, { seed });
      play(24);
      const { low, high, packets } = server.outgoingLoss!;
      expect(packets).toBeGreaterThan(600);
      if (low <= ratio + 1e-9 && ratio <= high) inside += 1;
    }
    expect(inside).toBeGreaterThanOrEqual(8);
  });

  test("does not count packets that no ack covers", () => {
    const { server, play, change } = scene(0);
    play(10);
    // No acks arrive for two seconds, which is longer than acks cover.
    change(0, 1);
    play(2);
    change(0);
    play(10);
    expect(server.outgoingLoss!.ratio).toBe(0);
  });

  test("counts a packet that any acks covered, even if the next ones are far ahead", () => {
    const count = new LossCount();
    const loss = new SentLoss(count);
    for (let sequence = 1; sequence <= 60; sequence++) loss.sent(sequence);
    for (const arrived of [1, 3]) loss.acknowledged(arrived);
    loss.acksReceived(3);
    loss.acknowledged(60);
    // These acks cover the packets from 28 on, and decide the fate of those up to 35.
    loss.acksReceived(60);
    expect(count.window).toEqual({ arrived: 2, lost: 1 + 8 });
  });
});
