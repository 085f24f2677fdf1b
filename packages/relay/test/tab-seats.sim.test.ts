import { setImmediate as nextTurn } from "node:timers/promises";
import { CloseCode, type MatchedSeat, type SeatClaim } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { AdmittedLink } from "../src/admission/admitted-link.js";
import { isRefusal, readMatchBody, type MatchRequest } from "../src/matchmaking/match-request.js";
import { Player } from "./player.js";
import { VirtualRegistry, type VirtualLink } from "./virtual-registry.js";

interface Visitor {
  readonly player: Player;
  readonly link: VirtualLink;
  readonly seat: MatchedSeat;
}

/** The pages of a tab, one after the other. */
class Tabs extends VirtualRegistry {
  /** Sends the request of the page that follows `before` in its tab. */
  async ask(
    { player }: Visitor,
    wish: Partial<MatchRequest> = {},
    claim: Partial<SeatClaim> = {},
  ): Promise<MatchedSeat> {
    const { sessionId: session, token } = player.welcome;
    const plain = { method: "joinOrCreate", target: "race", options: {}, webrtc: true, token: "" } as const;
    const seat = { session, token, ifAway: false, ...claim };
    const answer = this.registry.match({ ...plain, seat, ...wish }, { address: "", headers: {} });
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    for (let step = 0; step < 100 && !isAnswered; step++) {
      this.scheduler.advance(10);
      await nextTurn();
    }
    const given = await answer;
    if (isRefusal(given)) throw new Error(given.message);
    return given;
  }

  enter(seat: MatchedSeat): Visitor {
    const player = new Player(this.scheduler);
    const link = this.link();
    this.registry.admit(new AdmittedLink(link.relay), seat.ticket);
    player.attach(link.player);
    this.scheduler.advance(100);
    return { player, link, seat };
  }

  async reload(before: Visitor): Promise<Visitor> {
    before.link.relay.closeFromRemote(CloseCode.unloaded, "");
    return this.enter(await this.ask(before));
  }
}

const idOf = ({ player }: Visitor): string => player.welcome.sessionId;

