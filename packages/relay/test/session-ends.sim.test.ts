/** Ends that the server has decided, and that a client hears of later. */
import { CloseCode } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import type { Player } from "./player.js";
import { VirtualRegistry } from "./virtual-registry.js";

describe("an end that the server has decided for a client without a link", () => {
  function kickedWhileAway(options = {}): { readonly stage: VirtualRegistry; readonly players: Player[] } {
    const stage = new VirtualRegistry({ rooms: { race: { maxPlayers: 8 } }, ...options });
    const players = Array.from({ length: 4 }, () => {
      const { player, link } = stage.join();
      link.relay.closeFromRemote(1006, "cable pulled");
      link.player.closeFromRemote(1006, "cable pulled");
      return player;
    });
    for (const { welcome } of players)
      stage.registry.participants.get(welcome.sessionId)!.end(CloseCode.kicked, "out");
    return { stage, players };
  }

  test("is given to the holder of its token, again and again, for as long as a hidden page's seat is kept", () => {
    const { stage, players } = kickedWhileAway();
    const [a, b] = players as [Player, Player];
    const { sessionId } = a.welcome;
    expect(stage.resumeRefusalOf(sessionId, a.resumeToken)).toBe(CloseCode.kicked);
    expect(stage.resumeRefusalOf(sessionId, b.resumeToken)).toBe(CloseCode.sessionUnknown);
    stage.scheduler.advance(119_000);
    expect(stage.resumeRefusalOf(sessionId, a.resumeToken)).toBe(CloseCode.kicked);
    stage.scheduler.advance(2000);
    expect(stage.resumeRefusalOf(sessionId, a.resumeToken)).toBe(CloseCode.sessionUnknown);
  });

  test("is kept for as many sessions as the server may have, the newest ones", () => {
    const { stage, players } = kickedWhileAway({ limits: { maxSessions: 4 } });
    const next = stage.join().player;
    stage.registry.participants.get(next.welcome.sessionId)!.end(CloseCode.kicked, "out");
    const codes = [...players, next].map(({ welcome, resumeToken }) =>
      stage.resumeRefusalOf(welcome.sessionId, resumeToken),
    );
    const { sessionUnknown, kicked } = CloseCode;
    expect(codes).toEqual([sessionUnknown, kicked, kicked, kicked, kicked]);
  });

  test("is not kept if the client knows it, or may join again at once", () => {
    const stage = new VirtualRegistry();
    for (const code of [CloseCode.left, CloseCode.timeout, CloseCode.tooSlow, CloseCode.internalError]) {
      const { player } = stage.join();
      stage.registry.participants.get(player.welcome.sessionId)!.end(code, "over");
      expect(stage.resumeRefusalOf(player.welcome.sessionId, player.resumeToken)).toBe(
        CloseCode.sessionUnknown,
      );
    }
  });
});
