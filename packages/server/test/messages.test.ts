import { Room, Refusal, type Player } from "@paceline/server";
import { type } from "arktype";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { Stage, eventually } from "./stage.js";

class ChatRoom extends Room {
  static override readonly optionsSchema = z.object({ name: z.string().min(2) });
  readonly heard: unknown[] = [];

  override onJoin(_: Player, { name }: { name?: string } = {}): void {
    this.broadcast("joined", name);
  }

  override onCreate(): void {
    this.onMessage("zod", z.object({ speed: z.number().max(9) }), (_, { speed }) => this.heard.push(speed));
    this.onMessage("valibot", v.object({ text: v.string() }), (_, { text }) => this.heard.push(text));
    this.onMessage("arktype", type({ count: "number.integer" }), (_, { count }) => this.heard.push(count));
    this.onMessage("throw", () => {
      throw new Error("a mistake of the game");
    });
    this.onMessage("echo", (player, bytes) => this.sendEvent(player, "echo", bytes));
    this.onRequest("age", z.number(), (_, age) => age + 1);
    this.onRequest("no", () => {
      throw new Refusal("not today");
    });
    this.onRequest("broken", () => Promise.reject(new Error("a secret of the game")));
  }
}

let stage: Stage<ChatRoom>;
beforeEach(async () => {
  stage = await new Stage(ChatRoom).start();
});
afterEach(() => stage.stop());

describe("messages", () => {
  it("are checked by any Standard Schema validator; the sender of a refused one gets a notice", async () => {
    const client = await stage.join({ name: "Ann" });
    const errors: string[] = [];
    client.onError(({ code, message }) => errors.push(`${code} ${message}`));
    client.send("zod", { speed: 3 });
    client.send("valibot", { text: "hi" });
    client.send("arktype", { count: 4 });
    client.send("zod", { speed: 10 });
    client.send("valibot", {});
    client.send("arktype", { count: 0.5 });
    client.send("unknown", 1);
    await eventually(() => expect(errors).toHaveLength(4));
    expect(stage.rooms[0]!.heard).toEqual([3, "hi", 4]);
    expect(errors.every((error) => error.startsWith("message/refused"))).toBe(true);
    expect(errors[0]).toContain("zod: speed: ");
    expect(stage.server.reports()[0]!.counters).toMatchObject({ messages: 7, messagesRefused: 4 });
  });

  it("to all in onJoin reach the player who joins, too", async () => {
    const ann = await stage.join({ name: "Ann" });
    const atAnn: unknown[] = [];
    ann.onMessage("joined", (name) => atAnn.push(name));
    const bob = await stage.join({ name: "Bob" });
    const atBob: unknown[] = [];
    bob.onMessage("joined", (name) => atBob.push(name));
    await eventually(() => expect([atAnn, atBob]).toEqual([["Ann", "Bob"], ["Bob"]]));
  });

  it("to one player may be events, which can be lost", async () => {
    const [ann, bob] = [await stage.join({ name: "Ann" }), await stage.join({ name: "Bob" })];
    const heard: unknown[] = [];
    ann.onMessage("echo", (message, { number }) => heard.push(["Ann", number, message]));
    bob.onMessage("echo", () => heard.push("Bob"));
    ann.sendEvent("echo", Uint8Array.of(1, 2));
    await eventually(() => expect(heard).toEqual([["Ann", 0, Uint8Array.of(1, 2)]]));
    const [room] = stage.rooms;
    const [player] = room!.players.values();
    ann.leave();
    await eventually(() => expect(room!.players.size).toBe(1));
    room!.sendEvent(player!, "echo", 1);
    expect(heard).toHaveLength(1);
  });

  it("a handler that throws is counted, and has no other effect", async () => {
    const client = await stage.join({ name: "Ann" });
    client.send("throw", 1);
    client.send("valibot", { text: "after" });
    await eventually(() => expect(stage.rooms[0]!.heard).toEqual(["after"]));
    expect(stage.server.reports()[0]!.counters.hookErrors).toEqual({ onMessage: 1 });
  });

  it("requests are answered, refused with the game's words, or fail without its secrets", async () => {
    const client = await stage.join({ name: "Ann" });
    expect(await client.request("age", 7)).toBe(8);
    await expect(client.request("age", "seven")).rejects.toThrow("age: ");
    await expect(client.request("no", 1)).rejects.toThrow("not today");
    await expect(client.request("broken", 1)).rejects.toThrow("the handler failed");
  });

  it("join options are checked before anything else", async () => {
    await expect(stage.join({ name: "A" })).rejects.toMatchObject({ code: "match/bad-request" });
    expect(stage.rooms).toEqual([]);
  });

  it("the room sends requests to its players", async () => {
    const client = await stage.join({ name: "Ann" });
    client.onRequest("ready", (message) => [message, true]);
    const [room] = stage.rooms;
    const [player] = room!.players.values();
    expect(await room!.request(player!, "ready", 5)).toEqual([5, true]);
    await expect(room!.request(player!, "other", 5)).rejects.toMatchObject({ code: "request/refused" });
  });
});
