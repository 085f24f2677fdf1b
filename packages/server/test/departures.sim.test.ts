import { CloseCode } from "@paceline/protocol";
import { silentLog } from "@paceline/relay";
import { Room, type Player } from "@paceline/server";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { expect, test } from "vitest";

let stage: RoomStage<Room>;
let said: string[] = [];

function staged(roomClass: new () => Room): void {
  said = [];
  stage = roomStage(roomClass, { log: silentLog });
}

/** Notes how a promise settles, and how long that takes, s. */
async function note(what: string, promise: Promise<unknown>): Promise<void> {
  const startMs = stage.scheduler.nowMs();
  const how = await promise.then(
    () => "resolves",
    ({ code }: { readonly code: string }) => code,
  );
  said.push(`${what} ${how} ${Math.round((stage.scheduler.nowMs() - startMs) / 1000)}`);
}

test.each([
  ["comes back", ["first resolves 0", "second resolves 0"]],
  ["does not come back", ["first session/ended 9", "second session/ended 9"]],
])("every call of allowReconnection settles if the player %s", async (end, expected) => {
  class Patient extends Room {
    override onDrop(player: Player): void {
      void note("first", this.allowReconnection(player, 3));
      void note("second", this.allowReconnection(player, 9));
    }
  }
  staged(Patient);
  const player = await stage.join();
  player.offline();
  if (end === "comes back") player.online();
  await stage.advance(12_000);
  expect(said.sort()).toEqual(expected);
  await stage.stop();
});

test("nothing waits for a player in its onLeave", async () => {
  class Late extends Room {
    override async onLeave(player: Player): Promise<void> {
      await note("wait", this.allowReconnection(player, 20));
      await note("request", this.request(player, "sure?", 1));
    }
  }
  staged(Late);
  const player = await stage.join();
  void player.room.leave();
  await stage.advance(100);
  expect(said).toEqual(["wait session/ended 0", "request transport/closed 0"]);
  await stage.stop();
});

test("a request that began in onJoin ends when its player leaves in the middle of it", async () => {
  class Asking extends Room {
    override async onJoin(player: Player): Promise<void> {
      stage.scheduler.after(1000, () => this.kick(player));
      await note("request", this.request(player, "ready?", 1, 60_000));
    }
  }
  staged(Asking);
  await expect(stage.join()).rejects.toThrow("kicked");
  expect(said).toEqual(["request transport/closed 1"]);
  await stage.stop();
});

test("a player who leaves in its onJoin has the code of its end in onLeave", async () => {
  class Strict extends Room {
    override onJoin(player: Player): void {
      this.kick(player);
    }
    override onLeave(_player: Player, code: number): void {
      said.push(`left with ${code}`);
    }
  }
  staged(Strict);
  await expect(stage.join()).rejects.toThrow("kicked");
  expect(said).toEqual([`left with ${CloseCode.kicked}`]);
  await stage.stop();
});

test("players stay in the order of joining after a reload", async () => {
  staged(class extends Room {});
  const first = await stage.join();
  await stage.join();
  await stage.reload(first);
  expect([...stage.room.players.keys()]).toEqual([1, 2]);
  await stage.stop();
});

test("a player who is kicked when its page is reloaded does not come back with the next page", async () => {
  class Strict extends Room {
    override onDrop(player: Player): void {
      this.kick(player, "no reloads here");
    }
    override onReconnect(): void {
      said.push("back");
    }
    override onLeave(_player: Player, code: number): void {
      said.push(`left with ${code}`);
    }
  }
  staged(Strict);
  const player = await stage.join();
  await stage.join();
  // The next page's request overtakes the close of the last page's link.
  player.vanish();
  await expect(stage.reload(player)).rejects.toMatchObject({
    code: "session/ended",
    retryable: false,
    message: "no reloads here [session/ended]",
  });
  expect(said).toEqual([`left with ${CloseCode.kicked}`]);
  expect([...stage.room.players.keys()]).toEqual([2]);
  await stage.stop();
});

test.each(["message", "request"])(
  "no handler gets a %s of a player that left while it was checked",
  async (what) => {
    class Checking extends Room {
      override onCreate(): void {
        const slowly: StandardSchemaV1 = {
          "~standard": {
            version: 1,
            vendor: "test",
            validate: (value) =>
              new Promise((resolve) => void stage.scheduler.after(100, () => resolve({ value }))),
          },
        };
        this.onMessage("message", slowly, () => void said.push("message"));
        this.onRequest("request", slowly, () => said.push("request"));
      }
      override onLeave(): void {
        said.push("leave");
      }
      override onDispose(): void {
        said.push("dispose");
      }
    }
    staged(Checking);
    const { room } = await stage.join();
    if (what === "message") room.send("message", 1);
    else room.request("request", 1).catch(() => undefined);
    await stage.advance(20);
    void room.leave();
    await stage.advance(500);
    expect(said).toEqual(["leave", "dispose"]);
    await stage.stop();
  },
);
