import { createHmac } from "node:crypto";
import type { IceServer } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

const SECRET = "a secret of coturn, of enough bytes";
const turn = { urls: ["turn:turn.example:3478", "turns:turn.example:5349?transport=tcp"], secret: SECRET };

/** Checks the password as coturn does. Returns its expiry, s. */
function checked({ username = "", credential }: IceServer): number {
  expect(credential).toBe(createHmac("sha1", SECRET).update(username).digest("base64"));
  return Number(username.split(":")[0]);
}

describe("passwords for TURN", () => {
  it("[WF44] come with the welcome, valid for minutes and for this session, beside fixed servers", () => {
    const stun = { urls: "stun:stun.example:3478" };
    const virtual = new VirtualRegistry({ turn, iceServers: [stun], wallClockMs: () => 1_000_000_000 });
    const { welcome } = virtual.join().player;
    expect(welcome.iceServers[0]).toEqual(stun);
    expect(welcome.iceServers.slice(1).map(({ urls }) => urls)).toEqual(turn.urls);
    for (const server of welcome.iceServers.slice(1)) {
      expect(checked(server)).toBe(1_000_600);
      expect(server.username!.split(":")[1]).toBe(welcome.sessionId);
    }
  });

  it("[WF44] are renewed before they expire, only for participants of a room", () => {
    const virtual = new VirtualRegistry({ turn: { ...turn, lifetimeS: 100 } });
    const [stays, leaves] = [virtual.join().player, virtual.join().player];
    leaves.tell({ type: "leave" });
    virtual.scheduler.advance(1000);
    let goodUntilS = checked(stays.welcome.iceServers[0]!);
    for (let round = 1; round <= 5; round++) {
      virtual.scheduler.advance(50_000);
      const renewed = stays.of("iceServers");
      expect(renewed).toHaveLength(round);
      expect(virtual.scheduler.nowMs() / 1000).toBeLessThan(goodUntilS);
      goodUntilS = checked(renewed.at(-1)!.iceServers[0]!);
    }
    expect(leaves.of("iceServers")).toEqual([]);
  });

  it("do not queue up for an absent participant", () => {
    const virtual = new VirtualRegistry({
      turn: { ...turn, lifetimeS: 60 },
      limits: { reconnectGraceMs: 600_000, linkTimeoutMs: 1000 },
    });
    const { player, link } = virtual.join();
    link.player.close(1006, "cut");
    virtual.scheduler.advance(500_000);
    virtual.resume(player);
    expect(player.of("iceServers")).toHaveLength(1);
    const [renewed] = player.of("iceServers");
    expect(checked(renewed!.iceServers[0]!)).toBeGreaterThan(virtual.scheduler.nowMs() / 1000);
  });
});
