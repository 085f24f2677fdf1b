import { ConfigError, type ProfileChoice, type Room as ClientRoom } from "@paceline/client";
import { Room, defineEntity, vec2 } from "@paceline/server";
import { seededRandom } from "@paceline/testkit";
import { StagePlayer, roomStage, type RoomStage } from "@paceline/testkit/room";
import { afterEach, expect, test } from "vitest";

const Ball = defineEntity("ball", { position: vec2({ range: [-64, 64], precision: 0.01 }) });

class DecidedRoom extends Room {
  override readonly entities = [Ball];
  override maxPlayers = 2;
}

let stage: RoomStage<DecidedRoom>;
afterEach(() => stage.stop());

function player(profile: ProfileChoice): StagePlayer {
  return new StagePlayer({
    scheduler: stage.scheduler,
    random: seededRandom(1),
    network: { delayMs: 20 },
    client: { profile, transports: ["websocket", "webrtc"] },
    accept: (link, protocols) => stage.server.takeLink(link, { address: "stage", protocols }),
  });
}

test("a client leaves a room without the topology that its game requires at once, and keeps no seat", async () => {
  stage = roomStage(DecidedRoom);
  const first = await stage.join();
  const { client } = player({ base: "racing", topology: "relay" });
  const joining: Promise<ClientRoom> = client.joinOrCreate("staged");
  const refused = await stage.until(joining).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  expect(refused).toMatchObject({
    field: "profile.topology",
    expected: `"authority", or nothing: a server decides in this room`,
  });
  await stage.advance(200);
  expect([stage.rooms.length, stage.room.players.size, first.room.peers.length]).toEqual([1, 1, 0]);
  // The place is free. A client without a topology of its own gets it.
  const second = player("racing");
  const joined = await stage.until(second.client.joinOrCreate("staged"));
  await stage.advance(200);
  expect([stage.rooms.length, stage.room.players.size]).toEqual([1, 2]);
  joined.leave();
});
