import { CloseCode } from "@paceline/protocol";
import { expect, test } from "vitest";
import type { RelayRoom, Seat } from "../src/index.js";
import { AdmittedLink } from "../src/admission/admitted-link.js";
import { authority } from "./authority.js";
import { Player } from "./player.js";
import { VirtualRegistry } from "./virtual-registry.js";

/** More participants than one message can list. */
const PLAYERS = 420;

/** Sets the room's number of places itself, as rooms of a class do. */
const large = authority({ onOpen: (room) => void (room.maxPlayers = 1000) });

async function comers(stage: VirtualRegistry, count: number): Promise<Player[]> {
  const players: Player[] = [];
  for (let index = 0; index < count; index++) {
    const request = {
      method: "joinOrCreate",
      target: "arena",
      options: {},
      webrtc: false,
      token: "",
    } as const;
    const { ticket } = (await stage.registry.match(request, { address: "", headers: {} })) as Seat;
    const [player, link] = [new Player(stage.scheduler), stage.link()];
    stage.registry.admit(new AdmittedLink(link.relay), ticket);
    player.attach(link.player);
    players.push(player);
  }
  for (let turn = 0; turn < 4; turn++) {
    stage.scheduler.advance(50);
    await new Promise(setImmediate);
  }
  return players;
}

test("[WF46] a newcomer to a room of 420 gets a welcome and learns of all participants", async () => {
  const limits = { joinBurstPerRoom: 1000, forwardsPerSecondPerRoom: 1_000_000 };
  const stage = new VirtualRegistry({ rooms: { arena: { authority: large } }, limits });
  const before = await comers(stage, PLAYERS);
  const [newcomer] = (await comers(stage, 1)) as [Player];
  expect(newcomer.close).toBeUndefined();
  const { peers } = newcomer.welcome;
  expect(peers).toHaveLength(100);
  const later = newcomer.of("joined").map(({ peer }) => peer);
  expect([...peers, ...later].map(({ number }) => number)).toEqual(before.map(({ number }) => number));
  expect(newcomer.messages.slice(0, 1 + later.length).map(({ type }) => type)).toEqual([
    "welcome",
    ...later.map(() => "joined"),
  ]);
});

test("in a room with an authority, one packet reports all players that leave within 100 ms", async () => {
  const stage = new VirtualRegistry({ rooms: { arena: { authority: large } } });
  const [witness] = (await comers(stage, 1)) as [Player];
  const others = await comers(stage, 9);
  stage.scheduler.advance(500);
  const received = (): number => witness.session.activeLink!.counters.packetsReceived;
  const before = received();
  for (const { session } of others.slice(0, 8)) session.close(CloseCode.left, "left");
  stage.scheduler.advance(250);
  expect(witness.of("left").map(({ number }) => number)).toEqual(
    others.slice(0, 8).map(({ welcome }) => welcome.number),
  );
  // One packet for the first player, one for the others. The rest is a ping and a pong.
  expect(received() - before).toBeLessThanOrEqual(4);
});

test("a newcomer is announced before its first packet, also after another player has left", async () => {
  let room!: RelayRoom;
  const opened = authority({ onOpen: (each) => void ((room = each).maxPlayers = 1000) });
  const stage = new VirtualRegistry({ rooms: { arena: { authority: opened } } });
  const [witness, first, second] = (await comers(stage, 3)) as [Player, Player, Player];
  stage.scheduler.advance(500);
  for (const { session } of [first, second]) session.close(CloseCode.left, "left");
  stage.scheduler.advance(10);
  expect(witness.of("left")).toHaveLength(1);
  await comers(stage, 1);
  expect(witness.of("joined")).toHaveLength(2);
  // The authority's next step, whose states may be the newcomer's.
  for (const participant of room.participants) participant.sendIntroductions();
  stage.scheduler.advance(50);
  expect(witness.messages.slice(-2).map(({ type }) => type)).toEqual(["left", "joined"]);
});
