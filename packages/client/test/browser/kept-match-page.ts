/** The page of a player in a match that outlives its server. e2e/rooms-live-on.spec.ts builds and opens it. */
import { Client, defineEntity, uint, type Room } from "@paceline/client";

const Score = defineEntity("score", { goals: uint({ range: [0, 60_000] }) });

/** A return to the room: when, by the wall clock, and what the room said. */
export interface KeptReturn {
  readonly atMs: number;
  readonly resumed: boolean;
  readonly restored: boolean;
  /** The first goal after it that the server answered, by the wall clock. 0: none yet. */
  playedAtMs: number;
}

/** What a player has done and heard. */
export interface KeptRecord {
  readonly returns: KeptReturn[];
  /** Why the player has left, if it has. */
  readonly left: string[];
  /** Goals of this player that were sent. */
  sent: number;
  /** Goals of all players, as the entity shows them. */
  score: number;
}

const record: KeptRecord = { returns: [], left: [], sent: 0, score: 0 };
let room: Room;
let shooting: ReturnType<typeof setInterval>;

/** Joins, and shoots a goal every 50 ms. */
async function play(): Promise<void> {
  const client = new Client(location.origin, { profile: "action", transports: ["websocket"] });
  room = await client.joinOrCreate("match");
  room.only(Score).onChange("goals", (goals) => (record.score = goals));
  room.onReconnect(({ resumed, restored }) =>
    record.returns.push({ atMs: Date.now(), resumed, restored, playedAtMs: 0 }),
  );
  room.onLeave((code, reason) => record.left.push(`${code} ${reason}`));
  room.onMessage("goal", () => {
    const last = record.returns.at(-1);
    if (last?.playedAtMs === 0) last.playedAtMs = Date.now();
  });
  shooting = setInterval(() => room.send("goal", ++record.sent), 50);
}

Object.assign(globalThis, {
  player: {
    record,
    play,
    stop: () => clearInterval(shooting),
    seat: () => ({ roomId: room.roomId, number: room.myNumber }),
    /** Asks the room for all goals that it has seen: player and number. */
    goals: () => room.request("goals", null),
  },
});
