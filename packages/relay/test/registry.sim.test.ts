import { CloseCode } from "@paceline/protocol";
import { describe, expect, it } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

describe("joining", () => {
  it("sends a welcome with number, room, token and peers, and announces the newcomer", () => {
    const virtual = new VirtualRegistry({ iceServers: [{ urls: "stun:stun.example.org" }] });
    const first = virtual.join({ webrtc: false });
    const second = virtual.join();
    expect(first.player.welcome).toMatchObject({ number: 1, roomName: "race", peers: [] });
    expect(second.player.welcome).toMatchObject({
      sessionId: second.seat.sessionId,
      roomId: first.seat.roomId,
      number: 2,
      peers: [{ number: 1, id: first.seat.sessionId, webrtc: false }],
      iceServers: [{ urls: "stun:stun.example.org" }],
    });
    expect(second.player.welcome.token).toHaveLength(32);
    expect(first.player.of("joined")).toEqual([
      { type: "joined", peer: { number: 2, id: second.seat.sessionId, webrtc: true } },
    ]);
    expect(second.player.of("joined")).toEqual([]);
  });

  it("does not give the number of one who has just left", () => {
    const virtual = new VirtualRegistry();
    virtual.join();
    virtual.join().player.tell({ type: "leave" });
    virtual.scheduler.advance(100);
    expect(virtual.join().player.number).toBe(3);
  });

  it("puts equal options in any order into one room, and other options into another", () => {
    const virtual = new VirtualRegistry();
    const { roomId } = virtual.seat({ options: { track: "loop", laps: 3 } });
    expect(virtual.seat({ options: { laps: 3, track: "loop" } }).roomId).toBe(roomId);
    expect(virtual.seat({ options: { laps: 4, track: "loop" } }).roomId).not.toBe(roomId);
    expect(virtual.seat({ method: "create", options: { laps: 3, track: "loop" } }).roomId).not.toBe(roomId);
    expect(virtual.seat({ method: "joinById", target: roomId }).roomId).toBe(roomId);
  });

  it("opens another room when one is full, and refuses joins of the full one", () => {
    const virtual = new VirtualRegistry({ rooms: { race: { maxPlayers: 2 } } });
    const { roomId } = virtual.seat();
    virtual.join();
    expect(virtual.reserve({ method: "joinById", target: roomId })).toMatchObject({ code: "match/full" });
    expect(virtual.reserve({ method: "join" })).toMatchObject({ code: "match/not-found" });
    expect(virtual.seat().roomId).not.toBe(roomId);
  });

  it("refuses unknown kinds and unknown rooms", () => {
    const virtual = new VirtualRegistry();
    expect(virtual.reserve({ target: "rase" })).toMatchObject({ status: 404, code: "match/unknown-room" });
    expect(virtual.reserve({ target: "constructor" })).toMatchObject({ code: "match/unknown-room" });
    expect(virtual.reserve({ method: "join" })).toMatchObject({ status: 404, code: "match/not-found" });
    expect(virtual.reserve({ method: "joinById", target: "x" })).toMatchObject({ code: "match/not-found" });
  });

  it("keeps the limits of rooms and sessions", () => {
    const virtual = new VirtualRegistry({ limits: { maxRooms: 2, maxSessions: 3 } });
    virtual.join({ method: "create" });
    virtual.seat({ method: "create" });
    expect(virtual.reserve({ method: "create" })).toMatchObject({ status: 503, code: "match/full" });
    virtual.seat();
    expect(virtual.reserve()).toMatchObject({ status: 503, code: "match/full" });
  });
});

describe("tickets and seats", () => {
  it("a seat that nobody takes becomes free when its ticket expires", () => {
    const virtual = new VirtualRegistry({ rooms: { race: { maxPlayers: 1 } } });
    const { roomId, ticket } = virtual.seat();
    expect(virtual.reserve({ method: "joinById", target: roomId })).toMatchObject({ code: "match/full" });
    virtual.scheduler.advance(25_001);
    expect(virtual.registry.rooms.size).toBe(0);
    expect(virtual.refusalOf(ticket)).toBe(CloseCode.ticketExpired);
  });

  it("a seat is gone when its room ends, and so are the places that the room keeps", () => {
    const virtual = new VirtualRegistry();
    const { roomId, ticket } = virtual.seat({ group: { key: "ours", size: 3 } });
    virtual.registry.rooms.find(roomId)!.end(CloseCode.roomClosed, "over");
    expect(virtual.registry.rooms.size).toBe(0);
    expect(virtual.seat({ group: { key: "ours", size: 3 } }).roomId).not.toBe(roomId);
    expect(virtual.refusalOf(ticket)).toBe(CloseCode.ticketExpired);
    expect(virtual.registry).toMatchObject({ seats: { size: 1 }, participants: { size: 0 } });
  });

  it("a ticket works once", () => {
    const virtual = new VirtualRegistry();
    const { seat } = virtual.join();
    expect(virtual.refusalOf(seat.ticket)).toBe(CloseCode.ticketUsed);
    expect(virtual.registry.participants.size).toBe(1);
  });

  it("a ticket that was guessed or changed opens no seat", () => {
    const virtual = new VirtualRegistry();
    const { ticket } = virtual.seat({ method: "create" });
    expect(ticket).toMatch(/^[\w-]{32}$/);
    for (let at = 0; at < ticket.length; at++) {
      const changed = ticket.slice(0, at) + (ticket[at] === "A" ? "B" : "A") + ticket.slice(at + 1);
      expect(virtual.refusalOf(changed)).toBe(CloseCode.ticketExpired);
    }
    for (const other of ["", `${ticket}.`, `${ticket}A`, ticket.slice(1), "x".repeat(5000)])
      expect(virtual.refusalOf(other)).toBe(CloseCode.refused);
    expect(virtual.refusalOf(ticket)).toBeUndefined();
    expect(virtual.refusalOf(ticket)).toBe(CloseCode.ticketUsed);
  });

  it("a used ticket is remembered for its lifetime, and forgotten when a later one is used", () => {
    const virtual = new VirtualRegistry({ rooms: { race: { maxPlayers: 8 } } });
    const { seat } = virtual.join();
    virtual.scheduler.advance(24_800);
    virtual.join();
    expect(virtual.refusalOf(seat.ticket)).toBe(CloseCode.ticketUsed);
    virtual.scheduler.advance(1);
    virtual.join();
    expect(virtual.refusalOf(seat.ticket)).toBe(CloseCode.ticketExpired);
  });
});
