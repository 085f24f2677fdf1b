/** Ends that the server decides: each one arrives with its code and its reason, at any moment. */
import type { Page, PageEvent } from "@paceline/client";
import { CloseCode } from "@paceline/protocol";
import { silentLog } from "@paceline/relay";
import { Refusal, Room, type Player } from "@paceline/server";
import { roomStage, type RoomStage, type RoomStageOptions, type StagePlayer } from "@paceline/testkit/room";
import { beforeEach, describe, expect, test } from "vitest";
import { stubFetch } from "./virtual-fetch.js";

const REASON = "the referee says so";
const KICKED = {
  name: "NetError",
  code: "session/ended",
  retryable: false,
  message: `${REASON} [session/ended]`,
};
const GRACE_SECONDS = 20;

let stage: RoomStage<Ring>;
let joins: number;

class Ring extends Room {
  override readonly reconnectSeconds: number = GRACE_SECONDS;

  override onJoin(_player: Player): unknown {
    joins += 1;
    return undefined;
  }

  kickLast(): void {
    this.kick([...this.players.values()].at(-1)!, REASON);
  }
}

function staged(roomClass: new () => Ring = Ring, options: RoomStageOptions = {}): void {
  stage = roomStage(roomClass, { log: silentLog, ...options });
  stubFetch(stage.server);
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => void stage.scheduler.after(ms, resolve));

function endsOf({ room }: StagePlayer): [number, string][] {
  const ends: [number, string][] = [];
  room.onLeave((code, reason) => ends.push([code, reason]));
  return ends;
}

class SleepyPage implements Page {
  readonly isHidden = false;
  readonly #listeners = new Set<(event: PageEvent) => void>();

  onEvent(listener: (event: PageEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: PageEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

beforeEach(() => {
  joins = 0;
});

describe("a join rejects with the reason of a kick", () => {
  test("at once in onJoin", async () => {
    class Strict extends Ring {
      override onJoin(player: Player): void {
        this.kick(player, REASON);
      }
    }
    staged(Strict);
    await expect(stage.join()).rejects.toMatchObject(KICKED);
    await stage.stop();
  });

  test("later in onJoin", async () => {
    class Slow extends Ring {
      override async onJoin(player: Player): Promise<void> {
        await pause(300);
        this.kick(player, REASON);
        await pause(300);
      }
    }
    staged(Slow);
    await expect(stage.join()).rejects.toMatchObject(KICKED);
    await stage.stop();
  });

  test("in a step, while onJoin runs", async () => {
    class Ticking extends Ring {
      override onJoin(): Promise<void> {
        return pause(300);
      }
      override onTick(): void {
        if (this.players.size > 0) this.kickLast();
      }
    }
    staged(Ticking);
    await expect(stage.join()).rejects.toMatchObject(KICKED);
    await stage.stop();
  });

  test("between the welcome and the room", async () => {
    staged();
    await stage.join();
    const joining = stage.join({ network: { delayMs: 40 } });
    joining.catch(() => undefined);
    while (stage.room.players.size < 2) await stage.advance(1);
    await stage.advance(10);
    stage.room.kickLast();
    // The welcome and the end arrive in one turn of the event loop: the client cannot fetch code in between.
    stage.scheduler.advance(100);
    await expect(joining).rejects.toMatchObject(KICKED);
    await stage.stop();
  });
});

test("a join rejects with the reason of a server that stops, and may be tried again", async () => {
  class Slow extends Ring {
    override onJoin(): Promise<void> {
      return pause(300);
    }
  }
  staged(Slow);
  const joining = stage.join();
  joining.catch(() => undefined);
  while (stage.rooms.length === 0 || stage.room.players.size === 0) await stage.advance(5);
  await stage.stop();
  await expect(joining).rejects.toMatchObject({
    code: "session/ended",
    retryable: true,
    message: "the server is shutting down [session/ended]",
  });
});

describe("a player who is away gets the end when it is back, and no second seat", () => {
  test("kicked in onDrop", async () => {
    class Unforgiving extends Ring {
      override onDrop(player: Player): void {
        this.kick(player, REASON);
      }
    }
    staged(Unforgiving);
    await stage.join();
    const player = await stage.join();
    const ends = endsOf(player);
    player.offline();
    await stage.advance(1000);
    player.online();
    await stage.advance(5000);
    expect([ends, joins]).toEqual([[[CloseCode.kicked, REASON]], 2]);
    await stage.stop();
  });

  test("kicked over a link that is dead", async () => {
    staged();
    await stage.join();
    const player = await stage.join();
    const ends = endsOf(player);
    player.vanish();
    stage.room.kickLast();
    await stage.advance(1000);
    player.online();
    await stage.advance(10_000);
    expect([ends, joins]).toEqual([[[CloseCode.kicked, REASON]], 2]);
    await stage.stop();
  });

  test("kicked while its page is suspended", async () => {
    staged();
    await stage.join();
    const page = new SleepyPage();
    const player = await stage.join({ client: { page } });
    const ends = endsOf(player);
    page.tell("suspend");
    await stage.advance(10_000);
    stage.room.kickLast();
    await stage.advance(60_000);
    expect(ends).toEqual([]);
    page.tell("wake");
    await stage.advance(2000);
    expect([ends, joins]).toEqual([[[CloseCode.kicked, REASON]], 2]);
    await stage.stop();
  });

  test("its room was closed", async () => {
    staged();
    await stage.join();
    const player = await stage.join();
    const ends = endsOf(player);
    player.offline();
    await stage.advance(1000);
    stage.room.disconnect("the match is over");
    await stage.advance(1000);
    player.online();
    await stage.advance(5000);
    expect([ends, joins]).toEqual([[[CloseCode.roomClosed, "the match is over"]], 2]);
    await stage.stop();
  });
});

describe("a player whose seat is gone learns why it gets no other one", () => {
  test("refused by onAuth: at once", async () => {
    let isBanned = false;
    class Guarded extends Ring {
      override readonly reconnectSeconds = 1;
      static override onAuth(): boolean {
        if (isBanned) throw new Refusal("banned for today");
        return true;
      }
    }
    staged(Guarded);
    await stage.join();
    const player = await stage.join();
    const ends = endsOf(player);
    player.offline();
    await stage.advance(3000);
    isBanned = true;
    player.online();
    await stage.advance(10_000);
    expect(ends).toEqual([[CloseCode.matchRefused, "match/refused banned for today"]]);
    await stage.stop();
  });

  test("full: when it gives up", async () => {
    class Small extends Ring {
      override readonly reconnectSeconds = 1;
      override maxPlayers = 2;
    }
    staged(Small, { limits: { maxRooms: 1 } });
    await stage.join();
    const player = await stage.join();
    const ends = endsOf(player);
    player.offline();
    await stage.advance(3000);
    await stage.join();
    player.online();
    await stage.advance(30_000);
    expect(ends).toEqual([]);
    await stage.advance(40_000);
    expect(ends).toEqual([[CloseCode.matchRefused, expect.stringMatching(/^match\/full \w/)]]);
    await stage.stop();
  });
});