describe("a reloaded page", () => {
  it("[M2] gets its tab's seat: the same id and player's number, and a new session number", async () => {
    const tabs = new Tabs();
    const [a, b] = [tabs.join(), tabs.join()];
    const next = await tabs.reload(a);
    const { number, seat, sessionId, token, peers } = next.player.welcome;
    expect([number, seat, sessionId]).toEqual([3, 1, idOf(a)]);
    expect(next.seat.sessionId).toBe(sessionId);
    expect(token).not.toBe(a.player.welcome.token);
    expect(peers.map(({ id }) => id)).toEqual([idOf(b)]);
    const told = b.player.messages.filter(({ type }) => ["away", "left", "joined"].includes(type));
    expect(told).toEqual([
      { type: "away", number: 1, closed: true },
      { type: "left", number: 1 },
      { type: "joined", peer: { number: 3, seat: 1, id: idOf(a), webrtc: true } },
    ]);
    const again = await tabs.reload(next);
    expect(again.player.welcome).toMatchObject({ number: 4, seat: 1, sessionId: idOf(a) });
    expect(tabs.registry.participants.size).toBe(2);
  });

  it("[M2] gets its seat in a full room too, and never needs a second place", async () => {
    const tabs = new Tabs();
    const [a] = [tabs.join(), tabs.join(), tabs.join()];
    a.link.relay.closeFromRemote(CloseCode.unloaded, "");
    const seat = await tabs.ask(a);
    const d = tabs.join();
    expect(d.seat.roomId).toBe(a.seat.roomId);
    expect(tabs.enter(seat).player.welcome.roomId).toBe(a.seat.roomId);
    expect(tabs.registry.reports()).toMatchObject([{ taken: 4 }]);
    expect(tabs.join().seat.roomId).not.toBe(a.seat.roomId);
  });

  it("[M2] gets its seat even if the page before closed before its welcome arrived", async () => {
    const tabs = new Tabs();
    const [a, b] = [tabs.join(), tabs.join()];
    a.link.relay.closeFromRemote(CloseCode.unloaded, "");
    // A page sends its request and closes. The next page takes the seat and closes before its welcome
    // arrives.
    await tabs.ask(a);
    const seat = await tabs.ask(a);
    const lost = tabs.link();
    tabs.registry.admit(new AdmittedLink(lost.relay), seat.ticket);
    tabs.scheduler.advance(1);
    lost.relay.closeFromRemote(CloseCode.unloaded, "");
    const last = tabs.enter(await tabs.ask(a));
    expect(last.player.welcome).toMatchObject({ seat: 1, sessionId: idOf(a) });
    tabs.scheduler.advance(60_000);
    expect(tabs.registry.participants.size).toBe(2);
    expect(b.player.of("left").map(({ number }) => number)).not.toContain(last.player.number);
    // The newest token has arrived, so the older ones are void.
    last.link.relay.closeFromRemote(CloseCode.unloaded, "");
    expect((await tabs.ask(a)).sessionId).not.toBe(idOf(a));
  });

  it("[M2] is a newcomer with a wrong token, for another room, and after its seat was released", async () => {
    const tabs = new Tabs({ rooms: { race: { maxPlayers: 4 }, duel: {} } });
    const a = tabs.join();
    a.link.relay.closeFromRemote(CloseCode.unloaded, "");
    expect((await tabs.ask(a, {}, { token: "guessed" })).sessionId).not.toBe(idOf(a));
    expect((await tabs.ask(a, {}, { session: "nobody" })).sessionId).not.toBe(idOf(a));
    expect((await tabs.ask(a, { target: "duel" })).roomName).toBe("duel");
    expect((await tabs.ask(a, { method: "create" })).roomId).not.toBe(a.seat.roomId);
    const other = tabs.seat({ method: "create" });
    expect((await tabs.ask(a, { method: "joinById", target: other.roomId })).roomId).toBe(other.roomId);
    expect((await tabs.ask(a, { method: "joinById", target: a.seat.roomId })).sessionId).toBe(idOf(a));
    tabs.scheduler.advance(30_000);
    expect((await tabs.ask(a)).sessionId).not.toBe(idOf(a));
  });

  it("[M2] that may be a duplicate of another page gets the seat only if the session has no link", async () => {
    const tabs = new Tabs();
    const [a, b] = [tabs.join(), tabs.join()];
    const duplicate = await tabs.ask(a, {}, { ifAway: true });
    expect(duplicate.sessionId).not.toBe(idOf(a));
    expect(tabs.enter(duplicate).player.welcome.peers).toHaveLength(2);
    expect([a.player.end, b.player.end]).toEqual([undefined, undefined]);
    // The close of the old page may arrive a little later than the request of the next one.
    tabs.scheduler.after(100, () => a.link.relay.closeFromRemote(CloseCode.unloaded, ""));
    const askedAtMs = tabs.scheduler.nowMs();
    expect((await tabs.ask(a, {}, { ifAway: true })).sessionId).toBe(idOf(a));
    expect(tabs.scheduler.nowMs() - askedAtMs).toBeLessThan(200);
  });

  it("[M2] that is no duplicate takes the seat even if the old link is still open", async () => {
    const tabs = new Tabs();
    const [a, b] = [tabs.join(), tabs.join()];
    const next = tabs.enter(await tabs.ask(a));
    expect(a.player.end?.code).toBe(CloseCode.replaced);
    expect(next.player.welcome).toMatchObject({ seat: 1, sessionId: idOf(a) });
    expect(b.player.of("joined").at(-1)?.peer).toMatchObject({ id: idOf(a), seat: 1 });
  });

  it("[M2] is refused if it claims a malformed seat", () => {
    const body = { version: 5, options: {} };
    for (const seat of [
      null,
      "a",
      {},
      { session: "a", token: "b" },
      { session: "", token: "b", ifAway: true },
    ]) {
      expect(readMatchBody({ ...body, seat })).toMatchObject({ status: 400 });
    }
  });
});
