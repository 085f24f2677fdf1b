import type { Genre, Room as ClientRoom } from "@paceline/client";
import { silentLog } from "@paceline/relay";
import type { Room } from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { roomStage, virtualWebRtc, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { expect, onTestFinished, vi } from "vitest";

const DEFAULT_LOSS = 0.05;

export interface Seat<Game> {
  readonly stage: StagePlayer;
  readonly room: ClientRoom;
  readonly game: Game;
}

interface Meeting<Game> {
  readonly profile: Genre;
  readonly players: number;
  /** Of every path: to the server, and directly between two players. */
  readonly loss?: number;
  /** The room class; without one players are among themselves. */
  readonly rooms?: new () => Room;
  play(room: ClientRoom, index: number): Game;
}

/** So many players of a starter, on networks that delay and lose packets. */
export async function meet<Game>({
  profile,
  players,
  rooms,
  loss = DEFAULT_LOSS,
  play,
}: Meeting<Game>): Promise<{
  stage: RoomStage<Room>;
  seats: Seat<Game>[];
}> {
  const network = { delayMs: 50, jitterMs: 10, loss: { kind: "uniform", ratio: loss } } as const;
  const stage = roomStage(rooms ?? { maxPlayers: players }, { seed: 7, log: silentLog });
  // What a game throws in a listener or in its loop is printed, and goes on.
  const printed = vi.spyOn(console, "error");
  onTestFinished(async () => {
    await stage.stop();
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });
  const webRtc = virtualWebRtc({ random: seededRandom(9), settings: network });
  const client = rooms ? { profile } : { profile, transports: ["webrtc", "websocket"] as const, webRtc };
  const seats: Seat<Game>[] = [];
  for (let index = 0; index < players; index++) {
    const player = await stage.join({ network, client });
    seats.push({ stage: player, room: player.room, game: play(player.room, index) });
  }
  return { stage, seats };
}
