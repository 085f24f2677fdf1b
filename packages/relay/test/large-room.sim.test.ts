import { expect, test } from "vitest";
import type { RoomAuthority, RoomHost, Seat } from "../src/index.js";
import { GuardedLink } from "../src/admission/guarded-link.js";
import { Player } from "./player.js";
import { VirtualLobby } from "./virtual-lobby.js";

/** More than one message can list. */
const PLAYERS = 420;

const none = (): void => undefined;
const host: RoomHost = {
  info: { tickHz: 10, kinds: [], inputHash: 0 },
  tickFor: () => 0,
  join: () => Promise.resolve(undefined),
  receive: none,
  receiveEvent: none,
  receiveState: none,
  receiveInput: none,
  acknowledged: none,
  dropped: none,
  returned: none,
  left: none,
  draining: none,
  close: none,
};

/** As rooms of a class: they say themselves how many they take. */
const authority: RoomAuthority = {
  authorize: ({ options }) => Promise.resolve({ auth: true, options }),
  open: (room) => {
    room.maxPlayers = 1000;
    return Promise.resolve(host);
  },
};

async function comers(stage: VirtualLobby, count: number): Promise<Player[]> {
  const players: Player[] = [];
  for (let index = 0; index < count; index++) {
    const request = {
      method: "joinOrCreate",
      target: "arena",
      options: {},
      webrtc: false,
      token: "",
    } as const;
    const { ticket } = (await stage.lobby.match(request, { address: "", headers: {} })) as Seat;
    const [player, link] = [new Player(stage.scheduler), stage.link()];
    stage.lobby.admit(new GuardedLink(link.relay), ticket);
    player.attach(link.player);
    players.push(player);
  }
  for (let turn = 0; turn < 4; turn++) {
    stage.scheduler.advance(50);
    await new Promise(setImmediate);
  }
  return players;
}

test("[WF124] a newcomer to a room of 420 is welcomed, and hears of everybody", async () => {
  const limits = { joinBurstPerRoom: 1000, matchBurstPerAddress: 1000, linkBurstPerAddress: 1000 };
  const stage = new VirtualLobby({ rooms: { arena: { authority } }, limits });
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
